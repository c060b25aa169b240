//! The possible remains of a power loss.

use std::time::Duration;

use chrono::{DateTime, Utc};

use super::outcome::{CrashOutcome, Lie};
use super::volume::{Effect, Node, Operation, Volume, Write, folder_of};

/// The possible remains of a power loss.
#[derive(Debug, Clone)]
pub struct PowerLoss {
    pub(super) durable: Volume,
    pub(super) pending: Vec<Pending>,
    pub(super) terms: Terms,
}

/// The settings that a disk keeps after a crash.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Terms {
    pub(super) begun: DateTime<Utc>,
    pub(super) elapsed: Duration,
    pub(super) lie: Option<Lie>,
}

#[derive(Debug, Clone)]
pub(super) struct Pending {
    /// The index of its operation in the record.
    at: usize,
    change: Change,
}

#[derive(Debug, Clone)]
pub(super) enum Change {
    Write(Write),
    Begin {
        path: String,
        node: Node,
    },
    /// With the path that must have begun first, where the name ends by a rename.
    End {
        path: String,
        renamed_to: Option<String>,
    },
}

impl Change {
    fn path(&self) -> Option<&str> {
        match self {
            Self::Write(_) => None,
            Self::Begin { path, .. } | Self::End { path, .. } => Some(path),
        }
    }

    fn apply(&self, volume: &mut Volume, fate: CrashOutcome) {
        match self {
            Self::Write(write) => volume.write(write, fate),
            Self::Begin { path, node } => drop(volume.names.insert(path.clone(), *node)),
            Self::End { path, .. } => drop(volume.names.remove(path)),
        }
    }
}

impl PowerLoss {
    /// Takes the next operation of the record in.
    pub(super) fn note(&mut self, at: usize, Operation { path, effect }: &Operation) {
        let mut wait = |change| self.pending.push(Pending { at, change });
        let path = path.clone();
        match effect {
            Effect::CreateFolder => wait(Change::Begin { path, node: Node::Folder }),
            Effect::Create { file, now } => {
                wait(Change::Begin { path, node: Node::File(*file) });
                self.durable.add(*now);
            }
            Effect::Rename { file, to } => {
                wait(Change::Begin { path: to.clone(), node: Node::File(*file) });
                wait(Change::End { path, renamed_to: Some(to.clone()) });
            }
            Effect::Unlink => wait(Change::End { path, renamed_to: None }),
            Effect::Write(write) => wait(Change::Write(write.clone())),
            Effect::MakeLike { file, mode, owner } => {
                (self.durable.files[*file].mode, self.durable.files[*file].owner) = (*mode, *owner);
            }
            Effect::Sync { file } => {
                self.settle(|change, _| matches!(change, Change::Write(write) if write.file == *file));
            }
            Effect::SyncFolder => self.settle(|change, still_pending| {
                change.path().is_some_and(|name| folder_of(name) == path) && !still_pending
            }),
        }
    }

    /// Makes the chosen changes durable. The choice is told whether the end of a name waits for its new one.
    fn settle(&mut self, is_chosen: impl Fn(&Change, bool) -> bool) {
        let mut kept: Vec<Pending> = Vec::new();
        for pending in std::mem::take(&mut self.pending) {
            if !is_chosen(&pending.change, waits(&kept, &pending)) {
                kept.push(pending);
                continue;
            }
            pending.change.apply(&mut self.durable, CrashOutcome::Kept);
            if let Some(path) = pending.change.path() {
                // Earlier changes of this name can come back no more.
                kept.retain(|earlier| earlier.change.path() != Some(path));
            }
        }
        self.pending = kept;
    }

    /// Returns the possible fates of each operation that was not durable, in order.
    #[must_use]
    pub fn choices(&self) -> Vec<&'static [CrashOutcome]> {
        let choices = self.pending.iter().map(|pending| match &pending.change {
            Change::Write(write) if write.is_longer => {
                &[CrashOutcome::Lost, CrashOutcome::Kept, CrashOutcome::Torn, CrashOutcome::Zeroed][..]
            }
            Change::Write(_) => &[CrashOutcome::Lost, CrashOutcome::Kept, CrashOutcome::Torn],
            Change::Begin { .. } | Change::End { .. } => &[CrashOutcome::Lost, CrashOutcome::Kept],
        });
        choices.collect()
    }

    /// Returns the volume that one fate for each of the choices leaves.
    pub(super) fn volume(&self, fates: &[CrashOutcome]) -> Volume {
        let mut volume = self.durable.clone();
        let mut lost: Vec<Pending> = Vec::new();
        for (pending, fate) in self.pending.iter().zip(fates) {
            if *fate == CrashOutcome::Lost || waits(&lost, pending) {
                lost.push(pending.clone());
            } else {
                pending.change.apply(&mut volume, *fate);
            }
        }
        // A file whose folder is not there is not there. Folders come before what is in them.
        let names = std::mem::take(&mut volume.names);
        for (path, node) in names {
            if volume.is_folder(folder_of(&path)) {
                volume.names.insert(path, node);
            }
        }
        volume
    }
}

/// Returns whether a name ends by a rename whose new name is among these.
fn waits(among: &[Pending], pending: &Pending) -> bool {
    let Change::End { renamed_to: Some(to), .. } = &pending.change else { return false };
    among.iter().any(|earlier| earlier.at == pending.at && earlier.change.path() == Some(to))
}
