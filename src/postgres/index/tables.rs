//! The tables of indexes.

/// Makes the tables. Chunks have numbers that rise within a scope and are never given twice; words are the hashes of their stems.
pub(in crate::postgres) const INDEX: &str = r#"
    CREATE TABLE indexed_documents (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        path text COLLATE "C" NOT NULL CHECK (path <> ''),
        size bigint NOT NULL,
        modified_ns bigint NOT NULL,
        revision text NOT NULL,
        audience bigint NOT NULL,
        chunking text NOT NULL,
        chunks bigint NOT NULL,
        indexed_us bigint NOT NULL,
        PRIMARY KEY (user_id, agent_id, path)
    );

    CREATE TABLE chunks (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        number bigint NOT NULL,
        path text COLLATE "C" NOT NULL,
        place bigint NOT NULL,
        content bytea NOT NULL,
        beside bytea NOT NULL,
        first_byte bigint NOT NULL,
        first_line bigint NOT NULL,
        last_line bigint NOT NULL,
        PRIMARY KEY (user_id, agent_id, number),
        UNIQUE (user_id, agent_id, path, place),
        FOREIGN KEY (user_id, agent_id, path) REFERENCES indexed_documents ON DELETE CASCADE
    );

    CREATE TABLE chunk_words (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        number bigint NOT NULL,
        words int4[] NOT NULL,
        PRIMARY KEY (user_id, agent_id, number),
        FOREIGN KEY (user_id, agent_id, number) REFERENCES chunks ON DELETE CASCADE ON UPDATE CASCADE
    );

    -- Each word of a chunk in a row of its own, by which a search finds the chunk. No index over the lists of words would do: row-level
    -- security lets an index serve operators alone that tell nothing of other rows, and those of lists are not among them. Equality is.
    CREATE TABLE chunk_postings (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        word int4 NOT NULL,
        number bigint NOT NULL,
        PRIMARY KEY (user_id, agent_id, word, number)
    );

    CREATE TABLE chunk_edges (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        number bigint NOT NULL,
        entity_key text COLLATE "C" NOT NULL,
        entity_kind text COLLATE "C" NOT NULL,
        verb text COLLATE "C" NOT NULL,
        place bigint NOT NULL,
        PRIMARY KEY (user_id, agent_id, number, entity_key, entity_kind, verb),
        FOREIGN KEY (user_id, agent_id, number) REFERENCES chunks ON DELETE CASCADE ON UPDATE CASCADE
    );
    CREATE INDEX chunk_edges_entity ON chunk_edges (user_id, agent_id, entity_key);

    CREATE TABLE chunk_generations (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        generation bigint NOT NULL,
        name text NOT NULL,
        dimensions bigint NOT NULL,
        serves boolean NOT NULL DEFAULT false,
        filled bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (user_id, agent_id, generation),
        UNIQUE (user_id, agent_id, name)
    );

    CREATE TABLE chunk_vectors (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        generation bigint NOT NULL,
        chunk bigint NOT NULL,
        number bigint NOT NULL,
        state bigint NOT NULL,
        attempts bigint NOT NULL DEFAULT 0,
        vector bytea,
        PRIMARY KEY (user_id, agent_id, generation, chunk)
    );
    CREATE INDEX chunk_vectors_number ON chunk_vectors (user_id, agent_id, generation, number);

    CREATE TABLE chunk_vectors_gone (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        number bigint NOT NULL,
        generation bigint NOT NULL,
        chunk bigint NOT NULL,
        PRIMARY KEY (user_id, agent_id, number)
    );

    CREATE TABLE index_numbers (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        chunk bigint NOT NULL DEFAULT 0,
        generation bigint NOT NULL DEFAULT 0,
        kept bigint NOT NULL DEFAULT 0,
        gone bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (user_id, agent_id)
    );
"#;
