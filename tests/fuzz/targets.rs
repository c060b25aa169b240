//! Promises for any bytes, one function a target. Each panics with the broken promise.
//!
//! A target uses what the crate offers to everybody, over a folder that is emptied before each run. Inputs of
//! several parts are parted by the byte 0x1e.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, FixedOffset, NaiveDate, TimeZone, Utc};
use noctuary::dream::{DreamMode, Evidence, JournalDreamerBuilder, LineOutcome, Notice, SectionCaps, Trust};
use noctuary::format::{DreamId, JournalName, Observations};
use noctuary::gate::{Door, DoorPolicy, Doors, Finding, InjectionPolicy, SecretPolicy};
use noctuary::sleep::{DreamEntry, SleepDreamer};
use noctuary::workspace::{DayPolicy, Revision, WorkspaceExt};
use noctuary::{
    Access, DocName, DreamConfig, DreamReport, Error, FileWorkspace, JournalDreamer, LlmReply, LlmRequest,
    Outcome, PiiFilter, Scope, SecretGate, Workspace, WriteMode, dream_once_at, llm_fn,
};
use serde_json::{Map, Value};

/// The separator of an input's pieces.
pub(crate) const PART: u8 = 0x1e;

/// The first text of `MEMORY.md`.
pub(crate) const MEMORY: &str = "# Memory\n\n- Known already.\n";

/// The journal of the 20th, which the answers cite.
pub(crate) const JOURNAL: &str =
    "- 09:12 [user] The ferry leaves at nine.\n- 09:13 [user] I like tea — grün.\n";

/// An answer to it.
pub(crate) const ANSWER: &str = "### Facts\n- The ferry leaves at nine. (memory/2020-11-20-repl.md#L1)\n\n### Preferences\n- The user likes tea — grün. (memory/2020-11-20-repl.md#L2)\n";

/// The files that [`state_files`] fills, by the first byte of a part. Two are the operator's.
pub(crate) const FILES: [&str; 11] = [
    ".dreamed-state.json",
    ".dreamed-quarantine.json",
    ".dreaming.d/ledger.json",
    ".dreaming.d/intent.json",
    ".dreaming.lock",
    ".dreaming.d/guard",
    ".dreaming.d/log.jsonl",
    "MEMORY.md",
    "memory/2020-11-20-repl.md",
    ".dreaming.d/forgotten.json",
    ".dreaming.d/proposals.json",
];

/// Any bytes in any state file: a night ends well or says what is wrong, and nobody loses anything.
pub(crate) fn state_files(bytes: &[u8]) {
    in_folder(|root| {
        put(root, "MEMORY.md", MEMORY.as_bytes());
        put(root, "memory/2020-11-20-repl.md", JOURNAL.as_bytes());
        for part in bytes.split(|byte| *byte == PART) {
            let Some((which, content)) = part.split_first() else { continue };
            put(root, FILES[usize::from(which.wrapping_sub(b'0')) % FILES.len()], content);
        }
        let before = tree(root);
        let stood = |file: &str| before.get(file);
        let shift = FixedOffset::west_opt(12 * 3600).expect("an offset");
        let policies = [DayPolicy::UTC, DayPolicy::new(shift, 4)];
        let policy = policies[bytes.len() % 2];
        let ended = night(root, 21, ANSWER, |config| {
            config.window_days = Some(30);
            config.day = policy;
        });
        let after = tree(root);
        for (file, content) in &before {
            let now = after.get(file);
            if is_appended_to(file) {
                assert!(now.is_some_and(|now| now.starts_with(content)), "{file} lost bytes");
            } else if !file.starts_with('.') {
                assert_eq!(now, Some(content), "{file} changed");
            }
        }
        match &ended {
            Ok(report) if report.outcome == Outcome::LockHeld => {
                assert_eq!(stood(".dreaming.lock"), after.get(".dreaming.lock"), "a peer's lock");
                assert_eq!(without_locks(&before), without_locks(&after), "the workspace is a peer's");
            }
            Ok(report) => {
                assert!(!after.contains_key(".dreaming.lock"), "the lock is given back");
                assert!(EDITED.iter().all(|file| is_kept(file, &before, &after)), "a file of the operator");
                assert!(!after.contains_key(".dreaming.d/intent.json"), "a commit is finished: {report:?}");
                if let Some(whole) = memory_when_finished(&before).filter(|_| report.recovered.is_some()) {
                    assert!(after["MEMORY.md"].starts_with(&whole), "a torn section is completed");
                }
            }
            Err(error) => {
                // A commit that an earlier run began may have been finished first.
                if !before.contains_key(".dreaming.d/intent.json") {
                    let [was, is] = [&before, &after].map(|tree| without_edits(without_locks(tree)));
                    assert_eq!(was, is, "{error}");
                    assert!(EDITED.iter().all(|file| is_kept(file, &before, &after)), "{error}");
                }
                assert!(error.to_string().is_ascii(), "an error quotes nothing: {error}");
            }
        }
        let sections = |tree: &Tree| count(&tree["MEMORY.md"], b"## Dreamed ");
        assert!(sections(&after) <= sections(&before) + 2, "one for the commit begun, one for the night");
        // Once more changes nothing that is the operator's.
        let again = night(root, 21, ANSWER, |config| {
            config.window_days = Some(30);
            config.day = policy;
        });
        if again.is_err() || ended.is_ok() {
            assert_eq!(documents(&after), documents(&tree(root)), "{ended:?}, then {again:?}");
        }
    });
}

/// The files that a person may edit: one that cannot be read whole is kept beside the one that is begun anew.
const EDITED: [&str; 2] = [".dreamed-state.json", ".dreamed-quarantine.json"];

/// Returns whether a file that a person may edit stands as it did, or under the name of one that was set aside; of one that could
/// be read whole, whether what others put there stands.
fn is_kept(file: &str, before: &Tree, after: &Tree) -> bool {
    let aside = format!("{}.unread-", file.trim_end_matches(".json"));
    before.get(file).is_none_or(|content| {
        let is_it =
            |(name, now): (&String, &Vec<u8>)| (name == file || name.starts_with(&aside)) && now == content;
        let is_whole = serde_json::from_slice::<Map<String, Value>>(strip_bom(content)).is_ok();
        let keys = |tree: &Tree| state_of_others(tree.get(file));
        let stands =
            |(key, value): (&String, &Value)| keys(after).get(key).is_some_and(|now| is_same(now, value));
        after.iter().any(is_it)
            || content.trim_ascii().is_empty()
            || (is_whole && keys(before).iter().all(stands))
    })
}

fn without_edits(mut tree: Tree) -> Tree {
    tree.retain(|file, _| !EDITED.contains(&file.as_str()) && !file.contains(".unread-"));
    tree
}

/// Returns the beginning of `MEMORY.md` after the torn section at its end is whole.
fn memory_when_finished(before: &Tree) -> Option<Vec<u8>> {
    let intent: Value = serde_json::from_slice(before.get(".dreaming.d/intent.json")?).ok()?;
    // Without its last line break, which may stay away.
    let whole = [MEMORY, intent["append"]["section"].as_str()?.trim_end()].concat().into_bytes();
    let memory = &before["MEMORY.md"];
    let known = Revision::of(MEMORY.as_bytes()).to_string();
    if intent["append"]["before_sha256"].as_str() != Some(&known)
        || intent["append"]["before_len"] != MEMORY.len()
    {
        return None;
    }
    (memory.len() > MEMORY.len() && whole.starts_with(memory)).then_some(whole)
}

/// Any bytes in `MEMORY.md` and in journals: a dream only appends, one whole section, and finds it again.
pub(crate) fn sections(bytes: &[u8]) {
    in_folder(|root| {
        let (memory, journal) = match bytes.iter().position(|byte| *byte == PART) {
            Some(at) => (&bytes[..at], &bytes[at + 1..]),
            None => (bytes, bytes),
        };
        let name = if memory.len() % 5 == 4 { "memory.md" } else { "MEMORY.md" };
        put(root, name, memory);
        put(root, "memory/2020-11-19-any.md", journal);
        put(root, "memory/2020-11-20-repl.md", JOURNAL.as_bytes());
        let before = tree(root);
        let ended = night(root, 21, ANSWER, |_| ());
        let after = tree(root);
        if memory.starts_with(b"\xff\xfe") || memory.starts_with(b"\xfe\xff") {
            assert!(matches!(ended, Err(Error::NotUtf8 { .. })), "{ended:?}");
            assert_eq!(without_locks(&before), without_locks(&after));
            return;
        }
        let report = ended.expect("documents alone never end a night");
        let added = after[name].strip_prefix(memory).expect("what stood there stands there").to_vec();
        check_addition(&added, memory, &SectionCaps::default());
        assert_eq!(report.outcome == Outcome::Appended, !added.is_empty(), "{report:?}");
        if report.outcome == Outcome::Appended {
            let id = &report.passes[0].dream_id;
            assert_eq!(DreamId::parse(id.as_str()).as_ref(), Some(id));
        }
        put(root, "memory/2020-11-21-repl.md", b"- 09:12 [user] Nothing more.\n");
        let again = night(root, 22, ANSWER, |_| ()).expect("the second night too");
        assert_eq!(after[name], tree(root)[name], "{again:?}");
        assert!(!again.notices.iter().any(|notice| matches!(notice, Notice::SectionMissing(_))));
    });
}

/// Any answer: `MEMORY.md` gets a section of allowed lines or nothing, the same answer the same bytes, and a
/// section answered again adds nothing.
pub(crate) fn replies(bytes: &[u8]) {
    let (first, answer) = bytes.split_first().unwrap_or((&0, &[]));
    let answer = String::from_utf8_lossy(answer);
    let caps = match first % 4 {
        0 => SectionCaps::new(3, 60, 120),
        1 => SectionCaps::new(1000, usize::MAX, usize::MAX),
        _ => SectionCaps::default(),
    };
    let evidence = match first / 4 % 4 {
        0 => Evidence::Checked,
        1 => Evidence::Required,
        _ => Evidence::Off,
    };
    let crlf = "# Memory\r\n\r\n- Known already.\r\n";
    let memory = if first / 16 % 4 == 0 { crlf } else { MEMORY };
    let configure = |config: &mut DreamConfig| (config.section, config.evidence) = (caps, evidence);
    in_folder(|root| {
        put(root, "MEMORY.md", memory.as_bytes());
        put(root, "memory/2020-11-20-repl.md", JOURNAL.as_bytes());
        let preview = night(root, 21, &answer, |config| {
            configure(config);
            config.mode = DreamMode::Preview;
        });
        let preview = preview.expect("an answer never ends a preview");
        let report = night(root, 21, &answer, configure).expect("an answer never ends a night");
        let after = tree(root);
        let added = after["MEMORY.md"].strip_prefix(memory.as_bytes()).expect("only appended to").to_vec();
        let sections: Vec<String> = report.passes.iter().filter_map(|pass| pass.section.clone()).collect();
        assert_eq!(sections.concat().as_bytes(), added, "the report has the section as it stands");
        let words = |report: &DreamReport| -> Vec<_> {
            report
                .passes
                .iter()
                .map(|pass| (pass.outcome, pass.section.clone(), pass.lines.clone()))
                .collect()
        };
        let mut previewed = words(&preview);
        previewed[0].2.iter_mut().for_each(|line| line.mode = DreamMode::Append);
        assert_eq!(previewed[0], words(&report)[0], "the same answer gives the same bytes");
        check_addition(&added, memory.as_bytes(), &caps);
        assert_eq!(report.outcome == Outcome::Appended, !added.is_empty());
        if matches!(report.outcome, Outcome::LlmError | Outcome::Quarantined) {
            let ledger = after.get(".dreaming.d/ledger.json").map_or(&[][..], Vec::as_slice);
            assert!(!String::from_utf8_lossy(ledger).contains("\"from\""), "nothing counts as shown");
        }
        if !added.is_empty() {
            put(root, "memory/2020-11-21-repl.md", b"- 09:12 [user] Nothing more.\n");
            let section = String::from_utf8(added).expect("a section is text");
            let again = night(root, 22, &section, configure).expect("the second night too");
            assert_eq!(tree(root)["MEMORY.md"], after["MEMORY.md"], "{again:?}");
        }
    });
}

/// Any observations, answers and conversation: a sleep loses no line of anybody's, forges none, and is slept once.
pub(crate) fn sleeps(bytes: &[u8]) {
    let mut parts = bytes.splitn(4, |byte| *byte == PART);
    let mut part = || parts.next().unwrap_or_default();
    let (observations, dream, deep, conversation) = (part(), part(), part(), part());
    let (dream, deep) = (String::from_utf8_lossy(dream), String::from_utf8_lossy(deep));
    in_folder(|root| {
        put(root, "self/observations.md", observations);
        put(root, "self/conversation.jsonl", &[conversation, b"\n"].concat());
        let workspace = Arc::new(FileWorkspace::open(root).expect("the folder is there"));
        let sleeper = SleepDreamer::builder(workspace).enabled(true).configure(|config| {
            config.deep_sleep_every = Some(1);
            config.briefing = true;
            config.claim.settle = Duration::ZERO;
        });
        let sleeper = sleeper.build().expect("a good configuration");
        let sleep = || {
            let model = llm_fn(|request: &LlmRequest| {
                let is_deep = request.system.contains("DROP:");
                Ok(LlmReply::new(if is_deep { deep.as_ref() } else { dream.as_ref() }))
            });
            dream_once_at(&sleeper, &model, &|| time(21)).expect("no answer and no document ends a sleep")
        };
        let report = sleep();
        let after = tree(root);
        let file = |name: &str| {
            let bytes = after.get(&format!("self/{name}")).map(Vec::as_slice).unwrap_or_default();
            String::from_utf8_lossy(bytes).into_owned()
        };
        check_observations(observations, &after["self/observations.md"], &file("archive.md"));
        assert_eq!(
            after["self/conversation.jsonl"],
            [conversation, b"\n"].concat(),
            "only added to by hosts"
        );
        let entries: Vec<DreamEntry> =
            file("dreams.jsonl").lines().map(|line| serde_json::from_str(line).expect("an entry")).collect();
        assert_eq!(entries.len(), usize::from(report.passes[0].outcome == Outcome::Appended), "{report:?}");
        let headed = |name: &str, heading: &str| {
            let text = file(name);
            let body = text.strip_prefix(heading).unwrap_or_else(|| panic!("{name}: {text:?}"));
            body.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>()
        };
        let mut prose: Vec<String> = Vec::new();
        for (name, heading) in [
            ("diary.md", "## 2020-11-21, dream 1\n\n"),
            ("briefing.md", "# Briefing, 2020-11-21\n\n"),
            ("priorities.md", "# Priorities\n\n"),
        ] {
            if !file(name).is_empty() {
                prose.extend(headed(name, heading));
            }
        }
        let numbered = file("priorities.md").lines().skip(2).count();
        assert!(numbered <= 5, "{numbered} priorities");
        for entry in &entries {
            prose.extend(entry.reflection.lines().chain(entry.priority.lines()).map(str::to_owned));
            prose.extend(entry.observations.iter().cloned());
        }
        for line in prose.iter().filter(|line| !line.is_empty()) {
            check_item(line);
        }
        let mut kept = ["diary.md", "briefing.md", "priorities.md"].map(file).to_vec();
        kept.extend(entries.iter().map(|entry| entry.reflection.clone()));
        for text in &kept {
            let found = SecretGate::new().scan(text);
            assert!(found.is_empty(), "a secret is kept: {found:?} in {text:?}");
        }
        let access = Access::agent(Scope::user("rex"));
        let message = sleeper.wake(&access, time(21)).expect("it wakes up").to_string();
        assert!(!message.contains("AKIAIOSFODNN7EXAMPLE"), "a secret is shown");
        assert!(message.chars().all(|c| c == '\n' || !c.is_control()), "{message:?}");
        // Once more changes nothing, but where the first answer was none.
        if report.passes.iter().all(|pass| pass.outcome == Outcome::Appended) {
            assert_eq!((sleep().outcome, documents(&tree(root))), (Outcome::NothingNew, documents(&after)));
        }
    });
}

/// Whether nobody's line was lost of observations: what is none stands in its order, `RED` stands, and what went is in
/// the archive.
fn check_observations(before: &[u8], after: &[u8], archive: &str) {
    let (Ok(text), Ok(now)) = (std::str::from_utf8(before), std::str::from_utf8(after)) else {
        assert!(after.starts_with(before), "what is no text is added to alone");
        return;
    };
    if archive.is_empty() {
        assert!(after.starts_with(before), "nothing was pruned");
    }
    let entries = |text: &str| -> BTreeMap<String, u64> {
        let mut entries = BTreeMap::new();
        for (_, entry) in Observations::parse(text).entries() {
            *entries.entry(format!("{} {entry}", entry.date)).or_default() += 1;
        }
        entries
    };
    let (now_entries, archived) = (entries(now), entries(archive));
    for (entry, count) in entries(text) {
        let stands = now_entries.get(&entry).copied().unwrap_or(0);
        let is_pruned = stands == 0 && archived.contains_key(&entry);
        assert!(stands >= count || is_pruned && !entry[11..].starts_with("RED"), "{entry:?} is lost");
    }
    let parsed = Observations::parse(text);
    let numbers: Vec<u64> = parsed.entries().map(|(number, _)| number).collect();
    let mut rest = now.split_inclusive('\n');
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let is_theirs = !numbers.contains(&number) && !line.trim().is_empty() && !line.contains("## ");
        let line = line.trim_end_matches('\n');
        assert!(
            !is_theirs || rest.any(|now| now.trim_end_matches('\n') == line),
            "{line:?} is gone or out of order"
        );
    }
}

/// Any text as a name: what is taken stays inside and reads back as it was.
pub(crate) fn names(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let day = |year| NaiveDate::from_ymd_opt(year, 11, 21).expect("a day");
    for year in [0, 2020, 9999] {
        for session in [None, Some(text.as_ref())] {
            let journal = JournalName::new(day(year), session);
            check_name(journal.name());
            assert_eq!(JournalName::parse(journal.name()).as_ref(), Some(&journal), "it reads back");
            assert_eq!(JournalName::new(day(year), journal.session()), journal, "and is its own session");
        }
    }
    let id = DreamId::parse(&text);
    assert!(id.is_none_or(|id| id.as_str() == text && text.len() == 16));
    let joined = DocName::JOURNALS.join(&text);
    let name = match DocName::parse(text.as_ref()) {
        Ok(name) => name,
        Err(error) => {
            assert!(error.name.chars().count() <= 80 && !error.name.chars().any(hides), "{error}");
            assert!(joined.is_err() || text.is_empty(), "a part of a name is a name");
            return;
        }
    };
    assert_eq!(name.as_str(), text);
    check_name(&name);
    if let Ok(joined) = &joined {
        assert_eq!(joined.as_str(), format!("memory/{text}"));
        check_name(joined);
    }
    let json = serde_json::to_string(&name).expect("a name prints");
    assert_eq!(serde_json::from_str::<DocName>(&json).ok().as_ref(), Some(&name));
    let journal = JournalName::parse(&name);
    in_folder(|root| {
        let workspace = FileWorkspace::open(root).expect("the folder is there");
        workspace.write(&name, JOURNAL.as_bytes(), WriteMode::Create).expect("any name can be written");
        assert!(root.join(name.as_str()).canonicalize().expect("it is there").starts_with(root));
        let folder = name.folder().map(|folder| DocName::parse(folder).expect("a folder has a name"));
        assert_eq!(workspace.list(folder.as_ref()).expect("a list").documents, std::slice::from_ref(&name));
        let Some(journal) = journal else { return };
        // What the model is shown as the journal's name can be cited.
        let cites = Mutex::new(None);
        let model = llm_fn(|request: &LlmRequest| {
            let fence = request.user.lines().find_map(|line| line.strip_prefix("<<<journal "));
            let shown = fence.and_then(|fence| fence.split_once(' ')).expect("a fence has a name").1;
            let answer = format!("- The ferry leaves at nine. ({}#L1)", shown.trim_end_matches(">>>"));
            *cites.lock().expect("one thread") = Some(answer.clone());
            Ok(LlmReply::new(answer))
        });
        let at = Utc.from_utc_datetime(&journal.date().and_hms_opt(3, 0, 0).expect("an hour"));
        let dreamer = dreamer(root, |config| config.section.item_chars = 2000);
        let report = dream_once_at(&dreamer, &model, &|| at).expect("a night over any name");
        let Some(answer) = cites.into_inner().expect("one thread") else { return };
        let line = &report.passes[0].lines.first().unwrap_or_else(|| panic!("{answer:?}: {report:?}"));
        assert_eq!(line.sources.first().map(|source| &source.name), Some(&name), "{answer:?}: {line:?}");
    });
}

/// Any answer of which nothing is held: its bullets hold no frame, and are clean once they were cleaned.
pub(crate) fn sanitiser(bytes: &[u8]) {
    let answer = String::from_utf8_lossy(bytes);
    let clean = |answer: &str| {
        in_folder(|root| {
            put(root, "memory/2020-11-20-repl.md", JOURNAL.as_bytes());
            let policy = DoorPolicy::new(SecretPolicy::Reject, InjectionPolicy::Allow);
            let doors = Doors::default().policy(Door::DreamReply, policy);
            let dreamer = builder(root).doors(doors).configure(|config| {
                config.section = SectionCaps::new(1000, usize::MAX, usize::MAX);
                (config.evidence, config.trust, config.statements_only) = (Evidence::Off, Trust::All, false);
            });
            let dreamer = dreamer.build().expect("a good configuration");
            let model = llm_fn(|_: &LlmRequest| Ok(LlmReply::new(answer)));
            let report = dream_once_at(&dreamer, &model, &|| time(21)).expect("an answer never ends a night");
            let lines = report.promoted().map(|line| (line.heading.clone(), line.text.clone()));
            let ended: Vec<_> = report.passes.iter().map(|pass| (pass.outcome, &pass.quarantined)).collect();
            (lines.collect::<Vec<_>>(), format!("{ended:?}"))
        })
    };
    let (lines, _) = clean(&answer);
    let print = |(heading, text): &(Option<String>, String)| {
        let heading = heading.as_ref().map(|heading| format!("### {heading}\n"));
        format!("{}- {text}\n", heading.unwrap_or_default())
    };
    for (_, text) in &lines {
        check_item(text);
    }
    if !lines.is_empty() {
        let (again, ended) = clean(&lines.iter().map(print).collect::<String>());
        assert_eq!(again, lines, "twice is once: {ended}");
    }
}

/// Any journal and any answer: what a line is said to cite was shown, and only what cites was checked.
pub(crate) fn citations(bytes: &[u8]) {
    let at = bytes.iter().position(|byte| *byte == PART).unwrap_or(0);
    let (journal, answer) = (&bytes[..at], String::from_utf8_lossy(&bytes[at..]));
    in_folder(|root| {
        put(root, "memory/2020-11-19-any.md", journal);
        put(root, "memory/2020-11-20-repl.md", JOURNAL.as_bytes());
        let report = night(root, 21, &answer, |config| {
            config.max_file_bytes = 256;
            config.section = SectionCaps::new(1000, usize::MAX, usize::MAX);
        });
        let report = report.expect("an answer never ends a night");
        for pass in &report.passes {
            for line in &pass.lines {
                assert!(line.sources.len() <= line.text.len(), "bounded by the text");
                for source in &line.sources {
                    let is_shown = pass.shown.iter().any(|slice| {
                        slice.name == source.name
                            && slice.first_line <= source.first_line
                            && source.last_line <= slice.last_line
                    });
                    assert!(is_shown && source.first_line <= source.last_line, "{source:?} was not shown");
                    assert!(source.last_line - source.first_line <= 40, "{source:?} proves nothing");
                }
                if let LineOutcome::Promoted { cited } = &line.fate {
                    assert_eq!(*cited, !line.sources.is_empty(), "a citation is checked or there is none");
                }
            }
        }
    });
}

/// Journals of any bytes, with any budget: every byte is shown once, in whole characters, under its number.
pub(crate) fn tails(bytes: &[u8]) {
    let (settings, rest) = bytes.split_at(bytes.len().min(3));
    let setting = |at: usize| u64::from(settings.get(at).copied().unwrap_or(9));
    let (max, total) = (4 + setting(0), 1 + setting(1));
    let rest = &rest[..rest.len().min(1024)];
    in_folder(|root| {
        check_tail(root, rest, setting(2));
        let mut journals: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for (at, part) in rest.split(|byte| *byte == PART).enumerate() {
            // The last parts grow the first journals.
            journals.entry(format!("memory/2020-11-{:02}-any.md", 10 + at % 3)).or_default().extend(part);
            if at > 4 {
                break;
            }
        }
        let mut shown: BTreeMap<String, Vec<(u64, u64)>> = BTreeMap::new();
        for night in [21, 22] {
            for (name, content) in &journals {
                put(root, name, content);
                touch(root, name, night - 1);
            }
            check_showing(root, night, (max, total), &journals, &mut shown);
            for content in journals.values_mut() {
                content.extend_from_slice(b"\nand more\n");
            }
        }
    });
}

fn check_tail(root: &Path, bytes: &[u8], max: u64) {
    let workspace = FileWorkspace::open(root).expect("the folder is there");
    put(root, "TOOLS.md", bytes);
    let tail = workspace.read_tail(&DocName::TOOLS, max).expect("a tail");
    let start = usize::try_from(tail.start).expect("a place");
    assert!(start <= bytes.len() && (bytes.len() - start) as u64 <= max);
    assert!((bytes.len() - start) as u64 + 3 >= max.min(bytes.len() as u64), "at most a character is cut");
    let whole = String::from_utf8_lossy(&bytes[start..]);
    assert!(whole.starts_with(&tail.text), "{tail:?}");
    if let Ok(text) = std::str::from_utf8(bytes) {
        assert_eq!(tail.text, text[start..]);
    }
}

fn check_showing(
    root: &Path,
    day: u32,
    (max, total): (u64, u64),
    journals: &BTreeMap<String, Vec<u8>>,
    shown: &mut BTreeMap<String, Vec<(u64, u64)>>,
) {
    let requests = Mutex::new(Vec::new());
    let model = llm_fn(|request: &LlmRequest| {
        requests.lock().expect("one thread").push(request.user.clone());
        Ok(LlmReply::new("NOTHING_TO_PROMOTE"))
    });
    let dreamer = dreamer(root, |config| {
        (config.max_file_bytes, config.total_input_bytes) = (max, total);
        (config.max_passes, config.budget.max_calls_per_day) = (u32::MAX, None);
    });
    let report = dream_once_at(&dreamer, &model, &|| time(day)).expect("journals alone never end a night");
    assert_eq!(report.backlog.bytes, 0, "with enough passes nothing waits");
    let requests = requests.into_inner().expect("one thread");
    let mut requests = requests.iter();
    for pass in &report.passes {
        let len: u64 = pass.shown.iter().map(|slice| slice.to - slice.from).sum();
        assert!(len <= total || pass.shown.len() == 1, "the budget holds");
        let user = if pass.request_bytes > 0 { requests.next().map(String::as_str) } else { None };
        let mut fences = user.into_iter().flat_map(|user| user.split("<<<journal ").skip(1));
        for slice in &pass.shown {
            let name = slice.name.as_str();
            let bytes = &journals[name];
            let (from, to) = (index(slice.from), index(slice.to));
            assert!(from < to && to <= bytes.len() && slice.to - slice.from <= max);
            if let Ok(text) = std::str::from_utf8(bytes) {
                assert!(text.is_char_boundary(from) && text.is_char_boundary(to), "whole characters");
            }
            let first_line = 1 + count(&bytes[..from], b"\n") as u64;
            assert_eq!(slice.first_line, first_line);
            let known = shown.entry(name.to_owned()).or_default();
            let waits = from > 0 && !known.iter().any(|(_, end)| *end == slice.from);
            known.push((slice.from, slice.to));
            let Some(fence) = fences.next() else { continue };
            let mut lines = fence.lines().skip(1).take_while(|line| !line.starts_with("<<<end ")).peekable();
            assert_eq!(lines.next_if_eq(&"[...truncated head]").is_some(), waits, "cut at {from}");
            if pass.masked.is_empty() && pass.stripped.is_empty() {
                let expected = printed(&bytes[from..to], first_line);
                assert_eq!(lines.collect::<Vec<_>>(), expected, "{name} from {from} to {to}");
            }
        }
    }
    assert!(requests.next().is_none(), "each call has its pass");
    for (name, bytes) in journals {
        let known = shown.entry(name.clone()).or_default();
        known.sort_unstable();
        let mut end = 0;
        for (from, to) in known {
            assert_eq!(*from, end, "{name}: shown once, without a gap");
            end = *to;
        }
        assert_eq!(end, bytes.len() as u64, "{name}: shown to its end");
    }
}

/// The lines of a slice as a request has them.
fn printed(slice: &[u8], first_line: u64) -> Vec<String> {
    let plain = |c: char| if c.is_control() || "\u{2028}\u{2029}".contains(c) { ' ' } else { c };
    (first_line..)
        .zip(String::from_utf8_lossy(slice).split('\n'))
        .map(|(number, line)| (number, line.strip_suffix('\r').unwrap_or(line).chars().map(plain).collect()))
        .map(|(number, line): (u64, String)| {
            (number, line.trim_end().trim_start_matches('\u{feff}').to_owned())
        })
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| format!("L{number}| {line}"))
        .collect()
}

/// Any text before the secret filter: findings lie inside of it, and nothing that it finds reaches the model.
pub(crate) fn gate(bytes: &[u8]) {
    let gate = SecretGate::new();
    let text = String::from_utf8_lossy(bytes);
    check_findings(&gate, &text);
    let masked = mask(&text);
    assert_eq!(mask(&masked), masked, "masked twice is masked once");
    in_folder(|root| {
        put(root, "MEMORY.md", bytes);
        put(root, "memory/2020-11-20-repl.md", bytes);
        put(root, "memory/2020-11-19-repl.md", JOURNAL.as_bytes());
        let model = llm_fn(|request: &LlmRequest| {
            // What a fence and the number before each line are made of is ours, and goes over what is joined.
            let fence = |line: &&str| line.starts_with("<<<");
            let shown =
                |line: &'_ str| line.split_once("| ").map_or(line.to_owned(), |(_, text)| text.to_owned());
            let blocks: Vec<&str> = request.user.lines().collect();
            for block in blocks.split(|line| fence(line)) {
                let block: Vec<String> = block.iter().map(|line| shown(line)).collect();
                assert_eq!(gate.scan(&block.join("\n")), [], "no secret leaves");
            }
            let lines = request.user.lines().skip_while(|line| !line.ends_with("-20-repl.md>>>"));
            let last = lines.take_while(|line| !line.starts_with("<<<end")).last().unwrap_or_default();
            let number = last.strip_prefix('L').and_then(|line| line.split_once('|')).map(|(n, _)| n.parse());
            assert!(number.is_none_or(|n| n.is_ok_and(|n: usize| n <= 1 + count(bytes, b"\n"))));
            Ok(LlmReply::new("NOTHING_TO_PROMOTE"))
        });
        let ended = dream_once_at(&dreamer(root, |_| ()), &model, &|| time(21));
        assert!(
            ended.is_ok() || bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff"),
            "{ended:?}"
        );
    });
}

/// Any text in any disguise: findings lie inside of it, the secrets are told plainly, and the same with nothing undone
/// is a part of it.
pub(crate) fn normaliser(bytes: &[u8]) {
    let gate = SecretGate::new();
    let text = String::from_utf8_lossy(bytes);
    let findings = check_findings(&gate, &text);
    for known in gate.clone().undisguised_only().scan(&text) {
        let covers =
            |finding: &Finding| finding.span.start <= known.span.start && known.span.end <= finding.span.end;
        assert!(findings.iter().any(covers), "what stands as it is stays found: {known:?} of {findings:?}");
    }
}

/// Checks what the filter finds in a text, and returns it.
fn check_findings(gate: &SecretGate, text: &str) -> Vec<Finding> {
    let findings = gate.scan(text);
    assert_eq!(findings, gate.scan(text), "the same text has the same findings");
    let mut end = 0;
    for finding in &findings {
        assert!(finding.span.start >= end && finding.span.start < finding.span.end, "{finding:?}");
        assert!(text.get(finding.span.clone()).is_some(), "{finding:?}");
        assert!(SecretGate::classes().any(|class| class == finding.class));
        assert!(!gate.plain(text, finding).is_empty(), "{finding:?}");
        end = finding.span.end;
    }
    assert_eq!(mask(text).matches('\n').count(), text.matches('\n').count(), "lines keep their numbers");
    findings
}

/// As a door masks it.
fn mask(text: &str) -> String {
    let doors = Doors::default()
        .policy(Door::PromptLoad, DoorPolicy::new(SecretPolicy::Redact, InjectionPolicy::Allow));
    doors.pass(Door::PromptLoad, &DocName::MEMORY, text).expect("a prompt is never refused").text.into_owned()
}

/// Checks what a night added to `MEMORY.md`: nothing, or one section of headings and bullets.
fn check_addition(added: &[u8], memory: &[u8], caps: &SectionCaps) {
    let added = std::str::from_utf8(added).expect("a section is text");
    let breaks = (count(added.as_bytes(), b"\r\n"), count(added.as_bytes(), b"\n"));
    assert!(breaks.0 == 0 || breaks.0 == breaks.1, "one kind of line break: {added:?}");
    let added = added.replace("\r\n", "\n");
    if added.is_empty() {
        return;
    }
    let gap = if memory.is_empty() { 0 } else { 1 + usize::from(!memory.ends_with(b"\n")) };
    assert!(added.starts_with(&"\n".repeat(gap)), "on a line of its own: {added:?}");
    let lines: Vec<&str> = added[gap..].strip_suffix('\n').expect("a whole line").split('\n').collect();
    let [title, mark, first_blank, body @ .., last_blank, end] = lines.as_slice() else {
        panic!("too short: {added:?}");
    };
    let date = title.strip_prefix("## Dreamed ").expect("a title");
    assert!(NaiveDate::parse_from_str(date, "%Y-%m-%d").is_ok(), "{title:?}");
    let id = mark.strip_prefix("<!-- dream:v1 id=").and_then(|mark| mark.get(..16)).expect("a mark");
    assert!(DreamId::parse(id).is_some() && mark.ends_with(" -->"), "{mark:?}");
    assert_eq!(*end, format!("<!-- /dream:v1 id={id} -->"));
    assert_eq!((*first_blank, *last_blank), ("", ""));
    assert_eq!(SecretGate::new().scan(&body.join("\n")), [], "no secret is promoted");
    let (mut items, mut bytes) = (0, 0);
    for line in body {
        let Some(text) = line.strip_prefix("- ") else {
            assert!(["", "### Facts", "### Preferences", "### Decisions"].contains(line), "{line:?}");
            continue;
        };
        items += 1;
        bytes += text.len() + 3;
        assert!(text.chars().count() <= caps.item_chars, "{text:?}");
        check_item(text);
    }
    assert!(items > 0 && items <= caps.items && bytes <= caps.bytes, "{items} items, {bytes} bytes");
}

fn check_item(text: &str) {
    assert!(!text.trim().is_empty() && text == text.trim(), "{text:?}");
    assert!(!text.chars().any(hides), "{text:?}");
    for frame in
        ["<!", "-->", "![", "](", "][", "</", "<?", "<|", "<memory-context", "[INST]", "&amp;", "&gt;"]
    {
        assert!(!text.contains(frame), "{frame} in {text:?}");
    }
    let opens = |pair: &[u8]| pair[0] == b'<' && pair[1].is_ascii_alphabetic();
    assert!(!text.as_bytes().windows(2).any(opens), "a tag in {text:?}");
    assert!(!text.starts_with(['#', '>']), "a block in {text:?}");
    assert!(!text.starts_with("```") && !text.starts_with("~~~"), "a fence in {text:?}");
    let word = text.trim_matches(|c: char| !c.is_alphanumeric());
    let tokens = ["NOTHING_TO_PROMOTE", "BOOTSTRAP_DONE", "HEARTBEAT_OK", "NO_REPLY"];
    assert!(!tokens.contains(&word), "a token: {text:?}");
}

/// Whether a character hides or reorders text, or breaks a line.
fn hides(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}'
                | '\u{feff}' | '\u{e0001}'..='\u{e007f}'
        )
}

fn check_name(name: &DocName) {
    let text = name.as_str();
    assert!(!text.is_empty() && text.len() <= 512 && !text.contains('\\') && !text.chars().any(hides));
    for segment in text.split('/') {
        assert!(!segment.is_empty() && !segment.starts_with('.') && !segment.ends_with('.'), "{text:?}");
    }
    assert!(Path::new(text).is_relative());
    let whole = name.folder().map_or(String::new(), |folder| format!("{folder}/")) + name.file_name();
    assert_eq!(whole, text);
}

/// One night, in which the model gives one answer.
pub(crate) fn night(
    root: &Path,
    day: u32,
    answer: &str,
    change: impl FnOnce(&mut DreamConfig),
) -> Result<DreamReport, Error> {
    let model = llm_fn(|_: &LlmRequest| Ok(LlmReply::new(answer)));
    dream_once_at(&dreamer(root, change), &model, &|| time(day))
}

/// A dreamer that looks at every journal and waits for nobody.
pub(crate) fn dreamer(root: &Path, change: impl FnOnce(&mut DreamConfig)) -> JournalDreamer {
    builder(root).configure(change).build().expect("a good configuration")
}

fn builder(root: &Path) -> JournalDreamerBuilder {
    let workspace = Arc::new(FileWorkspace::open(root).expect("the folder is there"));
    JournalDreamer::builder(workspace).enabled(true).configure(|config| {
        config.window_days = None;
        config.claim.settle = Duration::ZERO;
    })
}

fn time(day: u32) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2020, 11, day, 3, 0, 0).single().expect("a day of November")
}

/// Runs in a folder that is empty at first, one for each thread.
pub(crate) fn in_folder<T>(run: impl FnOnce(&Path) -> T) -> T {
    thread_local! {
        static FOLDER: tempfile::TempDir = {
            let memory = Path::new("/dev/shm");
            let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
            folder.expect("a temporary folder")
        };
    }
    FOLDER.with(|folder| {
        let root = folder.path().canonicalize().expect("the folder is there");
        for entry in fs::read_dir(&root).expect("a list") {
            let entry = entry.expect("an entry");
            let is_folder = entry.file_type().expect("a kind").is_dir();
            let removed =
                if is_folder { fs::remove_dir_all(entry.path()) } else { fs::remove_file(entry.path()) };
            removed.expect("what a run left can be removed");
        }
        run(&root)
    })
}

/// Writes a file as it would stand after the 20th of November 2020.
pub(crate) fn put(root: &Path, file: &str, bytes: &[u8]) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, bytes).expect("a file");
    touch(root, file, 20);
}

fn touch(root: &Path, file: &str, day: u32) {
    let file = fs::File::options().write(true).open(root.join(file)).expect("a file");
    file.set_modified(SystemTime::from(time(day))).expect("a time");
}

/// Every file with its bytes.
type Tree = BTreeMap<String, Vec<u8>>;

/// Reads every file below a folder.
pub(crate) fn tree(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a list") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
                tree.insert(name, fs::read(&path).expect("a file"));
            }
        }
    }
    tree
}

/// Without what a claim leaves behind.
fn without_locks(tree: &Tree) -> Tree {
    let mut tree = tree.clone();
    tree.retain(|file, _| {
        // The folder of the locks is made with a file that has git leave it out.
        let made_with_locks = [".dreaming.d/guard", ".dreaming.d/write-guard", ".dreaming.d/.gitignore"];
        file != ".dreaming.lock" && !made_with_locks.contains(&file.as_str())
    });
    tree
}

/// The files that are a person's.
fn documents(tree: &Tree) -> Tree {
    let mut tree = tree.clone();
    tree.retain(|file, _| !file.starts_with('.'));
    tree
}

fn is_appended_to(file: &str) -> bool {
    matches!(file, "MEMORY.md" | ".dreaming.d/log.jsonl")
}

fn strip_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// The keys of a state file that are not ours.
fn state_of_others(bytes: Option<&Vec<u8>>) -> BTreeMap<String, Value> {
    const OURS: [&str; 10] = [
        "last_processed_mtime",
        "last_run_at",
        "last_outcome",
        "consecutive_failures",
        "next_allowed_at",
        "counted_day",
        "calls_that_day",
        "bytes_that_day",
        "own_mark",
        "check",
    ];
    let bytes = bytes.map(Vec::as_slice).unwrap_or_default();
    let Ok(Value::Object(keys)) = serde_json::from_slice(strip_bom(bytes)) else { return BTreeMap::new() };
    keys.into_iter().filter(|(key, _)| !OURS.contains(&key.as_str())).collect()
}

/// Whether two values are the same; fractions may differ in their last digit.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|other| is_same(value, other)))
        }
        (Value::Number(one), Value::Number(other)) if one.is_f64() => other.is_f64(),
        (one, other) => one == other,
    }
}

fn count(bytes: &[u8], part: &[u8]) -> usize {
    bytes.windows(part.len()).filter(|window| *window == part).count()
}

fn index(place: u64) -> usize {
    usize::try_from(place).expect("a place in a small file")
}
