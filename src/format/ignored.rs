//! Files such as `.gitignore`: which names of a folder are none of ours.
//!
//! ```text
//! # a comment
//! target/          a folder, at any depth
//! /build           in this folder alone
//! docs/**/*.tmp    a slash inside binds the pattern to this folder too
//! !keep.tmp        the last rule that fits decides
//! ```

/// The rules of one folder, in their order.
#[derive(Debug, Default)]
pub(crate) struct Ignored {
    rules: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    /// Of the path below the folder, segment by segment.
    segments: Vec<Segment>,
    is_negated: bool,
    only_folders: bool,
}

#[derive(Debug)]
enum Segment {
    /// `**`: any number of segments.
    Any,
    Glob(Vec<Sign>),
}

#[derive(Debug)]
enum Sign {
    Char(char),
    /// `?`
    One,
    /// `*`
    Any,
    /// `[a-z]`, `[!a-z]`
    Class {
        ranges: Vec<(char, char)>,
        is_negated: bool,
    },
}

impl Ignored {
    /// Reads the rules of a file. A line that is no pattern is skipped.
    pub(crate) fn parse(text: &str) -> Self {
        let text = text.strip_prefix(crate::text::BOM).unwrap_or(text);
        Self { rules: text.split('\n').filter_map(rule).collect() }
    }

    /// Whether a path below the folder is ignored; `None` where no rule says.
    pub(crate) fn says(&self, path: &str, is_folder: bool) -> Option<bool> {
        let names: Vec<Vec<char>> = path.split('/').map(|name| name.chars().collect()).collect();
        let fits = |rule: &&Rule| (is_folder || !rule.only_folders) && rule.fits(&names);
        self.rules.iter().rev().find(fits).map(|rule| !rule.is_negated)
    }
}

impl Rule {
    fn fits(&self, names: &[Vec<char>]) -> bool {
        let is_any = |segment: &Segment| matches!(segment, Segment::Any);
        let one = |segment: &Segment, name: &Vec<char>| match segment {
            Segment::Any => true,
            Segment::Glob(signs) => {
                matches(signs, name, |sign| matches!(sign, Sign::Any), |sign, c| sign.fits(*c))
            }
        };
        matches(&self.segments, names, is_any, one)
    }
}

impl Sign {
    fn fits(&self, c: char) -> bool {
        match self {
            Self::Char(own) => *own == c,
            Self::One | Self::Any => true,
            Self::Class { ranges, is_negated } => {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&c)) != *is_negated
            }
        }
    }
}

/// Whether a pattern fits a whole text. A sign for any number takes as little as it can, and of several only the last
/// is ever tried again, so the time is that of both lengths multiplied.
fn matches<P, T>(
    pattern: &[P],
    text: &[T],
    is_any: impl Fn(&P) -> bool,
    one: impl Fn(&P, &T) -> bool,
) -> bool {
    let (mut at, mut read) = (0, 0);
    let mut last_any = None;
    while read < text.len() {
        match pattern.get(at) {
            Some(sign) if is_any(sign) => {
                at += 1;
                last_any = Some((at, read));
            }
            Some(sign) if one(sign, &text[read]) => {
                at += 1;
                read += 1;
            }
            _ => {
                let Some((after, from)) = last_any else { return false };
                last_any = Some((after, from + 1));
                (at, read) = (after, from + 1);
            }
        }
    }
    pattern[at..].iter().all(is_any)
}

fn rule(line: &str) -> Option<Rule> {
    let line = without_trailing_spaces(line.strip_suffix('\r').unwrap_or(line));
    if line.starts_with('#') {
        return None;
    }
    let (is_negated, line) = match line.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let (only_folders, line) = match line.strip_suffix('/') {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    if line.is_empty() {
        return None;
    }
    let mut segments = Vec::new();
    if !line.contains('/') {
        segments.push(Segment::Any);
    }
    for part in line.strip_prefix('/').unwrap_or(line).split('/') {
        segments.push(if part == "**" { Segment::Any } else { Segment::Glob(signs(part)?) });
    }
    // Whatever is in a folder, and not the folder itself.
    if matches!(segments.last(), Some(Segment::Any)) {
        segments.push(Segment::Glob(vec![Sign::Any]));
    }
    Some(Rule { segments, is_negated, only_folders })
}

/// A space at the end counts where a backslash stands before it.
fn without_trailing_spaces(line: &str) -> &str {
    let short = line.trim_end_matches(' ');
    let escapes = short.bytes().rev().take_while(|byte| *byte == b'\\').count();
    if escapes % 2 == 1 && short.len() < line.len() { &line[..=short.len()] } else { short }
}

/// The signs of a segment; `None` where it is no pattern, and fits nothing.
fn signs(part: &str) -> Option<Vec<Sign>> {
    let mut signs = Vec::new();
    let mut rest = part.chars();
    while let Some(c) = rest.next() {
        signs.push(match c {
            '\\' => Sign::Char(rest.next()?),
            '?' => Sign::One,
            '*' => Sign::Any,
            '[' => class(&mut rest)?,
            other => Sign::Char(other),
        });
    }
    Some(signs)
}

/// A class after its bracket; `None` where it does not end.
fn class(rest: &mut std::str::Chars<'_>) -> Option<Sign> {
    let mut ranges = Vec::new();
    let mut ahead = rest.clone();
    let is_negated = matches!(ahead.next(), Some('!' | '^'));
    if is_negated {
        rest.next();
    }
    let mut is_first = true;
    loop {
        let first = match rest.next()? {
            ']' if !is_first => return Some(Sign::Class { ranges, is_negated }),
            '[' if rest.as_str().starts_with(':') && rest.as_str().contains(":]") => {
                let (name, after) = rest.as_str()[1..].split_once(":]")?;
                ranges.extend(named_class(name)?);
                *rest = after.chars();
                is_first = false;
                continue;
            }
            '\\' => rest.next()?,
            other => other,
        };
        is_first = false;
        let mut ahead = rest.clone();
        let last = match (ahead.next(), ahead.next()) {
            (Some('-'), Some(']') | None) | (None, _) => first,
            (Some('-'), Some(last)) => {
                *rest = ahead;
                if last == '\\' { rest.next()? } else { last }
            }
            _ => first,
        };
        ranges.push((first, last));
    }
}

fn named_class(name: &str) -> Option<Vec<(char, char)>> {
    Some(match name {
        "alpha" => vec![('a', 'z'), ('A', 'Z')],
        "digit" => vec![('0', '9')],
        "alnum" => vec![('a', 'z'), ('A', 'Z'), ('0', '9')],
        "lower" => vec![('a', 'z')],
        "upper" => vec![('A', 'Z')],
        "space" => vec![(' ', ' '), ('\t', '\r')],
        "blank" => vec![(' ', ' '), ('\t', '\t')],
        "punct" => vec![('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        "xdigit" => vec![('0', '9'), ('a', 'f'), ('A', 'F')],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use proptest::prelude::*;

    use super::*;

    fn is_ignored(rules: &str, path: &str, is_folder: bool) -> bool {
        Ignored::parse(rules).says(path, is_folder).unwrap_or(false)
    }

    #[test]
    fn rules_are_read_as_their_page_says() {
        for (rules, path, is_folder, expected) in [
            ("target/", "target", true, true),
            ("target/", "target", false, false),
            ("target/", "deep/target", true, true),
            ("/target", "deep/target", true, false),
            ("docs/*.tmp", "docs/a.tmp", false, true),
            ("docs/*.tmp", "docs/b/a.tmp", false, false),
            ("docs/**/*.tmp", "docs/b/c/a.tmp", false, true),
            ("docs/**", "docs", true, false),
            ("docs/**", "docs/a", false, true),
            ("*.log\n!keep.log", "keep.log", false, false),
            ("*.log\n!keep.log\n", "a.log", false, true),
            ("# note\n\n \n", "note", false, false),
            ("\\#x", "#x", false, true),
            ("\\!x", "!x", false, true),
            ("a\\ ", "a ", false, true),
            ("a  ", "a", false, true),
            ("[a-c]x[!0-9]", "bxy", false, true),
            ("[a-c]x[!0-9]", "bx7", false, false),
            ("[", "[", false, false),
            ("*.md\r\n", "a.md", false, true),
            ("\u{feff}*.md", "a.md", false, true),
        ] {
            assert_eq!(is_ignored(rules, path, is_folder), expected, "{rules:?} {path}");
        }
    }

    // A repository may hold any pattern: one of many stars takes no more than both lengths multiplied.
    #[test]
    fn many_stars_do_not_stop_a_walk() {
        let rules = Ignored::parse(&format!("{}b\n{}z", "*a".repeat(500), "**/a/".repeat(200)));
        let path = ["a"; 250].join("/");
        assert_eq!(rules.says(&"a".repeat(250), false), None);
        assert_eq!(rules.says(&path, false), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        // Whoever wrote the file wrote it for git, so git is asked what it says.
        #[test]
        fn git_says_the_same(
            rules in proptest::collection::vec(
                r"!?(/?(a|b|\*|\?|\*\*|a\*|\*b|\[ab\]|\[!a\]|\\a|ab)(/(a|b|\*|\*\*|ab|b\*)){0,2}/?)", 1..4),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let git = |arguments: &[&str]| {
                let mut git = Command::new("git");
                git.current_dir(folder.path()).args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
                git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
                git.output()
            };
            if !git(&["init", "-q"]).is_ok_and(|done| done.status.success()) {
                eprintln!("skipped: git is not here");
                return Ok(());
            }
            let text = rules.join("\n");
            std::fs::write(folder.path().join(".gitignore"), &text).unwrap();
            let mut paths = Vec::new();
            for first in ["a", "b", "ab"] {
                paths.push((first.to_owned(), true));
                for second in ["a", "b", "ab"] {
                    std::fs::create_dir_all(folder.path().join(first).join(second)).unwrap();
                    std::fs::write(folder.path().join(first).join(second).join("b"), "").unwrap();
                    paths.push((format!("{first}/{second}"), true));
                    paths.push((format!("{first}/{second}/b"), false));
                }
            }
            let asked: Vec<&str> = paths.iter().map(|(path, _)| path.as_str()).collect();
            let output = git(&[&["check-ignore", "--"][..], &asked[..]].concat()).unwrap();
            let ignored: Vec<String> =
                String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
            let ours = Ignored::parse(&text);
            // What lies in an ignored folder is ignored with it.
            let mut above: Vec<String> = Vec::new();
            for (path, is_folder) in &paths {
                let is_below = above.iter().any(|folder| path.starts_with(&format!("{folder}/")));
                let is_ours = is_below || ours.says(path, *is_folder).unwrap_or(false);
                if is_ours && *is_folder {
                    above.push(path.clone());
                }
                prop_assert_eq!(ignored.contains(path), is_ours, "{:?}: {}", text, path);
            }
        }
    }
}
