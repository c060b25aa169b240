//! Rows say that a journal line which they cite is gone or was changed, on both stores and wherever a session meets them.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

use std::sync::Arc;

use noctuary::exchange::feed;
use noctuary::life::{ContextConfig, MemoryContext};
use noctuary::memory::{NewMemory, Query, Source, Stale};
use noctuary::store::StoreConfig;
use noctuary::testing::contract::fact::Facts as Store;
use noctuary::{
    Actor, DocName, FileWorkspace, Life, LifeConfig, MemoryStore, SessionKind, Workspace, WriteMode,
};
use noctuary_tests::common::marta::{access, agent, marta, name, now};
use serde_json::json;

const JOURNAL: &str = "memory/2026-11-20-repl.md";
const BOAT: &str = "The boat is called Brisk.";
const TEA: &str = "Marta drinks oolong.";

/// A life with a promoted line on a boat, which cites two lines, and one on tea, and a store that follows it.
struct World {
    _folder: tempfile::TempDir,
    workspace: Arc<FileWorkspace>,
    store: Arc<dyn Store>,
}

impl World {
    fn each(test: impl Fn(&Self)) {
        for kind in noctuary_tests::common::backends() {
            let folder = tempfile::tempdir().unwrap();
            let workspace = Arc::new(FileWorkspace::open(folder.path()).unwrap());
            let mut config = StoreConfig::default();
            config.journals = Some(workspace.clone());
            let store: Arc<dyn Store> = noctuary_tests::open_store!(kind, folder.path(), marta(), config);
            let world = Self { _folder: folder, workspace, store };
            world.put(
                JOURNAL,
                "[user] I bought a boat.\r\n[user] It is called Brisk.\r\n[user] Oolong, please.\n",
            );
            world.put(
                "MEMORY.md",
                &format!(
                    "## Dreamed 2026-11-20\n<!-- dream:v1 id=0f3a9c5be2d14477 src=1 sha256=9b1f -->\n\n### Facts\n\
                     - {BOAT} ({JOURNAL}#L1-L2)\n- {TEA} ({JOURNAL}#L3)\n\n\
                     <!-- /dream:v1 id=0f3a9c5be2d14477 -->\n"
                ),
            );
            feed(world.workspace.as_ref(), world.store.as_ref(), &marta(), now()).unwrap();
            test(&world);
        }
    }

    fn put(&self, file: &str, text: &str) {
        self.workspace.write(&name(file), text.as_bytes(), WriteMode::Replace).unwrap();
    }

    fn stale(&self, question: &str) -> Vec<Stale> {
        self.store.search(&agent(), &Query::new(question)).unwrap().hits.remove(0).stale
    }
}

#[test]
fn a_row_whose_cited_line_is_gone_or_changed_says_so() {
    World::each(|world| {
        let looks = |boat: &[Stale], tea: &[Stale]| {
            assert_eq!((world.stale("boat called"), world.stale("oolong")), (boat.to_vec(), tea.to_vec()));
            for row in world.store.snapshot(&agent(), 9, now()).unwrap() {
                assert_eq!(row.stale, if row.content == BOAT { boat } else { tea }, "{}", row.content);
            }
        };
        looks(&[], &[]);
        // Line ends and what is added below are no change.
        world.put(
            JOURNAL,
            "[user] I bought a boat.\n[user] It is called Brisk.  \n[user] Oolong, please.\n[user] Hm.\n",
        );
        looks(&[], &[]);
        world.put(JOURNAL, "[user] I bought a boat.\n[user] It is called Breeze.\n[user] Oolong, please.\n");
        looks(&[Stale::SourceChanged], &[]);
        world.put(JOURNAL, "[user] I bought a boat.\n[user] It is called Brisk.\n");
        looks(&[], &[Stale::SourceGone]);
        world.workspace.remove(&name(JOURNAL)).unwrap();
        looks(&[Stale::SourceGone], &[Stale::SourceGone]);
        // A journal in the archive carries its lines still.
        world.put(
            "memory/archive/log-20261120-repl.md",
            "[user] I bought a boat.\n[user] It is called Brisk.\n[user] Hm.\n",
        );
        looks(&[], &[Stale::SourceChanged]);
    });
}

#[test]
fn a_row_that_was_fed_stays_as_it_is_and_one_that_comes_back_is_quoted_anew() {
    World::each(|world| {
        world.put(JOURNAL, "[user] I bought a boat.\n[user] It is called Breeze.\n[user] Oolong, please.\n");
        let fed = feed(world.workspace.as_ref(), world.store.as_ref(), &marta(), now()).unwrap();
        assert_eq!((fed.written, fed.removed), (0, 0));
        assert_eq!(world.stale("boat called"), [Stale::SourceChanged]);
    });
}

#[test]
fn prompts_and_tools_say_why_a_line_may_be_out_of_date() {
    World::each(|world| {
        world.put(JOURNAL, "[user] I bought a boat.\n[user] It is called Breeze.\n[user] Oolong, please.\n");
        let said = "a journal line that it cites was changed";
        let context =
            MemoryContext::take(world.store.as_ref(), &agent(), &ContextConfig::default(), now()).unwrap();
        assert!(context.as_str().contains(&format!("{BOAT} [may be out of date: {said}]")), "{context}");

        let life = Life::new(world.workspace.clone(), LifeConfig::default());
        let mut session = life.begin_session(agent(), "repl", "repl", now()).unwrap();
        assert!(!session.system_prompt().unwrap().contains("may be out of date"));
        assert_eq!(session.mark_doubted(world.store.as_ref(), now()).unwrap(), 1);
        let prompt = session.system_prompt().unwrap();
        assert!(prompt.contains(&format!("#L1-L2) [may be out of date: {said}]\n")), "{prompt}");
        assert!(prompt.contains(&format!("- {TEA} ({JOURNAL}#L3)\n")), "{prompt}");
        session.mark_superseded(world.store.as_ref()).unwrap();

        let tools = session.tools().store(world.store.clone() as Arc<dyn MemoryStore>);
        let found =
            tools.call("memory_search", &json!({"query": "what is the boat called?"}), now()).unwrap();
        assert!(found["results"][0].to_string().contains(said), "{found}");
        let read = tools.call("workspace_memory_read", &json!({"path": "MEMORY.md"}), now()).unwrap();
        assert!(read["content"].as_str().unwrap().contains(said), "{read}");
        let memory = world.workspace.read(&DocName::MEMORY).unwrap().unwrap();
        assert!(!memory.lossy().contains("out of date"), "the file stays");
    });
}

#[test]
fn sessions_with_others_learn_nothing_of_private_journals() {
    World::each(|world| {
        let cites = world.store.list(&agent(), &noctuary::memory::Filter::limit(9)).unwrap().remove(0).cites;
        let row =
            NewMemory::new("fact", "The harbour opens at six.", Source::AgentRecorded).cites(cites).shared();
        world.store.write(&agent(), &row, now()).unwrap();
        world.workspace.remove(&name(JOURNAL)).unwrap();
        assert_eq!(world.stale("harbour opens"), [Stale::SourceGone]);
        let group = access(SessionKind::Shared, Actor::Agent);
        let found = world.store.search(&group, &Query::new("harbour opens")).unwrap();
        assert_eq!((found.hits.len(), found.hits[0].stale.len()), (1, 0));
        let life = Life::new(world.workspace.clone(), LifeConfig::default());
        let mut session = life.begin_session(group, "chat", "telegram", now()).unwrap();
        assert_eq!(session.mark_doubted(world.store.as_ref(), now()).unwrap(), 0);
    });
}
