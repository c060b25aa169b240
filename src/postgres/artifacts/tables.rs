//! The tables of artifacts, and the rows that each scope sees of them.

/// Makes the tables.
pub(in crate::postgres) const ARTIFACTS: &str = r#"
    CREATE TABLE artifacts (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        id text COLLATE "C" NOT NULL,
        type text NOT NULL,
        status text NOT NULL,
        title bytea NOT NULL,
        session bytea,
        is_shared bigint NOT NULL,
        data bytea,
        size bigint NOT NULL,
        message bytea,
        created_us bigint NOT NULL,
        updated_us bigint NOT NULL,
        PRIMARY KEY (user_id, agent_id, id)
    );
    CREATE INDEX artifacts_created ON artifacts (user_id, agent_id, created_us, id);

    CREATE TABLE artifact_audit (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        number bigint NOT NULL,
        at_us bigint NOT NULL,
        actor text NOT NULL,
        session_kind text NOT NULL,
        action text NOT NULL,
        artifact_id text COLLATE "C" NOT NULL,
        PRIMARY KEY (user_id, agent_id, number)
    );
    CREATE INDEX artifact_audit_id ON artifact_audit (user_id, agent_id, artifact_id);

    DO $$
    DECLARE each text;
    BEGIN
        FOREACH each IN ARRAY ARRAY['artifacts', 'artifact_audit'] LOOP
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
