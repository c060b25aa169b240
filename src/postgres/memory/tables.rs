//! The tables of memory stores: the seed's, by its names, with columns beside its own.
//!
//! Ids count in each scope by itself, in `memory_state`. Times are texts in the order of their times, as SQLite keeps them. A long text
//! is looked up by a number that is made of it, since an index holds no long texts.

/// Makes the tables. Each has the scope in front of its key, and refuses an empty user.
pub(in crate::postgres) const TABLES: &str = r#"
    CREATE TABLE memories (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        id bigint NOT NULL,
        category text COLLATE "C" NOT NULL,
        content text COLLATE "C" NOT NULL,
        metadata text COLLATE "C",
        source text COLLATE "C",
        deleted_at text COLLATE "C",
        created_at text COLLATE "C" NOT NULL,
        updated_at text COLLATE "C" NOT NULL,
        shared boolean NOT NULL,
        origin text COLLATE "C",
        session text COLLATE "C",
        session_word bigint,
        position bigint,
        role text COLLATE "C",
        speaker text COLLATE "C",
        said_at text COLLATE "C",
        pinned bigint NOT NULL DEFAULT 0,
        bytes bigint NOT NULL,
        fact_state text COLLATE "C",
        retired_at text COLLATE "C",
        successor bigint,
        valid_from text COLLATE "C",
        valid_until text COLLATE "C",
        subject text COLLATE "C",
        slot text COLLATE "C",
        cardinality text COLLATE "C",
        fact_key text COLLATE "C",
        fact_word bigint,
        normal text COLLATE "C",
        normal_word bigint,
        cites text COLLATE "C",
        dream text COLLATE "C",
        signature bigint NOT NULL,
        PRIMARY KEY (user_id, agent_id, id)
    );
    CREATE INDEX memories_touched ON memories (user_id, agent_id, updated_at, id)
        WHERE deleted_at IS NULL AND retired_at IS NULL;
    CREATE INDEX memories_shared ON memories (user_id, agent_id, updated_at, id)
        WHERE shared AND deleted_at IS NULL AND retired_at IS NULL;
    CREATE INDEX memories_pinned ON memories (user_id, agent_id, updated_at, id)
        WHERE pinned > 0 AND deleted_at IS NULL AND retired_at IS NULL;
    CREATE INDEX memories_gone ON memories (user_id, agent_id, deleted_at, id) WHERE deleted_at IS NOT NULL;
    CREATE INDEX memories_place ON memories (user_id, agent_id, session_word, position, id)
        WHERE session_word IS NOT NULL AND deleted_at IS NULL AND retired_at IS NULL;
    CREATE INDEX memories_pending ON memories (user_id, agent_id, id)
        WHERE fact_state = 'pending' AND deleted_at IS NULL;
    CREATE INDEX memories_normal ON memories (user_id, agent_id, normal_word) WHERE normal_word IS NOT NULL;
    CREATE INDEX memories_key ON memories (user_id, agent_id, fact_word) WHERE fact_word IS NOT NULL;
    CREATE INDEX memories_successor ON memories (user_id, agent_id, successor) WHERE successor IS NOT NULL;
    CREATE INDEX memories_dream ON memories (user_id, agent_id, dream, id) WHERE dream IS NOT NULL;

    -- The last numbers of a scope, and the counts of what a search finds.
    CREATE TABLE memory_state (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        numbers bigint[] NOT NULL,
        PRIMARY KEY (user_id, agent_id)
    ) WITH (fillfactor = 50);

    -- The words of the rows that a search finds, each as a number.
    CREATE TABLE memory_postings (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        word bigint NOT NULL,
        id bigint NOT NULL,
        shared boolean NOT NULL,
        PRIMARY KEY (user_id, agent_id, word, id)
    );
    CREATE INDEX memory_postings_shared ON memory_postings (user_id, agent_id, word, id) WHERE shared;
    -- Each stem of the rows that a search finds, by which the beginnings of words are found.
    CREATE TABLE memory_stems (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        stem text COLLATE "C" NOT NULL,
        word bigint NOT NULL,
        PRIMARY KEY (user_id, agent_id, stem, word)
    );
    -- The rows of frequent words, many in each. `ids` are those of the rows from `first` to `last` that have the word, in their order,
    -- each in 8 bytes.
    CREATE TABLE memory_lists (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        word bigint NOT NULL,
        shared boolean NOT NULL,
        first bigint NOT NULL,
        last bigint NOT NULL,
        ids bytea NOT NULL,
        PRIMARY KEY (user_id, agent_id, word, shared, last)
    );
    ALTER TABLE memory_lists ALTER COLUMN ids SET STORAGE PLAIN;

    -- The words of retired rows and of keys.
    CREATE TABLE memory_echoes (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        word bigint NOT NULL,
        id bigint NOT NULL,
        PRIMARY KEY (user_id, agent_id, word, id)
    );
    CREATE INDEX memory_echoes_of ON memory_echoes (user_id, agent_id, id);

    CREATE TABLE user_profile (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        key_word bigint NOT NULL,
        key text COLLATE "C" NOT NULL,
        value text COLLATE "C" NOT NULL,
        updated_at text COLLATE "C" NOT NULL,
        PRIMARY KEY (user_id, agent_id, key_word)
    );

    CREATE TABLE memory_audit (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        id bigint NOT NULL,
        created_at text COLLATE "C" NOT NULL,
        actor text COLLATE "C" NOT NULL,
        session_kind text COLLATE "C",
        action text COLLATE "C" NOT NULL,
        outcome text COLLATE "C" NOT NULL,
        memory_id bigint,
        source text COLLATE "C",
        origin text COLLATE "C",
        reason text COLLATE "C",
        PRIMARY KEY (user_id, agent_id, id)
    );
    CREATE INDEX memory_audit_of ON memory_audit (user_id, agent_id, memory_id, id) WHERE memory_id IS NOT NULL;

    CREATE TABLE memory_learnings (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        id bigint NOT NULL,
        content text COLLATE "C" NOT NULL,
        context text COLLATE "C",
        normal text COLLATE "C" NOT NULL,
        normal_word bigint NOT NULL,
        created_at text COLLATE "C" NOT NULL,
        PRIMARY KEY (user_id, agent_id, id)
    );
    CREATE INDEX memory_learnings_normal ON memory_learnings (user_id, agent_id, normal_word);

    CREATE TABLE memory_suspects (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        older_id bigint NOT NULL,
        newer_id bigint NOT NULL,
        reason text COLLATE "C" NOT NULL,
        closed_by bigint,
        PRIMARY KEY (user_id, agent_id, newer_id, older_id)
    );
    CREATE INDEX memory_suspects_older ON memory_suspects (user_id, agent_id, older_id);

    CREATE TABLE memory_decisions (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        id bigint NOT NULL,
        created_at text COLLATE "C" NOT NULL,
        actor text COLLATE "C" NOT NULL,
        session_kind text COLLATE "C",
        decision text COLLATE "C" NOT NULL,
        older_id bigint,
        newer_id bigint,
        outcome text COLLATE "C" NOT NULL,
        reason text COLLATE "C",
        reverts bigint,
        retired bigint NOT NULL,
        changes text COLLATE "C" NOT NULL,
        PRIMARY KEY (user_id, agent_id, id)
    );
    CREATE INDEX memory_decisions_retired ON memory_decisions (user_id, agent_id, created_at) WHERE retired > 0;
    CREATE INDEX memory_decisions_pair ON memory_decisions (user_id, agent_id, older_id, newer_id)
        WHERE older_id IS NOT NULL;

    CREATE TABLE memory_tombstones (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        digest text COLLATE "C" NOT NULL,
        words bigint NOT NULL,
        mark bigint NOT NULL,
        PRIMARY KEY (user_id, agent_id, digest)
    );
    CREATE TABLE memory_tombstone_keys (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        key text COLLATE "C" NOT NULL,
        PRIMARY KEY (user_id, agent_id)
    );

    CREATE TABLE memory_edges (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        src_id bigint NOT NULL,
        place bigint NOT NULL,
        dst_entity_kind text COLLATE "C" NOT NULL,
        dst_entity_key text COLLATE "C" NOT NULL,
        edge_type text COLLATE "C" NOT NULL,
        created_at text COLLATE "C" NOT NULL,
        PRIMARY KEY (user_id, agent_id, src_id, place)
    );
    CREATE INDEX memory_edges_to ON memory_edges (user_id, agent_id, dst_entity_key, src_id);

    CREATE TABLE memory_methods (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        id bigint NOT NULL,
        name text COLLATE "C" NOT NULL,
        class text COLLATE "C" NOT NULL,
        body text COLLATE "C" NOT NULL,
        normal text COLLATE "C" NOT NULL,
        confidence double precision NOT NULL,
        times_used bigint NOT NULL DEFAULT 0,
        successes bigint NOT NULL DEFAULT 0,
        quarantine bigint NOT NULL DEFAULT 1,
        graduated_by text COLLATE "C",
        graduated_at text COLLATE "C",
        created_at text COLLATE "C" NOT NULL,
        updated_at text COLLATE "C" NOT NULL,
        PRIMARY KEY (user_id, agent_id, id)
    );
    CREATE TABLE memory_cases (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        id bigint NOT NULL,
        method_id bigint NOT NULL,
        content text COLLATE "C" NOT NULL,
        outcome text COLLATE "C",
        created_at text COLLATE "C" NOT NULL,
        PRIMARY KEY (user_id, agent_id, id)
    );
    CREATE INDEX memory_cases_of ON memory_cases (user_id, agent_id, method_id, id);
    CREATE TABLE memory_outcomes (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        id bigint NOT NULL,
        outcome text COLLATE "C" NOT NULL,
        outcome_word bigint NOT NULL,
        ending text COLLATE "C" NOT NULL,
        methods text COLLATE "C" NOT NULL,
        created_at text COLLATE "C" NOT NULL,
        PRIMARY KEY (user_id, agent_id, id)
    );
    CREATE INDEX memory_outcomes_named ON memory_outcomes (user_id, agent_id, outcome_word);
    CREATE TABLE memory_preferences (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        id bigint NOT NULL,
        dimension text COLLATE "C" NOT NULL,
        kind text COLLATE "C" NOT NULL,
        state text COLLATE "C" NOT NULL,
        statement text COLLATE "C" NOT NULL,
        tools text COLLATE "C" NOT NULL,
        words text COLLATE "C" NOT NULL,
        normal text COLLATE "C" NOT NULL,
        approved_by text COLLATE "C",
        approved_at text COLLATE "C",
        memory_id bigint,
        created_at text COLLATE "C" NOT NULL,
        PRIMARY KEY (user_id, agent_id, id)
    );
    CREATE TABLE memory_roles (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        id bigint NOT NULL,
        role text COLLATE "C" NOT NULL,
        subject text COLLATE "C",
        content text COLLATE "C" NOT NULL,
        class text COLLATE "C",
        reflection text COLLATE "C",
        reflected_at text COLLATE "C",
        created_at text COLLATE "C" NOT NULL,
        PRIMARY KEY (user_id, agent_id, id)
    );

    CREATE TABLE memory_generations (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        id bigint NOT NULL,
        name text COLLATE "C" NOT NULL,
        dimensions bigint NOT NULL,
        serves boolean NOT NULL DEFAULT false,
        filled bigint NOT NULL,
        PRIMARY KEY (user_id, agent_id, id)
    );
    -- `state` is 1 with a vector, 2 for a text that was sent in vain, 3 for one that needs none.
    CREATE TABLE memory_vectors (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        text_id bigint NOT NULL,
        generation bigint NOT NULL,
        number bigint NOT NULL,
        state bigint NOT NULL,
        attempts bigint NOT NULL DEFAULT 0,
        vector bytea,
        PRIMARY KEY (user_id, agent_id, text_id, generation)
    );
    ALTER TABLE memory_vectors ALTER COLUMN vector SET STORAGE EXTERNAL;
    CREATE INDEX memory_vectors_kept ON memory_vectors (user_id, agent_id, generation, number);
    -- The latest texts whose state left a generation that serves, for whoever has them in memory.
    CREATE TABLE memory_vectors_gone (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        number bigint NOT NULL,
        generation bigint NOT NULL,
        text_id bigint NOT NULL,
        PRIMARY KEY (user_id, agent_id, number)
    );

    -- Whatever a program tries: what a human typed, confirmed or pinned is retired by a decision of theirs alone.
    CREATE FUNCTION memories_protected() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
        IF NOT coalesce((SELECT actor = 'human' AND outcome = 'applied' FROM memory_decisions
            WHERE user_id = new.user_id AND agent_id = new.agent_id ORDER BY id DESC LIMIT 1), false) THEN
            RAISE EXCEPTION 'only the human retires this row';
        END IF;
        RETURN new;
    END $$;
    CREATE TRIGGER memories_protected BEFORE UPDATE OF retired_at ON memories FOR EACH ROW
        WHEN (new.retired_at IS NOT NULL AND old.retired_at IS NULL
            AND (old.source = 'user_manual' OR old.pinned > 0 OR old.fact_state = 'verified'))
        EXECUTE FUNCTION memories_protected();

    CREATE FUNCTION memory_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION '%', TG_ARGV[0];
    END $$;
    CREATE TRIGGER memory_roles_reflected BEFORE UPDATE OF class, reflection, reflected_at ON memory_roles FOR EACH ROW
        WHEN (old.reflected_at IS NOT NULL) EXECUTE FUNCTION memory_refuse('a reflection is not rewritten');
    CREATE TRIGGER memory_preferences_proposed BEFORE INSERT ON memory_preferences FOR EACH ROW
        WHEN (new.state <> 'proposed' OR new.approved_by IS NOT NULL)
        EXECUTE FUNCTION memory_refuse('a preference begins as a proposal');
    CREATE TRIGGER memory_methods_created BEFORE INSERT ON memory_methods FOR EACH ROW
        WHEN (new.quarantine < 1 OR new.graduated_by IS NOT NULL)
        EXECUTE FUNCTION memory_refuse('a method begins in quarantine');

    -- Whatever a program tries: a preference counts, and a method leaves quarantine, by the word of the human alone.
    CREATE FUNCTION memory_by_the_human() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
        IF NOT coalesce((SELECT actor = 'human' AND session_kind = 'main' AND outcome = 'done'
                AND action = ANY (string_to_array(TG_ARGV[1], ' '))
            FROM memory_audit WHERE user_id = new.user_id AND agent_id = new.agent_id ORDER BY id DESC LIMIT 1), false)
        THEN
            RAISE EXCEPTION '%', TG_ARGV[0];
        END IF;
        RETURN new;
    END $$;
    CREATE TRIGGER memory_preferences_approved BEFORE UPDATE ON memory_preferences FOR EACH ROW
        EXECUTE FUNCTION memory_by_the_human(
            'only the human decides on a preference', 'preference_approve preference_withdraw');
    CREATE TRIGGER memory_methods_judged BEFORE UPDATE OF quarantine, graduated_by, graduated_at ON memory_methods
        FOR EACH ROW
        WHEN (new.quarantine < old.quarantine
            OR (new.graduated_by IS NOT NULL AND new.graduated_at IS DISTINCT FROM old.graduated_at))
        EXECUTE FUNCTION memory_by_the_human('only the human graduates a method', 'method_graduate method_lift');
"#;
