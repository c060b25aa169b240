//! A system prompt that was made.

use std::fmt;

use super::block::Block;
use super::notice::PromptNotice;
use crate::dreamer::MemoryGauge;

/// A system prompt. Its text is what [`Display`](fmt::Display) prints; the same blocks give the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prompt {
    /// The blocks, in order. A host may move or replace them; derived ones come after the workspace's.
    pub blocks: Vec<Block>,
    /// The length of `MEMORY.md`, and its advised length; `None` if this session does not see it.
    pub memory: Option<MemoryGauge>,
    /// Notices that a host may pass on to its operator.
    pub notices: Vec<PromptNotice>,
}

impl Prompt {
    /// Finds a block by its id.
    #[must_use]
    pub fn block(&self, id: &str) -> Option<&Block> {
        self.blocks.iter().find(|block| block.id == id)
    }
}

impl fmt::Display for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, block) in self.blocks.iter().enumerate() {
            if at > 0 {
                f.write_str("\n\n")?;
            }
            f.write_str(&block.text)?;
        }
        Ok(())
    }
}
