//! Moving a life from one home to another, and bringing in what other programs remember.

mod copy;
mod dialect;
mod import;

pub use copy::copy_into;
pub use dialect::Dialect;
pub use import::{Import, ImportAction, ImportItem, ImportPlan, ImportRefusal, ImportReport};
