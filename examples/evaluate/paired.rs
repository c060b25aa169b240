//! Two ways to search, question by question: by how much one is better, and how sure that is.

use serde_json::{Value, json};

use super::retrieval::Question;
use super::tally::{as_f64, rank, sessions};

const FIGURES: [&str; 4] = ["turn_any@5", "turn_any@10", "session_any@5", "session_any@10"];

/// The 97.5th percentiles of Student's distribution, by degrees of freedom from 1.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/// The differences of each conversation, of each figure: their sum and how many there are.
#[derive(Default)]
pub(crate) struct Paired(Vec<[(f64, usize); FIGURES.len()]>);

impl Paired {
    /// Begins a conversation: its questions are alike, so one of them says less than one of another.
    pub(crate) fn begin(&mut self) {
        self.0.push([(0.0, 0); FIGURES.len()]);
    }

    /// Counts a question with the turns that both ways found, each with its session.
    pub(crate) fn add(&mut self, question: &Question, before: &[(&str, &str)], after: &[(&str, &str)]) {
        let Some(sums) = self.0.last_mut() else { return };
        for (at, depth) in [5, 10, 5, 10].into_iter().enumerate() {
            let gold = if at < 2 { &question.gold_turns } else { &question.gold_sessions };
            if gold.is_empty() {
                continue;
            }
            let is_found = |found: &[(&str, &str)]| {
                let ids =
                    if at < 2 { found.iter().map(|(turn, _)| *turn).collect() } else { sessions(found) };
                f64::from(u8::from(rank(&ids[..ids.len().min(depth)], gold).is_some()))
            };
            sums[at].0 += is_found(after) - is_found(before);
            sums[at].1 += 1;
        }
    }

    /// Prints the differences with the intervals that hold 95 of 100 times, and returns them: mean, lower and upper end.
    pub(crate) fn figures(&self) -> Value {
        let mut all = json!({});
        for (at, name) in FIGURES.into_iter().enumerate() {
            let each: Vec<(f64, usize)> =
                self.0.iter().map(|sums| sums[at]).filter(|(_, n)| *n > 0).collect();
            let Some((mean, half)) = interval(&each) else { continue };
            println!(
                "  {name:<14} {mean:>+7.4} against words alone, from {:>+7.4} to {:>+7.4}",
                mean - half,
                mean + half
            );
            let rounded = |number: f64| (number * 1e6).round() / 1e6;
            all[name] = json!([rounded(mean), rounded(mean - half), rounded(mean + half)]);
        }
        println!();
        all
    }
}

/// Returns the mean over all questions and half of its interval, where conversations are drawn and not questions.
pub(crate) fn interval(each: &[(f64, usize)]) -> Option<(f64, f64)> {
    let questions: usize = each.iter().map(|(_, questions)| questions).sum();
    if each.len() < 2 {
        return None;
    }
    let mean = each.iter().map(|(sum, _)| sum).sum::<f64>() / as_f64(questions);
    let conversations = as_f64(each.len());
    let squares: f64 = each.iter().map(|(sum, of)| (sum - mean * as_f64(*of)).powi(2)).sum();
    let error = (squares * conversations / (conversations - 1.0)).sqrt() / as_f64(questions);
    Some((mean, error * STUDENT.get(each.len() - 2).copied().unwrap_or(1.96)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_draws_conversations_and_not_questions() {
        let near = |one: f64, other: f64| (one - other).abs() < 1e-9;
        // Two of four and none of four: the mean is 1/4, and its error by hand is 1/4.
        let (mean, half) = interval(&[(2.0, 4), (0.0, 4)]).unwrap();
        assert!(near(mean, 0.25) && near(half, 0.25 * STUDENT[0]), "{mean} {half}");
        // A thousand questions of one conversation say nothing of others.
        assert!(interval(&[(500.0, 1000)]).is_none());
        let (mean, half) = interval(&[(1.0, 2), (2.0, 4), (3.0, 6)]).unwrap();
        assert!(near(mean, 0.5) && near(half, 0.0), "alike conversations leave no doubt");
    }
}
