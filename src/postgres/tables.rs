//! The tables of a workspace.

/// Makes the tables. Each has the scope in front of its key, and refuses an empty user.
pub(super) const WORKSPACE: &str = r#"
    CREATE TABLE lives (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        writes bigint NOT NULL,
        recent text[] NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (user_id, agent_id)
    ) WITH (fillfactor = 50);

    CREATE TABLE documents (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        path text COLLATE "C" NOT NULL CHECK (path <> ''),
        content bytea NOT NULL,
        modified_us bigint NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (user_id, agent_id, path)
    );

    CREATE TABLE document_versions (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        path text COLLATE "C" NOT NULL,
        version bigint NOT NULL,
        content bytea NOT NULL,
        revision text NOT NULL,
        replaced_us bigint NOT NULL,
        PRIMARY KEY (user_id, agent_id, path, version)
    );

    CREATE TABLE states (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        path text COLLATE "C" NOT NULL CHECK (path <> ''),
        content bytea NOT NULL,
        modified_us bigint NOT NULL,
        PRIMARY KEY (user_id, agent_id, path)
    );

    CREATE TABLE leases (
        user_id text COLLATE "C" NOT NULL CHECK (user_id <> ''),
        agent_id text COLLATE "C" NOT NULL DEFAULT '',
        epoch bigint NOT NULL,
        token text NOT NULL,
        expires_at timestamptz NOT NULL,
        acquired_us bigint NOT NULL,
        pid bigint NOT NULL,
        hostname text NOT NULL,
        guard_pid bigint NOT NULL,
        guard_start_us bigint NOT NULL,
        PRIMARY KEY (user_id, agent_id)
    );
"#;
