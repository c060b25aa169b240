//! Weights that are chosen on all sets but one, and measured on the set that was left out.

use std::path::PathBuf;

use noctuary::search::Ranking;
use serde_json::{Value, json};

use super::Result;
use super::retrieval::{Filled, Measured, name_of, read};
use super::tally::{as_f64, rank, share};

/// The values from which weights are chosen, the defaults beside them.
const OWN_WORDS: [f64; 3] = [1.3, 1.7, 2.0];
const COVERAGE: [f64; 2] = [0.0, 0.5];
const NEIGHBOURS: [f64; 3] = [0.1, 0.2, 0.3];

/// The number of questions of a set, and of those with a line of the answer among the first five and ten.
#[derive(Debug, Clone, Copy, Default)]
struct Hits {
    questions: usize,
    in_five: usize,
    in_ten: usize,
}

impl Hits {
    fn add(&mut self, rank: Option<usize>) {
        self.questions += 1;
        self.in_five += usize::from(rank.is_some_and(|rank| rank < 5));
        self.in_ten += usize::from(rank.is_some_and(|rank| rank < 10));
    }

    /// Returns the figure by which weights are chosen: the mean of the two shares.
    fn worth(self) -> f64 {
        as_f64(self.in_five + self.in_ten) / as_f64(2 * self.questions.max(1))
    }

    fn shown(self) -> String {
        let share = |count: usize| as_f64(count) / as_f64(self.questions.max(1));
        format!("{:>6.3} {:>6.3}", share(self.in_five), share(self.in_ten))
    }

    fn figures(self) -> Value {
        json!({
            "turn_any@5": share(as_f64(self.in_five), self.questions),
            "turn_any@10": share(as_f64(self.in_ten), self.questions),
        })
    }
}

/// A set, and its hits by each choice of weights.
struct Set {
    name: String,
    hits: Vec<Hits>,
}

/// Prints for each set the weights that are best on the others, and its figures by them and by the defaults.
pub(crate) fn leave_one_out(folders: &[PathBuf], measured: Measured) -> Result<Value> {
    if folders.len() < 2 {
        return Err("--leave-one-out needs two folders or more".into());
    }
    let choices = choices(measured.ranking);
    let sets: Vec<Set> =
        folders.iter().map(|folder| measure(folder, measured, &choices)).collect::<Result<_>>()?;
    println!(
        "{:<16} {:>9} {:>9} {:>10}   {:>6} {:>6}   {:>16}   {:>16}",
        "left out",
        "own words",
        "coverage",
        "neighbours",
        "any@5",
        "any@10",
        "by the defaults",
        "by its own best"
    );
    let mut all = serde_json::Map::new();
    for (left_out, set) in sets.iter().enumerate() {
        let others = sets.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, set)| set);
        let others: Vec<&Set> = others.collect();
        let chosen = best(&choices, &others);
        let own = best(&choices, &[set]);
        print_row(&set.name, choices[chosen], &[set.hits[chosen], set.hits[0], set.hits[own]]);
        let mut figures = set.hits[chosen].figures();
        figures["own_words"] = json!(choices[chosen].own_words);
        figures["coverage"] = json!(choices[chosen].coverage);
        figures["neighbours"] = json!(choices[chosen].neighbours);
        figures["defaults"] = set.hits[0].figures();
        figures["its_own_best"] = set.hits[own].figures();
        all.insert(set.name.clone(), figures);
    }
    let together = choices[best(&choices, &sets.iter().collect::<Vec<_>>())];
    println!(
        "best on all together: own words {}, coverage {}, neighbours {}\n",
        together.own_words, together.coverage, together.neighbours
    );
    Ok(Value::Object(all))
}

fn print_row(name: &str, chosen: Ranking, hits: &[Hits; 3]) {
    let [left_out, defaults, own] = hits.map(Hits::shown);
    println!(
        "{name:<16} {:>9.2} {:>9.2} {:>10.2}   {left_out}   {defaults:>16}   {own:>16}",
        chosen.own_words, chosen.coverage, chosen.neighbours
    );
}

/// Returns the weights to choose from, the defaults first.
fn choices(defaults: Ranking) -> Vec<Ranking> {
    let mut choices = vec![defaults];
    for own_words in OWN_WORDS {
        for coverage in COVERAGE {
            for neighbours in NEIGHBOURS {
                let mut ranking = defaults;
                (ranking.own_words, ranking.coverage, ranking.neighbours) = (own_words, coverage, neighbours);
                if ranking != defaults {
                    choices.push(ranking);
                }
            }
        }
    }
    choices
}

/// Returns the choice that is worth the most over some sets, each set counting alike; of equal ones the first.
fn best(choices: &[Ranking], sets: &[&Set]) -> usize {
    let worth = |choice: usize| sets.iter().map(|set| set.hits[choice].worth()).sum::<f64>();
    (1..choices.len()).fold(0, |best, choice| if worth(choice) > worth(best) + 1e-9 { choice } else { best })
}

/// Asks every question of a set by each choice of weights.
fn measure(folder: &std::path::Path, measured: Measured, choices: &[Ranking]) -> Result<Set> {
    let (sessions, corpora, questions) = read(folder)?;
    let mut hits = vec![Hits::default(); choices.len()];
    for corpus in &corpora {
        let Some(questions) = questions.get(&corpus.id) else { continue };
        let home = tempfile::tempdir()?;
        let mut filled = Filled::new(measured, home.path(), corpus, &sessions)?;
        for (ranking, hits) in choices.iter().zip(&mut hits) {
            filled = filled.again(Measured { ranking: *ranking, ..measured }, home.path())?;
            for question in questions.iter().filter(|question| !question.gold_turns.is_empty()) {
                let found = filled.find(&question.text, 10)?;
                let ids: Vec<&str> = found.iter().map(|(turn, _)| *turn).collect();
                hits.add(rank(&ids, &question.gold_turns));
            }
        }
    }
    Ok(Set { name: name_of(folder), hits })
}
