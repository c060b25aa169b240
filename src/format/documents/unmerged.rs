//! Conflict marks that a merge of a repository left in a text.

/// Returns the line, from 1, where two versions of a text begin to stand between conflict marks; `None` where none do.
///
/// The marks are those of git and of [`Merge`](crate::exchange::Merge): seven signs at the front of a line, all three in their order.
pub(crate) fn conflict_at(text: &[u8]) -> Option<usize> {
    let mut begun = None;
    let mut is_parted = false;
    for (number, line) in text.split(|byte| *byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
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
    }
}
