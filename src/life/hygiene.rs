//! Care for the documents: what looks doubled, outdated or badly named. Proposals, and nothing but proposals.

use std::hash::{DefaultHasher, Hash, Hasher};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::retention::Retention;
use crate::base::error::Result;
use crate::base::name::DocName;
use crate::base::sorted::SortedSet;
use crate::base::text;
use crate::format::JournalName;
use crate::workspace::{MAX_DOCUMENT, Workspace};

/// Care for the documents: proposals only, nothing is changed by itself. Off.
///
/// Reads the seed's table `[hygiene]`; a key that is left out has its default.
///
/// ```
/// use noctuary::life::HygieneConfig;
///
/// let config: HygieneConfig = serde_json::from_str(r#"{"enabled": true, "max_daily_logs": 30}"#)?;
/// assert_eq!((config.max_daily_logs, config.interval_hours, config.max_chunk_age_days), (30, 24, 90));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct HygieneConfig {
    /// Whether it is ever due. Off.
    pub enabled: bool,
    /// After how many hours it is due again. 24.
    pub interval_hours: u32,
    /// After how many days without a change a document counts as outdated. It is flagged, and stays in use. 90.
    pub max_chunk_age_days: u32,
    /// The number of journals in `memory/` at which archiving the oldest is proposed. 60.
    pub max_daily_logs: usize,
}

impl Default for HygieneConfig {
    fn default() -> Self {
        Self { enabled: false, interval_hours: 24, max_chunk_age_days: 90, max_daily_logs: 60 }
    }
}

impl HygieneConfig {
    /// Returns whether the care is due: it is on, and was not given within its interval.
    ///
    /// ```
    /// use chrono::{TimeDelta, Utc};
    /// use noctuary::life::HygieneConfig;
    ///
    /// let mut config = HygieneConfig::default();
    /// let now = Utc::now();
    /// assert!(!config.is_due(None, now), "it is off");
    /// config.enabled = true;
    /// assert!(config.is_due(Some(now - TimeDelta::hours(24)), now));
    /// assert!(!config.is_due(Some(now - TimeDelta::hours(23)), now));
    /// ```
    #[must_use]
    pub fn is_due(&self, last: Option<DateTime<Utc>>, now: DateTime<Utc>) -> bool {
        let interval = TimeDelta::hours(i64::from(self.interval_hours));
        // A clock that was set back must not put it off.
        self.enabled && last.is_none_or(|last| last > now || now - last >= interval)
    }
}

impl From<&HygieneConfig> for Retention {
    /// Makes a retention that only the count of journals bounds, and only by archiving. IronClaw, whose care this
    /// is, has no dreams.
    fn from(hygiene: &HygieneConfig) -> Self {
        let most = hygiene.enabled.then_some(hygiene.max_daily_logs);
        Self { most, without_dreams: hygiene.enabled, ..Self::default() }
    }
}

/// Something that a human may want to tidy up.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Proposal {
    /// Two documents say nearly the same.
    NearDuplicate {
        /// One, the first by name.
        first: DocName,
        /// The other.
        second: DocName,
        /// The part of their runs of three words that they share, up to 1.
        similarity: f64,
    },
    /// A document that nobody has changed for long. It stays in use.
    Outdated {
        /// The document.
        name: DocName,
        /// For how many days.
        days: i64,
    },
    /// A name that says nothing, such as `untitled.md`.
    PoorName {
        /// The document.
        name: DocName,
    },
}

/// The least similarity of two near duplicates. In the tests' pairs, copies with an edit or two have 0.74 and
/// more. Other documents of one form and subject have 0.06 and less.
const NEAR: f64 = 0.5;

/// The number of words in a run.
const RUN: usize = 3;

/// Words that a name may have and still says nothing.
const FILLER: &[&str] = &[
    "a", "copy", "doc", "document", "draft", "file", "md", "misc", "new", "note", "of", "random", "scratch",
    "stuff", "temp", "text", "the", "thing", "things", "tmp", "unnamed", "untitled",
];

/// Looks through documents for what to tidy up; see [`Life::propose_hygiene`](crate::Life::propose_hygiene).
pub(super) fn propose(
    workspace: &dyn Workspace,
    documents: &[DocName],
    config: &HygieneConfig,
    now: DateTime<Utc>,
) -> Result<Vec<Proposal>> {
    let documents: SortedSet<&DocName> =
        documents.iter().filter(|name| JournalName::parse(name).is_none()).collect();
    let mut proposals = Vec::new();
    let mut read: Vec<(&DocName, SortedSet<u64>)> = Vec::new();
    for name in documents {
        let Some(metadata) = workspace.metadata(name)? else { continue };
        if is_poor(name) {
            proposals.push(Proposal::PoorName { name: name.clone() });
        }
        let days = (now - metadata.modified).num_days();
        if days > i64::from(config.max_chunk_age_days) && !DocName::EDITABLE.contains(name) {
            proposals.push(Proposal::Outdated { name: name.clone(), days });
        }
        if metadata.len > MAX_DOCUMENT {
            continue;
        }
        let Some(document) = workspace.read(name)? else { continue };
        let runs = runs(&document.lossy());
        for (other, theirs) in &read {
            let similarity = similarity(&runs, theirs);
            if similarity >= NEAR {
                let (first, second) = ((*other).clone(), name.clone());
                proposals.push(Proposal::NearDuplicate { first, second, similarity });
            }
        }
        read.push((name, runs));
    }
    Ok(proposals)
}

/// Returns the runs of words of a text, hashed. A text of fewer words is one run.
fn runs(text: &str) -> SortedSet<u64> {
    let words: Vec<String> = text::words(text).collect();
    let hash = |run: &[String]| {
        let mut hasher = DefaultHasher::new();
        run.hash(&mut hasher);
        hasher.finish()
    };
    if words.is_empty() { SortedSet::new() } else { words.windows(RUN.min(words.len())).map(hash).collect() }
}

/// Returns the part of their runs that two texts share: Jaccard's index. Empty texts are like nothing.
fn similarity(one: &SortedSet<u64>, other: &SortedSet<u64>) -> f64 {
    let (least, most) = (one.len().min(other.len()), one.len().max(other.len()));
    // The sizes alone bound it.
    if least == 0 || ratio(least, most) < NEAR {
        return 0.0;
    }
    let shared = one.intersection(other).count();
    ratio(shared, one.len() + other.len() - shared)
}

#[expect(clippy::cast_precision_loss, reason = "a document has far fewer than 2^52 words")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

/// Returns whether a name says nothing: all its words are filler or numbers.
pub(crate) fn is_poor(name: &DocName) -> bool {
    let stem = name.file_name().rsplit_once('.').map_or(name.file_name(), |(stem, _)| stem).to_lowercase();
    let mut words = stem.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.all(|word| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        word.is_empty() || FILLER.contains(&word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // CF-15: the seed's keys, and no other names.
    #[test]
    fn hygiene_prints_the_seeds_keys() {
        let printed = serde_json::to_string(&HygieneConfig::default()).unwrap();
        assert_eq!(
            printed,
            r#"{"enabled":false,"interval_hours":24,"max_chunk_age_days":90,"max_daily_logs":60}"#
        );
    }

    // VW-19: the seed's bad examples, and its good ones.
    #[test]
    fn names_that_say_nothing_are_flagged() {
        let poor = |name: &str| is_poor(&DocName::parse(name).unwrap());
        for name in [
            "random_note_123.md",
            "tmp_file.md",
            "untitled.md",
            "notes/Untitled 2.md",
            "x/new-document.md",
            "123.md",
            "copy of untitled.md",
            "tmp1.md",
        ] {
            assert!(poor(name), "{name}");
        }
        for name in [
            "projects/alpha/README.md",
            "projects/alpha/deployment.md",
            "projects/beta/notes.md",
            "SOUL.md",
            "context/vision.md",
            "日記.md",
            "notes/tax file 2026.md",
        ] {
            assert!(!poor(name), "{name}");
        }
    }

    const PLAN: &str = "# Deployment of Alpha\n\nReleases go out on Tuesdays and Thursdays, after the nightly build \
        is green. The person on duty tags the commit, waits for the pipeline, and watches the error rate for half \
        an hour. A rollback is one command: redeploy the tag before. Nobody deploys on a Friday afternoon.\n";

    /// Copies of one document, as people make them.
    fn copies() -> Vec<String> {
        vec![
            PLAN.replace("Thursdays", "Wednesdays"),
            PLAN.replace("half an hour", "an hour").replace("Nobody deploys", "We do not deploy"),
            format!("{PLAN}\nThe pager is in the top drawer, and its number is on the wall.\n"),
            PLAN.replace("# Deployment of Alpha\n\n", "# Deploying\r\n\r\n").replace(". ", ".\n"),
            PLAN.split_once(" Nobody").unwrap().0.to_owned(),
        ]
    }

    /// Other documents, some of the same form and matter.
    const OTHERS: [&str; 5] = [
        "# Deployment of Beta\n\nReleases go out whenever the owner of the shop says so. The person on duty copies \
            the folder by hand and restarts the server. There is no rollback, so a copy of the folder is made \
            before. Nobody deploys while customers are paying.\n",
        "# Hiring\n\nTwo people read each letter. We answer within a week, whatever the answer is, and give the \
            reason if it is asked for. A trial day is paid.\n",
        "# Alpha\n\nAlpha is the internal tool for the weekly report. It reads the ledger, groups it by team, and \
            mails a page to Sarah on Monday morning.\n",
        "# Person on duty\n\nThe person on duty watches the error rate, answers the pager, and writes down what \
            happened. Duty changes on Monday at noon.\n",
        "",
    ];

    // VW-13: the threshold lies between what was measured on both sides, with room.
    #[test]
    fn edited_copies_are_near_and_documents_of_one_form_are_not() {
        let plan = runs(PLAN);
        let measured = |text: &str| similarity(&plan, &runs(text));
        let copies: Vec<f64> = copies().iter().map(|copy| measured(copy)).collect();
        let others: Vec<f64> = OTHERS
            .iter()
            .map(|other| {
                let (shared, other) = (plan.intersection(&runs(other)).count(), runs(other));
                ratio(shared, (plan.len() + other.len() - shared).max(1))
            })
            .collect();
        println!("copies {copies:.2?}, others {others:.2?}");
        assert!(copies.iter().all(|similarity| *similarity >= NEAR + 0.1), "{copies:?}");
        assert!(others.iter().all(|similarity| *similarity <= NEAR - 0.3), "{others:?}");
    }
}
