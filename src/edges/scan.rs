//! The parts of a text: words, ends of lines, and entities that a sign marks.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use super::entity::Entity;

/// A part of a text, by its place.
#[derive(Debug)]
pub(crate) enum Piece {
    /// The end of a line.
    Break,
    /// A word.
    Word(Range<usize>),
    /// An entity that a sign marks.
    Marked(Range<usize>, Entity),
}

/// Gives the parts of a text, in order.
pub(crate) fn scan(text: &str, mut take: impl FnMut(Piece)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(first) = bytes.get(at) {
        match first {
            b'\n' => {
                take(Piece::Break);
                at += 1;
            }
            b'\t'..=b' ' => at += 1,
            first => {
                let link = if *first == b'[' { link(&text[at..]) } else { None };
                if let Some((len, key)) = link {
                    take(Piece::Marked(at..at + len, Entity::new(Entity::LINK, key)));
                    at += len;
                    continue;
                }
                let (end, plain) = run(text, at);
                // Most runs are a word, and perhaps the end of a sentence.
                if plain == end || (plain + 1 == end && plain > at && closes(char::from(bytes[plain]))) {
                    take(Piece::Word(at..plain));
                } else {
                    chunk(text, at..end, &mut take);
                }
                at = end;
            }
        }
    }
}

/// Returns where a run without white space ends, and where its first ASCII letters and digits do. A link ends it too.
fn run(text: &str, from: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric();
    let plain = from + bytes[from..].iter().take_while(|byte| is_plain(byte)).count();
    let mut at = plain;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\t'..=b' ' => break,
            b'[' if at > from + 1 && bytes.get(at + 1) == Some(&b'[') => break,
            0x80.. => {
                let c = text[at..].chars().next().expect("a character begins here");
                if c.is_whitespace() && at > from {
                    break;
                }
                at += c.len_utf8();
            }
            _ => at += 1,
        }
    }
    (at, plain)
}

/// Returns the length of a wiki link and the key of its target: `[[Notes/Boat.md#Keel|the keel]]` is `notes/boat`.
fn link(text: &str) -> Option<(usize, String)> {
    const LONGEST: usize = 240;
    let inner = text.strip_prefix("[[")?;
    let end = inner.find("]]").filter(|end| *end <= LONGEST)?;
    let inner = &inner[..end];
    let target = inner.split(['|', '#', '^']).next().unwrap_or_default().trim();
    let target = target.strip_suffix(".md").unwrap_or(target);
    let is_sound = !target.is_empty() && !inner.contains(['\n', '[', ']']);
    is_sound.then(|| (end + 4, Entity::fold(target)))
}

/// Gives what a run of characters without white space is.
fn chunk(text: &str, place: Range<usize>, take: &mut impl FnMut(Piece)) {
    let run = &text[place.clone()];
    let plain = run.trim_start_matches(opens).trim_end_matches(closes);
    if plain.is_empty() {
        return;
    }
    let start = place.start + (run.len() - run.trim_start_matches(opens).len());
    let marked = |len: usize, kind, key: String| Piece::Marked(start..start + len, Entity::new(kind, key));
    if let Some((from, len, key)) = address(run) {
        let from = place.start + from;
        take(Piece::Marked(from..from + len, Entity::new(Entity::URL, key)));
    } else if let Some(name) = plain.strip_prefix('@') {
        let name = head(name, |c| is_letter(c) || matches!(c, '_' | '-'));
        if name.chars().count() > 1 {
            take(marked(name.len() + 1, Entity::PERSON, Entity::fold(name)));
        }
    } else if let Some(tag) = plain.strip_prefix('#') {
        let tag = head(tag, |c| is_letter(c) || matches!(c, '_' | '-' | '/')).trim_end_matches('/');
        if tag.contains(char::is_alphabetic) {
            take(marked(tag.len() + 1, Entity::TAG, Entity::fold(tag)));
        }
    } else if is_path(plain) {
        take(marked(plain.len(), Entity::PATH, plain.to_owned()));
    } else if let Some(word) = word(plain) {
        let from = start + (word.as_ptr() as usize - plain.as_ptr() as usize);
        take(Piece::Word(from..from + word.len()));
    }
}

fn opens(c: char) -> bool {
    matches!(
        c,
        '(' | '[' | '{' | '<' | '"' | '\'' | '“' | '‘' | '`' | '*' | '（' | '「' | '《' | '-' | '+' | '>'
    )
}

fn closes(c: char) -> bool {
    matches!(
        c,
        ')' | ']'
            | '}'
            | '>'
            | '"'
            | '\''
            | '”'
            | '’'
            | '`'
            | '*'
            | '.'
            | ','
            | ';'
            | ':'
            | '!'
            | '?'
            | '）'
            | '」'
            | '》'
            | '。'
            | '，'
            | '、'
            | '；'
            | '：'
            | '！'
            | '？'
    )
}

/// Returns the letters and digits in the middle of a run.
fn word(run: &str) -> Option<&str> {
    let run = run.trim_start_matches(|c: char| !c.is_alphanumeric());
    let last = run.char_indices().rev().find(|(_, c)| c.is_alphanumeric())?;
    let marks = &run[last.0 + last.1.len_utf8()..];
    let marks = marks.len() - marks.trim_start_matches(is_combining_mark).len();
    Some(&run[..last.0 + last.1.len_utf8() + marks])
}

/// Returns whether a character is a letter, a digit, or a mark over one: a decomposed name ends with its mark.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}

fn head(text: &str, belongs: impl Fn(char) -> bool) -> &str {
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    &text[..end]
}

/// Returns where an address begins, how long it is, and its key: without scheme, query and fragment.
fn address(run: &str) -> Option<(usize, usize, String)> {
    let colon = run.find("://")?;
    let from = ["https", "http", "ftp"].into_iter().find_map(|scheme| {
        let from = colon.checked_sub(scheme.len())?;
        run.get(from..colon)?.eq_ignore_ascii_case(scheme).then_some(from)
    })?;
    let rest = &run[colon + 3..];
    let end = rest.find([')', '>', ']', '"', '\'', '`', '|', '，', '。', '）']).unwrap_or(rest.len());
    let whole = rest[..end].trim_end_matches(closes);
    let part = head(whole, |c| !matches!(c, '?' | '#')).trim_end_matches('/');
    let (host, path) = part.split_at(part.find('/').unwrap_or(part.len()));
    // A name and a password may stand in front of the host.
    let host = host.rsplit('@').next().unwrap_or_default();
    let key = host.to_ascii_lowercase() + path;
    (!host.is_empty()).then_some((from, colon + 3 - from + whole.len(), key))
}

/// Returns whether a run is the path of a file: it has a root, an ending, or a known file name.
fn is_path(run: &str) -> bool {
    const KINDS: [&str; 24] = [
        "c", "cpp", "css", "csv", "go", "h", "html", "java", "js", "json", "jsonl", "md", "pdf", "png", "py",
        "rs", "sh", "sql", "toml", "ts", "txt", "xml", "yaml", "yml",
    ];
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '~' | '\\' | '+');
    let has_drive = matches!(run.as_bytes(), [letter, b':', b'\\', ..] if letter.is_ascii_alphabetic());
    if !run.chars().skip(if has_drive { 2 } else { 0 }).all(is_plain) || run.contains("//") {
        return false;
    }
    let (stem, ending) = run.rsplit_once('.').unwrap_or((run, ""));
    let is_file = !stem.ends_with('/') && stem.contains(char::is_alphanumeric);
    if !run.contains('/') {
        return has_drive || (is_file && KINDS.contains(&ending));
    }
    let has_root = ["/", "./", "../", "~/"].iter().any(|root| run.starts_with(root));
    let has_ending = (1..=5).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && ending.bytes().any(|byte| byte.is_ascii_alphabetic());
    let has_letters = run.contains(char::is_alphabetic);
    has_letters && (has_root || (is_file && has_ending))
}
