//! Indexes of every home, for suites that know none of them.

#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::any::Any;
use std::sync::Arc;

use noctuary::edges::EdgeStore;
use noctuary::search::DocumentIndex;
use noctuary::vectors::VectorStore;
use noctuary::{Scope, SqliteIndex, SqliteWorkspace, Workspace};

/// The verbs of every index.
pub(crate) trait AnyIndex: DocumentIndex + VectorStore + EdgeStore {}

impl<I: DocumentIndex + VectorStore + EdgeStore> AnyIndex for I {}

/// Marta's documents and their index, new and empty.
pub(crate) struct NewHome {
    pub(crate) workspace: Arc<dyn Workspace>,
    pub(crate) index: Arc<dyn AnyIndex>,
    /// Kept until the end.
    pub(crate) place: Box<dyn Any>,
}

pub(crate) fn marta() -> Scope {
    Scope::user("marta")
}

pub(crate) fn sqlite() -> NewHome {
    NewHome {
        workspace: Arc::new(SqliteWorkspace::open_in_memory(marta()).unwrap()),
        index: Arc::new(SqliteIndex::open_in_memory(marta()).unwrap()),
        place: Box::new(()),
    }
}

pub(crate) fn postgres() -> NewHome {
    let fresh = noctuary_tests::common::server::Fresh::new();
    NewHome {
        workspace: Arc::new(fresh.server.workspace(marta()).unwrap()),
        index: Arc::new(fresh.server.index(marta()).unwrap()),
        place: Box::new(fresh),
    }
}

/// Makes a test of each suite and home.
macro_rules! on_each_home {
    ($($suite:ident)*) => {
        mod on_sqlite {
            $(#[test] fn $suite() { super::$suite(crate::workspace::index_homes::sqlite) })*
        }
        mod on_postgres {
            $(#[test] fn $suite() {
                if noctuary_tests::common::server::url().is_some() {
                    super::$suite(crate::workspace::index_homes::postgres)
                }
            })*
        }
    };
}
pub(crate) use on_each_home;
