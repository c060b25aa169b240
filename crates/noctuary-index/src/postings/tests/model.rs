//! A model that scores every row.

use std::collections::BTreeMap;

use super::lines::{Dice, Line, word};
use crate::postings::best::Hit;
use crate::postings::error::Result;
use crate::postings::pages::Pages;
use crate::postings::partition::Partition;
use crate::postings::query::{Asked, Gain, Query};
use crate::postings::row::Totals;
use crate::rank::{Visibility, gain, norm};

/// Rows, and nothing that is kept of them.
#[derive(Default)]
pub(super) struct Model {
    pub(super) rows: BTreeMap<i64, Line>,
}

impl Model {
    fn in_sight(&self, visibility: Visibility) -> impl Iterator<Item = &Line> {
        self.rows.values().filter(move |line| visibility.sees(line.shared))
    }

    fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        self.rows.values().for_each(|line| line.with(|row| totals.add(row)));
        totals
    }

    fn found_in(&self, term: &str) -> [u64; 2] {
        [Visibility::All, Visibility::Shared].map(|visibility| {
            self.in_sight(visibility).filter(|line| line.terms.iter().any(|(there, _)| there == term)).count()
                as u64
        })
    }

    fn best(&self, query: &Query<'_>, takes: &dyn Fn(i64) -> bool) -> Vec<Hit> {
        let mut hits = Vec::new();
        for line in self.in_sight(query.visibility).filter(|line| takes(line.id)) {
            let terms: BTreeMap<&str, u32> =
                line.terms.iter().map(|(term, count)| (term.as_str(), *count)).collect();
            let count = |asked: &Asked<'_>| terms.get(asked.term).copied().unwrap_or(0);
            let counts: Vec<u32> = query.terms.iter().map(count).collect();
            let (mut score, mut covered, mut is_found) = (0.0, 0.0, false);
            for (asked, count) in query.terms.iter().zip(&counts) {
                if *count > 0 && asked.weight > 0.0 {
                    score += match query.gain {
                        Gain::Bm25 => asked.weight * gain(f64::from(*count), norm(line.length, query.mean)),
                        Gain::Once => asked.weight,
                    };
                    covered += asked.weight;
                    is_found = true;
                }
            }
            covered /= query.whole;
            score *= 1.0 + query.coverage * covered;
            if is_found {
                hits.push(Hit { id: line.id, score, length: line.length, shared: line.shared, counts });
            }
        }
        hits.sort_by(|one, other| other.score.total_cmp(&one.score).then(other.id.cmp(&one.id)));
        hits.truncate(query.most);
        hits
    }
}

/// Compares answers of an index with those of its model.
pub(super) fn check(
    model: &Model,
    partition: &Partition,
    pages: &dyn Pages,
    dice: &mut Dice,
    words: u64,
) -> Result<()> {
    let many = [1, 2, 3, 5, 8, 20][dice.below(6) as usize];
    let mut chosen: Vec<String> = (0..many).map(|_| word(dice.low(words + 4))).collect();
    chosen.sort_by_key(|_| dice.next());
    chosen.dedup();
    let mut seen = Vec::new();
    chosen.retain(|word| {
        !seen.contains(word) && {
            seen.push(word.clone());
            true
        }
    });
    let gain_of = [Gain::Bm25, Gain::Once][dice.below(2) as usize];
    let terms: Vec<Asked<'_>> = chosen
        .iter()
        .map(|term| {
            let found_in = model.found_in(term)[0] as f64;
            let weight = if dice.below(8) == 0 {
                0.0
            } else {
                (1.0 + model.rows.len() as f64 / (found_in + 1.0)).ln()
            };
            Asked { term, weight: if gain_of == Gain::Once { weight.ceil() } else { weight } }
        })
        .collect();
    let visibility = [Visibility::All, Visibility::Shared][dice.below(2) as usize];
    let totals = model.totals();
    assert_eq!(*partition.totals(), totals);
    for term in &terms {
        assert_eq!(partition.found_in(pages, term.term)?, model.found_in(term.term), "{}", term.term);
    }
    let query = Query {
        terms: &terms,
        visibility,
        gain: gain_of,
        mean: totals.mean_length(visibility),
        coverage: if gain_of == Gain::Once { 0.0 } else { [0.0, 0.0, 0.5][dice.below(3) as usize] },
        whole: terms.iter().map(|asked| asked.weight).sum::<f64>().max(1.0),
        most: [1, 10, 100, 256][dice.below(4) as usize],
    };
    let part = [1, 1, 3, 40][dice.below(4) as usize];
    let takes = |id: i64| id % part == 0;
    let expected = model.best(&query, &takes);
    let mut asked = 0;
    let mut filter = |id| {
        asked += 1;
        Ok(takes(id))
    };
    let found = partition.best(pages, &query, if part == 1 { None } else { Some(&mut filter) })?;
    assert_eq!(found, expected);
    let bits = |hits: &[Hit]| hits.iter().map(|hit| hit.score.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&found), bits(&expected));

    for word in chosen.iter().take(2) {
        let has = |line: &&Line| line.terms.iter().any(|(there, _)| there == word);
        let mut latest: Vec<i64> = model.in_sight(visibility).filter(has).map(|line| line.id).collect();
        latest.sort_unstable_by(|one, other| other.cmp(one));
        let most = [0, 1, 5, 70][dice.below(4) as usize];
        latest.truncate(most);
        assert_eq!(partition.latest(pages, word, visibility, most)?, latest);
    }
    Ok(())
}
