//! An index over a workspace.
#![cfg(feature = "sqlite")]

use std::sync::Arc;
use noctuary::SqliteIndex;
use noctuary::testing::contract::index;

#[test]
fn an_index_in_memory_keeps_the_contract() {
    index::suite(&|| Arc::new(SqliteIndex::open_in_memory(index::scope()).unwrap()));
}
