//! The input of a rebuild: the latest items of each source, masked, stripped and numbered.

use chrono::{DateTime, Utc};

use super::config::PersonalizationConfig;
use super::history::{HistoryItem, HistorySource};
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::name::DocName;
use crate::base::order;
use crate::base::sorted::SortedMap;
use crate::base::spread::Spread;
use crate::base::text;
use crate::dream::engine::{machine_ranges, without_secrets};
use crate::dream::evidence::Shown;
use crate::format::documents::origins;
use crate::format::replies::fences::{Printer, ShownLine, one_line};
use crate::format::state::asked::AskedState;
use crate::format::{JournalName, Origin};
use crate::gate::{Door, DoorWarning, Doors, Masks};

/// The items of all sources, the oldest first.
pub(crate) struct Items(Vec<(String, HistoryItem)>);

impl Items {
    pub(crate) fn take(sources: &[std::sync::Arc<dyn HistorySource>], most: usize) -> Result<Self> {
        let mut all = Vec::new();
        for source in sources {
            let mut items = source.latest(most)?;
            order::sort_by(&mut items, |one, other| (other.at, &other.id).cmp(&(one.at, &one.id)));
            items.truncate(most);
            all.extend(items.into_iter().map(|item| (source.name().to_owned(), item)));
        }
        order::sort_by(&mut all, |(one_name, one), (other_name, other)| {
            (one.at, one_name, &one.id).cmp(&(other.at, other_name, &other.id))
        });
        Ok(Self(all))
    }

    /// Returns the hash that shows whether anything is new.
    pub(crate) fn hash(&self, state: &AskedState) -> String {
        let times: Vec<String> = self.0.iter().map(|(_, item)| item.at.to_rfc3339()).gather();
        let items = self.0.iter().zip(&times);
        state.hash(items.spread(|((source, item), at)| {
            [source.as_str(), item.id.as_str(), at.as_str(), item.text.as_str()]
        }))
    }
}

/// An item as it is shown, under the name of a journal, by which it is cited.
struct ShownItem {
    name: JournalName,
    is_cut: bool,
    lines: Vec<ShownLine>,
}

/// The content of a request.
#[derive(Default)]
pub(crate) struct Material {
    items: Vec<ShownItem>,
    /// From which source an item is, and when it was.
    from: SortedMap<DocName, (String, DateTime<Utc>)>,
    pub(crate) shown: Shown,
    pub(crate) masks: Masks,
    pub(crate) found: Vec<DoorWarning>,
}

impl Material {
    /// Takes the latest items, as many as fit into `room` bytes.
    pub(crate) fn new(
        items: &Items,
        config: &PersonalizationConfig,
        doors: &Doors,
        room: usize,
    ) -> Result<Self> {
        let mut material = Self::default();
        for (_, item) in &items.0 {
            material.masks.keep_apart_from(&item.text);
        }
        let mut room = room;
        for (number, (source, item)) in items.0.iter().enumerate().rev() {
            let session = format!("{source}.{}", number + 1);
            let name = JournalName::new(item.at.date_naive(), Some(&session));
            let shown = material.prepare(name, item, doors, room.min(config.item_bytes))?;
            if shown.lines.is_empty() {
                continue;
            }
            let bytes: usize = shown.lines.iter().map(printed).sum::<usize>() + FENCES;
            if bytes > room {
                break;
            }
            room -= bytes;
            material.from.insert(shown.name.name().clone(), (source.clone(), item.at));
            material.items.push(shown);
        }
        material.items.reverse();
        Ok(material)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Masks an item, leaves out what a machine wrote there, and cuts it to its last lines.
    fn prepare(
        &mut self,
        name: JournalName,
        item: &HistoryItem,
        doors: &Doors,
        room: usize,
    ) -> Result<ShownItem> {
        let policy = doors.policy_of(Door::DreamRequest, name.name());
        let passed = doors.judge(Door::DreamRequest, policy, name.name(), &item.text, &mut self.masks)?;
        self.found.extend(passed.warnings);
        let machine = machine_ranges(&item.text);
        // A page may say of itself that the user speaks: what is foreign is all of its origin, whatever tags it holds.
        let foreign = item.origin.as_ref().filter(|origin| !origin.is_trusted());
        let spoken: Vec<Option<Origin>> = if let Some(origin) = foreign {
            vec![Some(origin.clone()); text::line_ranges(&item.text).count()]
        } else {
            let reading = origins::read(&item.text, &origins::Above::default());
            let nobody = item.origin.clone().or_else(|| reading.unnamed());
            // The origin that the host gives limits the tags inside the item.
            let bounded = |origin: Option<Origin>| {
                origins::lower(origin.or_else(|| nobody.clone()), item.origin.as_ref())
            };
            reading.lines.into_iter().map(|said| bounded(said.origin)).gather()
        };
        let (mut lines, mut of_lines) = (Vec::new(), SortedMap::new());
        let ranges = text::line_ranges(&item.text).zip(text::line_ranges(&passed.text)).zip(spoken);
        for (number, ((original, masked), spoken)) in (1_u64..).zip(ranges) {
            let end = original.end.max(original.start + 1);
            let is_machines = machine.iter().any(|range| range.start < end && original.start < range.end);
            let line = one_line(&passed.text[masked]);
            let line = line.trim_end().trim_start_matches(text::BOM);
            if !is_machines && !line.trim().is_empty() {
                let said = spoken.or_else(|| item.origin.clone());
                of_lines.extend(said.map(|origin| (number, without_secrets(origin, doors))));
                let text = match foreign {
                    Some(origin) => format!("[{}] | {line}", kind(origin)),
                    None => line.to_owned(),
                };
                lines.push(ShownLine { number, text });
            }
        }
        let mut bytes = FENCES;
        let fits = lines.iter().rev().take_while(|line| {
            bytes += printed(line);
            bytes <= room
        });
        let cut = lines.len() - fits.count();
        lines.drain(..cut);
        if let (Some(first), Some(last)) = (lines.first(), lines.last()) {
            self.shown.add(&name, first.number, last.number, &lines, &of_lines);
        }
        Ok(ShownItem { name, is_cut: cut > 0, lines })
    }

    /// Returns every line that is shown.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.items.iter().spread(|item| &item.lines).map(|line| line.text.as_str())
    }

    pub(crate) fn print(&self, printer: &mut Printer) {
        for item in &self.items {
            printer.journal(item.name.name(), item.is_cut, &item.lines);
        }
    }

    /// Returns the sources that lines of these items are from, and when the latest of them was.
    pub(crate) fn origin_of<'n>(
        &self,
        names: impl Iterator<Item = &'n DocName>,
    ) -> (Vec<String>, Option<DateTime<Utc>>) {
        let from: Vec<_> = names.filter_map(|name| self.from.get(name)).gather();
        let mut sources: Vec<String> = from.iter().map(|(source, _)| source.clone()).gather();
        order::sort(&mut sources);
        order::dedup(&mut sources);
        (sources, from.iter().map(|(_, at)| *at).max())
    }
}

/// Returns an origin as it is shown: a tool without its name, which passed no door.
fn kind(origin: &Origin) -> Origin {
    match origin {
        Origin::Tool(_) => Origin::Tool(String::new()),
        // A name passed no door either.
        Origin::Participant(_) => Origin::Participant("somebody".to_owned()),
        other => other.clone(),
    }
}

/// The bytes for the fences of an item.
const FENCES: usize = 200;

/// Returns the bytes that a line needs.
fn printed(line: &ShownLine) -> usize {
    line.text.len() + 24
}
