//! The text of one line without anything that could act on a reader.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::tags::{is_frame, is_tag};
use crate::base::gather::Gather as _;
use crate::base::pattern::pattern;
use crate::base::sorted::SortedMap;
use crate::base::text;
use crate::dreamer::{DropReason, Dropped};
use crate::format::replies::reply;

static IMAGE: LazyLock<Regex> = LazyLock::new(|| pattern(r"!+\["));
static LINK: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])"));
static LINK_DEFINITION: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\[(?:[^\[\]\\]|\\.)*\]:\s*\S+.*$"));
/// The beginning of a target that is still there: escaped or nested brackets.
static OPEN_LINK: LazyLock<Regex> = LazyLock::new(|| pattern(r"\]\("));
static OPEN_REFERENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\]\["));
static ROLE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\[/?(?:inst|sys|system|assistant|user)\]"));
pub(super) static TAG: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"</?([A-Za-z][A-Za-z0-9:_-]*)((?:\s[^<>]*)?/?)>"));
/// Marks that models take for a turn of a chat.
static TURN: LazyLock<Regex> = LazyLock::new(|| pattern(r"<\s*[|｜][^|｜<>]{0,40}[|｜]\s*>"));
/// A frame in other brackets, or with spaces where a tag has none.
static FORGED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"[<‹«〈《⟨❮❰˂ᐸ]\s*/?\s*([A-Za-z][A-Za-z0-9:_-]*)[^<>‹›«»〈〉《》⟨⟩❮❯❰❱˂˃ᐸᐳ]{0,80}[>›»〉》⟩❯❱˃ᐳ]")
});
/// A character as HTML writes it.
static ENTITY: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"&(?:#[xX]0*([0-9a-fA-F]{1,6});?|#0*([0-9]{1,7});?|([A-Za-z]{2,6});)"));

/// The most rounds of cleaning before a bullet is given up as one that hides something.
const MOST_ROUNDS: usize = 8;

/// The parts that were taken out, counted by their reasons.
#[derive(Debug, Default)]
pub(super) struct Drops(SortedMap<DropReason, u32>);

impl Drops {
    pub(super) fn add(&mut self, reason: DropReason) {
        *self.0.entry(reason).or_default() += 1;
    }

    pub(super) fn has(&self, reason: DropReason) -> bool {
        self.0.contains_key(&reason)
    }

    pub(super) fn list(&self) -> Vec<Dropped> {
        self.0.iter().map(|(reason, count)| Dropped { reason: *reason, count: *count }).gather()
    }

    /// Cleans the text of one bullet, until there is nothing left to clean; `None` where there is no end to it.
    pub(super) fn clean(&mut self, item: &str) -> Option<String> {
        let mut text = item.to_owned();
        for _ in 0..MOST_ROUNDS {
            let cleaned = self.clean_once(&text);
            if cleaned == text {
                return Some(text);
            }
            text = cleaned;
        }
        None
    }

    fn clean_once(&mut self, item: &str) -> String {
        let item = decoded(item);
        let text = visible(&item);
        if text.chars().count() < item.chars().count() {
            self.add(DropReason::Invisible);
        }
        let text = self.without_comments(&text);
        let text = self.without(&IMAGE, &text, "[", DropReason::Image);
        let text = self.without(&LINK, &text, "]", DropReason::Link);
        let text = self.without(&OPEN_LINK, &text, "] (", DropReason::Link);
        let text = self.without(&OPEN_REFERENCE, &text, "] [", DropReason::Link);
        let text = self.without(&LINK_DEFINITION, &text, "", DropReason::Link);
        let text = self.without(&ROLE, &text, "", DropReason::Tag);
        let text = self.without(&TURN, &text, "", DropReason::Tag);
        let mut drops = 0;
        let text = FORGED.replace_all(&text, |found: &regex::Captures<'_>| {
            let is_forged = is_frame(&found[1].to_ascii_lowercase());
            drops += u32::from(is_forged);
            if is_forged { String::new() } else { found[0].to_owned() }
        });
        let text = TAG.replace_all(&text, |found: &regex::Captures<'_>| {
            let name = found[1].to_ascii_lowercase();
            if is_tag(&name) {
                drops += 1;
                String::new()
            } else {
                found[0].replacen('<', "&lt;", 1)
            }
        });
        (0..drops).for_each(|_| self.add(DropReason::Tag));
        let text = escape_openers(&text);
        let folded: String = text.split_whitespace().gather().join(" ");
        strip_block_marks(&folded).to_owned()
    }

    fn without(&mut self, what: &Regex, text: &str, instead: &str, reason: DropReason) -> String {
        let mut drops = 0;
        let text = what.replace_all(text, |_: &regex::Captures<'_>| {
            drops += 1;
            instead
        });
        (0..drops).for_each(|_| self.add(reason));
        text.into_owned()
    }

    /// Takes out comments, and marks without a partner, in one walk.
    fn without_comments(&mut self, text: &str) -> String {
        let mut kept = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find("<!--") {
            kept.push_str(&rest[..at]);
            let inside = &rest[at + 4..];
            rest = inside.find("-->").map_or(inside, |end| &inside[end + 3..]);
            self.add(DropReason::Comment);
        }
        kept.push_str(rest);
        let strays = kept.matches("-->").count();
        (0..strays).for_each(|_| self.add(DropReason::Comment));
        kept.replace("-->", "")
    }
}

/// Returns text with the characters that its entities stand for.
pub(super) fn decoded(text: &str) -> Cow<'_, str> {
    ENTITY.replace_all(text, |found: &regex::Captures<'_>| match character(found) {
        Some(c) => c.to_string(),
        None => found[0].to_owned(),
    })
}

/// Returns text without invisible characters; controls become spaces, and wide brackets the brackets that they stand for.
pub(super) fn visible(text: &str) -> String {
    text.chars()
        .filter(|c| !text::is_invisible(*c))
        .map(|c| match c {
            '＜' | '﹤' => '<',
            '＞' | '﹥' => '>',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect()
}

/// Returns the character of an entity, where it could be a part of a frame.
fn character(found: &regex::Captures<'_>) -> Option<char> {
    let number = |group, radix| Some(u32::from_str_radix(found.get(group)?.as_str(), radix).ok());
    if let Some(number) = number(1, 16).or_else(|| number(2, 10)) {
        return number.and_then(char::from_u32);
    }
    Some(match found[3].to_ascii_lowercase().as_str() {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "excl" => '!',
        "lsqb" | "lbrack" => '[',
        "rsqb" | "rbrack" => ']',
        "lpar" => '(',
        "rpar" => ')',
        "grave" => '`',
        "num" => '#',
        "vert" => '|',
        _ => return None,
    })
}

/// Writes `&lt;` for every `<` that a reader could take for the beginning of a tag.
fn escape_openers(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let opens = c == '<'
            && chars
                .peek()
                .is_some_and(|next| next.is_alphabetic() || matches!(next, '/' | '!' | '?' | '<' | '|'));
        if opens { escaped.push_str("&lt;") } else { escaped.push(c) }
    }
    escaped
}

/// Takes off what would begin a heading, quote, fence or nested item inside a bullet.
fn strip_block_marks(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let stripped = text.trim_start_matches(['#', '>']).trim_start();
        let stripped = stripped.trim_start_matches("```").trim_start_matches("~~~").trim_start();
        let stripped = match reply::bullet(stripped) {
            // A number is a part of the statement, unless what follows it would begin a block.
            Some(item) if !stripped.starts_with(|c: char| c.is_ascii_digit()) || begins_block(item) => item,
            _ => stripped,
        };
        if is_rule(stripped) {
            return "";
        }
        if stripped == text {
            return text;
        }
        text = stripped;
    }
}

fn begins_block(text: &str) -> bool {
    text.starts_with(['#', '>'])
        || text.starts_with("```")
        || text.starts_with("~~~")
        || reply::bullet(text).is_some()
}

pub(super) fn is_rule(text: &str) -> bool {
    text.len() >= 3 && text.chars().all(|c| matches!(c, '-' | '=' | '_' | '*' | ' '))
}
