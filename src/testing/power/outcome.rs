//! The fate of an operation when the power goes, and the lie of a drive.

/// The fate of an operation that was not durable when the power went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrashOutcome {
    /// It is not there.
    Lost,
    /// It is there.
    Kept,
    /// A write whose first half is there.
    Torn,
    /// A write that made the file longer: the length is there, and zeros.
    Zeroed,
}

/// A sync that a drive reports and does not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lie {
    /// [`DiskFile::sync`](crate::testing::DiskFile::sync).
    Sync,
    /// [`Disk::sync_folder`](crate::testing::Disk::sync_folder).
    SyncFolder,
}
