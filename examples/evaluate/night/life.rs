//! A conversation as a host lives it: notes by day, a dream by night, and the rows of a memory store.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use chrono::{Days, NaiveDate};
use noctuary::exchange::feed;
use noctuary::format::{DayLog, Origin, SourceRef};
use noctuary::memory::{Found, Memory, MemoryId, NewMemory, Query};
use noctuary::{
    Access, Actor, DocName, FileWorkspace, JournalDreamer, Life, LifeConfig, LlmClient, MemoryStore, Note,
    SessionKind, SqliteMemoryStore, Workspace, dream_once_at,
};

use super::super::Result;
use super::super::retrieval::{ASKED_FOR, Corpus, Measured, Question, Said, Session, config, scope, spoken};
use super::figures::Figures;
use super::judge::Judge;
use super::support::{self, Support};

/// A line of a journal.
pub(super) type Line = (DocName, u64);

/// A conversation that was lived and dreamed.
pub(super) struct Lived<'a> {
    /// The turns, each with the lines of its note.
    journals: SqliteMemoryStore,
    /// The lines that the nights promoted.
    memory: SqliteMemoryStore,
    access: Access,
    /// The turn of each row of a journal.
    turns: HashMap<MemoryId, &'a str>,
    /// The lines of the journals that hold a turn.
    lines: HashMap<&'a str, BTreeSet<Line>>,
    workspace: Arc<dyn Workspace>,
    calls: u32,
    tokens: u64,
    promoted: Vec<Promoted>,
    _home: tempfile::TempDir,
}

/// A line that a night promoted.
pub(super) struct Promoted {
    pub(super) text: String,
    pub(super) sources: Vec<SourceRef>,
}

impl<'a> Lived<'a> {
    /// Writes each day's notes, and dreams and feeds in the night after it.
    pub(super) fn new(
        corpus: &'a Corpus,
        sessions: &'a HashMap<String, Session>,
        model: &dyn LlmClient,
    ) -> Result<Self> {
        let home = tempfile::tempdir()?;
        let workspace: Arc<dyn Workspace> = Arc::new(FileWorkspace::open(home.path())?);
        let store = || SqliteMemoryStore::open_in_memory_with(scope(), config(Measured::default()));
        let mut lived = Self {
            journals: store()?,
            memory: store()?,
            access: Access::new(SessionKind::Main, Actor::Library, scope()),
            turns: HashMap::new(),
            lines: HashMap::new(),
            workspace,
            calls: 0,
            tokens: 0,
            promoted: Vec::new(),
            _home: home,
        };
        let mut days: BTreeMap<NaiveDate, Vec<Said<'a>>> = BTreeMap::new();
        for said in spoken(corpus, sessions)? {
            days.entry(said.at.date_naive()).or_default().push(said);
        }
        let life = Life::new(Arc::clone(&lived.workspace), LifeConfig::default());
        for (date, said) in days {
            for said in said.chunk_by(|one, other| one.session == other.session) {
                lived.write(&life, said)?;
            }
            lived.dream(model, date)?;
        }
        Ok(lived)
    }

    /// Writes a session: its notes through a session of the life, and a row for each turn, which cites its lines.
    fn write(&mut self, life: &Life, said: &[Said<'a>]) -> Result<()> {
        let Some(first) = said.first() else { return Ok(()) };
        let mut session = life.begin_session(Access::agent(scope()), first.session, "chat", first.at)?;
        // A long turn is several rows, and one note.
        let turns: Vec<&Said<'a>> =
            said.chunk_by(|one, other| one.turn == other.turn).map(|parts| &parts[0]).collect();
        for turn in &turns {
            session.note(&Note::happened(turn.whole).from(origin(turn)), first.at)?;
        }
        let cited = self.notes_of(&session, first, &turns)?;
        let rows: Vec<NewMemory> = said
            .iter()
            .map(|said| said.row("observation").cites(cited.get(said.turn).cloned().into_iter().collect()))
            .collect();
        for (said, id) in said.iter().zip(self.journals.write_all(&self.access, &rows, first.at)?) {
            self.turns.insert(id?, said.turn);
        }
        Ok(())
    }

    /// The lines of the last notes of a session's journal, by turn.
    fn notes_of(
        &mut self,
        session: &noctuary::Session,
        first: &Said<'a>,
        turns: &[&Said<'a>],
    ) -> Result<HashMap<&'a str, SourceRef>> {
        let journals = session.daily_log(first.at.date_naive())?;
        let own = journals.iter().find(|(name, _)| name.session() == Some(first.session));
        let (name, document) = own.or(journals.first()).ok_or("a session without a journal")?;
        let entries = DayLog::parse(&document.lossy()).entries;
        let last = entries.len().checked_sub(turns.len()).ok_or("a note is missing in its journal")?;
        let mut cited = HashMap::new();
        for (turn, entry) in turns.iter().zip(&entries[last..]) {
            let (first_line, last_line) = (entry.lines.start, entry.lines.end - 1);
            let name = name.name().clone();
            self.lines.insert(turn.turn, (first_line..=last_line).map(|line| (name.clone(), line)).collect());
            cited.insert(turn.turn, SourceRef { name, first_line, last_line });
        }
        Ok(cited)
    }

    /// Dreams in the night after a day, and feeds the store of memory.
    fn dream(&mut self, model: &dyn LlmClient, day: NaiveDate) -> Result<()> {
        let night = (day + Days::new(1)).and_hms_opt(3, 0, 0).ok_or("no such night")?.and_utc();
        let dreamer = JournalDreamer::builder(Arc::clone(&self.workspace)).enabled(true).build()?;
        let report = dream_once_at(&dreamer, model, &|| night)?;
        self.calls += report.calls;
        self.tokens += report.usage.map_or(0, |usage| usage.input + usage.output);
        self.promoted.extend(
            report.promoted().map(|line| Promoted { text: line.text.clone(), sources: line.sources.clone() }),
        );
        feed(self.workspace.as_ref(), &self.memory, &scope(), night)?;
        Ok(())
    }

    /// What a question finds among the turns, and among the promoted lines.
    pub(super) fn find(&self, text: &str) -> Result<[Found; 2]> {
        let query = Query::new(text).limit(ASKED_FOR);
        Ok([self.journals.search(&self.access, &query)?, self.memory.search(&self.access, &query)?])
    }

    /// The turns that a row carries: its own, or each whose lines it cites, all of them.
    pub(super) fn carries(&self, row: &Memory, turn: &str) -> bool {
        match row.dream {
            Some(_) => self.covers(&row.cites, turn),
            None => self.turns.get(&row.id).is_some_and(|own| *own == turn),
        }
    }

    /// Whether the cited lines are all lines of a turn, or more.
    fn covers(&self, cites: &[SourceRef], turn: &str) -> bool {
        let covers = |(name, line): &Line| {
            cites
                .iter()
                .any(|cited| cited.name == *name && (cited.first_line..=cited.last_line).contains(line))
        };
        self.lines.get(turn).is_some_and(|lines| lines.iter().all(covers))
    }

    /// Counts what the nights promoted.
    pub(super) fn count(
        &self,
        questions: &[Question],
        judge: Option<&Judge<'_>>,
        figures: &mut Figures,
    ) -> Result<()> {
        let mut support = Support::new(self.workspace.as_ref());
        let mut said = HashSet::new();
        for line in &self.promoted {
            figures.lines += 1;
            figures.supported += usize::from(support.holds(line)?);
            figures.duplicates += usize::from(!said.insert(support::words(&line.text)));
            if let Some(judge) = judge {
                figures.judged += usize::from(judge.supports(line, &support.cited(line)?)?);
            }
        }
        let gold: BTreeSet<&String> = questions.iter().flat_map(|question| &question.gold_turns).collect();
        figures.gold += gold.len();
        let is_kept = |turn: &&String| self.promoted.iter().any(|line| self.covers(&line.sources, turn));
        figures.gold_kept += gold.into_iter().filter(is_kept).count();
        figures.calls += self.calls;
        figures.tokens += self.tokens;
        figures.memory_bytes += self.workspace.metadata(&DocName::MEMORY)?.map_or(0, |memory| memory.len);
        for journal in self.workspace.list(Some(&DocName::JOURNALS))?.documents {
            figures.journal_bytes += self.workspace.metadata(&journal)?.map_or(0, |journal| journal.len);
        }
        Ok(())
    }
}

/// Who says it: in a chat with an agent its user or the agent, in a dialogue somebody with a name.
fn origin(said: &Said<'_>) -> Origin {
    match (said.speaker, said.is_users) {
        ("user", _) | ("", true) => Origin::User,
        ("assistant", _) | (_, false) => Origin::Agent,
        (name, true) => Origin::Participant(name.to_owned()),
    }
}
