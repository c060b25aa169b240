//! The names of participants: whether a claim tells of one, and whether a name can be in front of a claim.
//!
//! A name is chosen by whoever has it. "User", "Marta" where the user is Marta, or "Decision" in front of a claim would
//! read as the user's word. Nothing is told under such a name.

use crate::base::gather::Gather as _;
use crate::base::spread::Spread;
use crate::base::text;
use crate::format::Origin;
use crate::format::documents::speakers::{self, is_party, is_user};

/// Returns whether a claim names the participant whose words it takes, by a name that is nobody else's.
pub(crate) fn names(claim: &str, origin: Option<&Origin>, user_names: &[String]) -> bool {
    let Some(name) = Origin::participant(origin) else { return false };
    let said: Vec<String> = text::words(claim).gather();
    is_tellable(name, user_names) && own_words(name).any(|word| said.contains(&word))
}

/// Returns whether the beginning of a claim says that it is about a participant: "Ada: I sail" or "Ada sails". It has no
/// word of the user, nor "I".
pub(crate) fn tells_of(claim: &str, name: &str, user_names: &[String]) -> bool {
    let name = shown(name);
    let labelled = claim.get(..name.len()).is_some_and(|front| front.eq_ignore_ascii_case(&name))
        && claim[name.len()..].trim_start().starts_with([':', '：']);
    let is_theirs = |speaker: speakers::Speaker<'_>| match speaker.origin {
        Origin::Participant(said) => said.eq_ignore_ascii_case(&name),
        _ => false,
    };
    labelled || speakers::read(claim).is_some_and(is_theirs) || names_first(claim, &name, user_names)
}

/// Returns whether a claim begins with a participant and is about them, not by them: "Ada sails", not "Ada: I sail". It
/// has no word of the user.
pub(crate) fn begins_with(claim: &str, name: &str, user_names: &[String]) -> bool {
    let name = shown(name);
    let behind = claim.get(name.len()..).unwrap_or_default();
    let is_labelled = speakers::read(claim).is_some() || behind.trim_start().starts_with([':', '：']);
    !is_labelled && names_first(claim, &name, user_names)
}

/// Returns whether a claim begins with a name as it is shown, and has no word of the user.
fn names_first(claim: &str, name: &str, user_names: &[String]) -> bool {
    let said: Vec<String> = text::words(claim).gather();
    let full: Vec<String> = text::words(name).gather();
    let bare = |word: &String| word.trim_end_matches("'s").to_owned();
    let begins = said.first().map(bare).is_some_and(|first| {
        let is_first = Some(&first) == full.first() && !is_word_of_sentence(&first);
        is_first
            || (full.len() > 1
                && said.len() >= full.len()
                && said.iter().zip(&full).all(|(one, two)| bare(one) == *two))
    });
    begins && !speaks_of_user(&said, user_names)
}

/// Returns a name as it is put in front of a claim.
pub(crate) fn shown(name: &str) -> String {
    Origin::Participant(name.to_owned())
        .to_string()
        .split_once(':')
        .map_or_else(String::new, |(_, name)| name.to_owned())
}

/// Returns whether nobody can take a name in front of a claim for the user's, the agent's, or a label.
pub(crate) fn is_tellable(name: &str, user_names: &[String]) -> bool {
    let words: Vec<String> = text::words(name).gather();
    let is_taken = |word: &String| {
        is_party(word)
            || is_user(word)
            || is_self(word)
            || speakers::is_label_word(word)
            || user_words(user_names).any(|known| known == *word)
    };
    !words.is_empty() && !speakers::is_role(name) && !words.iter().any(is_taken)
}

/// Returns the words of a name by which it can be told from the words of a sentence.
fn own_words(name: &str) -> impl Iterator<Item = String> + '_ {
    let is_single = text::words(name).count() == 1;
    text::words(name)
        .filter(move |word| word.chars().count() > 1 && (is_single || !is_word_of_sentence(word)))
}

fn user_words(user_names: &[String]) -> impl Iterator<Item = String> + '_ {
    user_names.iter().spread(|name| text::words(name).gather())
}

fn speaks_of_user(said: &[String], user_names: &[String]) -> bool {
    said.iter().any(|word| {
        let bare = word.trim_end_matches("'s");
        is_user(bare) || is_self(bare) || user_words(user_names).any(|known| known == bare)
    })
}

fn is_self(word: &str) -> bool {
    let first = word.split('\'').next().unwrap_or_default();
    SELF.split_ascii_whitespace().any(|known| known == first)
}

/// Returns whether a word may begin a sentence that is about nobody of this name.
fn is_word_of_sentence(word: &str) -> bool {
    WORDS.split_ascii_whitespace().any(|known| known == word)
}

/// Words with which somebody speaks of themselves, or to the reader.
const SELF: &str = "i me my mine myself we us our ours you your yours ich wir mir mich mein unser yo nosotros mi eu nós je \
    nous io noi ik wij prefers preference decided decision agreed";

/// Words that are names too, or that are in names.
const WORDS: &str = "the a an of and or to in on at is it this that he she they will may mark bill grace hope faith art rob \
    sue pat drew chase grant frank june april august summer guy jack sunny rich joy dawn melody victor max no not never \
    always all pay send use keep";

#[cfg(test)]
mod tests {
    use super::*;

    fn is_named(claim: &str, name: &str) -> bool {
        names(claim, Some(&Origin::Participant(name.to_owned())), &["Marta Ruiz".to_owned()])
    }

    #[test]
    fn a_name_that_reads_as_the_users_or_as_a_label_tells_of_nobody() {
        for name in [
            "user",
            "the user",
            "Me",
            "Marta",
            "Marta Evil",
            "Decision",
            "assistant",
            "Mallory bot",
            "I",
            "-",
        ] {
            let claim = format!("{name}: {name} decided that Marta pays.");
            assert!(!is_named(&claim, name), "{name}");
        }
        for name in ["Ada", "Ada Lovelace", "eve smith", "Rémi", "The Boss", "u-4711"] {
            assert!(is_named(&format!("{name} sails."), name), "{name}");
        }
        assert!(!is_named("The flat is sold.", "The Boss"));
    }

    #[test]
    fn a_claim_tells_of_a_participant_by_how_it_begins() {
        let names = ["Marta".to_owned()];
        for (claim, name, is_told) in [
            ("Ada: Marta decided to pay.", "Ada", true),
            ("Ada sails on Mondays.", "Ada", true),
            ("Ada's boat is blue.", "Ada", true),
            ("Ada Lovelace sails.", "Ada Lovelace", true),
            ("eve smith: x", "eve smith", true),
            ("Marta decided to pay Ada.", "Ada", false),
            ("Ada is owed 500 by Marta.", "Ada", false),
            ("Ada is owed 500 by the user.", "Ada", false),
            ("Ada and I decided to sell.", "Ada", false),
            ("Will pay Bob 500.", "Will", false),
            ("The flat is sold.", "The Boss", false),
            ("The Boss sails.", "The Boss", true),
            ("Bob: Ada pays.", "Ada", false),
        ] {
            assert_eq!(tells_of(claim, name, &names), is_told, "{claim}");
        }
    }
}
