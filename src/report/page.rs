//! A page that is being written: its texts are masked, and each section takes them from here.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt::Display;

use chrono::{DateTime, Utc};
use maud::{Markup, html};

use super::inputs::Inputs;
use super::veil::{Shown, Veil};
use crate::base::day::Zone;
use crate::base::name::DocName;
use crate::base::text;
use crate::dreamer::{DreamMode, DreamReport, PassReport};
use crate::format::state::log;
use crate::session::Notes;

/// A page as it is being written: the texts are masked.
pub(super) struct Page<'p> {
    pub(super) given: &'p Inputs<'p>,
    pub(super) report: &'p DreamReport,
    pub(super) veil: Veil,
    /// The notes behind lines that no longer hold, masked.
    pub(super) notes: Notes,
    /// The lines of the journals, masked.
    pub(super) journals: BTreeMap<&'p DocName, Vec<String>>,
}

impl<'p> Page<'p> {
    pub(super) fn new(given: &'p Inputs<'p>) -> Self {
        let veil = Veil::new(&given.doors, given.forgotten.as_ref());
        let lines = |bytes: &[u8]| -> Vec<String> {
            let text = String::from_utf8_lossy(bytes);
            veil.mask(text.strip_prefix(text::BOM).unwrap_or(&text)).lines().map(str::to_owned).collect()
        };
        let journals = given.journals.iter().map(|(name, bytes)| (name, lines(bytes))).collect();
        let masked = |text: &str| Ok::<_, Infallible>(veil.mask(text));
        let Ok(notes) = Notes::of(&given.superseded, masked);
        Self { given, report: given.report, journals, veil, notes }
    }

    pub(super) fn time(&self, instant: DateTime<Utc>) -> Markup {
        time(instant, self.given.day.zone())
    }

    /// Returns a text that is not the page's own.
    pub(super) fn show(&self, text: &(impl Display + ?Sized)) -> Shown {
        self.veil.show(&text.to_string())
    }

    /// Masks a text of `MEMORY.md` and says behind each of its outdated lines what holds now.
    pub(super) fn mask_memory(&self, text: &str) -> String {
        let mut masked = self.veil.mask(text);
        self.notes.add_to(&mut masked, &mut |_| ());
        masked
    }

    pub(super) fn passes(&self) -> &'p [PassReport] {
        &self.report.passes
    }

    /// Returns the lines of a retold dream by their fate, as its log line counts them. `None` for a report that is
    /// whole, or without a log. The report of an earlier dream lacks more than the promoted lines.
    pub(super) fn kept_fates(&self) -> Option<Vec<(&'p str, u64)>> {
        let id = &self.report.passes.first().filter(|_| self.report.retold)?.dream_id;
        let line =
            self.given.log.iter().rev().find(|line| line.id == *id && line.outcome == log::APPENDED)?;
        Some(line.fates.iter().map(|(fate, lines)| (fate.as_str(), u64::from(*lines))).collect())
    }

    /// Returns whether the promoted lines are in `MEMORY.md`, and not only proposed.
    pub(super) fn is_written(&self) -> bool {
        self.report.mode == DreamMode::Append
    }
}

/// A section of the page.
pub(super) struct Part {
    pub(super) title: &'static str,
    /// Whether it has no entry and nothing else to say.
    pub(super) is_empty: bool,
    /// The number of entries in it, in words.
    pub(super) count: String,
    pub(super) body: Markup,
}

/// Prints a time as the clock of a person shows it.
pub(super) fn time(instant: DateTime<Utc>, zone: Zone) -> Markup {
    let local = instant.with_timezone(&zone.offset_at(instant.naive_utc()));
    html! {
        time datetime=(instant.format("%Y-%m-%dT%H:%M:%SZ")) { (local.format("%Y-%m-%d %H:%M")) " " (zone) }
    }
}

/// Returns a text with its first letter in upper case.
pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
