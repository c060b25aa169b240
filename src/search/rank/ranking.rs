//! The weights of a search, as a host sets them.

/// The way in which the lists of a row become one score.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Fusion {
    /// By what each list scores, as shares of its best.
    #[default]
    Scores,
    /// By reciprocal rank: the sum of 1 / (k + rank) over the lists, rank from 1, as the seed fuses with a `k` of 60.
    /// (seed 003, Hybrid retrieval) On public dialogues it finds less than the scores do.
    Ranks {
        /// The greater, the less the first places count.
        k: f64,
    },
}

/// The weights of a search. The defaults were chosen once for short and long messages alike; the example `evaluate`
/// measures them.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Ranking {
    /// The way in which row, neighbours and conversation become one score.
    pub fusion: Fusion,
    /// The share of its score that a row gives to each of the two rows before it and after it in its conversation.
    pub neighbours: f64,
    /// The length in bytes of a short row. A longer row takes the less from its neighbours, and
    /// [`coverage`](Self::coverage) counts the less in it.
    pub short: u32,
    /// The weight of the conversation beside the row.
    pub conversation: f64,
    /// The extra weight of a [`short`](Self::short) row with all words of the query against one with few. A long row
    /// has words of everything.
    pub coverage: f64,
    /// The factor of the human's own words.
    pub own_words: f64,
    /// The factor of a speaker whom the query names.
    pub named_speaker: f64,
    /// The weight of each entity in the factor that a row shares with the query. The seed has 0.3, which on public
    /// dialogues finds a little less than 0.1: the words of an entity count already.
    pub entities: f64,
    /// At most so many rows of one conversation are found.
    pub most_of_one: Option<usize>,
    /// Among so many of the best, a row that answers anew what an older one answers comes before it, and the others
    /// stay as they are. It has the words of the query that the older one has and scores almost as much, or fewer of
    /// them with a sign of change ("now", another number of the same thing). Nothing moves if the query asks for the
    /// past. 0 leaves all in place.
    pub freshness: usize,
}

impl Default for Ranking {
    fn default() -> Self {
        Self {
            fusion: Fusion::Scores,
            neighbours: 0.2,
            short: 250,
            conversation: 0.4,
            coverage: 0.5,
            own_words: 1.5,
            named_speaker: 1.2,
            entities: 0.1,
            most_of_one: None,
            freshness: 10,
        }
    }
}

impl Ranking {
    /// Makes the ranking by BM25 of the rows and nothing else: the fastest, and the weakest.
    #[must_use]
    pub fn rows_alone() -> Self {
        Self {
            fusion: Fusion::Scores,
            neighbours: 0.0,
            short: 1,
            conversation: 0.0,
            coverage: 0.0,
            own_words: 1.0,
            named_speaker: 1.0,
            entities: 0.0,
            most_of_one: None,
            freshness: 0,
        }
    }
}

impl Ranking {
    /// Makes the seed's mode: rows by BM25, their reciprocal ranks with a `k` of 60, times 1 + 0.3 for each entity
    /// that a row
    /// shares with the query, and nothing else. Scores are shares of what a row would have that is first and shares all
    /// entities. (seed 003, Hybrid retrieval)
    #[must_use]
    pub fn seed() -> Self {
        Self { fusion: Fusion::Ranks { k: 60.0 }, entities: 0.3, ..Self::rows_alone() }
    }
}
