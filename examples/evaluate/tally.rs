//! The figures of a set: where the turns and the sessions of an answer stand among what was found.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::retrieval::Question;

const DEPTHS: [usize; 4] = [1, 5, 10, 20];

/// Whether any, whether all, and one through the rank of the first, summed over questions.
#[derive(Default, Clone)]
struct Ranks {
    questions: usize,
    any: [usize; DEPTHS.len()],
    all: [usize; DEPTHS.len()],
    first: f64,
}

impl Ranks {
    fn add(&mut self, found: &[&str], gold: &[String]) {
        self.questions += 1;
        for (at, depth) in DEPTHS.iter().enumerate() {
            let top = &found[..found.len().min(*depth)];
            self.any[at] += usize::from(gold.iter().any(|gold| top.contains(&gold.as_str())));
            self.all[at] += usize::from(gold.iter().all(|gold| top.contains(&gold.as_str())));
        }
        if let Some(rank) = rank(found, gold) {
            self.first += 1.0 / (as_f64(rank) + 1.0);
        }
    }

    fn any_at(&self, depth: usize) -> Value {
        self.figure(&self.any, depth)
    }

    fn all_at(&self, depth: usize) -> Value {
        self.figure(&self.all, depth)
    }

    fn figure(&self, counts: &[usize; DEPTHS.len()], depth: usize) -> Value {
        let count = DEPTHS.iter().position(|there| *there == depth).map(|at| counts[at]);
        count.map_or(Value::Null, |count| share(as_f64(count), self.questions))
    }

    fn print(&self, name: &str) {
        if self.questions > 0 {
            let part = |count: &usize| format!(" {:>5.3}", as_f64(*count) / as_f64(self.questions));
            let (any, all): (String, String) =
                (self.any.iter().map(part).collect(), self.all.iter().map(part).collect());
            let first = self.first / as_f64(self.questions);
            println!("  {name:<28} {:>5}  {any}  {all}  {first:>5.3}", self.questions);
        }
    }
}

pub(crate) fn rank(found: &[&str], gold: &[String]) -> Option<usize> {
    found.iter().position(|id| gold.iter().any(|gold| gold == id))
}

#[expect(clippy::cast_precision_loss, reason = "counts of a test set")]
pub(crate) fn as_f64(count: usize) -> f64 {
    count as f64
}

/// A share of questions; null where there are none.
pub(crate) fn share(part: f64, whole: usize) -> Value {
    if whole == 0 { Value::Null } else { json!((part / as_f64(whole) * 1e6).round() / 1e6) }
}

/// All that is counted over the questions of a set.
#[derive(Default)]
pub(crate) struct Tally {
    turns: BTreeMap<String, Ranks>,
    whole: BTreeMap<String, Ranks>,
    fresh: (usize, usize),
    both: (usize, usize),
    times: Vec<Duration>,
}

impl Tally {
    /// Counts a question with the turns that were found for it, each with its session.
    pub(crate) fn add(&mut self, question: &Question, found: &[(&str, &str)], time: Duration) {
        self.times.push(time);
        let ids: Vec<&str> = found.iter().map(|(turn, _)| *turn).collect();
        let order = sessions(found);
        for kind in [question.r#type.as_str(), "~all"] {
            if !question.gold_turns.is_empty() {
                self.turns.entry(kind.into()).or_default().add(&ids, &question.gold_turns);
            }
            if !question.gold_sessions.is_empty() {
                self.whole.entry(kind.into()).or_default().add(&order, &question.gold_sessions);
            }
        }
        if !question.fresh.is_empty() && !question.stale.is_empty() {
            self.fresh.1 += 1;
            let (new, old) = (rank(&ids, &question.fresh), rank(&ids, &question.stale));
            self.fresh.0 += usize::from(new.is_some_and(|new| old.is_none_or(|old| new < old)));
        }
        if !question.sides.is_empty() {
            self.both.1 += 1;
            let top = &ids[..ids.len().min(10)];
            self.both.0 += usize::from(question.sides.iter().all(|side| rank(top, side).is_some()));
        }
    }

    /// Prints the tables, and returns the figures.
    pub(crate) fn figures(mut self) -> Value {
        print("turns", &self.turns);
        print("sessions", &self.whole);
        self.times.sort();
        let p50 = self.times.get(self.times.len() / 2).copied().unwrap_or_default();
        let turn = self.turns.remove("~all").unwrap_or_default();
        let session = self.whole.remove("~all").unwrap_or_default();
        let (fresh, both) = (self.fresh, self.both);
        println!("  fresh before stale {}/{}, both sides in ten {}/{}", fresh.0, fresh.1, both.0, both.1);
        println!("  {} questions, p50 of a search {p50:?}\n", self.times.len());
        json!({
            "turn_any@1": turn.any_at(1),
            "turn_any@5": turn.any_at(5),
            "turn_any@10": turn.any_at(10),
            "turn_all@5": turn.all_at(5),
            "turn_mrr": share(turn.first, turn.questions),
            "session_any@1": session.any_at(1),
            "session_any@5": session.any_at(5),
            "session_any@10": session.any_at(10),
            "session_all@5": session.all_at(5),
            "session_mrr": share(session.first, session.questions),
            "fresh_first": share(as_f64(fresh.0), fresh.1),
            "fresh_questions": fresh.1,
            "both_sides@10": share(as_f64(both.0), both.1),
            "sides_questions": both.1,
            "questions": self.times.len(),
            "p50_us": u64::try_from(p50.as_micros()).unwrap_or(u64::MAX),
        })
    }
}

/// Returns the sessions of the turns, each by its first.
pub(crate) fn sessions<'a>(found: &[(&str, &'a str)]) -> Vec<&'a str> {
    let mut order: Vec<&str> = Vec::new();
    for (_, session) in found {
        if !order.contains(session) {
            order.push(session);
        }
    }
    order
}

fn print(what: &str, ranks: &BTreeMap<String, Ranks>) {
    if ranks.is_empty() {
        return;
    }
    let depths = |name: &str| {
        DEPTHS.iter().map(|depth| format!(" {:>5}", format!("{name}{depth}"))).collect::<String>()
    };
    println!("  {what:<28} {:>5}  {}  {}  {:>5}", "n", depths("any@"), depths("all@"), "mrr");
    for (name, ranks) in ranks {
        ranks.print(name.trim_start_matches('~'));
    }
}
