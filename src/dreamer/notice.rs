//! Notices for the operator, beside the outcome.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::name::DocName;
use crate::base::text::counted;
use crate::format::DreamId;

/// Something that the operator should know besides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Notice {
    /// A section that a dream appended is no longer in `MEMORY.md`: somebody took it out, or an editor saved
    /// over it. It is not appended again, unless a person asks by [`redo_dream`](crate::JournalDreamer::redo_dream).
    SectionMissing(DreamId),
    /// Every line of an answer was held. The number of journals that wait for another try.
    HeldWaits(u64),
    /// Every line about this journal was held as often as it may be tried. The shown part of it counts as read, until
    /// [`read_again`](crate::JournalDreamer::read_again) gives it back.
    HeldUsedUp(DocName),
    /// `MEMORY.md` will be over its budget by what this night promotes; said before it is written.
    WillPassBudget {
        /// The number of characters that it will have.
        chars: u64,
        /// The budget in characters.
        budget: u64,
        /// Whether sections will move to the archive.
        archives: bool,
    },
    /// A peer that knows only the watermark dreamed meanwhile. The number of journals that count as dreamed.
    DreamedByPeer(u64),
    /// Two names differ in case only.
    CaseCollision(DocName, DocName),
    /// An entry of a journal folder that is no journal and no plain file.
    RefusedEntry(String),
    /// A copy in a journal folder, which a tool left where two machines changed one file. It is not read, and waits to
    /// be merged.
    ConflictCopy(DocName),
    /// The count of journals in quarantine, which no run reads until they are released; said in each run.
    InQuarantine(u64),
    /// The count of journals whose names hold a secret or forgotten words. No run reads them until they are renamed.
    /// Said in each run.
    HiddenNames(u64),
    /// A quarantined journal has grown since it was quarantined; it stays out until released.
    QuarantinedGrew(DocName),
    /// A journal changed between being selected and being read; it waits for the next pass.
    ChangedWhileReading(DocName),
    /// `MEMORY.md` is over its budget; nothing was dropped.
    MemoryOverBudget,
    /// Not all sections could be moved to the archive; what failed, in a sentence. The next run goes on with it.
    NotArchived(String),
    /// `BRIEFING.md` was written or edited by a person: it stays, until they remove it.
    BriefingKept,
    /// `BRIEFING.md` could not be replaced; what failed, in a sentence.
    NoBriefing(String),
    /// The lock could not be removed; peers wait for its time to run out.
    LockNotRemoved,
    /// No journal exists at all. The automatic daily log is off by default.
    NoJournals,
    /// No journal exists at all, and the automatic daily log is off, as [the dreamer was told](crate::DreamConfig::daily_log).
    DailyLogOff,
    /// An answer did not have the requested form, and was read all the same.
    Reshaped {
        /// The number of bullets that were joined to the one above them, each as one claim.
        joined: u32,
        /// The number of sentences that were taken as bullets, since there were none.
        split: u32,
    },
    /// The watermark lies in the future, so it is not trusted.
    WatermarkInFuture,
    /// A pass was committed, and the next one could not begin; what failed, in a sentence.
    StoppedEarly(String),
    /// The count of proposals that wait for a person's word.
    ProposalsWaiting(u64),
    /// The count of proposals that have waited for too long. They take no room among those that wait, and can still be
    /// accepted.
    ProposalsExpired(u64),
    /// There is an unfinished commit, which a preview does not finish.
    UnfinishedCommit(DreamId),
    /// The checksum of this state file does not fit: a person edited it. Its values count, except a watermark that was raised.
    EditedState(String),
    /// Not all of this state file could be read: what could be counts.
    UnreadState {
        /// The file.
        file: String,
        /// The name under which it was kept as it was; `None` where nothing was written, or it was empty.
        aside: Option<String>,
    },
    /// This machine alone dreams for the life, and the run was on another one.
    DreamsOn(String),
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SectionMissing(id) => {
                write!(f, "the section of dream {id} is no longer in MEMORY.md; redo_dream brings it back")
            }
            Self::HeldWaits(journals) => {
                let wait = if *journals == 1 { "waits" } else { "wait" };
                let journals = counted(*journals, "journal");
                write!(f, "every line of an answer was held; {journals} {wait} for another try")
            }
            Self::HeldUsedUp(name) => {
                write!(
                    f,
                    "every line about {name} was held each time; it counts as read, read_again gives it back"
                )
            }
            Self::WillPassBudget { chars, budget, archives } => {
                let chars = counted(*chars, "character");
                write!(f, "MEMORY.md will have {chars}, over its budget of {budget}; ")?;
                f.write_str(if *archives {
                    "the oldest dream sections will move to the archive"
                } else {
                    "nothing will be dropped"
                })
            }
            Self::DreamedByPeer(journals) => write!(f, "a peer dreamed {}", counted(*journals, "journal")),
            Self::InQuarantine(journals) => {
                let wait = if *journals == 1 { "waits" } else { "wait" };
                write!(f, "{} {wait} in quarantine until released", counted(*journals, "journal"))
            }
            Self::HiddenNames(1) => {
                f.write_str("the name of 1 journal holds what is not shown; it waits until renamed")
            }
            Self::HiddenNames(journals) => {
                write!(f, "the names of {journals} journals hold what is not shown; they wait until renamed")
            }
            Self::CaseCollision(one, other) => write!(f, "{one} and {other} differ in case only"),
            Self::RefusedEntry(name) => write!(f, "{name:?} in a journal folder is no plain file"),
            Self::ConflictCopy(name) => {
                write!(
                    f,
                    "{name} is a copy that a tool left of a changed file: it is not read; merge_copies merges it"
                )
            }
            Self::QuarantinedGrew(name) => write!(f, "{name} grew while in quarantine"),
            Self::ChangedWhileReading(name) => write!(f, "{name} changed while it was read, and waits"),
            Self::MemoryOverBudget => f.write_str("MEMORY.md is over its budget"),
            Self::NotArchived(why) => write!(f, "sections could not be moved to the archive: {why}"),
            Self::BriefingKept => {
                f.write_str("BRIEFING.md is a person's own, and stays until they remove it")
            }
            Self::NoBriefing(why) => write!(f, "BRIEFING.md could not be replaced: {why}"),
            Self::LockNotRemoved => {
                f.write_str("the lock could not be removed; peers wait for its time to run out")
            }
            Self::NoJournals => {
                f.write_str(
                "there are no journals yet; they are memory/YYYY-MM-DD-<session>.md, made of notes, or of each turn \
                 where the host turns the daily log on",
            )
            }
            Self::DailyLogOff => f.write_str("the automatic daily log is off: turn it on, or write notes"),
            Self::Reshaped { joined, split } => {
                write!(
                    f,
                    "the answer was no flat list: {} joined to the one above, ",
                    counted(u64::from(*joined), "bullet")
                )?;
                write!(f, "{} taken as bullets", counted(u64::from(*split), "sentence"))
            }
            Self::WatermarkInFuture => f.write_str("the watermark lies in the future and is not trusted"),
            Self::StoppedEarly(why) => write!(f, "the run stopped after a committed pass: {why}"),
            Self::ProposalsWaiting(1) => f.write_str("1 proposal waits for a person's word"),
            Self::ProposalsWaiting(count) => {
                write!(f, "{} wait for a person's word", counted(*count, "proposal"))
            }
            Self::ProposalsExpired(1) => {
                f.write_str("1 proposal has waited for too long; it can still be accepted")
            }
            Self::ProposalsExpired(count) => {
                let proposals = counted(*count, "proposal");
                write!(f, "{proposals} have waited for too long; they can still be accepted")
            }
            Self::EditedState(file) => write!(
                f,
                "{file} was edited since it was written; its values count, but for a watermark that was raised"
            ),
            Self::UnreadState { file, aside } => {
                write!(f, "{file} could not be read whole, and what could be counts; ")?;
                match aside {
                    Some(aside) => write!(f, "{aside} is what stood there"),
                    None => f.write_str("mend it, or let the next dream begin it anew"),
                }
            }
            Self::DreamsOn(machine) => {
                write!(f, "{} dreams for this life; dream_on changes that", machine.escape_debug())
            }
            Self::UnfinishedCommit(id) => {
                write!(f, "the commit of dream {id} is unfinished; a real run finishes it")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_said_as_one() {
        let told: Vec<String> = [1, 2]
            .into_iter()
            .flat_map(|n| {
                [Notice::DreamedByPeer(n), Notice::ProposalsWaiting(n), Notice::ProposalsExpired(n)]
            })
            .map(|notice| notice.to_string())
            .collect();
        assert_eq!(
            told,
            [
                "a peer dreamed 1 journal",
                "1 proposal waits for a person's word",
                "1 proposal has waited for too long; it can still be accepted",
                "a peer dreamed 2 journals",
                "2 proposals wait for a person's word",
                "2 proposals have waited for too long; they can still be accepted",
            ]
        );
    }
}
