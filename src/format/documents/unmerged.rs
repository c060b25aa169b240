//! Conflict marks that a merge of a repository left in a text.

/// Returns the line, from 1, where two versions of a text begin to be between conflict marks; `None` where none do.
///
/// The marks are those of git and of `exchange::Merge`: seven signs at the front of a line, all three in their order.
pub(crate) fn conflict_at(text: &[u8]) -> Option<usize> {
    conflict_in(text, false)
}

/// As [`conflict_at`], and a journal may show a conflict: marks inside a code fence are somebody's work.
pub(crate) fn conflict_in_journal(text: &[u8]) -> Option<usize> {
    conflict_in(text, true)
}

fn conflict_in(text: &[u8], may_quote: bool) -> Option<usize> {
    let mut begun = None;
    let mut is_parted = false;
    let mut is_fenced = false;
    for (number, line) in text.split(|byte| *byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if may_quote {
            let front = line.trim_ascii_start();
            is_fenced ^= front.starts_with(b"```") || front.starts_with(b"~~~");
            if is_fenced {
                continue;
            }
        }
        if line.starts_with(b"<<<<<<< ") {
            (begun, is_parted) = (Some(number + 1), false);
        } else if begun.is_some() && line == b"=======" {
            is_parted = true;
        } else if is_parted && line.starts_with(b">>>>>>> ") {
            return begun;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_marks_are_a_conflict_and_fewer_are_not() {
        let at = |text: &str| conflict_at(text.as_bytes());
        assert_eq!(at("# Memory\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs\n"), Some(2));
        assert_eq!(at("<<<<<<< HEAD\r\na\r\n||||||| base\r\n=======\r\nb\r\n>>>>>>> theirs\r\n"), Some(1));
        assert_eq!(at("<<<<<<< one\n<<<<<<< two\n=======\n>>>>>>> two\n"), Some(2));
        for text in [
            "",
            "# Memory\n\nTitle\n=======\n",
            "<<<<<<< HEAD\na\n>>>>>>> theirs\n",
            "<<<<<<< HEAD\n=======\n",
            "- said `<<<<<<< HEAD`\n=======\n>>>>>>> theirs\n",
            ">>>>>>> theirs\n=======\n<<<<<<< HEAD\n",
        ] {
            assert_eq!(at(text), None, "{text}");
        }
        let quoted = b"- [tool] a merge\n```\n<<<<<<< HEAD\n=======\n>>>>>>> theirs\n```\n";
        assert_eq!((conflict_at(quoted), conflict_in_journal(quoted)), (Some(3), None));
        assert_eq!(conflict_in_journal(b"- a\n<<<<<<< HEAD\n=======\n>>>>>>> theirs\n"), Some(2));
    }
}
