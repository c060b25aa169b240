//! The branch of a conversation that its person saw.

use crate::base::sorted::SortedSet;

/// A message's place in the tree of a conversation.
pub(super) enum Parent<'a> {
    /// It is a first message.
    Root,
    /// Another message is before it.
    Is(&'a str),
    /// No message has this id.
    Unknown,
}

/// Returns the ids from the first message to `leaf`. `None` where a message before it is missing, or where parents go in a circle.
pub(super) fn branch<'a>(leaf: &'a str, parent: impl Fn(&str) -> Parent<'a>) -> Option<Vec<&'a str>> {
    let (mut ids, mut seen) = (Vec::new(), SortedSet::new());
    let mut at = leaf;
    loop {
        let before = parent(at);
        if matches!(before, Parent::Unknown) || !seen.insert(at) {
            return None;
        }
        ids.push(at);
        match before {
            Parent::Is(id) => at = id,
            _ => break,
        }
    }
    ids.reverse();
    Some(ids)
}
