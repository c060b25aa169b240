//! The tables of artifacts.

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
"#;
