//! The lines of an answer.

use crate::base::gather::Gather as _;
use crate::learning::{NewMethod, RoleClass};

/// The longest lesson, in characters: one sentence.
const LONGEST: usize = 500;

/// The most methods of one answer.
const MOST_METHODS: usize = 3;

/// Returns the number of a note, from 0, and what is behind it.
fn numbered(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim().strip_prefix('N')?;
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    let number: usize = rest[..digits].parse().ok()?;
    Some((number.checked_sub(1)?, rest[digits..].trim_start_matches(':').trim()))
}

/// Reads the class of each of a number of notes. `None` if a line says anything else, or a note is named twice.
pub(super) fn classes(text: &str, notes: usize) -> Option<Vec<Option<RoleClass>>> {
    let mut classes = vec![None; notes];
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let (at, word) = numbered(line)?;
        let class = RoleClass::ALL.into_iter().find(|class| class.as_str() == word)?;
        if classes.get_mut(at)?.replace(class).is_some() {
            return None;
        }
    }
    classes.iter().any(Option::is_some).then_some(classes)
}

/// Reads the lesson of each of a number of notes, as [`classes`] does.
pub(super) fn lessons(text: &str, notes: usize) -> Option<Vec<Option<String>>> {
    let mut lessons = vec![None; notes];
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let (at, lesson) = numbered(line)?;
        let fits = !lesson.is_empty() && lesson.chars().count() <= LONGEST;
        if !fits || lessons.get_mut(at)?.replace(lesson.to_owned()).is_some() {
            return None;
        }
    }
    lessons.iter().any(Option::is_some).then_some(lessons)
}

/// Reads methods; `None` where a line is none.
pub(super) fn methods(text: &str) -> Option<Vec<NewMethod>> {
    let mut methods = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let parts: Vec<&str> = line.split('|').map(str::trim).gather();
        let [name, class, body] = parts[..] else { return None };
        if [name, class, body].iter().any(|part| part.is_empty()) || body.chars().count() > LONGEST {
            return None;
        }
        methods.push(NewMethod::new(name, class, body));
    }
    (!methods.is_empty() && methods.len() <= MOST_METHODS).then_some(methods)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_in_another_form_says_nothing() {
        assert_eq!(
            classes("N2 failure\n\n N1 success ", 2),
            Some(vec![Some(RoleClass::Success), Some(RoleClass::Failure)])
        );
        assert_eq!(classes("N1 neutral", 2), Some(vec![Some(RoleClass::Neutral), None]));
        for text in [
            "",
            "N3 success",
            "N0 success",
            "N1 good",
            "Sure!\nN1 success",
            "N1 success\nN1 failure",
            "N",
            "Nine",
        ] {
            assert_eq!(classes(text, 2), None, "{text}");
        }
        assert_eq!(lessons("N1: Be early.", 1), Some(vec![Some("Be early.".to_owned())]));
        for text in ["N1:", "Be early.", "N1: a\nN1: b", &format!("N1: {}", "x".repeat(501))] {
            assert_eq!(lessons(text, 1), None, "{text}");
        }
        let found = methods("A | b | c\nD | e | f").unwrap();
        assert_eq!((found.len(), &*found[1].name, &*found[1].class, &*found[1].body), (2, "D", "e", "f"));
        for text in ["", "A | b", "A | b | c | d", "A || c", "Here:\nA | b | c", &"A | b | c\n".repeat(4)] {
            assert_eq!(methods(text), None, "{text}");
        }
    }
}
