//! The commands, by what they are about.

pub(crate) mod carried;
pub(crate) mod chats;
pub(crate) mod doctor;
pub(crate) mod driver;
pub(crate) mod life;
pub(crate) mod memory;
pub(crate) mod merge;
pub(crate) mod night;
pub(crate) mod review;
pub(crate) mod rows;
pub(crate) mod rules;
pub(crate) mod shell;
pub(crate) mod travel;
