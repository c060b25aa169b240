//! The rows and the profile for a system prompt.

use std::hint::black_box;

use noctuary::life::{ContextConfig, MemoryContext};
use noctuary::{MemoryStore, SqliteMemoryStore};
use rusqlite::Statement;

use super::rows::Rows;
use super::{SQLITE, hand};
use crate::home::{agent, at, scope};
use crate::measure::{Effort, Operation, Row, compare};

const NEWEST: &str = "SELECT category, content FROM memories
    WHERE user_id = '' AND agent_id = '' AND deleted_at IS NULL AND retired_at IS NULL
    ORDER BY updated_at DESC, id DESC LIMIT 50";

pub(super) fn both(effort: Effort, rows: &Rows, table: &mut Vec<Row>) {
    let store = SqliteMemoryStore::open(rows.database(), scope()).unwrap();
    let connection = hand::connect(&rows.database());
    let mut newest = connection.prepare(NEWEST).unwrap();
    let mut profile = connection.prepare("SELECT key, value FROM user_profile ORDER BY key").unwrap();
    let pairs = |statement: &mut Statement<'_>| -> Vec<(String, String)> {
        let rows = statement.query_map([], |row| <(String, String)>::try_from(row)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let (agent, config, now) = (agent(), ContextConfig::default(), at(rows.count));
    let mut bare = || {
        black_box((pairs(&mut profile), pairs(&mut newest)));
    };
    let read = || {
        let rows = store.snapshot(&agent, 50, now).unwrap();
        assert_eq!(rows.len(), 50);
        black_box((store.profile(&agent).unwrap(), rows));
    };
    let take = || {
        let context = MemoryContext::take(&store, &agent, &config, now).unwrap();
        assert_eq!((context.rows(), context.left_out()), (50, 0));
        black_box(context);
    };
    let by_hand = "SELECT of 50 rows and of the profile";
    let ours: [(&str, &dyn Fn(), f64); 2] =
        [("snapshot", &read, 3.0), ("the same as a block of a prompt, judged", &take, 4.0)];
    for (what, ours, bound) in ours {
        let (bare, ours): (Operation<'_>, Operation<'_>) = (Box::new(|_| bare()), Box::new(|_| ours()));
        let row = compare(effort, [SQLITE, what, by_hand], 50, || {}, bare, ours);
        table.push(Row { bound: Some(bound), ..row });
    }
}
