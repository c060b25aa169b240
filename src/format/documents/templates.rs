//! The templates of the root documents, and what of a document is still its template.

use std::iter;

use crate::base::name::DocName;

/// The sentences of `AGENTS.md` on the end of the first run: it is put away, deleted, emptied.
pub(crate) const FIRST_RUNS: [&str; 3] = [
    "When it is complete, it is put away under another name, and is not read again.",
    "When it is complete, it is deleted, and no copy of it is kept.",
    "When it is complete, it is emptied.",
];

/// The questions of `BOOTSTRAP.md`: in general, and for finance.
pub(crate) const QUESTIONS: [&str; 2] =
    [include_str!("templates/questions-general.md"), include_str!("templates/questions-finance.md")];

/// Returns the template of one of the eight root documents; `None` for any other name.
pub(crate) fn template(name: &DocName, first_run: &str, questions: &str) -> Option<String> {
    let text = match name.as_str() {
        "SOUL.md" => include_str!("templates/SOUL.md"),
        "AGENTS.md" => include_str!("templates/AGENTS.md"),
        "IDENTITY.md" => include_str!("templates/IDENTITY.md"),
        "USER.md" => include_str!("templates/USER.md"),
        "MEMORY.md" => include_str!("templates/MEMORY.md"),
        "TOOLS.md" => include_str!("templates/TOOLS.md"),
        "HEARTBEAT.md" => include_str!("templates/HEARTBEAT.md"),
        "BOOTSTRAP.md" => include_str!("templates/BOOTSTRAP.md"),
        _ => return None,
    };
    Some(text.replace("{{FIRST_RUN}}", first_run).replace("{{QUESTIONS}}", questions.trim_end()))
}

/// Returns whether a piece of a document is so in its template, whatever a host has chosen: nobody has written it.
pub(crate) fn holds(name: &DocName, piece: &str) -> bool {
    let piece = piece.replace("\r\n", "\n");
    let choices = FIRST_RUNS.into_iter().zip(QUESTIONS.into_iter().chain(iter::repeat("")));
    choices.filter_map(|(run, questions)| template(name, run, questions)).any(|text| text.contains(&piece))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_of_a_template_is_known_until_somebody_edits_it() {
        for (name, choice) in [(DocName::AGENTS, FIRST_RUNS[2]), (DocName::BOOTSTRAP, QUESTIONS[1])] {
            let text = template(&name, choice, choice).unwrap();
            assert!(holds(&name, &text), "{name}");
            assert!(holds(&name, &text[..100].replace('\n', "\r\n")), "{name}");
            assert!(!holds(&name, &text.replace("you", "we")), "{name}");
            assert!(!holds(&DocName::MEMORY, &text), "{name}");
        }
        assert!(!holds(&DocName::JOURNALS, "# Memory\n"));
    }
}
