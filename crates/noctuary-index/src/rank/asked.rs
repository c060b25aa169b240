//! Questions by their words: for the past, for the words of the agent, and for the way in which to answer.

use std::sync::LazyLock;

use super::query::Plan;
use super::terms::{is_dense, words};
use super::word::{lines, same_word};

impl Plan {
    /// Returns whether it asks for what was, in one of sixteen languages: "where did we begin?", "früher", "以前". A word that may be
    /// of a thing, such as "first", says so at its end alone.
    ///
    /// ```
    /// use noctuary_index::rank::Plan;
    ///
    /// let asks = |query| Plan::of(query, false).asks_for_the_past();
    /// assert!(asks("What did we build with first?") && asks("What did we use originally?"));
    /// assert!(!asks("What is the budget of the first house?"));
    /// ```
    #[must_use]
    pub fn asks_for_the_past(&self) -> bool {
        self.past().1
    }

    /// Returns whether it has a word for the past, also one that may be of a thing.
    pub(super) fn may_ask_for_the_past(&self) -> bool {
        self.past().0
    }

    /// Returns whether it may ask for the past, and whether it does. Looked up once.
    fn past(&self) -> (bool, bool) {
        *self.past.get_or_init(|| {
            let asked: Vec<String> = self.words.iter().map(|word| same_word(word)).collect();
            let text = same_word(&self.text);
            let mut may = false;
            for past in &*PAST {
                let is_asked = match past {
                    Past::Run(run) => text.contains(run.as_str()),
                    Past::Word(word) => {
                        may |= asked.contains(word);
                        asked.last() == Some(word)
                    }
                    Past::Words(words) => asked.windows(words.len()).any(|there| there == words),
                };
                if is_asked {
                    return (true, true);
                }
            }
            (may, false)
        })
    }
}

/// Words of a question for the past.
enum Past {
    Words(Vec<String>),
    /// One that may be of a thing.
    Word(String),
    /// A part of a text without spaces.
    Run(String),
}

static PAST: LazyLock<Vec<Past>> = LazyLock::new(|| {
    let all = lines(include_str!("language/past.tsv")).filter_map(|line| line.split_once('\t'));
    let past = all.flat_map(|(_, said)| said.split(", ")).map(|said| match said.strip_suffix('*') {
        Some(word) => Past::Word(same_word(word)),
        None if said.contains(is_dense) => Past::Run(same_word(said)),
        None => Past::Words(words(said).map(same_word).collect()),
    });
    past.collect()
});

/// Returns whether a query, in lower case, asks for words or deeds of the agent ("did you say", "you
/// recommended"). A request ("can you", "would you") does not.
pub(super) fn asks_for_the_agent(words: &[String]) -> bool {
    words.iter().any(|word| matches!(word.as_str(), "youve" | "youd"))
        || words.windows(2).any(|pair| match (pair[0].as_str(), pair[1].as_str()) {
            ("did" | "have" | "had", "you") => true,
            ("you", verb) => is_past(verb),
            _ => false,
        })
}

/// Returns whether a query, in lower case, asks whether something ever was ("have I met Ana?"). Later words do not change
/// the answer.
pub(super) fn asks_whether_ever(words: &[String]) -> bool {
    words.first().is_some_and(|word| matches!(word.as_str(), "have" | "has" | "had"))
}

/// Returns whether a word is a verb in the past, as far as its end shows. "Need" is none.
fn is_past(word: &str) -> bool {
    (word.ends_with("ed") && !word.ends_with("eed")) || SAID.contains(&word)
}

/// Returns whether a folded word of a query says how to answer ("list in order the different aspects"), not its
/// subject.
pub(super) fn says_how(word: &str) -> bool {
    HOW.binary_search(&word).is_ok()
}

const HOW: [&str; 13] = [
    "aspect",
    "aspects",
    "clear",
    "complete",
    "comprehensive",
    "detailed",
    "different",
    "item",
    "items",
    "list",
    "order",
    "throughout",
    "various",
];

/// Verbs in the past that end otherwise, of those that an agent is asked about.
const SAID: [&str; 10] =
    ["agreed", "found", "gave", "had", "made", "said", "sent", "showed", "told", "wrote"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_say_how_to_answer_are_in_order() {
        assert!(HOW.is_sorted());
        assert!(says_how("aspects") && !says_how("budget"));
    }

    #[test]
    fn a_question_for_the_agents_words_is_told_from_a_request() {
        for asked in [
            "How did you recommend to pack?",
            "Which of the tools you mentioned was free?",
            "What have you told me of Porto?",
            "Remind me of the name that you've given it",
        ] {
            assert!(asks_for_the_agent(&Plan::of(asked, false).words), "{asked}");
        }
        for other in [
            "Can you recommend a tool?",
            "What do you need?",
            "Would you remind me of the name?",
            "When did I pack?",
            "What is your name?",
            "",
        ] {
            assert!(!asks_for_the_agent(&Plan::of(other, false).words), "{other}");
        }
    }
}
