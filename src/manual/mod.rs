//! The manual: tutorials, how-to pages, references and explanations, with examples that run.
//!
//! | Learn by doing | Page |
//! |---|---|
//! | from `cargo new` to the first dream, in ten minutes | [`getting_started`] |
//! | a bot: sessions, prompts, notes, receipts, presets; and a group | [`bot`] |
//! | a coding assistant: tools, a vault of notes, an editor's MCP server | [`coding_assistant`] |
//! | several machines: merges, git, Syncthing, PostgreSQL | [`machines`] |
//!
//! | Do | Page |
//! |---|---|
//! | run dreams, and see why a line was held; schedules, proposals, undo | [`night`] |
//! | choose a model, know its price, write a client; vectors | [`models`] |
//! | forget a statement, erase a person, start over | [`forgetting`] |
//! | operate without Rust: the command `noctuary`, the doctor, tracing | [`operate`] |
//! | keep rows, facts, methods and rules | [`memory`] |
//! | find documents, names and links; languages: spellings that match, stems, days | [`search`] |
//! | keep charts, reports and files that people hand over (feature `artifacts`) | [`artifacts`] |
//! | write a backend, a filter, a client or a dreamer | [`backends`] |
//!
//! | Look up, and judge | Page |
//! |---|---|
//! | every file, byte by byte, its repair, and environment variables | [`formats`] |
//! | exactly once: commits, locks, editors, backups | [`durability`] |
//! | rights of each session, and text that leaves the machine | [`privacy`] |
//! | secrets and disguised instructions: found, missed | [`gate`] |
//! | attempts to break the promises, and costs | [`measured`] |
//! | other systems and the five seeds: imports, what holds here, what differs, and why | [`seeds`] |
//!
//! # Words
//!
//! | Word | Meaning |
//! |---|---|
//! | life | all that one agent keeps for one person: documents, journals, rows, state |
//! | home | the place of a life: a folder, a SQLite file, or a PostgreSQL server |
//! | scope | whose life it is: a user, and an agent's id if there are several |
//! | journal | a file of notes of one day and session, `memory/YYYY-MM-DD-….md`; it only grows |
//! | dream, night | one run over new journals that promotes lines; a *pass* is one request of it |
//! | promote, hold | add a line to `MEMORY.md`; refuse it with a reason, in the report |
//! | host | your program, which brings the model and the clock; the *operator* runs it, the *human* talks to the agent |
//! | lease | the right to write as the one dreamer of a life; its *fence* checks each write |
//! | ledger | the record of journal bytes that a model was shown |
//! | door | a place where text is checked for secrets and instructions |
//! | tombstone | a keyed hash of a forgotten statement, which keeps it out |
//! | generation | the vectors of one embedding model |
//!
//! # Seeds
//!
//! *A seed* is one of five documents whose formats and behaviour this crate follows. Where two disagree, or one is silent, the
//! docs say what this crate does.
//!
//! | Seed | Describes | Here |
//! |---|---|---|
//! | 000, *the* seed where no number is given | the Minara workspace: documents, prompts, dreams | [`Workspace`](crate::Workspace), [`JournalDreamer`](crate::JournalDreamer) |
//! | 001 | RFC-0009, a YAMO workspace: who reads what, the first run, the memo, the daily log | [`Life`](crate::Life) |
//! | 002 | the memory of `OpenSeed`'s creatures: fatigue, sleep, observations, priorities | `SleepDreamer` |
//! | 003 | Minara Memory: rows, facts, personalization, learnings | [`MemoryStore`](crate::MemoryStore), [`FactStore`](crate::facts::FactStore) |
//! | 004 | the `IronClaw` workspace: documents in a database, chunks, search | [`SqliteWorkspace`](crate::SqliteWorkspace), [`DocumentIndex`](crate::search::DocumentIndex) |
//!
//! Code on these pages runs as tests, and the files that [`formats`] shows are read by the real parsers.

#[doc = include_str!("getting_started.md")]
pub mod getting_started {}

#[doc = include_str!("bot.md")]
pub mod bot {}

#[doc = include_str!("coding_assistant.md")]
pub mod coding_assistant {}

#[doc = include_str!("machines.md")]
pub mod machines {}

#[doc = include_str!("night.md")]
#[doc = ""]
#[doc = concat!("<img alt=\"The page on a night: promoted lines beside their journal lines\" src=\"data:image/png;base64,", include_str!("pictures/night.b64"), "\">")]
pub mod night {}

#[doc = include_str!("models.md")]
pub mod models {}

#[doc = include_str!("forgetting.md")]
pub mod forgetting {}

#[doc = include_str!("operate.md")]
pub mod operate {}

#[doc = include_str!("memory.md")]
pub mod memory {}

#[doc = include_str!("search.md")]
#[doc = ""]
#[doc = concat!("<img alt=\"The page on a boat: a rule, three facts, a method, lessons, and the names beside it\" src=\"data:image/png;base64,", include_str!("pictures/brisk.b64"), "\">")]
pub mod search {}

#[cfg(feature = "artifacts")]
#[cfg_attr(docsrs, doc(cfg(feature = "artifacts")))]
#[doc = include_str!("artifacts.md")]
pub mod artifacts {}

#[doc = include_str!("backends.md")]
pub mod backends {}

#[doc = include_str!("formats.md")]
pub mod formats {}

#[doc = include_str!("durability.md")]
pub mod durability {}

#[doc = include_str!("privacy.md")]
pub mod privacy {}

#[doc = include_str!("gate.md")]
pub mod gate {}

#[doc = include_str!("measured.md")]
pub mod measured {}

#[doc = include_str!("seeds.md")]
pub mod seeds {}

/// The examples of the page on formats, read by the parsers that read a life's files, and printed back.
#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::Value;

    use crate::base::access::Scope;
    use crate::base::digest::Digest;
    use crate::base::document::Document;
    use crate::base::error::{Error, Result};
    use crate::base::name::{DocName, StateName};
    use crate::file::FileMemoryStore;
    use crate::format::documents::statements::statement_hash;
    use crate::format::documents::{curated, sections};
    use crate::format::state::asked::AskedState;
    #[cfg(feature = "exchange")]
    use crate::format::state::chats::ImportedChats;
    use crate::format::state::forgotten::Forgotten;
    use crate::format::state::history::History;
    use crate::format::state::intent::Intent;
    use crate::format::state::ledger::Ledger;
    use crate::format::state::life::LifeState;
    use crate::format::state::lock::LockFile;
    use crate::format::state::log;
    use crate::format::state::proposal::Proposals;
    use crate::format::state::receipts::ReceiptKeys;
    use crate::format::state::soul::SoulState;
    use crate::format::state::undone::Undone;
    use crate::format::{Checks, DayLog, DreamId, DreamedState, HeartbeatFile, JournalName, Quarantine};
    use crate::gate::Tombstones;

    /// Returns the example below each heading that names a file.
    fn examples() -> BTreeMap<&'static str, &'static str> {
        let mut examples = BTreeMap::new();
        for part in include_str!("formats.md").split("\n# `").skip(1) {
            let (name, rest) = part.split_once('`').expect("a name in backticks");
            let Some((_, code)) = rest.split_once("```") else { continue };
            let (_, code) = code.split_once('\n').expect("a line after the fence");
            let (example, _) = code.split_once("```").expect("a fence that is closed");
            examples.insert(name, example);
        }
        examples
    }

    fn example(name: &str) -> &'static str {
        examples().remove(name).unwrap_or_else(|| panic!("the page has no {name}"))
    }

    /// Asserts that `printed` says the same as the example, no key more and none less.
    #[track_caller]
    fn assert_same(name: &str, printed: &[u8]) {
        // The logs of the page have no checksum, as a person's have none.
        let value = |text: &[u8]| {
            let mut value = serde_json::from_slice::<Value>(text).expect("JSON");
            if let Some(object) = value.as_object_mut() {
                object.remove("check");
            }
            value
        };
        assert_eq!(value(printed), value(example(name).as_bytes()), "{name}");
    }

    fn bytes(name: &str) -> &'static [u8] {
        example(name).as_bytes()
    }

    #[test]
    fn every_state_file_of_the_page_is_read_whole_and_printed_back() {
        let name = |name: StateName| name.as_str().to_owned();
        let dreamed = name(StateName::DREAMED);
        assert_same(&dreamed, &DreamedState::parse(Some(bytes(&dreamed))).unwrap().print());
        let ledger = name(StateName::LEDGER);
        assert_same(&ledger, &Ledger::parse(Some(bytes(&ledger))).unwrap().print());
        let soul = name(StateName::SOUL);
        assert_same(&soul, &SoulState::parse(Some(bytes(&soul))).unwrap().print());
        let life = name(StateName::LIFE);
        assert_same(&life, &LifeState::parse(Some(bytes(&life))).unwrap().print());
        let proposals = name(StateName::PROPOSALS);
        assert_same(&proposals, &Proposals::parse(Some(bytes(&proposals))).unwrap().print());
        let undone = name(StateName::UNDONE);
        assert_same(&undone, &Undone::parse(Some(bytes(&undone))).unwrap().print());
        let forgotten = name(StateName::FORGOTTEN);
        let stones = Forgotten::<Tombstones>::parse(Some(bytes(&forgotten))).unwrap().unwrap();
        assert_same(&forgotten, &stones.print());
        let history = StateName::history(&DocName::USER);
        assert_same(
            history.as_str(),
            &History::parse(&history, Some(bytes(history.as_str()))).unwrap().print(),
        );
        let receipts = name(StateName::RECEIPT_KEYS);
        assert_same(&receipts, &ReceiptKeys::parse(Some(bytes(&receipts))).unwrap().unwrap().print());
        let asked = AskedState::parse(&StateName::FACTS, Some(bytes(StateName::FACTS.as_str())), String::new)
            .unwrap();
        assert_same(StateName::FACTS.as_str(), &asked.print());
        assert_same(".dreaming.lock", LockFile::parse(bytes(".dreaming.lock")).unwrap().print().as_bytes());
        let checks = Checks::parse(Some(bytes(DocName::HEARTBEAT_STATE.as_str()))).unwrap();
        assert_eq!((checks.last("email"), checks.names().count()), (Some(1_703_275_200), 2));
        let quarantine = name(StateName::QUARANTINE);
        let parsed = Quarantine::parse(Some(bytes(&quarantine))).unwrap();
        assert!(parsed.holds(&DocName::parse("memory/2026-11-21-repl.md").unwrap()).is_some());
        assert_same(&quarantine, &parsed.print_over(None));
    }

    #[test]
    fn damage_to_a_state_file_is_named_and_a_newer_one_is_refused() {
        type Read = fn(&StateName, Option<&[u8]>) -> Result<()>;
        let history = StateName::history(&DocName::USER);
        let files: [(StateName, bool, Read); 11] = [
            (StateName::DREAMED, false, |_, bytes| DreamedState::parse(bytes).map(drop)),
            (StateName::QUARANTINE, false, |_, bytes| Quarantine::parse(bytes).map(drop)),
            (StateName::SOUL, false, |_, bytes| SoulState::parse(bytes).map(drop)),
            (StateName::LIFE, false, |_, bytes| LifeState::parse(bytes).map(drop)),
            (history, false, |name, bytes| History::parse(name, bytes).map(drop)),
            (StateName::LEDGER, true, |_, bytes| Ledger::parse(bytes).map(drop)),
            (StateName::INTENT, true, |_, bytes| Intent::parse(bytes).map(drop)),
            (StateName::PROPOSALS, true, |_, bytes| Proposals::parse(bytes).map(drop)),
            (StateName::UNDONE, true, |_, bytes| Undone::parse(bytes).map(drop)),
            (StateName::FORGOTTEN, true, |_, bytes| Forgotten::<Tombstones>::parse(bytes).map(drop)),
            (StateName::FACTS, true, |name, bytes| AskedState::parse(name, bytes, String::new).map(drop)),
        ];
        for (name, has_version, read) in files {
            let text = example(name.as_str());
            assert!(read(&name, Some(text.as_bytes())).is_ok() && read(&name, None).is_ok(), "{name:?}");
            let torn = &text.as_bytes()[..text.len() / 2];
            let damaged = read(&name, Some(torn));
            assert!(
                matches!(&damaged, Err(Error::Corrupt { name: said, .. }) if said == name.as_str()),
                "{damaged:?}"
            );
            if has_version {
                let newer = read(&name, Some(text.replace("\"v\": 1", "\"v\": 99").as_bytes()));
                assert!(matches!(newer, Err(Error::NewerVersion { found: 99, .. })), "{name:?}: {newer:?}");
            }
        }
    }

    #[test]
    fn the_intent_of_the_page_fits_its_section_and_its_log() {
        let intent = Intent::parse(Some(bytes(StateName::INTENT.as_str()))).unwrap().unwrap();
        assert_same(StateName::INTENT.as_str(), &intent.print());
        let append = intent.append.expect("a section");
        assert_eq!(Digest::of(append.section.as_bytes()), intent.log.section_sha256.expect("its hash"));
        assert!(curated::has_section(append.section.as_bytes(), &intent.id));
    }

    #[test]
    fn the_log_of_the_page_says_that_the_dream_was_taken_back() {
        let text = example(StateName::LOG.as_str());
        let lines: Vec<String> = log::parse(text).map(|line| line.print()).collect();
        assert_eq!(lines.concat(), text, "every line parses and prints as it stands");
        let remembered: Vec<_> = log::remember(text).collect();
        let promotions = log::promotions(&remembered);
        assert!(promotions.len() == 1 && promotions[0].is_undone());
        assert_eq!(promotions[0].lines, [statement_hash("Releases go out on Fridays.")]);
    }

    #[test]
    fn the_documents_of_the_page_say_what_the_page_says_of_them() {
        let memory = example("MEMORY.md");
        let id = DreamId::parse("98de55591de50011").unwrap();
        assert!(curated::has_section(memory.as_bytes(), &id));
        assert_eq!(sections::whole(memory.as_bytes()).len(), 1);
        assert!(!curated::for_session(memory).contains("dream:v1"));

        let name = DocName::parse("memory/2026-11-20-repl.md").unwrap();
        assert_eq!(JournalName::parse(&name).unwrap().session(), Some("repl"));
        let journal = DayLog::parse(example(name.as_str()));
        let origins = journal.entries.iter().map(|entry| entry.origin.as_ref().map(ToString::to_string));
        let told: Vec<_> = origins.collect();
        assert_eq!(told, [Some("user".to_owned()), Some("tool:psql".to_owned())]);
        assert_eq!(journal.entries[1].text, "3 rows\nid, name");

        let text = example("HEARTBEAT.md");
        let mut heartbeat = HeartbeatFile::parse(text);
        let memo = heartbeat.memo().expect("a memo of ours").clone();
        assert_eq!((memo.turn_count, memo.open_loops.as_slice()), (12, &["send the report".to_owned()][..]));
        assert!(heartbeat.update(&memo));
        assert_eq!(heartbeat.as_str(), text);

        let list = Proposals::parse(Some(bytes(StateName::PROPOSALS.as_str()))).unwrap();
        let waiting = list.get(&id).unwrap();
        let file = example(waiting.name().as_str());
        let bullets = waiting.parse(file).unwrap();
        assert_eq!((bullets.len(), bullets[0].heading), (1, Some("Decisions")));
        assert_eq!(
            waiting.print("### Decisions\n- Releases go out on Fridays. (memory/2026-11-20-repl.md#L5)\n"),
            file
        );

        let history = StateName::history(&DocName::USER);
        let kept = History::parse(&history, Some(bytes(history.as_str())))
            .unwrap()
            .documents(&DocName::USER)
            .unwrap();
        assert_eq!(kept[0].1, Document::new(DocName::USER.into(), b"# User\n".to_vec()));
    }

    #[test]
    fn the_rows_of_the_page_open_as_a_store() {
        use crate::base::access::Access;
        use crate::memory::{MemoryId, MemoryStore};

        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(StateName::MEMORIES.as_str());
        std::fs::create_dir(file.parent().unwrap()).unwrap();
        std::fs::write(&file, example(StateName::MEMORIES.as_str())).unwrap();
        let store = FileMemoryStore::open(folder.path(), Scope::user("marta")).unwrap();
        let access = Access::agent(Scope::user("marta"));
        assert!(store.get(&access, MemoryId::new(1)).unwrap().is_none(), "it was deleted");
        assert_eq!(store.audit(&access, 9).unwrap().len(), 3);
        let now = "2026-11-27T03:00:00Z".parse().unwrap();
        assert!(store.restore(&access, MemoryId::new(1), now).unwrap());
        let row = store.get(&access, MemoryId::new(1)).unwrap().expect("it came back");
        assert!(row.content == "Sets slippage to 0.5%" && row.pinned);
    }

    #[test]
    fn the_claim_after_that_of_the_page_has_the_next_number() {
        use crate::file::FileWorkspace;
        use crate::workspace::{Claim, ClaimTerms, Workspace};

        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".dreaming.d")).unwrap();
        std::fs::write(folder.path().join(".dreaming.d/guard"), example(".dreaming.d/guard")).unwrap();
        let workspace = FileWorkspace::open(folder.path()).unwrap();
        match workspace.claim(&ClaimTerms::default()).unwrap() {
            Claim::Granted(lease) => assert_eq!(lease.epoch(), 28),
            Claim::Held(holder) => panic!("nobody holds it: {holder:?}"),
        }
    }

    #[cfg(feature = "exchange")]
    #[test]
    fn the_line_of_a_chat_reads_back() {
        let line = example(StateName::CHATS.as_str());
        let mut chats = ImportedChats::default();
        chats.take(line.trim_end().as_bytes());
        let (id, day) = ("chatgpt-6f0c1a", chrono::NaiveDate::from_ymd_opt(2026, 11, 21).unwrap());
        let hash = 0x0f3a_9c5b_e2d1;
        assert!(chats.knows(id, hash));
        assert_eq!(chats.len(id, day), 1834);
        assert_same(StateName::CHATS.as_str(), chats.learn(id, day, 1834, &[hash]).as_bytes());
    }

    #[test]
    fn each_heading_that_names_a_file_has_an_example_that_a_test_reads() {
        let read = [
            "MEMORY.md",
            "memory/2026-11-20-repl.md",
            "HEARTBEAT.md",
            "memory/heartbeat-state.json",
            ".dreamed-state.json",
            ".dreamed-quarantine.json",
            ".dreaming.lock",
            ".soul-state.json",
            ".dreaming.d/ledger.json",
            ".dreaming.d/intent.json",
            ".dreaming.d/log.jsonl",
            ".dreaming.d/proposals.json",
            ".dreaming.d/proposals/98de55591de50011.md",
            ".dreaming.d/history/USER.md.json",
            ".dreaming.d/history/undone.json",
            ".dreaming.d/life.json",
            ".dreaming.d/forgotten.json",
            ".dreaming.d/receipts.json",
            ".dreaming.d/chats.jsonl",
            ".dreaming.d/facts.json",
            ".dreaming.d/memories.jsonl",
            ".dreaming.d/guard",
        ];
        let mut left: Vec<_> = examples().into_keys().collect();
        left.retain(|name| !read.contains(name));
        assert!(left.is_empty(), "no test reads {left:?}");
    }
}
