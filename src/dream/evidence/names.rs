//! Names: each word of the claim that looks like one stands in the sources.

use std::collections::BTreeSet;

use super::held;
use super::matter::same_stem;
use crate::dreamer::{Hold, HoldReason};

/// Words that begin a curated line in upper case and are no names.
const OPENERS: &str = "a about after agent agreed all allergic always an and any ask asked asks assistant at avoid \
    avoids because before believes both but by call chose clients code commit commits confirmed data \
    deadline decided decision deploy deploys dislikes do does each enjoys every everyone expects for \
    from goal had has hates have he her his human i if in is it its keep keeps learned lesson likes \
    lives loves meetings migrations moved must my name needs never new no not note now of on only \
    open operator our owner plans prefer preference preferred prefers promised release releases \
    remember reports requires reviews rule runs she should since some team tests that the their \
    there they this to today tomorrow tool uses use used user user's users wants was we when while \
    will with works yesterday you your monday tuesday wednesday thursday friday saturday sunday";

/// A word in upper case that is not the sources' and no opener of a sentence is a name that was made up.
pub(super) fn check(claim: &str, known: &BTreeSet<String>) -> Result<(), Hold> {
    for sentence in claim.split_inclusive(['.', '!', '?', ':', ';']) {
        let mut words = sentence
            .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’' | '_')))
            .filter(|word| !word.is_empty())
            .enumerate();
        if let Some((_, name)) =
            words.find(|(at, word)| looks_like_a_name(word) && !is_known(word, *at == 0, known))
        {
            return Err(held(HoldReason::Name, name));
        }
    }
    Ok(())
}

fn looks_like_a_name(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    letters > 1 && word.chars().any(char::is_uppercase)
}

fn is_known(word: &str, opens: bool, known: &BTreeSet<String>) -> bool {
    let lower = word.to_lowercase().replace('’', "'");
    let bare = lower.strip_suffix("'s").unwrap_or(&lower);
    let parts = || bare.split('_').filter(|part| !part.is_empty());
    if known.contains(&lower)
        || known.contains(bare)
        || known.contains(&format!("{bare}'s"))
        || parts().all(|part| known.contains(part))
    {
        return true;
    }
    if matches!(bare, "user" | "agent" | "human" | "operator" | "assistant" | "owner") {
        return true;
    }
    // The first word of a sentence is a name unless it is an opener, or a form of a word of the sources.
    opens
        && (OPENERS.split(' ').any(|opener| opener == bare)
            || known.iter().any(|other| same_stem(other, bare)))
}
