//! The figures of a set, and how sure the differences are.

use serde_json::{Value, json};

use super::super::paired::interval;
use super::super::retrieval::Question;
use super::super::tally::{as_f64, share};
use super::context::{Asked, DEPTHS, ROOMS};

#[derive(Default)]
pub(super) struct Figures {
    pub(super) lines: usize,
    pub(super) supported: usize,
    pub(super) judged: usize,
    pub(super) duplicates: usize,
    pub(super) gold: usize,
    pub(super) gold_kept: usize,
    pub(super) calls: u32,
    pub(super) tokens: u64,
    pub(super) memory_bytes: u64,
    pub(super) journal_bytes: u64,
    questions: usize,
    rooms: [[f64; 2]; ROOMS.len()],
    depths: [[f64; 3]; DEPTHS.len()],
    updates: usize,
    fresh: [usize; 2],
    /// By room and conversation: the sum of the differences, and of how many questions.
    differences: [Vec<(f64, usize)>; ROOMS.len()],
}

impl Figures {
    /// Begins a conversation.
    pub(super) fn begin(&mut self) {
        for differences in &mut self.differences {
            differences.push((0.0, 0));
        }
    }

    /// Counts a question; one without gold turns says nothing of recall.
    pub(super) fn ask(&mut self, question: &Question, asked: &Asked) {
        if let Some(fresh) = asked.fresh {
            self.updates += 1;
            for (sum, is_first) in self.fresh.iter_mut().zip(fresh) {
                *sum += usize::from(is_first);
            }
        }
        if question.gold_turns.is_empty() {
            return;
        }
        self.questions += 1;
        for (sums, shares) in self.rooms.iter_mut().zip(asked.rooms) {
            add(sums, shares);
        }
        for (sums, shares) in self.depths.iter_mut().zip(asked.depths) {
            add(sums, shares);
        }
        for (differences, [raw, both]) in self.differences.iter_mut().zip(asked.rooms) {
            if let Some((sum, questions)) = differences.last_mut() {
                *sum += both - raw;
                *questions += 1;
            }
        }
    }

    pub(super) fn print(&self) {
        let of = |part: f64, whole: usize| if whole == 0 { 0.0 } else { part / as_f64(whole) };
        let [before, after] = self.fresh;
        println!(
            "  {} lines promoted, {} supported, {} said before",
            self.lines, self.supported, self.duplicates
        );
        if self.judged > 0 {
            println!("  {} of {} lines supported, by the judge", self.judged, self.lines);
        }
        println!("  {} of {} gold turns reached memory", self.gold_kept, self.gold);
        println!(
            "  the newer statement first: {before} of {} before the nights, {after} after",
            self.updates
        );
        println!("  {:<16} {:>7} {:>7} {:>7}", "gold turns", "turns", "lines", "both");
        for (depth, sums) in DEPTHS.into_iter().zip(self.depths) {
            let [raw, dreamed, both] = sums.map(|sum| of(sum, self.questions));
            println!("  {:<16} {raw:>7.4} {dreamed:>7.4} {both:>7.4}", format!("among {depth} rows"));
        }
        for ((room, sums), each) in ROOMS.into_iter().zip(self.rooms).zip(&self.differences) {
            let [raw, both] = sums.map(|sum| of(sum, self.questions));
            print!("  {:<16} {raw:>7.4} {:>7} {both:>7.4}", format!("in {room} chars"), "");
            match interval(each) {
                Some((mean, half)) => {
                    println!("  {mean:>+7.4}, from {:>+7.4} to {:>+7.4}", mean - half, mean + half);
                }
                None => println!(),
            }
        }
        println!(
            "  {} bytes of memory of {} of journals, {} calls, {} tokens, {} questions\n",
            self.memory_bytes, self.journal_bytes, self.calls, self.tokens, self.questions
        );
    }

    pub(super) fn json(&self) -> Value {
        let stale = |at: usize| share(as_f64(self.updates - self.fresh[at]), self.updates);
        let room = |at: usize, way: usize| share(self.rooms[at][way], self.questions);
        let depth = |way: usize| {
            let at = DEPTHS.iter().position(|depth| *depth == 5);
            at.map_or(Value::Null, |at| share(self.depths[at][way], self.questions))
        };
        // The mean, and both ends of its interval.
        let difference = |at: usize| {
            interval(&self.differences[at]).map(|(mean, half)| {
                [mean, mean - half, mean + half].map(|number| (number * 1e6).round() / 1e6)
            })
        };
        json!({
            "supported": share(as_f64(self.supported), self.lines),
            "gold_in_memory": share(as_f64(self.gold_kept), self.gold),
            "duplicates": share(as_f64(self.duplicates), self.lines),
            "stale_first_before": stale(0),
            "stale_first_after": stale(1),
            "raw@2000": room(0, 0),
            "both@2000": room(0, 1),
            "raw@4000": room(1, 0),
            "both@4000": room(1, 1),
            "difference@2000": difference(0),
            "difference@4000": difference(1),
            "rows@5": depth(0),
            "lines@5": depth(1),
            "questions": self.questions,
            "updates": self.updates,
            "conversations": self.differences[0].len(),
            "memory_bytes": self.memory_bytes,
            "journal_bytes": self.journal_bytes,
            "calls": self.calls,
        })
    }
}

fn add<const N: usize>(sums: &mut [f64; N], shares: [f64; N]) {
    for (sum, share) in sums.iter_mut().zip(shares) {
        *sum += share;
    }
}
