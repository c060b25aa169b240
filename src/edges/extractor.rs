//! The contract of what finds edges in a text.

use std::fmt::Debug;

use super::edge::Edge;

/// Finds the entities of a text, and their verbs. The same text gives the same edges, always; no model is asked.
///
/// ```
/// use std::sync::Arc;
/// use noctuary::edges::{Edge, EdgeExtractor, Entity};
/// use noctuary::store::StoreConfig;
///
/// /// Numbers of tickets: `OPS-412`.
/// #[derive(Debug)]
/// struct Tickets;
///
/// impl EdgeExtractor for Tickets {
///     fn edges(&self, text: &str) -> Vec<Edge> {
///         let numbers = text.split_whitespace().filter(|word| word.starts_with("OPS-"));
///         numbers.map(|number| Edge::new(Edge::MENTIONS, Entity::new("ticket", number))).collect()
///     }
///     fn keys(&self, asked: &str) -> Vec<String> {
///         vec![asked.trim().to_uppercase()]
///     }
///     fn identity(&self) -> String {
///         "tickets 1".to_owned()
///     }
/// }
///
/// let mut config = StoreConfig::default();
/// config.edges = Some(Arc::new(Tickets));
/// ```
pub trait EdgeExtractor: Debug + Send + Sync {
    /// Returns the edges of a text. A store keeps at most [`Edge::MOST`] of them, verbs first.
    fn edges(&self, text: &str) -> Vec<Edge>;

    /// Returns the possible keys of an entity that somebody names in their own words.
    fn keys(&self, asked: &str) -> Vec<String>;

    /// Returns the name of its rules. A store that computes its edges makes them anew where it is another one.
    fn identity(&self) -> String;
}
