//! Files such as `.gitignore`: which names of a folder are none of ours.
//!
//! ```text
//! # a comment
//! target/          a folder, at any depth
//! /build           in this folder alone
//! docs/**/*.tmp    a slash inside binds the pattern to this folder too
//! !keep.tmp        the last rule that fits decides
//! ```

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::base::text;

/// The rules of one folder, in their order.
#[derive(Debug)]
pub(crate) struct Ignored {
    patterns: GlobSet,
    rules: Vec<Rule>,
}

/// The effect of a pattern on the paths that it fits.
#[derive(Debug, Clone, Copy)]
struct Rule {
    ignores: bool,
    is_for_folders: bool,
}

impl Ignored {
    /// Reads the rules of a file. A line that is no pattern is skipped.
    pub(crate) fn parse(text: &str) -> Self {
        let (mut patterns, mut rules) = (GlobSetBuilder::new(), Vec::new());
        for line in text.strip_prefix(text::BOM).unwrap_or(text).lines() {
            let Some((rule, pattern)) = read(line) else { continue };
            let mut glob = GlobBuilder::new(&pattern);
            // An open bracket without its end is no pattern to git.
            glob.literal_separator(true).backslash_escape(true).allow_unclosed_class(false);
            if let Ok(glob) = glob.build() {
                patterns.add(glob);
                rules.push(rule);
            }
        }
        // Only a set that is too large is not built.
        patterns.build().map_or_else(|_| Self::none(), |patterns| Self { patterns, rules })
    }

    fn none() -> Self {
        Self { patterns: GlobSet::empty(), rules: Vec::new() }
    }

    /// Returns whether a path below the folder is ignored; `None` where no rule fits it. The last rule that fits
    /// decides.
    pub(crate) fn says(&self, path: &str, is_folder: bool) -> Option<bool> {
        let fitting = self.patterns.matches(path);
        let rules = fitting.into_iter().rev().map(|place| self.rules[place]);
        let mut rules = rules.filter(|rule| is_folder || !rule.is_for_folders);
        rules.next().map(|rule| rule.ignores)
    }
}

/// Reads a line as a rule, and its pattern as a glob over whole paths. `None` for a comment and an empty line.
fn read(line: &str) -> Option<(Rule, String)> {
    // A blank at the end counts where it is escaped.
    let line = if line.ends_with("\\ ") { line } else { line.trim_end() };
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let negated = line.strip_prefix('!');
    let pattern = negated.unwrap_or(line);
    let pattern = pattern.strip_prefix('\\').filter(|rest| rest.starts_with(['!', '#'])).unwrap_or(pattern);
    let bound = pattern.strip_prefix('/');
    let pattern = bound.unwrap_or(pattern);
    let (pattern, is_for_folders) = match pattern.strip_suffix('/') {
        Some(folder) => (folder.strip_suffix('\\').unwrap_or(folder), true),
        None => (pattern, false),
    };
    let rule = Rule { ignores: negated.is_none(), is_for_folders };
    // A slash at the beginning or inside binds a pattern to this folder.
    let is_bound = bound.is_some() || pattern.contains('/') || pattern == "**";
    let mut glob = if is_bound { pattern.to_owned() } else { format!("**/{pattern}") };
    // All that is in a folder is not the folder.
    if glob.ends_with("/**") {
        glob.push_str("/*");
    }
    Some((rule, glob))
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
        #![proptest_config(ProptestConfig::with_cases(crate::testing::cases(2_400)))]

        // The file was written for git, so git is asked for its meaning.
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
            // A path in an ignored folder is ignored with it.
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
