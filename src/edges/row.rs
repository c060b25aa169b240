//! The edges of a row or passage, and the rule by which few of many are kept.

use serde_json::Value;

use super::edge::Edge;
use super::entity::Entity;
use super::extractor::EdgeExtractor;
use crate::base::access::Actor;
use crate::learning::RoleNote;

/// The words of a row that edges are found in.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Words<'a> {
    pub(crate) text: &'a str,
    /// The subject of a fact.
    pub(crate) subject: Option<&'a str>,
    pub(crate) scenario: Option<&'a str>,
    /// The note of a passage: its path without the ending.
    pub(crate) note: Option<&'a str>,
    /// The other names of the note, and its tags, where the passage says them.
    pub(crate) aliases: &'a [String],
    pub(crate) tags: &'a [String],
}

/// Returns the edges of a row or passage: each once, verbs before mentions, at most [`Edge::MOST`].
pub(crate) fn edges_of(extractor: &dyn EdgeExtractor, words: &Words<'_>) -> Vec<Edge> {
    let mut edges = Vec::new();
    if let Some(subject) = words.subject {
        edges.push(Edge::new(Edge::ABOUT, Entity::new(Entity::NAME, Entity::fold(subject))));
    }
    if let Some(note) = words.note {
        // A link names a note with or without its folder.
        let file = note.rsplit('/').next().filter(|file| *file != note);
        for note in file.into_iter().chain([note]) {
            edges.push(Edge::new(Edge::PART_OF, Entity::new(Entity::LINK, Entity::fold(note))));
        }
    }
    for alias in words.aliases {
        edges.push(Edge::new(Edge::PART_OF, Entity::new(Entity::LINK, Entity::fold(alias))));
    }
    for tag in words.tags {
        edges.push(Edge::new(Edge::MENTIONS, Entity::new(Entity::TAG, Entity::fold(tag))));
    }
    if let Some(scenario) = words.scenario {
        edges.push(Edge::new(Edge::BELONGS_TO_SCENARIO, Entity::new(Entity::SCENARIO, scenario)));
    }
    // No word of a text makes a row a part of a scenario. (seed 003, Typed memory edges)
    let is_found = |edge: &Edge| edge.verb != Edge::BELONGS_TO_SCENARIO;
    edges.extend(extractor.edges(words.text).into_iter().filter(is_found));
    capped(&edges)
}

/// Returns the edges of a note of a role, by its matter and its words.
pub(crate) fn edges_of_note(extractor: &dyn EdgeExtractor, note: &RoleNote) -> Vec<Edge> {
    let words = Words { text: &note.content, subject: note.subject.as_deref(), ..Words::default() };
    edges_of(extractor, &words)
}

/// Keeps each edge once, no mention beside a verb of the same entity, and the first of the highest rank.
fn capped(edges: &[Edge]) -> Vec<Edge> {
    let mut kept: Vec<Edge> = Vec::with_capacity(edges.len().min(Edge::MOST));
    for rank in 0..=3 {
        for edge in edges {
            if kept.len() == Edge::MOST {
                return kept;
            }
            let is_told = |known: &Edge| {
                known.entity == edge.entity && (known.verb == edge.verb || edge.verb == Edge::MENTIONS)
            };
            if edge.rank() == rank && edge.entity.is_sound() && !kept.iter().any(is_told) {
                kept.push(edge.clone());
            }
        }
    }
    kept
}

/// Returns the scenario of a row: its notes name it, and somebody else than the agent wrote them.
pub(crate) fn scenario(notes: Option<&Value>, actor: Actor) -> Option<&str> {
    let named = notes?.get("scenario_id")?.as_str()?;
    (actor != Actor::Agent && !named.is_empty()).then_some(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Given(Vec<Edge>);

    impl EdgeExtractor for Given {
        fn edges(&self, _text: &str) -> Vec<Edge> {
            self.0.clone()
        }
        fn keys(&self, asked: &str) -> Vec<String> {
            vec![asked.to_owned()]
        }
        fn identity(&self) -> String {
            "given".to_owned()
        }
    }

    fn edge(verb: &'static str, key: impl Into<String>) -> Edge {
        Edge::new(verb, Entity::new("ticker", key))
    }

    // GE-10
    #[test]
    fn of_thirty_tickers_twenty_are_kept_and_verbs_come_first() {
        let mut edges: Vec<Edge> = (0..10).map(|at| edge(Edge::CO_OCCURS_WITH, format!("A|B{at}"))).collect();
        edges.extend((0..30).map(|at| edge(Edge::MENTIONS, format!("T{at:02}"))));
        edges.extend((0..3).map(|at| edge("holds", format!("T{at:02}"))));
        edges.extend((0..3).map(|at| edge("holds", format!("T{at:02}"))));
        let kept = edges_of(&Given(edges), &Words::default());
        assert_eq!(kept.len(), Edge::MOST);
        assert!(kept[..3].iter().all(|edge| edge.verb == "holds"));
        assert!(kept[3..].iter().all(|edge| edge.verb == Edge::MENTIONS && edge.entity.key.as_str() > "T02"));
    }

    // GE-05
    #[test]
    fn a_scenario_is_the_hosts_word_and_never_a_texts() {
        let notes = serde_json::json!({"scenario_id": "crash-2026"});
        assert_eq!(scenario(Some(&notes), Actor::Library), Some("crash-2026"));
        assert_eq!(scenario(Some(&notes), Actor::Agent), None);
        assert_eq!(scenario(Some(&serde_json::json!({"scenario_id": 7})), Actor::Human), None);
        let forged = Given(vec![Edge::new(Edge::BELONGS_TO_SCENARIO, Entity::new(Entity::SCENARIO, "x"))]);
        assert!(edges_of(&forged, &Words { text: "belongs_to_scenario x", ..Words::default() }).is_empty());
        let told = edges_of(&forged, &Words { scenario: Some("crash-2026"), ..Words::default() });
        assert_eq!(told[0].entity.key, "crash-2026");
    }

    #[test]
    fn a_key_that_no_name_has_is_not_kept() {
        let long = "x".repeat(Entity::LONGEST + 1);
        let given =
            Given(vec![edge("holds", long), edge("holds", "a\nb"), edge("holds", ""), edge("holds", "ok")]);
        assert_eq!(edges_of(&given, &Words::default()), [edge("holds", "ok")]);
    }
}
