//! The choice of messages that a conversation drops: a pure function over their shapes.

use std::collections::HashMap;

use super::config::SleepConfig;

/// The facts about a message of the host's conversation that a trim needs, and no word of it.
///
/// ```
/// use noctuary::sleep::MessageShape;
///
/// let asks = MessageShape::new(120).calls("call_1");
/// let answered = MessageShape::new(4_000).answers("call_1");
/// assert_ne!(asks, answered);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageShape {
    chars: usize,
    calls: Vec<String>,
    answers: Vec<String>,
}

impl MessageShape {
    /// Makes a message with a number of characters.
    #[must_use]
    pub fn new(chars: usize) -> Self {
        Self { chars, calls: Vec::new(), answers: Vec::new() }
    }

    /// Adds a tool call of this id; `""` if calls have none.
    #[must_use]
    pub fn calls(mut self, id: impl Into<String>) -> Self {
        self.calls.push(id.into());
        self
    }

    /// Adds the result of the last call of this id before it.
    #[must_use]
    pub fn answers(mut self, id: impl Into<String>) -> Self {
        self.answers.push(id.into());
        self
    }
}

/// The result of a trim: the messages from `keep_from` on. The system prompt is the host's, and no part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "the host does the trimming"]
pub struct TrimPlan {
    /// The first message to keep.
    pub keep_from: usize,
    /// The number of characters that are kept.
    pub chars: usize,
    /// Whether that is still above the limit: the rest belongs together.
    pub is_over: bool,
}

/// Plans the trim after a dream. The last [`keep_recent_messages`](SleepConfig::keep_recent_messages) stay, with
/// earlier calls of results that stay. Where these are above [`max_context_chars`](SleepConfig::max_context_chars),
/// more goes.
///
/// A tool call is never parted from its result: vendors refuse a result without its call.
///
/// ```
/// use noctuary::sleep::{MessageShape, SleepConfig, plan_trim};
///
/// let mut messages: Vec<MessageShape> = (0..50).map(|_| MessageShape::new(10)).collect();
/// assert_eq!(plan_trim(&messages, &SleepConfig::default()).keep_from, 30);
/// messages[29] = MessageShape::new(10).calls("a");
/// messages[30] = MessageShape::new(10).answers("a");
/// assert_eq!(plan_trim(&messages, &SleepConfig::default()).keep_from, 29);
/// ```
pub fn plan_trim(messages: &[MessageShape], config: &SleepConfig) -> TrimPlan {
    let at = messages.len().saturating_sub(config.keep_recent_messages);
    let reaches = reaches_back(messages);
    // Back to a place that parts nothing.
    let at = (0..=at).rev().find(|at| reaches[*at] >= *at).unwrap_or(0);
    shrink(messages, &reaches, at, config)
}

/// Plans the emergency trim, between dreams: where the conversation is above
/// [`max_context_chars`](SleepConfig::max_context_chars), as few messages go as bring it below. `None` where it is not.
///
/// ```
/// use noctuary::sleep::{MessageShape, SleepConfig, plan_emergency_trim};
///
/// let messages = [MessageShape::new(60_000), MessageShape::new(40_000), MessageShape::new(1)];
/// assert_eq!(plan_emergency_trim(&messages[..2], &SleepConfig::default()), None);
/// assert_eq!(plan_emergency_trim(&messages, &SleepConfig::default()).unwrap().keep_from, 1);
/// ```
#[must_use]
pub fn plan_emergency_trim(messages: &[MessageShape], config: &SleepConfig) -> Option<TrimPlan> {
    (chars(messages) > config.max_context_chars).then(|| shrink(messages, &reaches_back(messages), 0, config))
}

fn chars(messages: &[MessageShape]) -> usize {
    messages.iter().fold(0, |sum, message| sum.saturating_add(message.chars))
}

/// Goes forward to the first place within the limit at which a cut separates no result from its call. If there is
/// none, it goes to the last such place.
fn shrink(messages: &[MessageShape], reaches: &[usize], from: usize, config: &SleepConfig) -> TrimPlan {
    let mut plan = TrimPlan { keep_from: from, chars: chars(&messages[from..]), is_over: false };
    let mut left = plan.chars;
    for at in from..messages.len() {
        if plan.chars <= config.max_context_chars {
            break;
        }
        if at > from && reaches[at] >= at {
            (plan.keep_from, plan.chars) = (at, left);
        }
        left -= messages[at].chars.min(left);
    }
    plan.is_over = plan.chars > config.max_context_chars;
    plan
}

/// Returns for each place the earliest message that a result at or after it belongs to. If that message is not before
/// the place, a cut there separates nothing.
fn reaches_back(messages: &[MessageShape]) -> Vec<usize> {
    let mut calls: HashMap<&str, usize> = HashMap::new();
    let mut reaches: Vec<usize> = Vec::with_capacity(messages.len() + 1);
    for (at, message) in messages.iter().enumerate() {
        let answered = message.answers.iter().filter_map(|id| calls.get(id.as_str()));
        reaches.push(answered.copied().min().unwrap_or(at));
        calls.extend(message.calls.iter().map(|id| (id.as_str(), at)));
    }
    reaches.push(messages.len());
    for at in (0..messages.len()).rev() {
        reaches[at] = reaches[at].min(reaches[at + 1]);
    }
    reaches
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn config(keep: usize, most: usize) -> SleepConfig {
        SleepConfig { keep_recent_messages: keep, max_context_chars: most, ..SleepConfig::default() }
    }

    // SL-02.
    #[test]
    fn twenty_of_fifty_stay_and_all_of_nineteen() {
        let messages = vec![MessageShape::new(1); 50];
        let plan = plan_trim(&messages, &SleepConfig::default());
        assert_eq!((plan.keep_from, plan.chars, plan.is_over), (30, 20, false));
        assert_eq!(plan_trim(&messages[..19], &SleepConfig::default()).keep_from, 0);
        assert_eq!(plan_trim(&[], &SleepConfig::default()).keep_from, 0);
    }

    // SL-03.
    #[test]
    fn the_emergency_begins_above_the_limit() {
        let of = |chars: usize| {
            plan_emergency_trim(
                &[MessageShape::new(1), MessageShape::new(chars - 1)],
                &SleepConfig::default(),
            )
        };
        assert_eq!((of(99_999), of(100_000)), (None, None));
        assert_eq!(of(100_001).map(|plan| (plan.keep_from, plan.is_over)), Some((1, false)));
        assert_eq!(of(200_001).map(|plan| (plan.keep_from, plan.is_over)), Some((1, true)), "the last stays");
    }

    // SL-02.
    #[test]
    fn several_calls_of_one_message_stay_with_all_their_results() {
        let messages = [
            MessageShape::new(1),
            MessageShape::new(1).calls("a").calls("b"),
            MessageShape::new(1).answers("a"),
            MessageShape::new(1),
            MessageShape::new(1).answers("b"),
            MessageShape::new(1).calls("a"),
            MessageShape::new(1).answers("a"),
        ];
        let kept = |keep| plan_trim(&messages, &config(keep, 100)).keep_from;
        assert_eq!([1, 2, 3, 4, 5, 6, 7].map(kept), [5, 5, 1, 1, 1, 1, 0]);
        assert_eq!(plan_trim(&messages, &config(4, 3)).keep_from, 5, "rather more goes than is parted");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::testing::cases(50_000)))]
        #[test]
        fn no_result_is_left_without_its_call(
            shapes in proptest::collection::vec((0usize..9, proptest::option::of(0u8..3), proptest::option::of(0u8..3)), 0..20),
            keep in 1usize..12, most in 0usize..60,
        ) {
            let messages: Vec<MessageShape> = shapes.iter().map(|(chars, call, answer)| {
                let mut shape = MessageShape::new(*chars);
                if let Some(id) = call { shape = shape.calls(id.to_string()); }
                if let Some(id) = answer { shape = shape.answers(id.to_string()); }
                shape
            }).collect();
            let plans = [Some(plan_trim(&messages, &config(keep, most))), plan_emergency_trim(&messages, &config(keep, most))];
            for plan in plans.into_iter().flatten() {
                let kept = plan.keep_from..messages.len();
                prop_assert_eq!(plan.chars, messages[kept.clone()].iter().map(|message| message.chars).sum::<usize>());
                prop_assert_eq!(plan.is_over, plan.chars > most);
                prop_assert!(messages.is_empty() || !kept.is_empty());
                for at in kept.clone() {
                    for id in &messages[at].answers {
                        let call = messages[..at].iter().rposition(|message| message.calls.contains(id));
                        prop_assert!(call.is_none_or(|call| kept.contains(&call)), "{messages:?} {plan:?}");
                    }
                }
            }
            let plan = plan_trim(&messages, &config(keep, usize::MAX));
            prop_assert!(messages.len() - plan.keep_from >= keep.min(messages.len()));
        }
    }
}
