//! The features of a line, and the weight of each.

use super::line::Line;

/// The features of a line, or, in [`WEIGHTS`], the weight of each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Features<T = f64> {
    /// The logarithm of its bytes, of 400 at most.
    pub(super) len: T,
    /// The logarithm of its words, of 30 at most.
    pub(super) words: T,
    /// The part of it that is questions; all of it if a log's line asks without a question mark.
    pub(super) question: T,
    /// Whether the speaker acts (`I`).
    pub(super) own: T,
    /// Whether the speaker owns (`my`).
    pub(super) mine: T,
    /// The part of its words that is `you`, 0.2 at most.
    pub(super) you: T,
    /// Whether somebody did something: `I`, `they` and the like, then a verb in the past tense.
    pub(super) did: T,
    /// Whether it is placed in time.
    pub(super) time: T,
    /// The number of capitalised words inside its sentences, speakers left out, 3 at most.
    pub(super) proper: T,
    /// The part of its words that is new to memory and to the lines above, 0.5 at most.
    pub(super) new: T,
    /// The number of its words that occur in no other line, 5 at most.
    pub(super) rare: T,
    /// Whether it follows somebody else's question.
    pub(super) reply: T,
    /// Whether it is the first word of a person or the user under a heading.
    pub(super) open: T,
    /// The part of its sentences that begins with a reaction.
    pub(super) react: T,
    /// The part of its words that is praise, 0.3 at most.
    pub(super) praise: T,
    /// Whether a word marks it: decided, prefers, deadline.
    pub(super) strong: T,
    /// Whether it begins with a label: `Decision:`, `Lesson:`.
    pub(super) label: T,
    /// Whether it is below a heading such as `Decisions`.
    pub(super) section: T,
    /// Whether the agent says it.
    pub(super) agent: T,
    /// Whether a machine or the web says it.
    pub(super) tool: T,
    /// The number of signs of logs, code and an agent's running commentary, 2 at most.
    pub(super) noise: T,
    /// Whether it is a full sentence: six words or more, and a full stop.
    pub(super) complete: T,
    /// Whether its first word leans on the line before: `it`, `then`, `that's`.
    pub(super) leaning: T,
    /// The number of numbers and dates, 3 at most.
    pub(super) figures: T,
    /// The number of words about lasting facts: always, each, costs, because; 2 at most.
    pub(super) lasting: T,
    /// Whether it asks for something to be done, or is the agent's report of what it does itself.
    pub(super) errand: T,
    /// Whether the user states a lasting wish: `I prefer`, `always ask`, `call me`.
    pub(super) standing: T,
}

impl<T: Copy> Features<T> {
    fn values(&self) -> [T; 27] {
        let Self { len, words, question, own, mine, you, did, time, proper, new, rare, reply, open, .. } =
            *self;
        let Self { react, praise, strong, label, section, agent, tool, noise, .. } = *self;
        let Self { complete, leaning, figures, lasting, errand, standing, .. } = *self;
        [
            len, words, question, own, mine, you, did, time, proper, new, rare, reply, open, react, praise,
            strong, label, section, agent, tool, noise, complete, leaning, figures, lasting, errand,
            standing,
        ]
    }
}

impl Features {
    /// Returns the sum, weighted by a column.
    pub(super) fn sum(&self, column: usize) -> f64 {
        let weighted = self.values().into_iter().zip(WEIGHTS.values());
        weighted.fold(BIAS[column], |sum, (value, weights)| sum + weights[column] * value)
    }
}

/// Returns the column of weights for a line: the first for talk between persons, the second for an agent's log or
/// notes.
pub(super) fn column(line: &Line<'_>) -> usize {
    usize::from(line.is_logged)
}

/// The weight of each feature, in a dialogue and in a log.
///
/// The first column was fitted on dialogue with known lines that hold a fact or answer a later question, and rounded.
/// `strong`, `label`, `section` and `noise`, which are rare there, are set by hand. In a dialogue, short and new
/// statements about oneself are worth the most, and nearly every line can be understood alone. A log is mostly
/// instructions and running commentary: here it counts whether a line is a statement that is alone. The second column
/// was set by hand after a fit to three weeks of a log with known durable lines. It was checked on two small logs of
/// other trades. `tool` is so low that no other features together lift a tool's line over [`THRESHOLD`].
const WEIGHTS: Features<[f64; 2]> = Features {
    len: [0.65, 0.0],
    words: [0.0, 1.7],
    question: [-1.3, -3.0],
    own: [0.5, 0.0],
    mine: [0.3, 0.3],
    you: [-2.5, -5.0],
    did: [0.4, 0.0],
    time: [1.0, 0.6],
    proper: [0.45, 0.7],
    new: [2.5, 0.0],
    rare: [0.06, 0.2],
    reply: [0.8, 0.0],
    open: [0.8, 0.0],
    react: [-0.5, -1.2],
    praise: [-2.5, -2.5],
    strong: [1.0, 1.2],
    label: [1.2, 1.2],
    section: [0.8, 0.8],
    agent: [0.0, -1.6],
    tool: [0.0, -10.0],
    noise: [-1.5, -1.5],
    complete: [0.0, 1.2],
    leaning: [0.0, -1.2],
    figures: [0.0, 0.6],
    lasting: [0.0, 1.0],
    errand: [0.0, -2.5],
    standing: [0.0, 4.5],
};

/// The sum of a line without features.
const BIAS: [f64; 2] = [-5.0, -8.2];

/// Returns an addition to the sum of a line that is not English: its lists know less of the other features.
pub(super) fn lift(line: &Line<'_>) -> f64 {
    if line.wording.lexicon.is_english() { 0.0 } else { 1.0 }
}

/// The weight of a line's size against it in the ranking: 0 not at all, 1 in full.
pub(super) const SIZE: [f64; 2] = [0.8, 0.3];

/// The value below which a line is never taken, however much room there is.
pub(super) const THRESHOLD: f64 = 0.35;
