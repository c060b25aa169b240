//! Bugs that no tool plants, planted: a dropped fsync, two steps swapped, a fence that is skipped.
//!
//! ```text
//! cargo test --test sweeps planted -- --ignored --nocapture
//! ```
//!
//! copies the crate beside its build, plants one bug at a time and expects the tests named beside it to fail.
//! A bug that does not fit the code any more fails a test too, and so does the part of a name that no test has which
//! runs. It compiles the crate once for each bug, which takes about a minute each.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A bug: where it is planted, what stands there, what is put there, and which tests must see it.
struct Bug {
    name: &'static str,
    file: &'static str,
    stands: &'static str,
    planted: &'static str,
    tests: Tests,
}

/// Some tests of the crate: arguments for cargo, parts of names, and parts of names that are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Tests {
    binaries: &'static [&'static str],
    names: &'static [&'static str],
    without: &'static [&'static str],
}

impl Tests {
    const fn of(binaries: &'static [&'static str], names: &'static [&'static str]) -> Self {
        Self { binaries, names, without: &[] }
    }
}

const CRASHES: &[&str] = &["-p", "noctuary-tests", "--test", "sweeps"];
const FAST: &[&str] = &["-p", "noctuary-tests", "--test", "fast"];

const MERGES: Tests = Tests::of(FAST, &["histories::machines_that_lived_apart"]);
const POWER: Tests = Tests::of(CRASHES, &["crash_states_lose_and_double_nothing"]);
const FAULTS: Tests = Tests::of(CRASHES, &["dream_faults::a_commit_that_fails_anywhere"]);
const TEARS: Tests = Tests::of(CRASHES, &["dream_faults::a_section_torn_at_any_byte"]);
const KILLS: Tests = Tests::of(
    CRASHES,
    &[
        "dream_faults::a_section_that_a_killed",
        "dream_faults::a_line_of_the_log",
        "dream_faults::a_torn_append",
        "undo_faults::an_intent_that_a_killed",
        "sleep_faults::an_intent_that_a_killed",
    ],
);
const EDITS: Tests = Tests::of(CRASHES, &["dream_faults::an_edit_after_a_crash"]);
const GROWTH: Tests = Tests::of(CRASHES, &["grows_after_a_crash"]);
// Without the slowest, which look at other things.
const DREAM: Tests = Tests {
    without: &["two_gibibytes", "across_a_cut", "waiting_after"],
    ..Tests::of(FAST, &["dream::nights::"])
};
const PROPOSALS: Tests = Tests::of(FAST, &["dream::proposals::"]);
const ANSWERS: Tests = Tests::of(CRASHES, &["proposal_faults::a_proposal_and_its_answer_that_fail"]);
const SAVES: Tests = Tests::of(CRASHES, &["proposal_faults::an_edit_of_a_proposal"]);
const QUOTES: Tests = Tests::of(&["--lib"], &["quotes"]);
const UNDO: Tests = Tests::of(
    &["-p", "noctuary-tests", "--test", "fast", "--test", "sweeps"],
    &[
        "undo_histories::",
        "undo::an_undone_dream_leaves_memory_as_it_was",
        "in_any_order",
        "put_everything_back",
    ],
);
const UNDO_FAULTS: Tests = Tests::of(CRASHES, &["undo_faults::an_undo", "undo_faults::a_power_loss"]);
const LEASE: Tests = Tests::of(FAST, &["workspace::lease::"]);
const FILES: Tests = Tests::of(FAST, &["workspace::file_workspace::"]);

const SLEEP: Tests = Tests::of(FAST, &["sleep::sleepers::"]);
const SLEEP_ATTACK: Tests = Tests::of(FAST, &["sleep_attack::"]);
const SLEEP_FAULTS: Tests = Tests::of(CRASHES, &["sleep_faults::a_sleep_whose_workspace_fails"]);
const SLEEP_CRASHES: Tests = Tests::of(CRASHES, &["sleep_faults::what_"]);

const GUARDED: Tests = Tests::of(FAST, &["guarded::no_session_is_shown"]);
const TERMS: Tests = Tests::of(&["--lib"], &["terms::tests::after_each_commit"]);
const TWO_PROCESSES: Tests = Tests::of(FAST, &["terms::two_processes_keep_one_index"]);
const STORES: Tests = Tests::of(FAST, &["store_search::nothing_that_is_private"]);
const PINS: Tests = Tests::of(FAST, &["facts::what_the_human_pinned"]);
const INDEX: Tests = Tests::of(FAST, &["workspace::index::"]);
const TOOLS: Tests =
    Tests::of(FAST, &["what_a_model", "a_document_that_was_not_read", "a_model_takes_back", "no_path"]);
const SEARCHES: Tests = Tests::of(FAST, &["doors::a_search_of"]);
const FORGOTTEN: Tests = Tests::of(FAST, &["forget::a_recovery_that_a_crash_cuts"]);
const SEALS: Tests = Tests::of(FAST, &["seams::damage_to_what"]);
const ENDS: Tests = Tests::of(FAST, &["left_without_its_end"]);
const TRIES: Tests = Tests::of(FAST, &["tries_end"]);
const SHRUNK: Tests = Tests::of(FAST, &["told_from_a_new_one"]);
const SHORTENED: Tests = Tests::of(FAST, &["lost_its_last_line"]);
const VECTORS: Tests = Tests::of(FAST, &["a_store_in_a_database_keeps_the_contract_of_vectors"]);
const VECTORS_OF_A_FILE: Tests = Tests::of(FAST, &["a_store_on_any_disk_keeps_the_contract_of_vectors"]);
const VECTORS_GONE: Tests = Tests::of(FAST, &["a_forgotten_row_leaves_no_byte_of_its_vector"]);
const VECTORS_OF_CHUNKS: Tests = Tests::of(
    FAST,
    &["index_vectors::on_sqlite::a_session_with_others", "index_vectors::on_sqlite::what_leaves"],
);
const SETTLED: Tests = Tests::of(FAST, &["a_row_that_words_settle"]);
const BESIDE: Tests = Tests::of(&["--lib"], &["beside::tests::runs_find"]);
const FOLLOWED: Tests = Tests::of(FAST, &["memory::follow::"]);
const KEYS: Tests = Tests::of(FAST, &["no_error_repeats"]);

const METHODS: Tests = Tests::of(FAST, &["learning::both_stores_keep", "learning::calls::no_call"]);
const RULES: Tests = Tests::of(FAST, &["learning::rules::both_stores", "learning::rules::no_call"]);
const ROLES: Tests = Tests::of(FAST, &["learning::roles::both_stores"]);
const ROLE_DREAMS: Tests = Tests::of(FAST, &["roles::notes_that_are"]);
const OUTCOMES: Tests = Tests::of(
    FAST,
    &["learning::both_stores_keep", "learning::faults::an_outcome_counts_once", "learning::methods_outlive"],
);

const EDGES: Tests = Tests::of(FAST, &["edges::both_stores_keep_the_whole_contract"]);
const PAGES: Tests = Tests::of(FAST, &["memory::pages::"]);
const LINKS: Tests = Tests::of(FAST, &["index_edges::on_sqlite::a_session_with_others"]);
const DELIVERED: Tests = Tests::of(FAST, &["memory::delivered::"]);
const STRIKES: Tests = Tests::of(FAST, &["exchange::strike::"]);
const RECEIPTS: Tests = Tests::of(FAST, &["life::receipts::"]);
const AUDIENCES: Tests = Tests::of(FAST, &["an_access_to_a_group_reads_nothing"]);
const SPEAKERS: Tests = Tests::of(FAST, &["a_message_of_somebody_else"]);

const BUGS: &[Bug] = &[
    Bug {
        name: "an outcome that was reported before counts again",
        file: "src/store/methods.rs",
        stands: "if before.is_empty() || rows.is_counted(&outcome.id)? {",
        planted: "if before.is_empty() {",
        tests: OUTCOMES,
    },
    Bug {
        name: "a method is graduated by whoever asks",
        file: "src/store/methods.rs",
        stands: "    if access.actor == Actor::Human {\n        return Ok(());\n    }\n    Err(",
        planted: "    if access.actor != Actor::Library {\n        return Ok(());\n    }\n    Err(",
        tests: METHODS,
    },
    Bug {
        name: "a good outcome takes a method out of quarantine",
        file: "src/file/memory/practised.rs",
        stands: "                        method.confidence = wilson(method.successes, method.uses);\n",
        planted: "                        method.confidence = wilson(method.successes, method.uses);\n                        method.quarantine = u8::from(method.confidence < 0.55);\n",
        tests: METHODS,
    },
    Bug {
        name: "a rule that reaches less takes the place of the person's own",
        file: "src/store/practice.rs",
        stands: "    for list in [tools, words] {\n",
        planted: "    for list in [words, words] {\n",
        tests: RULES,
    },
    Bug {
        name: "a withdrawn rule is one, and so is an approved wish",
        file: "src/file/memory/practice.rs",
        stands: "            (preference.kind, preference.state) == (PreferenceKind::HardConstraint, PreferenceState::Active)\n",
        planted: "            (preference.kind, preference.state) != (PreferenceKind::HardConstraint, PreferenceState::Proposed)\n",
        tests: RULES,
    },
    Bug {
        name: "a session with others reads the words of a rule",
        file: "src/file/memory/practice.rs",
        stands: "let statement = told.then(|| preference.statement.clone());",
        planted: "let statement = (told || !told).then(|| preference.statement.clone());",
        tests: RULES,
    },
    Bug {
        name: "a note is reflected on again",
        file: "src/store/roles.rs",
        stands: "if !rows.notes(true)?.iter().any(|note| note.id == id) {",
        planted: "if ![rows.notes(true)?, rows.notes(false)?].concat().iter().any(|note| note.id == id) {",
        tests: ROLES,
    },
    Bug {
        name: "a note that is too young is shown",
        file: "src/dream/roles/run.rs",
        stands: "order::retain(&mut notes, |note| now - note.created_at >= config.age_of(&note.role));",
        planted: "order::retain(&mut notes, |note| {\n            now - note.created_at >= config.age_of(&note.role) || now > note.created_at\n        });",
        tests: ROLE_DREAMS,
    },
    Bug {
        name: "a forgotten statement stays in cases",
        file: "src/store/practice.rs",
        stands: "let mut texts = vec![case.content.as_str()];",
        planted: "let mut texts = vec![\"\"];",
        tests: METHODS,
    },
    Bug {
        name: "a name of a deleted or private row is told by what is mentioned",
        file: "src/sqlite/memory/edges.rs",
        stands: "LIMIT ?4\",\n                view(visibility)\n            );",
        planted: "LIMIT ?4\",\n                { let _ = view(visibility); \"memories\" }\n            );",
        tests: EDGES,
    },
    Bug {
        name: "the edges of a row in a folder stay when it says something else",
        file: "src/file/memory/apply.rs",
        stands: "self.link(id, false, reader)?;",
        planted: "",
        tests: EDGES,
    },
    Bug {
        name: "the notes of a model put a row into a scenario",
        file: "src/edges/row.rs",
        stands: "(actor != Actor::Agent && !named.is_empty())",
        planted: "(actor != Actor::Library || !named.is_empty())",
        tests: EDGES,
    },
    Bug {
        name: "a page is shown again after a write",
        file: "src/pages/cache.rs",
        stands: "kept.editions != editions || ",
        planted: "",
        tests: PAGES,
    },
    Bug {
        name: "a page of a private session is shown to others",
        file: "src/pages/cache.rs",
        stands: "position(|kept| kept.question == *question)",
        planted: "position(|kept| kept.question.entity == question.entity)",
        tests: PAGES,
    },
    Bug {
        name: "a method in quarantine is on a page",
        file: "src/pages/source.rs",
        stands: "!self.is_quarantined && ",
        planted: "",
        tests: PAGES,
    },
    Bug {
        name: "a link in a private document is told to a session with others",
        file: "src/sql/chunks/edges.rs",
        stands: "i64::from(Audience::bit(kind))",
        planted: "i64::from(Audience::bit(kind).min(1))",
        tests: LINKS,
    },
    Bug {
        name: "a receipt counts the frontmatter among the lines that are shown",
        file: "src/life/prompt/reader.rs",
        stands: "trail.keep_end(&text, body);\n        let text = self.pass(name, body, &mut trail)?;",
        planted: "let text = self.pass(name, body, &mut trail)?;",
        tests: RECEIPTS,
    },
    Bug {
        name: "a receipt of a full generation takes the place of the one before, which is not kept",
        file: "src/life/receipt/log.rs",
        stands: "match workspace.write(&before, full.bytes(), mode) {",
        planted: "match workspace.write(&before, b\"\", mode) {",
        tests: RECEIPTS,
    },
    Bug {
        name: "a session with others is told of every row in a receipt",
        file: "src/life/receipt/answer.rs",
        stands: "*shared || self.access.is_of_group()",
        planted: "true || *shared || self.access.is_of_group()",
        tests: RECEIPTS,
    },
    Bug {
        name: "an access to a group is taken by a folder that does not know its owner",
        file: "src/workspace/ext.rs",
        stands: "map_or_else(|| scope.group_name().is_none(), |own| own == scope)",
        planted: "is_none_or(|own| own == scope)",
        tests: AUDIENCES,
    },
    Bug {
        name: "a name behind the user's tag is a part of what they say",
        file: "src/format/documents/origins.rs",
        stands: "        if !self.has_others || !is_users {\n",
        planted: "        if self.has_others || !is_users {\n",
        tests: SPEAKERS,
    },
    Bug {
        name: "a line that another row says too is told as superseded",
        file: "src/store/store.rs",
        stands: ".filter(|now| !says_the_same(now))",
        planted: "",
        tests: STRIKES,
    },
    Bug {
        name: "a tool reads a line of MEMORY.md that holds no more as one that does",
        file: "src/tools/documents.rs",
        stands: "        let text = marked(&self.view, &name, &document.lossy()).map_err(failed)?;\n        let skipped",
        planted: "        let text = shown(&self.view, &name, &document.lossy()).map_err(failed)?;\n        let skipped",
        tests: DELIVERED,
    },
    Bug {
        name: "a session is led past a row that it may not see",
        file: "src/store/follow.rs",
        stands: "            Some(next) if visibility.sees(next.memory.shared) => fact = next,\n",
        planted: "            Some(next) => fact = next,\n",
        tests: FOLLOWED,
    },
    Bug {
        name: "a retired row is taken for what holds now",
        file: "src/store/follow.rs",
        stands: "        if !fact.status.state.is_retired() {\n",
        planted: "        if fact.status.successor.is_some() {\n",
        tests: FOLLOWED,
    },
    Bug {
        name: "a merge brings a dream back that one machine took back",
        file: "src/exchange/merge/merge.rs",
        stands: "        let mut gone = undone.clone();\n",
        planted: "        let mut gone = BTreeSet::new();\n",
        tests: MERGES,
    },
    Bug {
        name: "a merge leaves forgotten words in the files of the other machine",
        file: "src/exchange/merge/forgotten.rs",
        stands: "overwritten(&lives[side], &askers[1 - side].iter().collect::<Vec<_>>())",
        planted: "overwritten(&lives[side], &askers[1 - side].iter().take(0).collect::<Vec<_>>())",
        tests: MERGES,
    },
    Bug {
        name: "a new file is not synced before it has its name",
        file: "src/disk/atomic.rs",
        stands: "    file.write_at(bytes, 0)?;\n    file.sync().map_err(unsynced)\n",
        planted: "    file.write_at(bytes, 0)\n",
        tests: POWER,
    },
    Bug {
        name: "the name of a replaced file is not made durable",
        file: "src/disk/atomic.rs",
        stands: "        .at(\"replace\", path)?;\n    // All of them, also if a file existed: the process that made its folder may have been killed before its sync.\n    sync_folders_of(disk, path)\n",
        planted: "        .at(\"replace\", path)\n",
        tests: POWER,
    },
    Bug {
        name: "an append is not synced",
        file: "src/file/documents.rs",
        stands: "    file.sync().map_err(atomic::unsynced).at(\"sync\", name)\n",
        planted: "    Ok(())\n",
        tests: POWER,
    },
    Bug {
        name: "the section is appended before the intent is written",
        file: "src/dream/commit/recorded.rs",
        stands: "        lease.replace(&I::FILE, &intent.print())?;\n        finish(workspace, lease, intent)\n",
        planted: "        let done = finish(workspace, lease, intent)?;\n        lease.replace(&I::FILE, &intent.print())?;\n        Ok(done)\n",
        tests: FAULTS,
    },
    Bug {
        name: "the intent is dropped before the ledger is written",
        file: "src/dream/commit/steps.rs",
        stands: "        let mut ledger = Ledger::parse(home::state(workspace, &StateName::LEDGER)?.as_deref())?;\n        ledger.apply(",
        planted: "        lease.remove(&StateName::INTENT)?;\n        let mut ledger = Ledger::parse(home::state(workspace, &StateName::LEDGER)?.as_deref())?;\n        ledger.apply(",
        tests: GROWTH,
    },
    Bug {
        name: "a recovery appends without looking",
        file: "src/dream/commit/section.rs",
        stands: "        if curated::has_section(&memory, &intent.id) {\n            home::settle(lease, name)?;\n            return Ok(Glimpse::of(name.clone(), None, memory));\n        }\n",
        planted: "",
        tests: EDITS,
    },
    Bug {
        name: "a torn section is written anew",
        file: "src/dream/commit/section.rs",
        stands: "    if torn > 0 {\n",
        planted: "    if torn > usize::MAX - 1 {\n",
        tests: TEARS,
    },
    Bug {
        name: "a line of the log is written again",
        file: "src/dream/commit/home.rs",
        stands: "    if log::parse(&tail).any(|known| known == *line) {\n",
        planted: "    if log::parse(&tail).any(|known| known == *line) && line.v > 1 {\n",
        tests: FAULTS,
    },
    Bug {
        name: "the fence is skipped",
        file: "src/file/lease.rs",
        stands: "        self.check()?;\n        mutate(self.disk.as_ref())",
        planted: "        mutate(self.disk.as_ref())",
        tests: LEASE,
    },
    Bug {
        name: "the fence does not look for the guard's name",
        file: "src/file/lease.rs",
        stands: ".is_none_or(|named| named.id != self.guard_id)",
        planted: ".is_none_or(|named| named.id != self.guard_id && named.len > 1 << 40)",
        tests: LEASE,
    },
    Bug {
        name: "a writer goes on after a failed sync",
        file: "src/file/lease.rs",
        stands: "if matches!(error, Error::DurabilityUnknown { .. }) {",
        planted: "if matches!(error, Error::LeaseLost(_)) {",
        tests: LEASE,
    },
    Bug {
        name: "the guard that was locked is not looked for by name",
        file: "src/disk/atomic.rs",
        stands: ".is_some_and(|named| named.id == locked)",
        planted: ".is_none_or(|named| named.id == locked || named.len < 1 << 40)",
        tests: LEASE,
    },
    Bug {
        name: "the epoch does not rise",
        file: "src/file/lease.rs",
        stands: ".max(standing.unwrap_or(0)).saturating_add(1);",
        planted: ".max(standing.unwrap_or(0)).max(1);",
        tests: LEASE,
    },
    Bug {
        name: "a stale lock is removed by its name, whatever it is by then",
        file: "src/file/lock.rs",
        stands: "    if is_meant(&moved) {\n",
        planted: "    if is_meant(&moved) || !moved.is_empty() {\n",
        tests: LEASE,
    },
    Bug {
        name: "the cursors move on an empty answer",
        file: "src/dream/engine/reply.rs",
        stands: "is_empty() => Err(Failure::Empty),",
        planted: "is_empty() => Ok(crate::format::replies::reply::NOTHING_TO_PROMOTE.to_owned()),",
        tests: DREAM,
    },
    Bug {
        name: "the cursors move where the model failed",
        file: "src/dream/journal/judge.rs",
        stands: "                pass.report.failure = Some(failure);\n                return self.fail(run, pass);\n",
        planted: "                pass.report.failure = Some(failure);\n                self.commit(run, pass, None)?;\n",
        tests: DREAM,
    },
    Bug {
        name: "a cut answer is taken for a whole one",
        file: "src/dream/engine/reply.rs",
        stands: "Finish::Length => Err(Failure::Truncated),",
        planted: "Finish::Length => Ok(reply.text),",
        tests: DREAM,
    },
    Bug {
        name: "a peer's watermark is not looked for before the commit",
        file: "src/dream/journal/run.rs",
        stands: "if standing == self.records.state_bytes {",
        planted: "if standing == self.records.state_bytes || run.report.calls < 1 << 20 {",
        tests: DREAM,
    },
    Bug {
        name: "the hashes of what was shown are forgotten",
        file: "src/dream/journal/select/bytes.rs",
        stands: "hash_range(workspace, name, piece.from..piece.to)? == sha256",
        planted: "hash_range(workspace, name, piece.from..piece.to)? == sha256 || piece.to > 0",
        tests: DREAM,
    },
    Bug {
        name: "the watermark passes journals that wait",
        file: "src/dream/journal/record.rs",
        stands: "limit.map_or(newest, |limit| limit.min(newest))",
        planted: "limit.map_or(newest, |limit| limit.max(newest))",
        tests: DREAM,
    },
    Bug {
        name: "secrets are not masked before the model is asked",
        file: "src/gate/doors.rs",
        stands: "            request: DoorPolicy::new(Secrets::Redact, Injections::Allow),",
        planted: "            request: DoorPolicy::new(Secrets::Warn, Injections::Allow),",
        tests: DREAM,
    },
    Bug {
        name: "an answer is not looked through for secrets",
        file: "src/dream/journal/judge.rs",
        stands: "        if has_secrets && reply_policy(run)",
        planted: "        if false && has_secrets && reply_policy(run)",
        tests: DREAM,
    },
    Bug {
        name: "an append writes where the file begins",
        file: "src/disk/os_unix.rs",
        stands: "OFlags::RDWR | OFlags::APPEND | OFlags::CREATE",
        planted: "OFlags::RDWR | OFlags::CREATE",
        tests: FILES,
    },
    Bug {
        name: "a section that stands already is not made durable before the ledger",
        file: "src/dream/commit/section.rs",
        stands: "            home::settle(lease, name)?;\n            return Ok(",
        planted: "            return Ok(",
        tests: KILLS,
    },
    Bug {
        name: "the part of a torn section that stands is not made durable before the rest",
        file: "src/dream/commit/section.rs",
        stands: "before the rest.\n            home::settle(lease, name)?;\n",
        planted: "before the rest.\n",
        tests: KILLS,
    },
    Bug {
        name: "a line of the log that stands already is not made durable",
        file: "src/dream/commit/home.rs",
        stands: "        return settle(lease, &StateName::LOG);\n",
        planted: "        return Ok(());\n",
        tests: KILLS,
    },
    Bug {
        name: "an intent that stands is carried out before it is durable",
        file: "src/dream/commit/recorded.rs",
        stands: "    lease.replace(&I::FILE, &intent.print())?;\n    intent.take_stock",
        planted: "    intent.take_stock",
        tests: KILLS,
    },
    Bug {
        name: "an intent that was struck is carried out before that is written down",
        file: "src/dream/commit/recorded.rs",
        stands: "    if let Some(forgotten) = forgotten {\n        intent.strike(workspace, forgotten)?;\n    }\n    // The process that left it may have been killed before it was durable. A power loss could take it back, and leave\n    // the steps that follow from it.\n    lease.replace(&I::FILE, &intent.print())?;\n",
        planted: "    lease.replace(&I::FILE, &intent.print())?;\n    if let Some(forgotten) = forgotten {\n        intent.strike(workspace, forgotten)?;\n    }\n",
        tests: FORGOTTEN,
    },
    Bug {
        name: "a file with the bytes that are to be written is not made durable",
        file: "src/file/documents.rs",
        stands: "            return atomic::settle(disk, path).map(|()| written);\n",
        planted: "            return Ok(written);\n",
        tests: FILES,
    },
    Bug {
        name: "what a pass saw is not written where the model failed",
        file: "src/dream/journal/record.rs",
        stands: "            if !survey.refreshed.is_empty() {",
        planted: "            if survey.refreshed.len() > 1 << 20 {",
        tests: DREAM,
    },
    Bug {
        name: "a quarantine moves the cursors",
        file: "src/dream/journal/record.rs",
        stands: "        records.ledger.apply(survey.refreshed.iter().map(|(journal, entry)| (journal, entry)));\n        if let",
        planted: "        records.ledger.apply(survey.refreshed.iter().map(|(journal, entry)| (journal, entry)));\n        if pass.report.outcome == Outcome::Quarantined {\n            let shown = selection.slices.iter().map(|slice| (slice.journal.name().clone(), slice.entry_after())).collect::<Vec<_>>();\n            records.ledger.apply(shown.iter().map(|(journal, entry)| (journal, entry)));\n        }\n        if let",
        tests: DREAM,
    },
    Bug {
        name: "a journal that changed and kept its size is not looked at again",
        file: "src/dream/journal/select/survey.rs",
        stands: "    (entry.size, entry.modified) == (metadata.len, modified) && entry.pending == 0\n",
        planted: "    entry.size == metadata.len && entry.pending == 0\n",
        tests: DREAM,
    },
    Bug {
        name: "a look at many files does not see that one changed",
        file: "src/file/workspace.rs",
        stands: "Ok(plain_file(name, stat)?.map(|stat| metadata(&stat)))",
        planted: "Ok(plain_file(name, stat)?.map(|stat| Metadata { modified: chrono::DateTime::UNIX_EPOCH, ..metadata(&stat) }))",
        tests: FILES,
    },
    Bug {
        name: "a look at many files of a folder gives each what the first has",
        file: "src/disk/os_unix.rs",
        stands: "files.iter().map(|file| stat_below(folder.as_fd(), file)).gather()",
        planted: "files.iter().map(|_| stat_below(folder.as_fd(), files[0])).gather()",
        tests: FILES,
    },
    Bug {
        name: "an undo leaves the cursors",
        file: "src/dream/journal/undo.rs",
        stands: "            entry.retain_pieces(|other| *other != piece);\n",
        planted: "",
        tests: UNDO,
    },
    Bug {
        name: "an undo leaves the watermark",
        file: "src/dream/journal/undo.rs",
        stands: "        state.last_processed_mtime = lower(mark.clone(), limit);\n",
        planted: "",
        tests: UNDO,
    },
    Bug {
        name: "the state of an undo keeps the higher watermark",
        file: "src/dream/commit/steps.rs",
        stands: "state.watermark_ns() && !is_lowered {",
        planted: "state.watermark_ns() {",
        tests: UNDO,
    },
    Bug {
        name: "the lines of an undone dream count as removed by a person",
        file: "src/format/state/log.rs",
        stands: ".is_some_and(|until| until > at)",
        planted: ".is_some_and(|until| until < at)",
        tests: UNDO,
    },
    Bug {
        name: "an edited section is taken out",
        file: "src/format/documents/sections.rs",
        stands: "position(|from| Digest::of(&memory[*from..end]) == printed)?;",
        planted: "position(|from| Digest::of(&memory[*from..end]) == printed).or(Some(0))?;",
        tests: UNDO,
    },
    Bug {
        name: "a line break of a person goes with a section",
        file: "src/format/documents/sections.rs",
        stands: "        1 if !ends_a_line(memory, starts[1]) => None,\n",
        planted: "",
        tests: UNDO,
    },
    Bug {
        name: "what brings a dream back is kept after its section is gone",
        file: "src/dream/commit/change.rs",
        stands: "            keep(&range)?;\n            After::Changed(",
        planted: "            After::Changed(",
        tests: UNDO_FAULTS,
    },
    Bug {
        name: "a sleeper commits without an intent",
        file: "src/dream/commit/recorded.rs",
        stands: "        lease.replace(&I::FILE, &intent.print())?;\n        finish(workspace, lease, intent)\n",
        planted: "        if I::FILE != StateName::SLEEP_INTENT {\n            lease.replace(&I::FILE, &intent.print())?;\n        }\n        finish(workspace, lease, intent)\n",
        tests: SLEEP_FAULTS,
    },
    Bug {
        name: "a sleeper settles its state twice",
        file: "src/format/state/sleep_intent.rs",
        stands: "        if is_done {\n",
        planted: "        if is_done && false {\n",
        tests: SLEEP_CRASHES,
    },
    Bug {
        name: "the part of a sleeper's torn append that stands is not made durable before the rest",
        file: "src/dream/commit/sleeper.rs",
        stands: "            lease.append(name, b\"\")?;\n",
        planted: "",
        tests: SLEEP_CRASHES,
    },
    Bug {
        name: "a sleeper logs a pass again",
        file: "src/dream/commit/sleeper.rs",
        stands: "        append_log(workspace, lease, &self.log)?;\n",
        planted: "        append_log(workspace, lease, &self.log)?;\n        append_log(workspace, lease, &crate::format::state::log::LogLine { epoch: 0, ..self.log.clone() })?;\n",
        tests: SLEEP_ATTACK,
    },
    Bug {
        name: "a sleeper's plan may name RED",
        file: "src/dream/sleep/deep.rs",
        stands: "        if entry.mark == Mark::Red {\n",
        planted: "        if entry.mark == Mark::Red && false {\n",
        tests: SLEEP,
    },
    Bug {
        name: "what a sleeper takes out is not archived",
        file: "src/dream/sleep/deep.rs",
        stands: "            if !text.is_empty() {\n",
        planted: "            if !text.is_empty() && false {\n",
        tests: SLEEP,
    },
    Bug {
        name: "a sleeper in a group is told when it wakes up",
        file: "src/dream/sleep/awake.rs",
        stands: "            view.metadata(private)?;\n",
        planted: "            let _ = view.metadata(private);\n",
        tests: SLEEP_ATTACK,
    },
    Bug {
        name: "the heartbeat never refreshes the lock",
        file: "src/file/lease.rs",
        stands: "                    let _ = shared.lock.refresh(shared.disk.clock());\n",
        planted: "",
        tests: LEASE,
    },
    Bug {
        name: "an answer is of a proposal that peers may have dreamed",
        file: "src/dream/commit/steps.rs",
        stands: "    let Some(newest) = intent.ledger.values().map(|entry| entry.modified).max() else { return Ok(false) };\n",
        planted: "    let newest = intent.ledger.values().map(|entry| entry.modified).max().unwrap_or(0);\n",
        tests: PROPOSALS,
    },
    Bug {
        name: "an answered proposal waits on",
        file: "src/dream/commit/proposal.rs",
        stands: "            list.remove(id);\n",
        planted: "",
        tests: PROPOSALS,
    },
    Bug {
        name: "a proposal that was answered is taken away with what was saved in it since",
        file: "src/dream/commit/proposal.rs",
        stands: "if standing.is_some() && standing == *sha256 {",
        planted: "if standing.is_some() {",
        tests: PROPOSALS,
    },
    Bug {
        name: "what a person saved in a proposal is written over by the recovery",
        file: "src/dream/commit/proposal.rs",
        stands: "if workspace.metadata(&name)?.is_some() {",
        planted: "if false {",
        tests: SAVES,
    },
    Bug {
        name: "the list of proposals does not know of one",
        file: "src/dream/commit/proposal.rs",
        stands: "            list.put(waiting);\n",
        planted: "",
        tests: ANSWERS,
    },
    Bug {
        name: "what a person wrote goes through no door",
        file: "src/dream/journal/propose.rs",
        stands: "        self.pass(name, &cleaned)?;\n",
        planted: "",
        tests: PROPOSALS,
    },
    Bug {
        name: "an agent may answer a proposal",
        file: "src/dream/journal/person.rs",
        stands: "access.kind == SessionKind::Main && access.actor == Actor::Human",
        planted: "access.kind == SessionKind::Main",
        tests: PROPOSALS,
    },
    Bug {
        name: "an intent with a proposal passes for one without",
        file: "src/format/state/intent.rs",
        stands: "Self { v: VERSION, proposal: Some(step), ..self }",
        planted: "Self { proposal: Some(step), ..self }",
        tests: PROPOSALS,
    },
    Bug {
        name: "a quote may stand in parts of words",
        file: "src/dream/evidence/quotes.rs",
        stands: "!parts(quote.chars().next(), before) && !parts(quote.chars().next_back(), after)",
        planted: "true",
        tests: QUOTES,
    },
    Bug {
        name: "memory is read with others present",
        file: "src/session/rights.rs",
        stands: "(SessionKind::Scheduled, _, DocumentKind::Heartbeat) => READ",
        planted: "(_, _, DocumentKind::Memory) | (SessionKind::Scheduled, _, DocumentKind::Heartbeat) => READ",
        tests: GUARDED,
    },
    Bug {
        name: "private rows are found with others present",
        file: "src/sqlite/memory/search.rs",
        stands: "Visibility::Shared => \"shared_memories\"",
        planted: "Visibility::Shared => \"main_memories\"",
        tests: STORES,
    },
    Bug {
        name: "a change that is in no page of the word index is no longer known",
        file: "src/sqlite/memory/terms/keep.rs",
        stands: "self.agent(), terms.changed_in_pages]",
        planted: "self.agent(), terms.changed]",
        tests: TERMS,
    },
    Bug {
        name: "the word index does not look whether others wrote",
        file: "src/sqlite/memory/terms/held.rs",
        stands: "self.moment == Some(self.begun)",
        planted: "self.moment.is_some()",
        tests: TWO_PROCESSES,
    },
    Bug {
        name: "the index does not ask who searches",
        file: "src/sql/chunks/driver.rs",
        stands: "WHERE d.user_id = $1 AND d.agent_id = $2 AND (d.audience & $3) <> 0",
        planted: "WHERE d.user_id = $1 AND d.agent_id = $2 AND $3 IS NOT NULL",
        tests: INDEX,
    },
    Bug {
        name: "what a model appends to a journal passes for the user's",
        file: "src/tools/documents.rs",
        stands: "self.view.append_from(&name, &arguments.content, origin.clone())",
        planted: "self.view.append(&name, arguments.content.as_bytes())",
        tests: TOOLS,
    },
    Bug {
        name: "a tool replaces a document that was never read",
        file: "src/tools/documents.rs",
        stands: "map_or(WriteMode::Create, WriteMode::IfRevision)",
        planted: "map_or(WriteMode::Replace, WriteMode::IfRevision)",
        tests: TOOLS,
    },
    Bug {
        name: "a model's correction of what a person pinned is written before it is refused",
        file: "src/tools/rows.rs",
        stands: "if is_own && !row.pinned",
        planted: "if is_own",
        tests: TOOLS,
    },
    Bug {
        name: "an agent deletes what a person pinned",
        file: "src/store/edit.rs",
        stands: "(state == Some(FactState::Verified) || pinned_by == Some(Actor::Human))",
        planted: "state == Some(FactState::Verified)",
        tests: PINS,
    },
    Bug {
        name: "a search of rows is masked by nobody",
        file: "src/store/mask.rs",
        stands: "hit.memory = veil.row(hit.memory)?;",
        planted: "let _ = &mut veil;",
        tests: SEARCHES,
    },
    Bug {
        name: "a search of documents is masked by nobody",
        file: "src/session/indexed.rs",
        stands: "for ShownPassage { lines, content } in passages.shown(&result)?.into_iter().flatten() {\n",
        planted: "for ShownPassage { lines, .. } in passages.shown(&result)?.into_iter().flatten() {\n                let content = result.content.clone();\n",
        tests: SEARCHES,
    },
    Bug {
        name: "a path of a model climbs to the root",
        file: "src/tools/memory_tool.rs",
        stands: "\"..\" => drop(segments.pop().ok_or_else(escapes)?)",
        planted: "\"..\" => drop(segments.pop())",
        tests: TOOLS,
    },
    Bug {
        name: "the checksum of a state file is not compared",
        file: "src/format/state/seal.rs",
        stands: "return if of(&body).as_bytes() == check {",
        planted: "return if check.len() == DIGITS {",
        tests: SEALS,
    },
    Bug {
        name: "an append goes on in a line that has no end",
        file: "src/file/documents.rs",
        stands: "&[line_break(file.as_ref(), name, len, bytes)?, bytes].concat()",
        planted: "&[&line_break(file.as_ref(), name, len, bytes)?[..0], bytes].concat()",
        tests: ENDS,
    },
    Bug {
        name: "an append to a database goes on in a line that has no end",
        file: "src/sqlite/documents.rs",
        stands: "[before, line_break_before(before.last().copied(), bytes), bytes].concat()",
        planted: "[before, &line_break_before(before.last().copied(), bytes)[..0], bytes].concat()",
        tests: ENDS,
    },
    Bug {
        name: "a try that was held whole is not counted",
        file: "src/dream/journal/select/slice.rs",
        stands: "entry.tries = entry.tries.saturating_add(1);",
        planted: "entry.tries = entry.tries.max(1);",
        tests: TRIES,
    },
    Bug {
        name: "a database is not compared with its mark",
        file: "src/sqlite/commits.rs",
        stands: "    if found >= mark.held {\n",
        planted: "    if found >= mark.held || mark.held > 0 {\n",
        tests: SHRUNK,
    },
    Bug {
        name: "a file of rows is not compared with its mark",
        file: "src/file/memory/lines.rs",
        stands: "Some(mark).filter(|mark| !mark.is_in(&whole))",
        planted: "Some(mark).filter(|mark| !mark.is_in(&whole) && whole.len() > 1 << 40)",
        tests: SHORTENED,
    },
    Bug {
        name: "an error repeats the key",
        file: "src/model/http/key.rs",
        stands: "key.map_or_else(|| line.clone(), |key| key.mask(&line))",
        planted: "key.map_or_else(|| line.clone(), |_| line.clone())",
        tests: KEYS,
    },
    Bug {
        name: "vectors of another generation are compared with a question",
        file: "src/store/vectors/arm.rs",
        stands: "if serving.generation != generation || serving.dimensions",
        planted: "if serving.dimensions",
        tests: VECTORS,
    },
    Bug {
        name: "a generation serves while rows wait",
        file: "src/store/vectors/ready.rs",
        stands: "rows == embedded + failed + skipped &&",
        planted: "rows >= embedded + failed + skipped &&",
        tests: VECTORS,
    },
    Bug {
        name: "a vector is kept of words that changed meanwhile",
        file: "src/store/vectors/fill.rs",
        stands: "entries.iter().filter(|(id, of, _)| standing.get(id) == Some(of));",
        planted: "entries.iter().filter(|(id, _, _)| standing.contains_key(id));",
        tests: VECTORS,
    },
    Bug {
        name: "the shelf of a shared session holds private rows",
        file: "src/sql/memory/vectors.rs",
        stands: "Some(sight) if sight != Sight::from(Visibility::All) => Visibility::Shared,",
        planted: "Some(sight) if sight > Sight(u8::MAX) => Visibility::Shared,",
        tests: VECTORS,
    },
    Bug {
        name: "a shared session is near to chunks that it may not read",
        file: "src/sql/chunks/search.rs",
        stands: "sight: Sight(Audience::bit(kind))",
        planted: "sight: Sight(Audience::bit(kind).min(1))",
        tests: VECTORS_OF_CHUNKS,
    },
    Bug {
        name: "a text that changed keeps its vector",
        file: "src/sqlite/memory/vectors/tables.rs",
        stands: "OR old.shared IS NOT new.shared OR old.content IS NOT new.content",
        planted: "OR old.shared IS NOT new.shared",
        tests: VECTORS,
    },
    Bug {
        name: "a row in a file that changed keeps its vector",
        file: "src/file/memory/vectors/states.rs",
        stands: "self.all.get(*place as usize).filter(|state| state.revision == revision)",
        planted: "self.all.get(*place as usize).filter(|state| state.revision <= revision)",
        tests: VECTORS_OF_A_FILE,
    },
    Bug {
        name: "a row that is removed leaves its vector",
        file: "src/sqlite/memory/vectors/tables.rs",
        stands: "WHEN EXISTS (SELECT 1 FROM memory_generations) BEGIN\n        DELETE FROM memory_vectors WHERE text_id = old.id;",
        planted: "WHEN EXISTS (SELECT 1 FROM memory_generations) BEGIN\n        DELETE FROM memory_vectors WHERE text_id < 0;",
        tests: VECTORS_GONE,
    },
    Bug {
        name: "a text leaves for an embedder without masks",
        file: "src/gate/doors.rs",
        stands: "Ok(passed) => Ok(Some(passed.text.into_owned())),",
        planted: "Ok(_) => Ok(Some(text.to_owned())),",
        tests: VECTORS_OF_CHUNKS,
    },
    Bug {
        name: "a row that words settle gives way to a nearer one",
        file: "crates/noctuary-index/src/rank/meaning.rs",
        stands: "        keep_first(&mut fused, &words, &certain);\n        weighed.ranked",
        planted: "        let _ = &certain;\n        weighed.ranked",
        tests: SETTLED,
    },
    Bug {
        name: "a row is beside another across a gap that nobody looked behind",
        file: "src/sqlite/memory/beside.rs",
        stands: "if is_cut && before < REACH {",
        planted: "if is_cut && before > passed.len() {",
        tests: BESIDE,
    },
];

#[test]
fn every_bug_fits_the_code() {
    let root = noctuary_tests::root();
    let (mut names, mut strays) = (BTreeSet::new(), Vec::new());
    for Bug { name, file, stands, planted, .. } in BUGS {
        let code = fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        if code.matches(stands).count() != 1 {
            strays.push(format!("{file}: {name}"));
        }
        assert_ne!(stands, planted, "{name}");
        assert!(names.insert(name), "two bugs are called {name}");
    }
    assert!(strays.is_empty(), "these do not fit the code once: {strays:#?}");
}

#[test]
#[ignore = "compiles the crate once for each bug"]
fn every_planted_bug_is_seen() {
    let (crate_root, copy) = (noctuary_tests::root(), scratch());
    let mut unseen = Vec::new();
    let wanted = std::env::var("NOCTUARY_PLANTED").unwrap_or_default();
    let bugs: Vec<&Bug> =
        BUGS.iter().filter(|bug| wanted.split('|').any(|part| bug.name.contains(part))).collect();
    assert!(!bugs.is_empty(), "no bug is called {wanted}");
    copy_crate(crate_root, &copy);
    let tests: BTreeSet<Tests> = bugs.iter().map(|bug| bug.tests).collect();
    for tests in tests {
        let ran = run(&copy, tests).unwrap_or_else(|said| panic!("{tests:?} does not compile\n{said}"));
        assert_eq!(ran.failed, [""; 0], "{tests:?} without a bug");
        for part in tests.names {
            assert!(ran.passed.iter().any(|name| name.contains(part)), "no test that runs is called {part}");
        }
    }
    for bug in &bugs {
        let path = copy.join(bug.file);
        let code = fs::read_to_string(&path).expect("a file of the crate");
        if code.matches(bug.stands).count() != 1 {
            println!("does not fit {}: {}", bug.file, bug.name);
            unseen.push(bug.name);
            continue;
        }
        fs::write(&path, code.replacen(bug.stands, bug.planted, 1)).expect("a file of the copy");
        match run(&copy, bug.tests).map(|ran| ran.failed).as_deref() {
            Ok([test, ..]) => println!("seen: {} ({test})", bug.name),
            Ok([]) => {
                println!("NOT SEEN: {}", bug.name);
                unseen.push(bug.name);
            }
            Err(said) => {
                println!("does not compile: {}\n{said}", bug.name);
                unseen.push(bug.name);
            }
        }
        fs::write(&path, code).expect("a file of the copy");
    }
    println!("{} of {} planted bugs seen", bugs.len() - unseen.len(), bugs.len());
    assert!(unseen.is_empty(), "not seen: {unseen:#?}");
}

/// A folder beside the build, so that a second run compiles less.
fn scratch() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("planted");
    let _ = fs::remove_dir_all(folder.join("crate"));
    folder.join("crate")
}

fn copy_crate(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder for the copy");
    for name in ["Cargo.toml", "Cargo.lock", "README.md"] {
        fs::copy(from.join(name), to.join(name)).expect("a file of the crate");
    }
    for name in ["src", "crates", "tests", "benches", "examples"] {
        copy_folder(&from.join(name), &to.join(name));
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder for the copy");
    for entry in fs::read_dir(from).expect("a folder of the crate") {
        let path = entry.expect("an entry").path();
        // What the examples with a workspace of their own were built into.
        if path.ends_with("target") {
            continue;
        }
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy_folder(&path, &target);
        } else {
            fs::copy(&path, &target).expect("a file of the crate");
        }
    }
}

/// The names of the tests that ran.
struct Ran {
    passed: Vec<String>,
    failed: Vec<String>,
}

/// Runs some tests of the copy; an error is what the compiler says.
fn run(copy: &Path, tests: Tests) -> Result<Ran, String> {
    let built = cargo(copy, tests, true);
    if !built.status.success() {
        return Err(String::from_utf8_lossy(&built.stderr).into_owned());
    }
    let output = cargo(copy, tests, false);
    let said = String::from_utf8_lossy(&output.stdout);
    let ended = |end: &str| -> Vec<String> {
        let names = said.lines().filter_map(|line| line.strip_prefix("test ")?.strip_suffix(end));
        names.map(str::to_owned).collect()
    };
    let (passed, mut failed) = (ended(" ... ok"), ended(" ... FAILED"));
    if failed.is_empty() && !output.status.success() {
        failed.push(said.into_owned());
    }
    Ok(Ran { passed, failed })
}

/// Builds some tests of the copy, and runs them unless they are only to be built.
fn cargo(copy: &Path, tests: Tests, only_builds: bool) -> Output {
    let mut command = Command::new(env!("CARGO"));
    command.args(["test", "--offline", "--profile", "mutants"]);
    if only_builds {
        command.arg("--no-run");
    }
    command.args(tests.binaries).args(["--", "--include-ignored"]).args(tests.names);
    command.args(tests.without.iter().flat_map(|part| ["--skip", part]));
    command.current_dir(copy).env("CARGO_TARGET_DIR", copy.with_file_name("build"));
    // Of a build from scratch each time, one bug takes four times as long.
    command.env_remove("CARGO_INCREMENTAL");
    command.output().expect("cargo runs")
}
