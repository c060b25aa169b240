//! Both memory stores by a script of writes, decisions, refusals, forgetting and searches: what each answered, and every line
//! or row at the end, as the version before had them.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use noctuary::dream::{FactDreamer, HistoryItem, PersonalizationDreamer, history_fn};
use noctuary::exchange::{Forget, feed};
use noctuary::facts::{Decision, EventId, FactKey};
use noctuary::format::Origin;
use noctuary::gate::{TombstoneKey, Tombstones};
use noctuary::memory::{
    Filter, LearningStore, MemoryEvent, MemoryId, MemoryObserver, NewLearning, NewMemory, Order, Place,
    Query, Role, Source, categories,
};
use noctuary::store::StoreConfig;
use noctuary::testing::Script;
use noctuary::testing::contract::fact::Facts;
use noctuary::workspace::StateName;
use noctuary::{Access, Error, FileMemoryStore, FileWorkspace, LlmReply, MemoryStore, Workspace, WriteMode};

use crate::kit::{self, Folder, Home, KEY, agent, at, dream, hash, human, json, marta, put, with_others};

/// Rows on the harbour: category, words, whether others may hear of them.
const ROWS: [(&str, &str, bool); 18] = [
    (categories::OBSERVATION, "The Kestrel leaked at the stern on Monday", true),
    (categories::PREFERENCE, "Marta prefers short answers in the morning", false),
    (categories::OBSERVATION, "The tide gauge at Brunsmoor reads too high", true),
    (categories::FACT, "Teun repairs winches in Quay Street", true),
    (categories::OBSERVATION, "Nine crates of lamps came from Tavernay", true),
    (categories::PREFERENCE, "Marta wants distances in nautical miles", false),
    (categories::OBSERVATION, "The crane at pier 4 lifted 900 kg without trouble", true),
    (categories::FACT, "Odalys speaks Frisian with her crew", true),
    (categories::OBSERVATION, "The fog horn was silent on the first Friday", true),
    (categories::OBSERVATION, "Lamps from Tavernay burn longer than those from the market", true),
    (categories::FACT, "The harbour office closes at half past four in winter", true),
    (categories::PREFERENCE, "Marta likes tea without sugar", false),
    (categories::OBSERVATION, "The spare propeller lies under the stairs", false),
    (categories::FACT, "The night ferry runs on Tuesdays", true),
    (categories::OBSERVATION, "The Kestrel needs 25 minutes to the outer mark", true),
    (categories::OBSERVATION, "Leaks at the stern come back when the Kestrel is loaded", true),
    (categories::FACT, "Mirela keeps the chart of the estuary", false),
    (categories::OBSERVATION, "Winches of the west jetty squeak", true),
];

const QUERIES: [&str; 22] = [
    "Where does the Kestrel leak?",
    "lamps",
    "lamps from Tavernay",
    "\"Quay Street\"",
    "crane OR winch",
    "harbour NOT office",
    "category:preference",
    "Marta",
    "tide*",
    "What does Marta like in the morning?",
    "who repairs the winches",
    "how long to the outer mark",
    "Where does Ilya live?",
    "Which languages does Odalys speak?",
    "What did Joris say about the rope?",
    "2026-10-14",
    "propeller stairs",
    "nothing of this kind",
    "ferry Tuesdays winter",
    "stern leaks loaded",
    "boat of Ilya",
    "sluice",
];

/// Hears of changes.
#[derive(Debug, Clone, Default)]
struct Ear(Arc<Mutex<Vec<String>>>);

impl MemoryObserver for Ear {
    fn event(&self, event: &MemoryEvent) {
        self.0.lock().unwrap().push(json(event));
    }
}

/// Why something was refused; the error's words are for people, and may be said better.
fn kind(error: &Error) -> &'static str {
    match error {
        Error::Denied { .. } => "denied",
        Error::Stopped { .. } => "stopped",
        Error::TooLarge { .. } => "too large",
        Error::Config { .. } => "config",
        Error::NotFound { .. } => "not found",
        Error::Undecided { .. } => "undecided",
        Error::DecidedSince { .. } => "decided since",
        _ => "other",
    }
}

struct Play {
    store: Arc<dyn Facts>,
    learner: Arc<dyn LearningStore>,
    workspace: Arc<dyn Workspace>,
    ear: Ear,
    diary: String,
    now: DateTime<Utc>,
}

fn config(ear: &Ear) -> StoreConfig {
    let mut config = StoreConfig::default();
    config.facts.consolidation = true;
    config.observer = Some(Arc::new(ear.clone()));
    config
}

fn fact(content: &str) -> NewMemory {
    NewMemory::new(categories::FACT, content, Source::ChatExtracted)
}

impl Play {
    fn tick(&mut self) -> DateTime<Utc> {
        self.now += TimeDelta::minutes(7) + TimeDelta::milliseconds(250);
        self.now
    }

    /// Tells what came of a step, and which changes were heard of.
    fn tell(&mut self, what: &str, answer: noctuary::Result<String>) {
        let answer = answer.unwrap_or_else(|error| format!("refused, {}", kind(&error)));
        let heard = std::mem::take(&mut *self.ear.0.lock().unwrap()).join(" ");
        writeln!(self.diary, "{what}: {answer} {heard}").unwrap();
    }

    fn search(&mut self, label: &str) {
        let mut told = format!("\nsearches {label}\n");
        for text in QUERIES {
            let ids = |query: &Query, access| {
                let found = self.store.search(access, query).unwrap();
                let ids: Vec<i64> = found.hits.iter().map(|hit| hit.memory.id.get()).collect();
                format!("{} {ids:?}", json(&found.outcome))
            };
            let mut recent = Query::new(text).limit(4);
            recent.order = Order::Recency;
            let mut trusted = Query::new(text).limit(5);
            trusted.filter.trusted = true;
            writeln!(
                told,
                "  {text} | {} | fts {} | recent {} | trusted {} | others {}",
                ids(&Query::new(text), &agent()),
                ids(&Query::fts(text), &agent()),
                ids(&recent, &agent()),
                ids(&trusted, &human()),
                ids(&Query::new(text), &with_others()),
            )
            .unwrap();
        }
        let listed = |filter: &Filter, access: &Access| -> Vec<i64> {
            self.store.list(access, filter).unwrap().iter().map(|row| row.id.get()).collect()
        };
        let mut retired = Filter::limit(99);
        retired.retired = true;
        writeln!(told, "  list {:?}", listed(&Filter::limit(99), &agent())).unwrap();
        writeln!(told, "  with retired {:?}", listed(&retired, &agent())).unwrap();
        writeln!(told, "  facts {:?}", listed(&Filter::limit(9).category("FACT"), &agent())).unwrap();
        writeln!(told, "  others {:?}", listed(&Filter::limit(99), &with_others())).unwrap();
        let snapshot = self.store.snapshot(&agent(), 7, self.now).unwrap();
        let snapshot: Vec<_> = snapshot.iter().map(|row| (row.id.get(), row.pinned)).collect();
        writeln!(told, "  snapshot {snapshot:?}\n").unwrap();
        self.diary.push_str(&told);
    }

    fn writes(&mut self) {
        for (category, content, shared) in ROWS {
            let mut row = NewMemory::new(category, content, Source::AgentRecorded);
            if shared {
                row = row.shared();
            }
            let now = self.tick();
            let written = self.store.write(&agent(), &row, now).map(|id| id.to_string());
            self.tell("write", written);
        }
        // A conversation, so that neighbours and sessions are weighed.
        let turns = [
            (Role::User, "Marta", "Did anybody see Joris at the sluice?"),
            (Role::Agent, "Agent", "He left at noon and took the rope along."),
            (Role::User, "Marta", "Then he said that the rope is too thin."),
            (Role::Other, "tides", "High water at 4:10"),
            (Role::User, "Marta", "So we buy rope in Tavernay next week."),
        ];
        for (position, (role, speaker, content)) in (0..).zip(turns) {
            let now = self.tick();
            let place = Place {
                session: "chat-14".to_owned(),
                position,
                role,
                speaker: Some(speaker.to_owned()),
                said_at: Some(at(10, 14, 12, 0) + TimeDelta::minutes(i64::try_from(position).unwrap())),
            };
            let mut row = NewMemory::new(categories::OBSERVATION, content, Source::ChatExtracted).at(place);
            if role == Role::Other {
                row = row.origin(Origin::Tool("tides".to_owned()));
            }
            let written = self.store.write(&agent(), &row, now).map(|id| id.to_string());
            self.tell("said", written);
        }
        let now = self.tick();
        let page =
            NewMemory::new(categories::OBSERVATION, "A page says that winches are free", Source::Imported)
                .metadata(serde_json::json!({"page": "winches", "n": [1, 2]}))
                .because("it may be of use");
        let written = self.store.write(&agent(), &page, now).map(|id| id.to_string());
        self.tell("imported", written);
        let refused = [
            NewMemory::new(categories::PREFERENCE, "typed by nobody", Source::UserManual),
            NewMemory::new(categories::OBSERVATION, format!("the key is {KEY}"), Source::AgentRecorded),
            NewMemory::new(categories::OBSERVATION, "", Source::AgentRecorded),
            NewMemory::new(categories::OBSERVATION, "long ".repeat(5000), Source::AgentRecorded),
        ];
        for row in refused {
            let now = self.tick();
            let written = self.store.write(&agent(), &row, now).map(|id| id.to_string());
            self.tell("refused", written);
        }
        let typed =
            NewMemory::new(categories::PERSONALIZATION, "The user is called Marta", Source::UserManual);
        let now = self.tick();
        let written = self.store.write(&human(), &typed, now).map(|id| id.to_string());
        self.tell("typed", written);
    }

    fn edits(&mut self) {
        let id = MemoryId::new;
        let now = self.tick();
        let answer = self.store.update(&agent(), id(6), "Ten crates of lamps came from Tavernay", now);
        self.tell("update 6", answer.map(|done| done.to_string()));
        for (row, access) in [(9, agent()), (13, agent()), (25, agent()), (25, human())] {
            let now = self.tick();
            let answer = self.store.delete(&access, id(row), now).map(|done| done.to_string());
            self.tell(&format!("delete {row}"), answer);
        }
        let now = self.tick();
        let answer = self.store.restore(&agent(), id(9), now).map(|done| done.to_string());
        self.tell("restore 9", answer);
        for (row, pinned) in [(11, true), (2, true), (11, false)] {
            let now = self.tick();
            let answer = self.store.pin(&human(), id(row), pinned, now).map(|done| done.to_string());
            self.tell(&format!("pin {row} {pinned}"), answer);
        }
        for (key, value) in
            [("timezone", "Europe/Lisbon"), ("language", "English"), ("timezone", "UTC"), ("x", KEY)]
        {
            let now = self.tick();
            let answer = self.store.set_profile(&human(), key, value, now).map(|()| "done".to_owned());
            self.tell(&format!("profile {key}"), answer);
        }
        let learnings = [
            NewLearning::new("Check the tide table before answering.").context("the ferry was missed"),
            NewLearning::new("Winches are Teun's."),
            NewLearning::new("check the tide table before answering"),
            NewLearning::new("Ruben Halloway owes ninety crowns, ask him."),
        ];
        for learning in learnings {
            let now = self.tick();
            let answer = self.learner.learn(&agent(), &learning, now).map(|id| id.to_string());
            self.tell("learn", answer);
        }
    }

    fn facts(&mut self) {
        let homes = [
            fact("Ilya lives in Oldwick").about(FactKey::one("ilya", "home")),
            fact("Ilya lives in Brunsmoor").about(FactKey::one("ilya", "home")).valid_from(at(10, 1, 0, 0)),
            fact("Odalys speaks Danish").about(FactKey::many("odalys", "languages")),
            fact("Odalys speaks Frisian").about(FactKey::many("odalys", "languages")),
            fact("The boat of Ilya is called Brisk").about(FactKey::one("ilya", "boat")),
            fact("The boat of Ilya is called Swift").about(FactKey::one("ilya", "boat")),
            fact("Teun's workshop is in Mill Lane").about(FactKey::one("teun", "workshop")),
            fact("Teun's workshop is in Mill Lane.").about(FactKey::one("teun", "workshop")),
            fact("Joris was born in 1981").about(FactKey::one("joris", "birth")),
            fact("Joris was born in 1982").about(FactKey::one("joris", "birth")),
            fact("The sluice opens at seven").about(FactKey::one("sluice", "opens")).shared(),
            fact("The sluice opens at eight").about(FactKey::one("sluice", "opens")).shared(),
            fact("The sluice opens at nine").about(FactKey::one("sluice", "opens")).shared(),
            fact("My neighbour Ruben Halloway owes me ninety crowns"),
        ];
        let mut ids = Vec::new();
        for home in homes {
            let now = self.tick();
            let recorded = self.store.record(&agent(), &home, now).unwrap();
            ids.push(recorded.id);
            self.tell("record", Ok(format!("{} suspects {}", recorded.id, json(&recorded.suspects))));
        }
        let now = self.tick();
        let settled = self.store.settle(now);
        self.tell("settle", settled.map(|settled| json(&settled)));
        self.tell_suspicions();
        let decisions = [
            (agent(), Decision::supersede(ids[0], ids[1]).because("moved in October")),
            (agent(), Decision::coexist(ids[2], ids[3])),
            (agent(), Decision::dispute(ids[4], ids[5])),
            (human(), Decision::confirm(ids[8])),
            (agent(), Decision::supersede(ids[8], ids[9])),
            (agent(), Decision::confirm(ids[9])),
            (human(), Decision::reject(ids[9]).because("a slip of the pen")),
            (agent(), Decision::supersede(ids[10], ids[11])),
            (agent(), Decision::reject(MemoryId::new(999))),
            (with_others(), Decision::reject(ids[2])),
        ];
        for (access, decision) in decisions {
            let now = self.tick();
            let decided = self.store.decide(&access, &decision, now).map(|event| json(&event));
            self.tell("decide", decided);
        }
        for (access, event) in
            [(agent(), 20), (agent(), 26), (human(), 26), (agent(), 22), (agent(), 1), (agent(), 99)]
        {
            let now = self.tick();
            let reverted = self.store.revert(&access, EventId::new(event), now).map(|event| json(&event));
            self.tell(&format!("revert {event}"), reverted);
        }
        for id in &ids {
            let history: Vec<String> = self
                .store
                .history(&agent(), *id)
                .unwrap()
                .iter()
                .map(|fact| format!("{} {}", fact.memory.id, fact.status.state.as_str()))
                .collect();
            writeln!(self.diary, "history of {id} {history:?}").unwrap();
        }
        self.tell_suspicions();
    }

    fn tell_suspicions(&mut self) {
        let found = self.store.suspicions(&human(), 99).unwrap();
        let pairs = found.iter().map(|pair| (pair.older.memory.id.get(), pair.newer.memory.id.get()));
        writeln!(self.diary, "suspicions {:?}", pairs.collect::<Vec<_>>()).unwrap();
    }

    /// The two dreamers over rows, and what a dream left in `MEMORY.md`.
    fn dreams(&mut self) {
        for state in [StateName::FACTS, StateName::PERSONALIZATION] {
            // A key is drawn by chance where there is no state; this one is fixed.
            let start = format!("{{\"v\":1,\"key\":\"{}\"}}\n", "09".repeat(32));
            self.workspace.write(&state, start.as_bytes(), WriteMode::Create).unwrap();
        }
        let now = self.tick();
        let judge = FactDreamer::builder(self.workspace.clone(), self.store.clone(), marta())
            .enabled(true)
            .configure(|config| config.pace.interval = Duration::ZERO)
            .build()
            .unwrap();
        let words = ["dispute", "supersede: the later one", "coexist", "unsure: nobody knows", "duplicate"];
        let script = Script::new().answers(move |request| {
            let pairs =
                request.user.lines().filter(|line| line.starts_with('P') && line.contains(" older, "));
            let answer = (1..=pairs.count()).zip(words.iter().cycle());
            Ok(LlmReply::new(answer.map(|(pair, word)| format!("P{pair} {word}\n")).collect::<String>()))
        });
        let report = dream(&judge, &script, now);
        let request = script.requests().first().map(|request| hash(request.user.as_bytes()));
        self.tell(
            "judged",
            Ok(format!("{} {} asked {request:?}", report.outcome.as_str(), json(&report.facts))),
        );
        let now = self.tick();
        let report = dream(&judge, &Script::new(), now);
        self.tell("judged again", Ok(report.outcome.as_str().to_owned()));

        let chat = history_fn("chat", |_| {
            let item = |day, text| HistoryItem::new(format!("chat-{day}"), at(10, day, 9, 0), text);
            Ok(vec![
                item(13, "[user] My sister Runa lives in Oldwick."),
                item(12, "[user] I am vegetarian.\n[agent] Noted.\n[tool:web] You gamble."),
            ])
        });
        let rebuilder = PersonalizationDreamer::builder(self.workspace.clone(), self.store.clone(), marta())
            .source(Arc::new(chat))
            .enabled(true)
            .build()
            .unwrap();
        let now = self.tick();
        let script = Script::new().says("### Facts\n- The user is vegetarian. (memory/2026-10-12-chat.1.md#L1)\n- The user's sister Runa lives in Oldwick. (memory/2026-10-13-chat.2.md#L1)\n- You gamble. (memory/2026-10-12-chat.1.md#L3)\n");
        let report = dream(&rebuilder, &script, now);
        self.tell("rebuilt", Ok(kit::told(&report)));

        let memory = "# Memory\n\n## Dreamed 2026-10-15\n<!-- dream:v1 id=0f3a9c5be2d14477 src=1 sha256=9b1f -->\n\n### Decisions\n- Rope is bought in Tavernay. (memory/2026-10-14-repl.md#L1)\n- Pier 4 is closed on Sundays. (memory/2026-10-14-repl.md#L2)\n\n<!-- /dream:v1 id=0f3a9c5be2d14477 -->\n";
        for text in [
            memory.to_owned(),
            memory.replace("- Pier 4 is closed on Sundays. (memory/2026-10-14-repl.md#L2)\n", ""),
        ] {
            put(self.workspace.as_ref(), "MEMORY.md", &text);
            let now = self.tick();
            let fed = feed(self.workspace.as_ref(), self.store.as_ref(), &marta(), now);
            self.tell(
                "fed",
                fed.map(|report| format!("{} written, {} removed", report.written, report.removed)),
            );
        }
    }

    fn forgets(&mut self) {
        let text = "Ruben Halloway owes me ninety crowns";
        for (store_access, what) in [
            (agent(), text),
            (human(), text),
            (human(), "owes ninety crowns"),
            (human(), "tea without sugar"),
        ] {
            let now = self.tick();
            let receipt = Forget::new(&store_access, what).store(self.store.as_ref()).run(now);
            let receipt = receipt.map(|receipt| {
                let places = receipt.places.iter().filter(|place| place.found > 0);
                places
                    .map(|place| format!("{} {}/{}", json(&place.place), place.removed, place.found))
                    .collect()
            });
            self.tell("forget", receipt);
        }
        for text in ["It is so: Ruben Halloway owes me NINETY crowns!", "Marta likes **tea without sugar**"] {
            let row = NewMemory::new(categories::OBSERVATION, text, Source::AgentRecorded);
            let now = self.tick();
            let written = self.store.write(&agent(), &row, now).map(|id| id.to_string());
            self.tell("said again", written);
        }
        let now = self.tick();
        let lifted = Forget::new(&human(), "tea without sugar").store(self.store.as_ref()).lift(now);
        self.tell("lifted", lifted.map(|done| done.to_string()));
        let row =
            NewMemory::new(categories::PREFERENCE, "Marta likes tea without sugar", Source::AgentRecorded);
        let now = self.tick();
        let written = self.store.write(&agent(), &row, now).map(|id| id.to_string());
        self.tell("said again", written);
        let now = self.tick();
        let purged = self.store.purge(now - TimeDelta::minutes(1), now).map(|count| count.to_string());
        self.tell("purge", purged);
    }

    fn run(mut self) -> String {
        self.writes();
        self.search("after the writes");
        self.edits();
        self.search("after the edits");
        self.facts();
        self.search("after the facts");
        self.dreams();
        self.forgets();
        self.search("at the end");
        let profile = self.store.profile(&human()).unwrap();
        writeln!(self.diary, "profile {profile:?}").unwrap();
        for learning in self.learner.learnings(&human(), 99).unwrap() {
            writeln!(self.diary, "learning {} {} {:?}", learning.id, learning.content, learning.context)
                .unwrap();
        }
        writeln!(self.diary, "\nrows").unwrap();
        let mut all = Filter::limit(999);
        all.retired = true;
        let mut rows = self.store.list(&human(), &all).unwrap();
        rows.sort_by_key(|row| row.id);
        for row in rows {
            let fact = self.store.fact(&human(), row.id).unwrap().unwrap();
            writeln!(
                self.diary,
                "{} {} {:?} shared {} pinned {} {} {} {}",
                row.id,
                row.category,
                row.content,
                row.shared,
                row.pinned,
                row.created_at.to_rfc3339(),
                row.updated_at.to_rfc3339(),
                json(&fact.status),
            )
            .unwrap();
        }
        writeln!(self.diary, "\naudit").unwrap();
        for entry in self.store.audit(&human(), 999).unwrap().into_iter().rev() {
            // Why something was refused is said in words for people.
            let outcome = entry.outcome.to_string();
            let outcome = outcome.split(':').next().unwrap();
            let (actor, id) = (json(&entry.actor), json(&entry.id));
            writeln!(self.diary, "{} {actor} {} {id} {outcome}", entry.at.to_rfc3339(), entry.action)
                .unwrap();
        }
        for state in [StateName::FACTS, StateName::PERSONALIZATION] {
            let document = self.workspace.read(&state).unwrap().unwrap();
            writeln!(self.diary, "\n{state}\n{}", document.lossy().trim_end()).unwrap();
        }
        self.diary
    }
}

/// The key of tombstones, which is else drawn by chance.
fn key() -> TombstoneKey {
    TombstoneKey::from_bytes([7; 32])
}

fn play(store: Arc<dyn Facts>, learner: Arc<dyn LearningStore>, ear: Ear, folder: &Path) -> String {
    let workspace = Arc::new(FileWorkspace::open(folder).unwrap());
    Play { store, learner, workspace, ear, diary: String::new(), now: at(10, 14, 8, 0) }.run()
}

#[test]
fn a_store_in_lines_answers_and_writes_as_before() {
    let [folder, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let home = Folder::new(folder.path());
    home.set_clock(at(10, 14, 7, 0));
    let ear = Ear::default();
    let open = || FileMemoryStore::on_disk(home.disk(), marta(), config(&ear)).unwrap();
    let first = NewMemory::new(categories::OBSERVATION, "The diary begins", Source::AgentRecorded);
    open().write(&agent(), &first, at(10, 14, 7, 0)).unwrap();
    // A line as `lift` and `forget` leave it, with the fixed key.
    let buried = Tombstones::new(key()).bury("words that nobody ever said").unwrap();
    let line = serde_json::json!({
        "at": "2026-10-14T07:00:00Z", "actor": "human", "kind": "main", "op": "forgot", "ids": [], "stone": buried,
        "key": hex::encode(key().as_bytes()),
    });
    let lines = folder.path().join(StateName::MEMORIES.as_str());
    let mut file = std::fs::File::options().append(true).open(&lines).unwrap();
    writeln!(file, "{line}").unwrap();
    let store = Arc::new(open());
    ear.0.lock().unwrap().clear();
    let mut found = play(store.clone(), store, ear, other.path());
    for (file, bytes) in home.files() {
        writeln!(found, "\n{} {} {file}", hash(&bytes), bytes.len()).unwrap();
        found.push_str(&String::from_utf8_lossy(&bytes));
    }
    kit::compare("rows-file.txt", &found);
}

#[cfg(feature = "sqlite")]
#[test]
fn a_store_in_sqlite_answers_and_writes_as_before() {
    let [folder, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let path = folder.path().join("memories.db");
    let ear = Ear::default();
    let store = Arc::new(noctuary::SqliteMemoryStore::open_with(&path, marta(), config(&ear)).unwrap());
    let first = NewMemory::new(categories::OBSERVATION, "The diary begins", Source::AgentRecorded);
    store.write(&agent(), &first, at(10, 14, 7, 0)).unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    let sql = "INSERT INTO memory_tombstone_keys (user_id, agent_id, key) SELECT user_id, agent_id, ?1 FROM memories";
    connection.execute(sql, [hex::encode(key().as_bytes())]).unwrap();
    ear.0.lock().unwrap().clear();
    let mut found = play(store.clone(), store, ear, other.path());
    found.push_str(&dump(&connection));
    kit::compare("rows-sqlite.txt", &found);
}

/// Every row of every table, ordered: the content of a database, on whatever page it is.
#[cfg(feature = "sqlite")]
fn dump(connection: &rusqlite::Connection) -> String {
    use rusqlite::types::ValueRef;

    let mut dump = String::new();
    let list = |sql: &str| -> Vec<String> {
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    writeln!(dump, "\nschema").unwrap();
    for object in list("SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY 1")
    {
        let words: Vec<&str> = object.split_whitespace().collect();
        writeln!(dump, "{} {} {}", words[0], words[1], &hash(words.join(" ").as_bytes())[..16]).unwrap();
    }
    for table in list("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
        // Pages of the indexes of words, which are merged; and the count of transactions, of which a verb may need fewer
        // one day.
        let of_words = ["memories_fts", "memory_terms", "memory_vectors", "memory_generations"]
            .iter()
            .any(|made| table.starts_with(made));
        if of_words || table.starts_with("sqlite_stat") || table == "file_commits" {
            continue;
        }
        let mut statement = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let columns = names.len();
        let mut rows = statement.query([]).unwrap();
        let mut lines = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            let cells = (0..columns).map(|column| match row.get_ref(column).unwrap() {
                ValueRef::Null => "-".to_owned(),
                ValueRef::Integer(number) => number.to_string(),
                ValueRef::Real(number) => number.to_string(),
                ValueRef::Text(text) => format!("{:?}", String::from_utf8_lossy(text)),
                ValueRef::Blob(bytes) => format!("blob {}", hash(bytes)),
            });
            lines.push(cells.collect::<Vec<_>>().join(" | "));
        }
        lines.sort();
        writeln!(dump, "\ntable {table}: {}", names.join(", ")).unwrap();
        for line in lines {
            writeln!(dump, "{line}").unwrap();
        }
    }
    dump
}
