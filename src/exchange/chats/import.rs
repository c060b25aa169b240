//! Importing chats: what is new of each conversation is added to a journal for each of its days.

use std::path::Path;
use std::sync::Arc;

use chrono::{NaiveDate, NaiveTime};

use super::chat::{Chat, ChatMessage};
use super::format::ChatFormat;
use super::plan::{ChatItem, ChatPlan, LeftOut};
use super::progress::ChatProgress;
use super::read::read;
use crate::base::day::DayPolicy;
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, Name, StateName};
use crate::base::sorted::SortedMap;
use crate::exchange::claim::claim;
use crate::format::documents::curated;
use crate::format::documents::day_log::{self, JournalEnd};
use crate::format::state::chats::{ImportedChats, message_hash};
use crate::format::{JournalName, Note, Origin};
use crate::gate::{Door, Doors, Masks, Tombstones};
use crate::session;
use crate::workspace::{Lease, Workspace};

/// Brings chats that a person had elsewhere into journals, `memory/YYYY-MM-DD-<format>-<id>.md`.
///
/// A conversation has a journal for each of its days, as the [policy](Self::day) counts days. Messages have their times and
/// speakers: `[user]`, `[agent]`, `[tool:NAME]`. The title is an `[import]`. Nights read them as any other journal.
///
/// Importing again, or a longer export, adds only messages that are new. An edited message, or one of another branch, is added as
/// a new one. A resumed session of Claude Code copies messages of an earlier one. Such a message is imported once, even with
/// another id, because its time and words are the same. No byte of a journal is rewritten. A message that a
/// [forgetting](crate::exchange::Forget) took out of a journal does not come back.
///
/// Words pass as notes do, by the policy of [`Door::JournalAppend`]: secrets are masked, and suspicious text is kept and told. A
/// statement that was forgotten here is struck out of its message.
///
/// One conversation is in memory at a time, whatever size the export has. One above 32 MiB is refused, and the others come in.
///
/// ```
/// use noctuary::FileWorkspace;
/// use noctuary::exchange::{ChatFormat, ChatImport};
///
/// let (theirs, ours) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// let export = theirs.path().join("conversations.json");
/// std::fs::write(&export, r#"[{"uuid": "6f0c", "name": "Boats", "chat_messages": [
///     {"uuid": "a", "sender": "human", "created_at": "2026-11-21T09:20:00Z", "text": "Which colour?"},
///     {"uuid": "b", "sender": "assistant", "created_at": "2026-11-21T09:20:05Z", "text": "Blue."}]}]"#)?;
/// let home = FileWorkspace::open(ours.path())?;
///
/// let import = ChatImport::new(ChatFormat::Claude);
/// assert_eq!(import.plan(&export, &home)?.messages, 2); // look at it first: nothing is written yet
/// import.apply(&export, &home)?;
/// assert_eq!(
///     std::fs::read_to_string(ours.path().join("memory/2026-11-21-claude-6f0c.md"))?,
///     "# Memory — 2026-11-21\n\n## Session [09:20]\n\n- [09:20:00] [import] Boats\n\
///      - [09:20:00] [user] Which colour?\n- [09:20:05] [agent] Blue.\n"
/// );
/// assert_eq!(import.apply(&export, &home)?.messages, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ChatImport {
    format: ChatFormat,
    day: DayPolicy,
    doors: Doors,
    since: Option<NaiveDate>,
    only: Option<String>,
    progress: Option<Arc<ChatProgress>>,
}

impl ChatImport {
    /// Imports from a format, through the default [`Doors`], by days in UTC.
    #[must_use]
    pub fn new(format: ChatFormat) -> Self {
        Self { format, day: DayPolicy::UTC, doors: Doors::default(), since: None, only: None, progress: None }
    }

    /// Sets which day each message belongs to.
    #[must_use]
    pub fn day(mut self, day: DayPolicy) -> Self {
        self.day = day;
        self
    }

    /// Sets what may come in: the policy of [`Door::JournalAppend`].
    #[must_use]
    pub fn doors(mut self, doors: Doors) -> Self {
        self.doors = doors;
        self
    }

    /// Leaves out messages of earlier days.
    #[must_use]
    pub fn since(mut self, day: NaiveDate) -> Self {
        self.since = Some(day);
        self
    }

    /// Takes only conversations whose title holds this text, or whose id begins with it, with or without the format's name. Case
    /// does not count.
    #[must_use]
    pub fn only(mut self, text: impl Into<String>) -> Self {
        self.only = Some(text.into());
        self
    }

    /// Counts what is read of an export, for a bar that another thread draws.
    #[must_use]
    pub fn counting(mut self, progress: Arc<ChatProgress>) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Reads an export and says what an import would add. Writes nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the path has no file of the format, or a zip that is cut. [`Error::Refused`] for a link, and the
    /// errors of reading. A part that cannot be read is no error, and is part of the plan.
    pub fn plan(&self, path: impl AsRef<Path>, target: &dyn Workspace) -> Result<ChatPlan> {
        self.run(path.as_ref(), target, None)
    }

    /// Reads an export and adds what is new of it.
    ///
    /// The target is claimed meanwhile, so that no dream runs in between. Each journal grows by one append, which survives a power
    /// loss once the next conversation is read. After an error or a crash, importing again does the rest, and doubles nothing.
    ///
    /// # Errors
    ///
    /// As for [`plan`](Self::plan); [`Error::Busy`] where somebody dreams in the target; the errors of writing.
    pub fn apply(&self, path: impl AsRef<Path>, target: &dyn Workspace) -> Result<ChatPlan> {
        let lease = claim(target)?;
        let plan = self.run(path.as_ref(), target, Some(lease.as_ref()))?;
        lease.release()?;
        Ok(plan)
    }

    fn run(&self, path: &Path, target: &dyn Workspace, lease: Option<&dyn Lease>) -> Result<ChatPlan> {
        let forgotten = session::forgotten(target)?.map(Arc::new);
        let mut run = Run {
            import: self,
            doors: self.doors.clone().heeding(forgotten.clone()),
            forgotten,
            target,
            lease,
            known: known(target)?,
            lines: String::new(),
            plan: ChatPlan { applied: lease.is_some(), ..ChatPlan::default() },
        };
        let mut left = LeftOut::default();
        read(self.format, self.day, path, &mut left, &mut |chat, left| run.take(chat, left))?;
        run.remember()?;
        let mut plan = std::mem::take(&mut run.plan);
        left.tell(&mut plan, &|title| run.title(title));
        Ok(plan)
    }

    fn wants(&self, chat: &Chat) -> bool {
        self.only.as_ref().is_none_or(|only| {
            let is_id = |id: &str| id.starts_with(only.as_str());
            is_id(&chat.id)
                || is_id(&format!("{}-{}", self.format, chat.id))
                || chat.title.to_lowercase().contains(&only.to_lowercase())
        })
    }
}

/// Reads what was imported before.
fn known(target: &dyn Workspace) -> Result<ImportedChats> {
    const PIECE: u64 = 1 << 20;
    let (mut known, mut rest, mut at) = (ImportedChats::default(), Vec::new(), 0);
    if target.metadata(&StateName::CHATS)?.is_none() {
        return Ok(known);
    }
    loop {
        let piece = target.read_range(&StateName::CHATS, at..at + PIECE)?;
        at += piece.len() as u64;
        let is_last = (piece.len() as u64) < PIECE;
        rest.extend(piece);
        let whole = rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        rest.drain(..whole).as_slice().split(|byte| *byte == b'\n').for_each(|line| known.take(line));
        if is_last {
            return Ok(known);
        }
    }
}

/// An import under way.
struct Run<'r> {
    import: &'r ChatImport,
    doors: Doors,
    forgotten: Option<Arc<Tombstones>>,
    target: &'r dyn Workspace,
    lease: Option<&'r dyn Lease>,
    known: ImportedChats,
    /// Lines of the state that are not written yet.
    lines: String,
    plan: ChatPlan,
}

/// A message that is new, as its journal has it.
struct Fresh {
    /// The hashes by which it is known from now on.
    hashes: Vec<u64>,
    is_title: bool,
    at: NaiveTime,
    note: Note,
}

/// The number of bytes of the state that are written at once. Before that, the journals alone tell what was imported.
const LINES: usize = 64 << 10;

/// The id of a conversation's title among its messages.
const TITLE: &str = "title";

const FORGOTTEN: &str = "messages that said what was forgotten here";
const STOPPED: &str = "messages that the policy of journals stops";
const EMPTY: &str = "conversations without a message";
const EARLIER: &str = "messages of earlier days";
const OTHER: &str = "conversations that were not asked for";

impl Run<'_> {
    fn take(&mut self, chat: Chat, left: &mut LeftOut) -> Result<()> {
        if let Some(progress) = &self.import.progress {
            progress.count(chat.messages.len());
        }
        if !self.import.wants(&chat) {
            left.end_chat(false);
            left.count(OTHER, 1);
            left.end_chat(true);
            return Ok(());
        }
        let is_told = self.bring(chat, left)?;
        left.end_chat(is_told);
        if self.lines.len() >= LINES { self.remember() } else { Ok(()) }
    }

    /// Brings a conversation in, and returns whether it is new or has something new.
    fn bring(&mut self, mut chat: Chat, left: &mut LeftOut) -> Result<bool> {
        let day = |message: &ChatMessage| message.at.map(|at| self.import.day.date(at));
        let before = chat.messages.len();
        chat.messages.retain(|message| self.import.since.is_none_or(|since| day(message) >= Some(since)));
        left.count(EARLIER, (before - chat.messages.len()) as u64);
        if before == 0 {
            left.count(EMPTY, 1);
        }
        let Some(first) = chat.messages.first() else { return Ok(true) };
        let title = chat.title.split_whitespace().collect::<Vec<_>>().join(" ");
        if !title.is_empty() {
            let title = ChatMessage { id: TITLE.into(), at: first.at, origin: Origin::Import, text: title };
            chat.messages.insert(0, title);
        }
        let id = format!("{}-{}", self.import.format, chat.id);
        let mut item = ChatItem {
            title: self.title(&chat.title),
            is_new: !self.known.has(&id),
            id,
            days: Vec::new(),
            messages: 0,
            bytes: 0,
        };
        let days = self.fresh(&item.id, chat.messages, left)?;
        // Of a session that copies another one, its title alone would be new.
        let is_copy = item.is_new && days.values().flatten().all(|fresh| fresh.is_title);
        for (day, fresh) in days.into_iter().filter(|_| !is_copy) {
            let bytes = self.add(&item.id, day, &fresh)?;
            // Without any, an import that was interrupted had added them.
            if bytes > 0 {
                item.messages += fresh.iter().filter(|fresh| !fresh.is_title).count() as u64;
                item.bytes += bytes;
                item.days.push(day);
            }
        }
        if item.days.is_empty() {
            self.plan.unchanged += 1;
            return Ok(item.is_new);
        }
        self.plan.messages += item.messages;
        self.plan.bytes += item.bytes;
        self.plan.chats.push(item);
        Ok(true)
    }

    /// Returns the messages that are new, by their days. They are known by their ids and words, and by how many like them came before:
    /// some formats have no ids. A message that another session had already is known too, where the format copies them, under its id
    /// or with its time.
    fn fresh(
        &mut self,
        chat: &str,
        messages: Vec<ChatMessage>,
        left: &mut LeftOut,
    ) -> Result<SortedMap<NaiveDate, Vec<Fresh>>> {
        let (mut days, mut like): (SortedMap<NaiveDate, Vec<Fresh>>, SortedMap<u64, u64>) =
            Default::default();
        for ChatMessage { id, at, mut origin, text } in messages {
            let Some(at) = at else { continue };
            let is_title = id == TITLE && origin == Origin::Import;
            let fields = [chat, &id, &origin.to_string(), &text];
            let mut hash = |fields: [&str; 4]| {
                let nth = like.entry(message_hash(&fields)).or_default();
                let nth = std::mem::replace(nth, *nth + 1).to_string();
                message_hash(&[&fields[..], &[&nth]].concat())
            };
            let mut hashes = vec![hash(fields)];
            if self.known.knows(chat, hashes[0]) {
                continue;
            }
            if self.import.format.copies_messages() && !is_title && !id.is_empty() {
                let (format, time) = (self.import.format.to_string(), at.to_rfc3339());
                hashes = [&id, &time].map(|key| hash([&format, key, fields[2], fields[3]])).into();
                if hashes.iter().any(|hash| self.known.knows_anywhere(*hash)) {
                    continue;
                }
            }
            if let Origin::Tool(name) | Origin::Participant(name) = &mut origin
                && self.passed(name).is_ok_and(|(passed, _)| passed != *name)
            {
                name.clear();
            }
            let mut text = text;
            if let Some(struck) =
                self.forgotten.as_ref().filter(|it| it.holds(&text)).map(|it| it.struck(&text))
            {
                left.count(FORGOTTEN, 1);
                if !struck.replace(StateName::STRUCK.as_str(), "").contains(char::is_alphanumeric) {
                    continue;
                }
                text = struck.into_owned();
            }
            match self.passed(&text) {
                Ok((text, found)) => {
                    for class in found {
                        *self.plan.found.entry(class).or_default() += 1;
                    }
                    let (at_day, note) = (self.import.day.time(at), Note::happened(text).from(origin));
                    let fresh = Fresh { hashes, is_title, at: at_day, note };
                    if !fresh.note.is_empty() {
                        days.entry(self.import.day.date(at)).or_default().push(fresh);
                    }
                }
                Err(Error::Stopped { .. }) => left.count(STOPPED, 1),
                Err(error) => return Err(error),
            }
        }
        Ok(days)
    }

    /// Checks a title; a refused one becomes empty.
    fn title(&self, title: &str) -> String {
        self.passed(title).map(|(text, _)| text).unwrap_or_default()
    }

    /// Checks a text as a note. Forgotten statements stay out, as in any other import.
    fn passed(&self, text: &str) -> Result<(String, Vec<String>)> {
        let policy = self.doors.policy_of(Door::JournalAppend, &DocName::JOURNALS);
        let name: Name = StateName::new_row("message").into();
        let passed = self.doors.judge(Door::Import, policy, &name, text, &mut Masks::default())?;
        Ok((passed.text.into_owned(), passed.warnings.into_iter().map(|warning| warning.class).collect()))
    }

    /// Adds messages to the journal of a day, and returns how many bytes it grows by.
    fn add(&mut self, chat: &str, day: NaiveDate, fresh: &[Fresh]) -> Result<u64> {
        let journal = JournalName::new(day, Some(chat));
        let standing = self.target.read(journal.name())?.map(Document::into_bytes).unwrap_or_default();
        let known = usize::try_from(self.known.len(chat, day)).unwrap_or(usize::MAX);
        // An import that was interrupted left bytes that no state tells of: all of these messages, or the front of them. After another
        // export, or a change by hand, they are looked for one by one.
        let (base, rest) = standing.split_at_checked(known).unwrap_or((&standing, &[]));
        let all: Vec<&Fresh> = fresh.iter().collect();
        let (added, is_rest) = match text(day, base, &all).as_bytes().strip_prefix(rest) {
            Some(missing) => (missing.to_vec(), !rest.is_empty()),
            None => (text(day, &standing, &absent(rest, fresh)).into_bytes(), false),
        };
        let len = standing.len() as u64;
        if let Some(lease) = self.lease.filter(|_| !added.is_empty()) {
            if !is_rest {
                lease.append(journal.name(), &added)?;
            } else if !lease.finish(journal.name(), len, &added)? {
                // Somebody wrote there meanwhile.
                return self.add(chat, day, fresh);
            }
        }
        let hashes: Vec<u64> = fresh.iter().flat_map(|fresh| &fresh.hashes).copied().collect();
        let added = added.len() as u64;
        self.lines.push_str(&self.known.learn(chat, day, len + added, &hashes));
        Ok(added)
    }

    /// Writes what was imported so far into the state.
    fn remember(&mut self) -> Result<()> {
        let lines = std::mem::take(&mut self.lines);
        match self.lease {
            Some(lease) if !lines.is_empty() => lease.append(&StateName::CHATS, lines.as_bytes()),
            _ => Ok(()),
        }
    }
}

/// Returns the text that messages add to a journal.
fn text(day: NaiveDate, base: &[u8], fresh: &[&Fresh]) -> String {
    let Some(first) = fresh.first() else { return String::new() };
    let mut text = if base.is_empty() { day_log::heading(day) } else { String::new() };
    let mut end = JournalEnd {
        is_empty: false,
        is_torn: !base.is_empty() && !base.ends_with(b"\n"),
        has_block: !base.is_empty(),
        has_crlf: curated::has_crlf(base),
    };
    for message in fresh {
        text.extend(day_log::addition(end, first.at, &message.note, message.at));
        (end.is_torn, end.has_block) = (false, true);
    }
    text
}

/// Returns the messages that have no entry of their own in a part of a journal.
fn absent<'f>(part: &[u8], fresh: &'f [Fresh]) -> Vec<&'f Fresh> {
    let part = String::from_utf8_lossy(part);
    let mut there: SortedMap<String, u64> = SortedMap::new();
    for entry in day_log::entries(&part) {
        let lines: Vec<&str> = part[entry].lines().collect();
        *there.entry(lines.join("\n")).or_default() += 1;
    }
    let end = JournalEnd { is_empty: false, is_torn: false, has_block: true, has_crlf: false };
    let is_absent = |message: &&Fresh| {
        let entry = day_log::addition(end, message.at, &message.note, message.at).unwrap_or_default();
        match there.get_mut(entry.trim_end_matches('\n')) {
            Some(count) if *count > 0 => *count -= 1,
            _ => return true,
        }
        false
    };
    fresh.iter().filter(is_absent).collect()
}
