//! The words in which the two databases differ.

use crate::search::rank::Visibility;

/// The words in which the two databases differ; each is here once, in both spellings.
///
/// `$1` and `$2` are the scope. A table is called by an alias, and a value by its place: `"$3"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    /// Returns the spelling of a part of one statement alone.
    pub(crate) const fn spell(self, sqlite: &'static str, postgres: &'static str) -> &'static str {
        match self {
            Self::Sqlite => sqlite,
            Self::Postgres => postgres,
        }
    }

    /// Returns the function for the greater one of two values.
    pub(crate) fn greatest(self) -> &'static str {
        self.spell("max", "greatest")
    }

    /// Returns the function for the place of a part in a text, which is 0 where it has none.
    pub(crate) fn place_of(self) -> &'static str {
        self.spell("instr", "strpos")
    }

    /// Returns the condition of the rows that a session may see.
    pub(crate) fn in_sight(self, visibility: Visibility) -> &'static str {
        match visibility {
            Visibility::All => "m.deleted_at IS NULL AND m.retired_at IS NULL",
            Visibility::Shared => self.spell(
                "m.deleted_at IS NULL AND m.retired_at IS NULL AND m.shared = 1",
                "m.deleted_at IS NULL AND m.retired_at IS NULL AND m.shared",
            ),
        }
    }

    /// Returns the same, and the rows that are retired.
    pub(crate) fn in_sight_or_retired(self, visibility: Visibility) -> &'static str {
        match visibility {
            Visibility::All => "m.deleted_at IS NULL",
            Visibility::Shared => {
                self.spell("m.deleted_at IS NULL AND m.shared = 1", "m.deleted_at IS NULL AND m.shared")
            }
        }
    }

    /// Returns the conditions of the scope and of a filter, whose values are `$3` to `$5`.
    pub(crate) const fn conditions(self) -> &'static str {
        self.spell(
            "m.user_id = $1 AND m.agent_id = $2 AND ($3 IS NULL OR m.category = $3 COLLATE NOCASE)
             AND ($4 IS NULL OR m.updated_at >= $4) AND ($5 IS NULL OR m.updated_at < $5)",
            "m.user_id = $1 AND m.agent_id = $2 AND ($3 IS NULL OR lower(m.category) = lower($3 COLLATE \"C\"))
             AND ($4 IS NULL OR m.updated_at >= $4) AND ($5 IS NULL OR m.updated_at < $5)",
        )
    }

    /// Returns the condition that a column is one of the values of a list.
    pub(crate) fn is_in(self, column: &str, list: &str) -> String {
        match self {
            Self::Sqlite => format!("{column} IN (SELECT value FROM json_each({list}))"),
            Self::Postgres => format!("{column} = ANY ({list})"),
        }
    }

    /// Returns the table of a list: each value, and its place as `key`.
    pub(crate) fn list(self, list: &str, alias: &str) -> String {
        match self {
            Self::Sqlite => format!("json_each({list}) {alias}"),
            Self::Postgres => format!("unnest({list}) WITH ORDINALITY {alias} (value, key)"),
        }
    }

    /// Returns a table `m` of the row with an id. A session's rights are a condition from outside. Inside, a server without
    /// statistics of the table would choose the index of visible rows and read all of it.
    pub(crate) fn by_id(self, id: &str) -> String {
        let fence = self.spell("", " OFFSET 0");
        format!(
            "(SELECT * FROM memories k WHERE k.user_id = $1 AND k.agent_id = $2 AND k.id = {id}{fence}) m"
        )
    }

    /// Returns a table `m` of the rows with ids that are bound, each looked up by itself, as in [`by_id`](Self::by_id).
    pub(crate) fn by_ids(self, ids: &str) -> String {
        match self {
            Self::Sqlite => format!("json_each({ids}) r CROSS JOIN memories m ON m.id = r.value"),
            Self::Postgres => format!("unnest({ids}) r (value) CROSS JOIN LATERAL {}", self.by_id("r.value")),
        }
    }

    /// Returns the condition of the scope on a table `s` of parts of rows. In SQLite, the row alone finds them.
    pub(crate) fn of_scope(self) -> &'static str {
        self.spell("", "s.user_id = $1 AND s.agent_id = $2 AND")
    }

    /// Returns the condition of edges `e` of rows of the scope.
    pub(crate) fn of_edges(self) -> &'static str {
        self.spell("e.src_table = 'memories'", "e.user_id = $1 AND e.agent_id = $2")
    }

    /// Returns the columns of the scope of such a table, and their values.
    pub(crate) fn with_scope(self) -> [&'static str; 2] {
        [self.spell("", "user_id, agent_id, "), self.spell("", "$1, $2, ")]
    }
}
