//! The categories of the seed; any other word is one too. The manual says [who writes
//! which](crate::manual::memory).

/// A preference that the human declared.
pub const PREFERENCE: &str = "preference";
/// Something that the agent noticed.
pub const OBSERVATION: &str = "observation";
/// A completed trade with profit and loss (finance).
pub const TRADE_OUTCOME: &str = "trade_outcome";
/// A lesson from an outcome.
pub const LESSON: &str = "lesson";
/// Rebuilt from history from time to time.
pub const PERSONALIZATION: &str = "personalization";
/// An event to remember.
pub const ALERT: &str = "alert";
/// A durable fact: an address, a number.
pub const REFERENCE: &str = "reference";
/// A fact about the human.
pub const FACT: &str = "fact";

/// All of them.
pub const ALL: [&str; 8] =
    [PREFERENCE, OBSERVATION, TRADE_OUTCOME, LESSON, PERSONALIZATION, ALERT, REFERENCE, FACT];

#[cfg(test)]
mod tests {
    use crate::memory::{Source, categories};

    /// Returns the first words of the rows of a table in the manual.
    fn listed(section: &str) -> Vec<String> {
        let page = include_str!("../manual/memory.md");
        let (_, rest) = page.split_once(&format!("## {section}\n")).unwrap();
        let section = rest.split("\n## ").next().unwrap();
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
        rows.map(|row| row.split('`').next().unwrap().to_owned()).collect()
    }

    // MS-13
    #[test]
    fn the_manual_lists_every_category_and_source() {
        assert_eq!(listed("Categories"), categories::ALL);
        let sources = listed("Sources");
        assert_eq!(sources.len(), 8);
        for word in sources {
            assert!(!matches!(Source::from(word.as_str()), Source::Other(_)), "{word}");
        }
    }

    // SN-08
    #[test]
    fn the_categories_are_those_of_the_seed() {
        let seed = [
            "preference",
            "observation",
            "trade_outcome",
            "lesson",
            "personalization",
            "alert",
            "reference",
            "fact",
        ];
        assert_eq!(categories::ALL, seed);
    }
}
