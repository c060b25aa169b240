//! Moving a life from one home to another, bringing in what other programs remember, and handing on to a memory
//! store what dreams promoted.

mod claim;
mod copy;
mod dialect;
mod feed;
mod forget;
mod holders;
mod home;
mod import;
mod kept;

pub use crate::base::receipt::{DocumentReceipt, ForgetPlace, ForgetReceipt};
pub use copy::copy_into;
pub use dialect::Dialect;
pub use feed::{FeedReport, feed};
pub use forget::Forget;
pub use import::{Import, ImportAction, ImportItem, ImportPlan, ImportRefusal, ImportReport};
