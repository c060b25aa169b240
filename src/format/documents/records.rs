//! Records of programs among the lines of a journal: they hold names and numbers, and nobody says anything in them.
//!
//! ```text
//! {"sender": "Ada Lovelace", "id": 3}                              a record
//! "sender": "Ada Lovelace",                                        a line of one
//! Candidate: moths on the ridge confidence: 0.00 recalls: 0        the working of a foreign dream
//! {"sender": "Ada Lovelace", "content": "The ferry is at nine."}   a message, which says something
//! ```

use std::sync::LazyLock;

use regex::Regex;

use crate::base::pattern::pattern;

use super::speakers;

/// Returns whether a line, or a claim that is made of one, is a record.
pub(crate) fn is_record(line: &str) -> bool {
    static RECORD: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r#"(?ix)
            ^`*(?:\[\s*)?\{\s*["'“][^"'”]{1,80}["'”]\s*:
            |^["“][\w .-]{1,40}["”]\s*:\s*(?:["“\[{]|-?\d|true\b|false\b|null\b)
            |^\W{0,4}candidate\W{0,4}\s.*\bconfidence\W{0,4}\s*[:=]\W{0,4}\s*\d"#,
        )
    });
    static MESSAGE: LazyLock<Regex> =
        LazyLock::new(|| pattern(r#"(?i)["'“](?:content|text|message|body|parts)["'”]\s*:"#));
    let line = undressed(line);
    is_score(line) || (RECORD.is_match(line) && !MESSAGE.is_match(line))
}

/// Returns of each line whether it is a record. A candidate of a foreign dream is one also where its scores are below
/// it.
pub(crate) fn records<'l>(lines: impl IntoIterator<Item = &'l str>) -> Vec<bool> {
    static CANDIDATE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^\W{0,4}candidate\W{0,4}\s"));
    let mut all: Vec<bool> = Vec::new();
    let mut candidate = None;
    for (at, line) in lines.into_iter().enumerate() {
        all.push(is_record(line));
        let line = undressed(line);
        if CANDIDATE.is_match(line) {
            candidate = Some(at);
        } else if let Some(above) = candidate.take_if(|_| !line.is_empty()) {
            all[above] |= is_score(line);
        }
    }
    all
}

/// Returns whether a line is a score and nothing else.
fn is_score(line: &str) -> bool {
    static SCORE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)^\W{0,4}(?:confidence|recalls|relevance|salience|similarity)\W{0,4}[:=]\W{0,4}\d[\d.,%]*\W*$",
        )
    });
    SCORE.is_match(line)
}

/// Returns a line without bullet, date, time, tags and the word for a role.
fn undressed(line: &str) -> &str {
    static DRESS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^(?:\s+|(?:[-*+>|•]|\d{1,3}[.)])\s+|\[[\w\s:./'@-]{1,80}\]|\d{4}-\d\d-\d\d:?\s|\d{1,2}:\d\d(?::\d\d)?\s)*",
        )
    });
    let rest = &line[DRESS.find(line).map_or(0, |dress| dress.end())..];
    let role = speakers::read(rest).filter(|speaker| !speaker.is_named());
    &rest[role.map_or(0, |role| role.end)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_told_from_what_somebody_says() {
        for line in [
            r#"{"sender": "Ada Lovelace", "id": 3}"#,
            r#"- [09:14:05] [tool:chat] {"sender": "Ada Lovelace"}"#,
            r#"2026-11-20: User: {"sender": "Nguyễn Thị Lan"}"#,
            r#"[{"name": "Ayşe", "score": 1}]"#,
            r"{'sender': 'דנה'}",
            r#"  "sender": "たなか","#,
            "- Candidate: Marta moved to Oslo confidence: 0.00",
            "**Candidate:** Marta moved to Oslo; **confidence:** 0.62; recalls: 3",
            "[09:14] [agent] Candidate: आशा ओस्लो में रहती है confidence: 0.00",
            "  - confidence: 0.00",
        ] {
            assert!(is_record(line), "{line}");
        }
        for line in [
            r#"{"sender": "Ada Lovelace", "content": "The ferry is at nine."}"#,
            r#"[user] Decision: the answer is {"status": "ok"} from now on."#,
            r#""Brisk" is the name of the boat."#,
            r#""Note": the boat is called Brisk."#,
            "Candidate: Ada Lovelace, strong in Rust.",
            "Decision: threshold confidence: 0.85 for the classifier.",
            "Confidence: 0.9 that the ferry is late, says Ada.",
            "- [ ] [user] Call Ada.",
            "[1] see the page",
        ] {
            assert!(!is_record(line), "{line}");
        }
    }

    #[test]
    fn a_candidate_with_its_scores_below_it_is_a_record() {
        let text =
            "- Candidate: Marta moved to Oslo\n  - confidence: 0.00\n- Candidate: Ada\n- strong in Rust";
        assert_eq!(records(text.lines()), [true, true, false, false]);
    }
}
