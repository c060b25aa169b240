//! The edges of plain text and markdown: names, wiki links, tags, people, addresses and paths.

use super::edge::Edge;
use super::entity::Entity;
use super::extractor::EdgeExtractor;
use super::names::{Names, without_suffix};
use super::scan::{Piece, scan};
use super::verbs::{Spot, Verbs, assemble};
use crate::base::debug::debug_as;
use crate::base::gather::Gather as _;
use crate::base::order;
use crate::base::sorted::SortedSet;

/// Names, `[[wiki links]]`, `#tags`, `@people`, addresses and paths of a text.
///
/// Every entity is mentioned, unless a table of [verbs](Self::verbs) says more. A name is a word with a capital inside
/// of a sentence, or at its beginning if a verb follows. Words that are beside each other are one name.
///
/// ```
/// use noctuary::edges::{EdgeExtractor, TextEdges};
///
/// let told = |extractor: &TextEdges, text| -> Vec<String> {
///     extractor.edges(text).iter().map(|edge| format!("{} {}", edge.verb, edge.entity)).collect()
/// };
/// let plain = TextEdges::default();
/// let text = "Marta moored [[Brisk|the boat]] beside Jan Kowalski #sailing, see docs/berth.md";
/// assert_eq!(
///     told(&plain, text),
///     ["mentions name:marta", "mentions link:brisk", "mentions name:jan kowalski", "mentions tag:sailing",
///      "mentions path:docs/berth.md"]
/// );
/// let met = TextEdges::default().verbs([("met", "met"), ("trifft", "met")]);
/// assert_eq!(told(&met, "She met @jan"), ["met person:jan"]);
/// ```
#[derive(Clone, Default)]
pub struct TextEdges {
    verbs: Verbs,
    together: SortedSet<String>,
}

impl TextEdges {
    /// Adds a table of verbs: words of any language, each with the relation that it stands for.
    #[must_use]
    pub fn verbs<'t>(mut self, table: impl IntoIterator<Item = (&'t str, &'t str)>) -> Self {
        self.verbs = self.verbs.with(table);
        self
    }

    /// Sets the kinds whose entities count as occurring together, at most five of a text.
    #[must_use]
    pub fn together<'k>(mut self, kinds: impl IntoIterator<Item = &'k str>) -> Self {
        self.together.extend(kinds.into_iter().map(str::to_owned));
        self
    }
}

debug_as!(TextEdges, |it| "TextEdges {{ verbs: {}, together: {} }}", it.verbs.len(), it.together.len());

impl EdgeExtractor for TextEdges {
    fn edges(&self, text: &str) -> Vec<Edge> {
        assemble(text, &spots(text), &self.verbs, &self.together)
    }

    fn keys(&self, asked: &str) -> Vec<String> {
        keys(asked)
    }

    fn identity(&self) -> String {
        let mut identity = "text 3".to_owned();
        for (word, relation) in self.verbs.table() {
            identity.push_str(&format!(" {word}={relation}"));
        }
        for kind in &self.together {
            identity.push_str(&format!(" +{kind}"));
        }
        identity
    }
}

/// Returns the entities of a text, in order.
pub(crate) fn spots(text: &str) -> Vec<Spot> {
    let mut spots = Vec::new();
    let mut names = Names::of(text);
    scan(text, |piece| match piece {
        Piece::Break => names.breaks(&mut spots),
        Piece::Word(place) => names.word(place, &mut spots),
        Piece::Marked(place, entity) => {
            names.goes_on(&mut spots);
            spots.push(Spot { place, entity });
        }
    });
    names.breaks(&mut spots);
    spots
}

/// Returns the keys of an entity as a person writes it: with or without the sign of its kind.
pub(crate) fn keys(asked: &str) -> Vec<String> {
    let asked = asked.trim();
    let inner = asked.strip_prefix("[[").and_then(|asked| asked.strip_suffix("]]")).unwrap_or(asked);
    let found: Vec<Spot> = spots(asked).into_iter().filter(|spot| spot.place.len() == asked.len()).gather();
    let inner = inner.trim_start_matches(['#', '@']);
    let mut keys = vec![Entity::fold(inner)];
    let without = Entity::fold(without_suffix(inner));
    if !keys.contains(&without) {
        keys.push(without);
    }
    for spot in found {
        if !keys.contains(&spot.entity.key) {
            keys.push(spot.entity.key);
        }
    }
    order::retain(&mut keys, |key| !key.is_empty());
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        spots(text).into_iter().map(|spot| spot.entity.to_string()).collect()
    }

    #[test]
    fn names_are_found_inside_of_a_sentence_and_before_a_verb() {
        assert_eq!(of("Marta lives in Lisbon."), ["name:marta", "name:lisbon"]);
        assert_eq!(of("Yesterday she met Jan Kowalski and O'Brien."), ["name:jan kowalski", "name:obrien"]);
        assert_eq!(of("Likes tea. Always sets slippage to 0.5%"), [""; 0]);
        assert_eq!(of("Marta's boat is called Brisk"), ["name:marta", "name:brisk"]);
        assert_eq!(of("they fixed E0277 and the API on Monday"), ["name:e0277", "name:api"]);
        assert_eq!(of("- Porto was cold\n- I left"), ["name:porto"]);
        assert_eq!(of("New York is large"), ["name:new york"]);
        assert_eq!(of("what did we do"), [""; 0]);
        assert_eq!(of("Élodie will sail to Cádiz"), ["name:élodie", "name:cádiz"]);
    }

    #[test]
    fn links_tags_people_addresses_and_paths_are_found_in_markdown() {
        assert_eq!(
            of("See [[Notes/Boat.md#Keel|the keel]], [[ Harbour ]] and [[]]."),
            ["link:notes/boat", "link:harbour"]
        );
        assert_eq!(of("#sailing/rig (#2026 #标签) a#b"), ["tag:sailing/rig", "tag:标签"]);
        assert_eq!(of("ask @jan_k, or jan@example.org"), ["person:jan_k"]);
        assert_eq!(
            of("read <https://Docs.rs/noctuary/?q=1#top>, [x](http://a.b/c/)"),
            ["url:docs.rs/noctuary", "url:a.b/c"]
        );
        assert_eq!(
            of("open `src/lib.rs`, ~/notes/a and/or build.rs"),
            ["path:src/lib.rs", "path:~/notes/a", "path:build.rs"]
        );
        assert_eq!(of("# Heading\n\n`#not` 1/2 3.14 e.g. C++"), ["tag:not"]);
    }

    #[test]
    fn an_entity_is_asked_for_as_it_is_written() {
        assert_eq!(keys(" Marta "), ["marta"]);
        assert_eq!(keys("@Jan"), ["jan"]);
        assert_eq!(keys("[[Notes/Boat.md]]"), ["notes/boat.md", "notes/boat"]);
        assert_eq!(keys("https://docs.rs/noctuary/"), ["https://docs.rs/noctuary/", "docs.rs/noctuary"]);
        assert!(keys("  ").is_empty());
    }

    #[test]
    fn no_text_is_too_strange() {
        for text in
            ["[[", "]]", "[[a", "@", "#", "://", "http://", "\u{202e}", "[[[[a]]]]", "a\u{0}b @x\u{0}y", "’s"]
        {
            let _ = of(text);
            let _ = keys(text);
        }
    }
}
