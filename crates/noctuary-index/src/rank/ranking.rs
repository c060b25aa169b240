//! The weights of a search, as a host sets them.

/// The most rows that are weighed by meaning, the nearest, unless a host sets another number.
const NEAR: usize = 100;

/// The way in which the lists of a row become one score.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Fusion {
    /// By what each list scores, as shares of its best.
    #[default]
    Scores,
    /// By reciprocal rank: the sum of 1 / (k + rank) over the lists, rank from 1. The seed uses a `k` of 60. (seed
    /// 003, Hybrid retrieval) On public dialogues it finds less than the scores do.
    Ranks {
        /// The greater, the less the first places count.
        k: f64,
    },
}

/// The weights of a search, for short and long messages alike. The example `evaluate` measures them (`retrieval`), and
/// chooses them anew on all sets but one (`retrieval --leave-one-out`). The manual of `noctuary` has the figures.
///
/// Weights and factors have no unit. A weight of 0 and a factor of 1 turn a part off; one below that is not foreseen.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Ranking {
    /// The way in which row, neighbours and conversation become one score. By scores, unless set.
    pub fusion: Fusion,
    /// The share of its score, from 0 to 1, that a row gives to the row before and the row after it. 0.2 unless set.
    /// Without it a line among short lines is found less often.
    pub neighbours: f64,
    /// The length of a short row in bytes, at least 1; 250 unless set. A longer row takes the less from its neighbours,
    /// and [`coverage`](Self::coverage) counts the less in it.
    pub short: u32,
    /// The mean length of rows, in words, for which a row's length counts half of what it counts among long rows; 60 unless
    /// set. A line of eight words is no better than one of sixteen, whereas a long message has words of everything. With 0
    /// length counts as BM25 has it, whatever the mean.
    pub even: u32,
    /// The weight of the conversation beside the row, from 0; 0.4 unless set.
    pub conversation: f64,
    /// The extra weight of a [`short`](Self::short) row with all words of the query against one with few, from 0; 0.5
    /// unless set. It counts in full in a query of at most five words, and the less the more words a query has. It
    /// finds more among short lines, and less for long questions.
    pub coverage: f64,
    /// The factor of the human's own words against all others, from 1; 1.7 unless set. Long answers of an agent
    /// have words of every question. In a query for what the agent said ("did you say", "you recommended") it is the
    /// factor of all other words.
    pub own_words: f64,
    /// The factor of a speaker whom the query names, from 1; 1.2 unless set.
    pub named_speaker: f64,
    /// The weight of each entity in the factor that a row shares with the query, from 0; 0.1 unless set. The seed has
    /// 0.3, which on public dialogues finds a little less: the words of an entity count already.
    pub entities: f64,
    /// The factor of words of a query that say how to answer ("list in order the different aspects"), from 0 to 1. 0.5
    /// unless set. They are English.
    pub how_to_answer: f64,
    /// Maximum number of rows of one conversation that are found. Unlimited unless set.
    pub most_of_one: Option<usize>,
    /// Number of the best rows where freshness counts. There a newer row goes up to right before an older one that
    /// answers the same. 10 unless set, and 0 leaves all in place. The newer has the words of the query that the older one
    /// has and most of its other words. Fewer are enough with a sign of change ("now", another number of the same
    /// thing), or where it takes back what the older says ("from Vim to Helix"). Nothing moves if the query asks for the
    /// past, whether something ever was ("have I met Ana?"), or for several things, by more than ten words.
    pub freshness: usize,
    /// The number of rows by meaning, the nearest, that join those by words; 100 unless set, and at least 1.
    pub nearest: usize,
}

impl Default for Ranking {
    fn default() -> Self {
        Self {
            fusion: Fusion::Scores,
            neighbours: 0.2,
            short: 250,
            even: 60,
            conversation: 0.4,
            coverage: 0.5,
            own_words: 1.7,
            named_speaker: 1.2,
            entities: 0.1,
            how_to_answer: 0.5,
            most_of_one: None,
            freshness: 10,
            nearest: NEAR,
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
            even: 0,
            conversation: 0.0,
            coverage: 0.0,
            own_words: 1.0,
            named_speaker: 1.0,
            entities: 0.0,
            how_to_answer: 1.0,
            most_of_one: None,
            freshness: 0,
            nearest: NEAR,
        }
    }
}

impl Ranking {
    /// Makes the seed's mode: rows by BM25, with reciprocal ranks and a `k` of 60. A row gets 1 + 0.3 times as much for
    /// each entity that it shares with the query. Scores are shares of the highest possible score: that of a first row
    /// that shares all entities. The nearest 50 rows by meaning join them. (seed 003, Hybrid retrieval)
    #[must_use]
    pub fn seed() -> Self {
        Self { fusion: Fusion::Ranks { k: 60.0 }, entities: 0.3, nearest: 50, ..Self::rows_alone() }
    }
}
