//! A claim against the lines that it cites, check by check.

use super::dates::{self, Calendar};
use super::names::{self, Words};
use super::shown::{Source, without_marks};
use super::{addresses, contrast, matter, numbers, person, quotes};
use crate::base::spread::Spread;
use crate::dreamer::Hold;

/// Checks everything that a claim says against its sources.
pub(crate) fn check(claim: &str, sources: &[Source], user_names: &[String]) -> Result<(), Hold> {
    quotes::check(claim, sources)?;
    let claim = without_marks(&person::unnamed(claim, sources, user_names));
    let evidence: String = sources
        .iter()
        .spread(|source| &source.lines)
        .map(|line| format!("{}\n", without_marks(&line.text)))
        .collect();
    addresses::check(&claim, &evidence)?;
    let (undated, claim_dates) = dates::take_dates(&claim);
    let (rest, evidence_dates) = dates::take_dates(&evidence);
    let calendar = Calendar::new(evidence_dates, &rest, sources);
    calendar.check(&claim_dates)?;
    numbers::check(&undated, &rest, &calendar)?;
    names::check(&undated, &Words::new(&evidence), &calendar)?;
    if claim_dates.is_empty() {
        matter::check_overlap(&undated, &evidence)?;
    }
    matter::check_negation(&claim, sources)?;
    contrast::check(&claim, sources)
}
