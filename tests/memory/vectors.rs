//! Vectors of rows in a database: what every store promises, and what only a file shows.

use std::sync::Arc;

use noctuary::SqliteMemoryStore;
use noctuary::testing::contract::vectors;

#[test]
fn a_store_in_a_database_keeps_the_contract_of_vectors() {
    vectors::vectors(&|| Arc::new(SqliteMemoryStore::open_in_memory(vectors::scope()).unwrap()));
}
