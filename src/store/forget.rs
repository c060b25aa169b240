//! Forgetting: the rows that are removed, the actors who may ask for it, and the tombstones that keep the words out.

use std::borrow::Cow;
use std::sync::Arc;

use crate::base::access::{Access, Actor, SessionKind};
use crate::base::document::SourceRef;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::name::Name;
use crate::base::receipt::{ForgetPlace, PlaceReceipt, RowReceipt};
use crate::base::text;
use crate::facts::{FactKey, FactState, FactStatus};
use crate::format::Origin;
use crate::format::documents::statements::said;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
use crate::gate::signature;
use crate::gate::{Tombstone, TombstoneKey, Tombstones, statement_signature};
use crate::memory::{ForgetRequest, Memory, MemoryId, NewLearning, NewMemory, Place, Source};

/// The action of a row that is gone for good.
pub(crate) const REMOVED: &str = "memory_removed";

/// The least number of words that a row must keep without the statement. With fewer (`Bought rope from`) it is removed whole, and
/// the receipt names it by them.
const MIN_REST_WORDS: usize = 4;

/// The characters of a row by which a receipt names it; the rest is cut off.
const NAME_CHARS: usize = 80;

/// The class by which a forgotten statement is refused.
const CLASS: &str = "forgotten";

/// The words of sources and origins that are no host's, common ones first. They are in no signature.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) const NAMES: [&str; 14] = [
    "agent_recorded",
    "agent",
    "user",
    "chat_extracted",
    "user_explicit",
    "user_manual",
    "dreamed",
    "imported",
    "inferred",
    "learned_preference",
    "tool",
    "web",
    "import",
    "system",
];

/// The statements that are being forgotten, and the person.
pub(crate) struct Burial {
    pub(crate) stones: Vec<Tombstone>,
    /// They alone, so that earlier ones are not looked for again.
    pub(super) alone: Tombstones,
    /// A text without one of these bits in its [signature](crate::gate::signature) holds none of them.
    pub(crate) signature: u64,
    /// Rows that leave whole.
    pub(super) rows: Vec<MemoryId>,
    /// A person, as an origin prints them. Their words are in no signature.
    pub(super) person: Option<String>,
}

impl Burial {
    pub(crate) fn new(key: &TombstoneKey, request: &ForgetRequest) -> Result<Self> {
        let mut alone = Tombstones::new(key.clone());
        let mut signature = u64::MAX;
        for text in &request.statements {
            let stone = alone
                .bury(text)
                .ok_or(Error::Config { setting: "text", rule: "must have two words or eight characters" })?;
            // The bits that all of them have.
            signature &= statement_signature(text);
            alone.insert(stone);
        }
        let stones: Vec<Tombstone> = alone.own().gather();
        let person = request.person.clone().map(|name| Origin::Participant(name).to_string());
        let rows = request.rows.clone();
        if stones.is_empty() || !rows.is_empty() || person.is_some() {
            signature = 0;
        }
        Ok(Self { stones, alone, signature, rows, person })
    }

    pub(crate) fn holds(&self, text: &str) -> bool {
        self.is_person(text) || self.alone.holds(text)
    }

    /// Returns whether a text is the person, as an origin prints them.
    fn is_person(&self, text: &str) -> bool {
        self.person.as_ref().is_some_and(|person| text::same_name(person) == text::same_name(text))
    }

    /// Returns whether a row leaves whole, whatever it says: one of those that are named, or the person's own.
    pub(super) fn is_whole(&self, memory: &Memory) -> bool {
        let speaker = memory.place.as_ref().and_then(|place| place.speaker.clone());
        self.rows.contains(&memory.id)
            || self.person.is_some()
                && (memory.origin.as_ref().is_some_and(|origin| self.is_person(&origin.to_string()))
                    || speaker.is_some_and(|name| self.is_person(&Origin::Participant(name).to_string())))
    }

    /// Returns whether a name that many rows share has the statement.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn is_named(&self) -> bool {
        NAMES.iter().any(|name| self.holds(name))
    }

    /// Takes it out of a text; `false` where the rest says nothing.
    pub(crate) fn strike(&self, text: &mut String) -> bool {
        if self.is_person(text) {
            return false;
        }
        if !self.alone.holds(text) {
            return true;
        }
        // The day, the speaker and a label say nothing by themselves.
        let rest = self.alone.blanked(text);
        let says_more = self.alone.words_left(said(&rest)) >= MIN_REST_WORDS;
        if says_more {
            *text = self.alone.struck(text).into_owned();
        }
        says_more
    }

    /// Takes it out of a text that may be missing, and is where the rest says nothing.
    pub(crate) fn strike_maybe(&self, text: &mut Option<String>) {
        if text.as_mut().is_some_and(|text| !self.strike(text)) {
            *text = None;
        }
    }

    /// Returns whether a row has the statement anywhere.
    pub(crate) fn is_in(&self, memory: &Memory, key: Option<&FactKey>) -> bool {
        self.is_whole(memory) || self.holds_any(&Said::of(memory, key))
    }

    fn holds_any(&self, said: &Said<'_>) -> bool {
        for text in said.texts() {
            if self.holds(&text) {
                return true;
            }
        }
        false
    }

    /// Returns the text of a row without the statement. `None` if no text is left, or if the statement is also outside
    /// the row's text.
    pub(crate) fn rest_of(&self, memory: &Memory, key: Option<&FactKey>) -> Option<String> {
        let beside = Said { content: "", ..Said::of(memory, key) };
        // What is in neither is where nobody reads it, as in notes of another program.
        if self.is_whole(memory) || !self.holds(&memory.content) || self.holds_any(&beside) {
            return None;
        }
        let mut rest = memory.content.clone();
        self.strike(&mut rest).then_some(rest)
    }

    /// Returns the receipt of a row that said it, without its words.
    pub(crate) fn told(&self, row: i64, said: &str, is_kept: bool) -> RowReceipt {
        let words = self.alone.struck(said);
        let words = text::head(words.trim(), NAME_CHARS, text::Unit::Chars).to_owned();
        RowReceipt { row, words, is_kept }
    }
}

/// The parts of a row where a statement may be.
struct Said<'a> {
    content: &'a str,
    category: &'a str,
    source: Option<&'a Source>,
    place: Option<&'a Place>,
    metadata: Option<&'a serde_json::Value>,
    origin: Option<&'a Origin>,
    cites: &'a [SourceRef],
    key: Option<&'a FactKey>,
}

impl<'a> Said<'a> {
    fn of(memory: &'a Memory, key: Option<&'a FactKey>) -> Self {
        Self {
            content: &memory.content,
            category: &memory.category,
            source: memory.source.as_ref(),
            place: memory.place.as_ref(),
            metadata: memory.metadata.as_ref(),
            origin: memory.origin.as_ref(),
            cites: &memory.cites,
            key,
        }
    }

    fn of_new(memory: &'a NewMemory) -> Self {
        Self {
            content: &memory.content,
            category: &memory.category,
            source: Some(&memory.source),
            place: memory.place.as_ref(),
            metadata: memory.metadata.as_ref(),
            origin: memory.origin.as_ref(),
            cites: &memory.cites,
            key: memory.about.as_ref(),
        }
    }

    /// Returns the signature of its words, except [names](NAMES).
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    fn signature(&self) -> u64 {
        let texts = self.texts();
        let own = texts.iter().filter(|text| !NAMES.contains(&text.as_ref()));
        own.fold(0, |bits, text| bits | signature(text))
    }

    fn texts(&self) -> Vec<Cow<'a, str>> {
        let mut texts: Vec<Cow<'a, str>> = vec![self.content.into(), self.category.into()];
        texts.extend(self.source.map(|source| source.as_str().into()));
        texts.extend(self.origin.map(|origin| origin.to_string().into()));
        texts.extend(self.cites.iter().map(|cited| cited.to_string().into()));
        if let Some(place) = self.place {
            texts.push(place.session.as_str().into());
            texts.extend(place.speaker.as_deref().map(Cow::from));
        }
        if let Some(key) = self.key {
            texts.extend([key.subject.as_str().into(), key.slot.as_str().into()]);
        }
        if let Some(metadata) = self.metadata {
            // As a person reads it, and as it is written.
            let mut parts = vec![metadata.to_string()];
            strings(metadata, &mut parts);
            texts.extend(parts.into_iter().map(Cow::from));
        }
        texts
    }
}

/// Returns the [signature] of all that a row says, except [names](NAMES).
#[cfg(feature = "sqlite")]
pub(crate) fn signature_of(memory: &Memory, key: Option<&FactKey>) -> u64 {
    Said::of(memory, key).signature()
}

/// Returns the [signature] of all that a new row says, except [names](NAMES).
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn signature_of_new(memory: &NewMemory) -> u64 {
    Said::of_new(memory).signature()
}

/// Adds the keys and texts of a value.
pub(crate) fn strings(value: &serde_json::Value, texts: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => texts.push(text.clone()),
        serde_json::Value::Array(values) => values.iter().for_each(|value| strings(value, texts)),
        serde_json::Value::Object(map) => map.iter().for_each(|(key, value)| {
            texts.push(key.clone());
            strings(value, texts);
        }),
        _ => {}
    }
}

/// Refuses a new row that says what was forgotten. With others present it is refused as what a session may not do: they
/// are not told that it was forgotten.
pub(crate) fn check_row(
    forgotten: Option<&Arc<Tombstones>>,
    access: &Access,
    name: &Name,
    memory: &NewMemory,
) -> Result<()> {
    let Some(forgotten) = forgotten else { return Ok(()) };
    let said = Said::of_new(memory);
    // All of them, so that the time says no more than the error does.
    let is_said = said.texts().iter().filter(|text| forgotten.holds(text)).count() > 0;
    match (is_said, access.kind) {
        (false, _) => Ok(()),
        (true, SessionKind::Main) => Err(stopped(name)),
        (true, kind) => Err(Error::Denied { name: name.clone(), kind }),
    }
}

/// Refuses a learning that says what was forgotten.
pub(crate) fn check_learning(
    forgotten: Option<&Arc<Tombstones>>,
    name: &Name,
    learning: &NewLearning,
) -> Result<()> {
    let texts = std::iter::once(&learning.content).chain(&learning.context);
    texts.into_iter().try_for_each(|text| check(forgotten, name, text))
}

/// Refuses a text that says what was forgotten.
pub(crate) fn check(forgotten: Option<&Arc<Tombstones>>, name: &Name, text: &str) -> Result<()> {
    match forgotten {
        Some(forgotten) if forgotten.holds(text) => Err(stopped(name)),
        _ => Ok(()),
    }
}

fn stopped(name: &Name) -> Error {
    Error::Stopped { name: name.clone(), classes: vec![CLASS.to_owned()], places: Box::default() }
}

/// Returns whether this actor may have a row forgotten: what a human typed or confirmed is theirs.
pub(crate) fn may_forget(access: &Access, memory: &Memory, status: Option<FactStatus>) -> bool {
    let is_typed = memory.source.as_ref().is_some_and(Source::is_typed);
    let is_confirmed = status.is_some_and(|status| status.state == FactState::Verified);
    access.actor == Actor::Human || !(is_typed || is_confirmed)
}

/// The counts of removals outside of rows.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Struck {
    pub(crate) profile: u64,
    pub(crate) learnings: u64,
    pub(crate) methods: u64,
    pub(crate) cases: u64,
    pub(crate) preferences: u64,
    pub(crate) notes: u64,
    pub(crate) trades: u64,
    pub(crate) reasons: u64,
}

/// Returns the receipts for a store's places. `left` names the words that remain in files of its own.
pub(crate) fn receipt(
    rows: u64,
    told: Vec<(ForgetPlace, RowReceipt)>,
    (edges, vectors): (u64, u64),
    struck: Struck,
    left: Option<&'static str>,
) -> Vec<PlaceReceipt> {
    let Struck { profile, learnings, methods, cases, preferences, notes, trades, reasons } = struck;
    let index = PlaceReceipt::new(ForgetPlace::TextIndex, rows, rows);
    let mut receipts = vec![
        PlaceReceipt::new(ForgetPlace::Rows, rows, rows),
        PlaceReceipt::new(ForgetPlace::Profile, profile, profile),
        PlaceReceipt::new(ForgetPlace::Learnings, learnings, learnings),
        PlaceReceipt::new(ForgetPlace::Methods, methods, methods),
        PlaceReceipt::new(ForgetPlace::Cases, cases, cases),
        PlaceReceipt::new(ForgetPlace::Preferences, preferences, preferences),
        PlaceReceipt::new(ForgetPlace::RoleNotes, notes, notes),
        PlaceReceipt::new(ForgetPlace::Mirror, trades, trades),
        match left {
            Some(why) => index.left(why),
            None => index,
        },
        PlaceReceipt::new(ForgetPlace::Decisions, reasons, reasons),
        PlaceReceipt::new(ForgetPlace::Edges, edges, edges),
        PlaceReceipt::new(ForgetPlace::Vectors, vectors, vectors),
    ];
    for (place, row) in told {
        let line = receipts.iter_mut().find(|line| line.place == place).expect("each place has a line");
        line.rows.push(row);
    }
    receipts
}
