//! A PostgreSQL server alone. Without one they are skipped, and a gate does not let that pass.

#[path = "servers/documents.rs"]
mod documents;
#[path = "servers/index.rs"]
mod index;
#[path = "servers/rows.rs"]
mod rows;
