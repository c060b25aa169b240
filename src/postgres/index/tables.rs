//! The tables of indexes, and the rows that each scope sees of them.

/// Makes the tables. Chunks have numbers that rise within a scope and are never given twice; words are the hashes of their stems, in a
/// table of their own, which a search reads whole.
///
/// No index over words: row-level security lets an index serve operators alone that tell nothing of other rows, and those of lists
/// are not among them.
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

    DO $$
    DECLARE each text;
    BEGIN
        FOREACH each IN ARRAY ARRAY['indexed_documents', 'chunks', 'chunk_words', 'chunk_edges', 'chunk_generations',
                                    'chunk_vectors', 'chunk_vectors_gone', 'index_numbers'] LOOP
            EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', each);
            EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', each);
            EXECUTE format(
                'CREATE POLICY scope ON %I USING (
                    user_id = nullif(current_setting(''noctuary.user'', true), '''')
                    AND agent_id = coalesce(current_setting(''noctuary.agent'', true), ''''))',
                each);
        END LOOP;
    END $$;
"#;
