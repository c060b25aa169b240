//! The progress of an import of chats.

use std::sync::atomic::{AtomicU64, Ordering};

/// The progress of an import of chats, for a bar that another thread draws.
#[derive(Debug, Default)]
pub struct ChatProgress {
    chats: AtomicU64,
    messages: AtomicU64,
}

impl ChatProgress {
    /// Returns the number of conversations that were read so far.
    #[must_use]
    pub fn chats(&self) -> u64 {
        self.chats.load(Ordering::Relaxed)
    }

    /// Returns the number of their messages.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }

    /// Counts a conversation.
    pub(super) fn count(&self, messages: usize) {
        self.chats.fetch_add(1, Ordering::Relaxed);
        self.messages.fetch_add(messages as u64, Ordering::Relaxed);
    }
}
