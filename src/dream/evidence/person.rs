//! The user by their name. If a line of theirs says "I", a claim may use the name that the host gave.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::shown::{Line, Source};
use crate::base::gather::Gather as _;
use crate::base::order;
use crate::base::pattern::pattern;
use crate::base::spread::Spread;
use crate::base::text;
use crate::format::Origin;
use crate::format::documents::speakers::is_party;

/// Words with which a line speaks of its writer. A bare name needs one of these.
const I: &str = "i we ich wir yo nosotros eu nós je j nous io noi ik";
/// Words with which a line speaks of what is its writer's: enough for a name in the possessive.
const MY: &str = "my our mine mein meine meinen meinem meiner unser unsere meu minha meus minhas nosso nossa mi mis mon \
    ma mes mio mia mijn";

/// Returns the claim with the names of the user read as "user", if cited lines of theirs speak of themselves. "Ana
/// lives there" says nothing of the user, so it bears out no sentence with their name.
pub(crate) fn unnamed<'c>(claim: &'c str, sources: &[Source], names: &[String]) -> Cow<'c, str> {
    let mut claim = Cow::Borrowed(claim);
    if names.is_empty() {
        return claim;
    }
    let lines = || sources.iter().spread(|source| &source.lines).filter(|line| is_own(line, names));
    let says = |words: &str| lines().any(|line| has(&line.text, words));
    let (speaks, owns) = (says(I), says(MY));
    let mut longest: Vec<&String> = names.iter().gather();
    order::sort_by_key(&mut longest, |name| std::cmp::Reverse(name.len()));
    for name in longest {
        claim = Cow::Owned(replaced(&claim, name, speaks, owns));
    }
    claim
}

fn replaced(claim: &str, name: &str, speaks: bool, owns: bool) -> String {
    let mut text = String::new();
    let mut rest = claim;
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        text.push_str(before);
        let is_word = !text.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric);
        let is_possessive = after.starts_with("'s") || after.starts_with("’s");
        let is_said = if is_possessive { owns } else { speaks };
        text.push_str(if is_word && is_said { "user" } else { name });
        rest = after;
    }
    text + rest
}

/// Returns whether a line is the user's own word: theirs by its origin, and nobody else speaks or is quoted in it.
fn is_own(line: &Line, names: &[String]) -> bool {
    static LABEL: LazyLock<Regex> = LazyLock::new(|| pattern(r"(\p{L}[\p{L}\d.'’_-]*)[*_`]*\s*[:：]"));
    let is_users = |label: &str| {
        is_party(&label.to_lowercase())
            || ["Decision", "Remember", "Preference"].contains(&label)
            || names.iter().any(|name| name.split_whitespace().last() == Some(label))
    };
    matches!(line.origin, None | Some(Origin::User))
        && !line.text.contains(['"', '“', '”', '„', '«', '»'])
        && LABEL.captures_iter(&line.text).all(|found| is_users(&found[1]))
}

fn has(line: &str, wanted: &str) -> bool {
    line.contains(['我', '私'])
        || text::words(line).any(|word| {
            let word = word.split('\'').next().unwrap_or_default();
            wanted.split_ascii_whitespace().any(|wanted| wanted == word)
        })
}

#[cfg(test)]
mod tests {
    use super::super::{Judge, Shown};
    use super::*;
    use crate::base::name::DocName;
    use crate::dream::journal::config::DreamConfig;
    use crate::dreamer::HoldReason;
    use crate::format::JournalName;
    use crate::format::replies::fences::ShownLine;
    use crate::format::replies::reply::split_citations;

    /// Returns the objection to a claim that cites all of the lines.
    fn held(claim: &str, lines: &[(Option<Origin>, &str)], names: &[&str]) -> Option<HoldReason> {
        let journal = JournalName::parse(&DocName::parse("memory/2026-11-20-repl.md").unwrap()).unwrap();
        let numbered = || (1_u64..).zip(lines);
        let shown_lines: Vec<ShownLine> =
            numbered().map(|(number, (_, text))| ShownLine { number, text: (*text).to_owned() }).collect();
        let origins =
            numbered().filter_map(|(number, (origin, _))| Some((number, origin.clone()?))).collect();
        let last = lines.len() as u64;
        let mut shown = Shown::default();
        shown.add(&journal, 1, last, &shown_lines, &origins);
        let user_names = names.iter().map(|name| (*name).to_owned()).collect();
        let config = DreamConfig { user_names, ..DreamConfig::default() };
        let (claim, citations) = split_citations(&format!("{claim} (memory/2026-11-20-repl.md#L1-L{last})"));
        Judge::new(config.rules(), &shown).judge(None, &claim, &citations).hold.map(|hold| hold.reason)
    }

    // "[user] I live in Porto." was lost, since the model called the user by her name.
    #[test]
    fn what_the_user_says_of_themselves_may_be_told_by_their_name() {
        let user = Some(Origin::User);
        for (claim, line) in [
            ("Marta lives in Porto.", "[user] I live in Porto."),
            ("Marta Silva lives in Porto.", "[user] I live in Porto."),
            ("Since May Marta lives in Porto.", "- [09:14:05] [user] I'm living in Porto since May"),
            ("Marta's boat is called Brisk.", "[user] my boat is called Brisk"),
            ("Marta lives in Porto.", "Marta: I live in Porto."),
            ("In Porto wohnt Marta.", "[user] ich wohne in Porto"),
        ] {
            for origin in [&user, &None] {
                let line = [(origin.clone(), line)];
                assert_eq!(held(claim, &line, &["Marta", "Marta Silva"]), None, "{claim}");
                // A label of the line itself has the name.
                let unnamed = (!line[0].1.starts_with("Marta")).then_some(HoldReason::Name);
                assert_eq!(held(claim, &line, &[]), unnamed, "{claim}, without the setting");
            }
        }
    }

    #[test]
    fn the_name_of_the_user_is_lent_to_nobody() {
        for (claim, origin, line) in [
            ("Ilya lives in Porto.", Some(Origin::User), "[user] I live in Porto."),
            ("Marta Gomes lives in Porto.", Some(Origin::User), "[user] I live in Porto."),
            ("Lives in Porto with Martas.", Some(Origin::User), "[user] I live in Porto."),
            ("Marta lives in Porto.", Some(Origin::User), "[user] Ilya lives in Porto."),
            ("Marta lives in Porto.", Some(Origin::User), "[user] My sister Ana lives in Porto."),
            ("Marta lives in Porto.", Some(Origin::User), "[user] Ana said \"I live in Porto.\""),
            ("Marta lives in Porto.", None, "[09:17:00] Caroline: I live in Porto."),
            ("Marta lives in Porto.", Some(Origin::Agent), "[agent] I live in Porto."),
            ("Marta lives in Porto.", Some(Origin::System), "[system] I live in Porto."),
            ("Marta lives in Porto.", Some(Origin::Web), "[web] I live in Porto."),
            ("Marta lives in Porto.", Some(Origin::Tool("psql".into())), "[tool:psql] I live in Porto."),
        ] {
            assert!(held(claim, &[(origin, line)], &["Marta"]).is_some(), "{claim} of {line}");
        }
        let beside =
            [(Some(Origin::User), "[user] I like tea."), (Some(Origin::Web), "[web] Marta lives in Lisbon.")];
        assert_eq!(held("Marta lives in Lisbon.", &beside, &["Marta"]), Some(HoldReason::Origin));
    }
}
