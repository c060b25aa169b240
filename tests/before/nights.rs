//! Thirty nights by a script, in a folder and in a file of SQLite: what each of them did, and the hash of every file at the
//! end, as the version before had them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chrono::{DateTime, Days, TimeDelta, Utc};
use noctuary::dream::{DreamMode, OverBudget, ProposalEnd, Trust};
use noctuary::exchange::Forget;
use noctuary::format::{DreamId, JournalName, Origin};
use noctuary::life::{
    BootState, Consent, DailyLogConfig, Duty, Editor, TurnEnd, Undreamed, archive_journal, delete_journal,
    due_checks, mark_checked, read_checks,
};
use noctuary::memory::PlaceReceipt;
use noctuary::sleep::{Fatigue, Said, SleepDreamer};
use noctuary::testing::Script;
use noctuary::workspace::{Claim, ClaimTerms, StateName};
use noctuary::{
    DocName, DreamConfig, Error, Extractive, JournalDreamer, Life, LifeConfig, LlmClient, Note, Outcome,
    Workspace, WriteMode,
};

use crate::kit::{
    self, Home, KEY, add, agent, at, dream, hash, honest, human, json, keeper, name, put, text_of, told,
    with_others,
};

/// Statements of the user, one a day.
const FACTS: [&str; 30] = [
    "the harbour ledger moved to shelf 14 on Monday.",
    "Odalys runs the night ferry on Tuesdays.",
    "the tide gauge at Brunsmoor reads 12 cm too high.",
    "the workshop key hangs behind the blue door.",
    "Teun repairs the second winch in week 46.",
    "the archive room floods when the rain lasts 3 days.",
    "our boat insurance ends on 2027-03-31.",
    "the radio on the Kestrel only reaches channel 9.",
    "Mirela keeps the spare chart of the estuary.",
    "the crane at pier 4 lifts 900 kg at most.",
    "the baker delivers 40 loaves before six.",
    "the lamp oil comes from a mill in Tavernay.",
    "Joris learnt to splice rope from his aunt.",
    "the old compass is off by 4 degrees.",
    "the winter timetable begins on 2026-12-13.",
    "the mooring fee rose to 61 euros a month.",
    "the new deckhand is called Ansel Rook.",
    "the fog horn is tested on the first Friday.",
    "the signal flags lie in drawer 3.",
    "the fuel tank of the Kestrel holds 220 litres.",
    "Odalys speaks Frisian with her crew.",
    "the slipway was last cleaned on 2026-10-02.",
    "the harbour office closes at 16:30 in winter.",
    "Mirela painted the buoy off Brunsmoor yellow.",
    "the spare propeller cost 1,340 euros.",
    "the west jetty has 18 bollards.",
    "Teun's workshop moved to Quay Street 7.",
    "the storm of last night broke 2 lanterns.",
    "the pilot boat needs 25 minutes to the outer mark.",
    "the ice house is empty since 2026-11-27.",
];
const DECISIONS: [&str; 15] = [
    "we sail the southern route from now on.",
    "the ledger is closed every Thursday evening.",
    "no cargo above 800 kg goes to pier 4.",
    "Ansel takes over the flag watch.",
    "the Kestrel stays in the dock until January.",
    "we buy rope from Tavernay alone.",
    "the timetable is printed on yellow paper.",
    "repairs above 500 euros need two signatures.",
    "the night ferry waits 5 minutes for the last bus.",
    "we drop the old compass.",
    "Mirela signs the monthly report.",
    "the slipway is cleaned every second month.",
    "the fog horn is replaced in spring.",
    "the lantern stock is doubled to 24.",
    "the harbour diary is kept in English.",
];
const PREFERENCES: [&str; 10] = [
    "short answers in the morning.",
    "distances in nautical miles.",
    "dates written as 2026-11-21.",
    "tea without sugar while we plan.",
    "lists of at most 5 points.",
    "no calls before eight.",
    "charts with north on top.",
    "prices without cents.",
    "one question at a time.",
    "weather first, then the timetable.",
];

/// The sixth note of one day, which is forgotten later.
const PRIVATE: &str = "Fact: my neighbour Ruben Halloway owes me ninety crowns.";

const DAYS: u32 = 30;

/// The evening and the night of a day.
fn night(day: u32) -> DateTime<Utc> {
    (at(11, 1, 3, 0) + Days::new(u64::from(day))).to_utc()
}

fn noon(day: u32, hour: u32, minute: u32) -> DateTime<Utc> {
    at(11, 1, hour, minute) + Days::new(u64::from(day - 1))
}

/// A life that is played.
struct Play<'h> {
    home: &'h dyn Home,
    workspace: std::sync::Arc<dyn Workspace>,
    life: Life,
    diary: String,
    /// The dreams that were appended, oldest first.
    dreams: Vec<DreamId>,
    /// `MEMORY.md` as a forgetful editor holds it.
    held: String,
}

impl<'h> Play<'h> {
    fn new(home: &'h dyn Home) -> Self {
        home.set_clock(noon(1, 8, 0));
        let mut config = LifeConfig::default();
        let mut daily_log = DailyLogConfig::default();
        daily_log.enabled = true;
        config.daily_log = daily_log;
        config.retention.archive_after_days = Some(18);
        config.retention.delete_after_days = Some(26);
        let workspace = home.workspace();
        let life = Life::new(workspace.clone(), config);
        Self { home, workspace, life, diary: String::new(), dreams: Vec::new(), held: String::new() }
    }

    fn tell(&mut self, line: &str) {
        writeln!(self.diary, "{line}").unwrap();
    }

    /// Does something at a time.
    fn step(&mut self, now: DateTime<Utc>, step: impl FnOnce(&mut Self)) {
        self.home.set_clock(now);
        step(self);
        self.home.settle();
    }

    fn dreamer(&self, change: impl FnOnce(&mut DreamConfig)) -> JournalDreamer {
        let dreamer = JournalDreamer::builder(self.workspace.clone()).enabled(true);
        dreamer.configure(change).build().unwrap()
    }

    fn dream(&mut self, day: u32, model: &dyn LlmClient, change: impl FnOnce(&mut DreamConfig)) {
        let now = night(day);
        let dreamer = self.dreamer(change);
        self.step(now, |play| {
            let report = dream(&dreamer, model, now);
            let appended = report.passes.iter().filter(|pass| pass.outcome == Outcome::Appended);
            play.dreams.extend(appended.map(|pass| pass.dream_id.clone()));
            play.tell(&format!("night {day:02}: {}", told(&report)));
        });
    }

    /// A session in the chat of the one human, one with others present, and now and then files of other programs.
    fn day(&mut self, day: u32) {
        let at = usize::try_from(day - 1).unwrap();
        self.step(noon(day, 9, 0), |play| {
            let now = noon(day, 9, 0);
            let mut session = play.life.begin_session(agent(), "repl", "repl", now).unwrap();
            session.prompt(&[]).unwrap();
            let fact = Note::happened(format!("Fact: {}", FACTS[at])).from(Origin::User);
            session.note(&fact, noon(day, 9, 1)).unwrap();
            if day.is_multiple_of(2) {
                let note = Note::decision(format!("Decision: {}", DECISIONS[at / 2])).from(Origin::User);
                session.note(&note, noon(day, 9, 2)).unwrap();
            }
            if day.is_multiple_of(3) {
                let text = format!("Preference: {}", PREFERENCES[at / 3]);
                session.note(&Note::remember(text).from(Origin::User), noon(day, 9, 3)).unwrap();
            }
            let tool = Origin::Tool("tides".to_owned());
            let text = format!("High water at {}:{:02}, low water later.", 3 + day % 9, day * 7 % 60);
            session.note(&Note::happened(text).from(tool), noon(day, 9, 4)).unwrap();
            session.note(&Note::question("Who has the watch tonight?"), noon(day, 9, 5)).unwrap();
            if day == 7 {
                session.note(&Note::happened(PRIVATE).from(Origin::User), noon(day, 9, 6)).unwrap();
            }
            let mut end = TurnEnd::default()
                .opens([format!("look at loop {day}")])
                .note(Note::happened(format!("Looked through {day} pages of the ledger.")));
            if day > 2 {
                end = end.closes([format!("look at loop {}", day - 2)]);
            }
            let reply = if day == 2 { "All set.\nBOOTSTRAP_DONE" } else { "Noted." };
            session.end_turn(reply, end, noon(day, 9, 7)).unwrap();
            session.flush().unwrap();
        });
        if day % 4 == 1 {
            self.step(noon(day, 11, 0), |play| {
                let now = noon(day, 11, 0);
                let mut session = play.life.begin_session(with_others(), "crew", "chat", now).unwrap();
                session.prompt(&[]).unwrap();
                let teun = Origin::Participant("Teun".to_owned());
                let text = format!("Fact: Teun brings {} hooks on Saturday.", 3 + day);
                session.note(&Note::happened(text).from(teun), now).unwrap();
                let web = Note::happened("Fact: the page says that all winches are free.").from(Origin::Web);
                session.note(&web, now).unwrap();
                session.end_turn("Good.", TurnEnd::default(), now).unwrap();
            });
        }
        self.step(noon(day, 14, 0), |play| play.others_write(day));
    }

    /// Journals in the shapes of other programs, and of people.
    fn others_write(&mut self, day: u32) {
        let workspace = self.workspace.as_ref();
        let date = noon(day, 0, 0).format("%Y-%m-%d");
        match day {
            3 => add(
                workspace,
                &format!("memory/{date}-ops.md"),
                format!(
                    "- [14:00:01] [user] The test key is {KEY}, do not keep it.\n- [14:00:09] [agent] Fact: pump 2 was tested.\n"
                ),
            ),
            5 => put(
                workspace,
                &format!("daily/{date}.md"),
                "# A day at the pier\n\nFact: the ladder at berth 6 has a loose rung.\nWe talked for long.\n",
            ),
            8 => put(
                workspace,
                &format!("memory/{date}.md"),
                "## Session [10:00]\r\n\r\n- [10:01] Decision: berth 6 is closed.\r\n- [10:02] I said so twice.\r\n",
            ),
            10 => put(
                workspace,
                &format!("memory/{date}-desk.md"),
                b"- [user] Fact: caf\xe9 by the sluice opens at 7.\n",
            ),
            12 => {
                let mut log = String::new();
                for line in 0..2600 {
                    writeln!(
                        log,
                        "- [12:{:02}:{:02}] [agent] Counted crate {line} of the long shipment.",
                        line / 60 % 60,
                        line % 60
                    )
                    .unwrap();
                    if line % 400 == 0 {
                        writeln!(
                            log,
                            "- [12:00:00] [user] Fact: crate {line} holds {} lamps.",
                            line / 40 + 2
                        )
                        .unwrap();
                    }
                }
                put(workspace, &format!("memory/{date}-count.md"), log);
            }
            14 => put(
                workspace,
                "memory/2026-11-12-count.md",
                "- [12:00:00] [user] Fact: the shipment was counted anew, 77 crates in all.\n",
            ),
            15 => add(
                workspace,
                &format!("memory/{date}-chat.md"),
                "**Marta:** Fact: the chapel clock runs 6 minutes late.\n**Agent:** Noted.\n> Fact: quoted from a page.\n",
            ),
            16 => add(
                workspace,
                "memory/2026-11-15-chat.md",
                "**Marta:** Decision: the chapel clock is repaired by Teun.\n",
            ),
            22 => add(
                workspace,
                &format!("memory/{date}-ops.md"),
                "Preference: reports in plain text\n\n\n- torn lin",
            ),
            23 => add(workspace, "memory/2026-11-22-ops.md", "e\n- [user] Fact: valve 8 was turned off.\n"),
            _ => {}
        }
    }

    fn spoil(kind: usize) -> impl Fn(usize, String) -> String + Send + Sync + 'static {
        move |at, bullet| match (kind, at % 4) {
            (0, _) => bullet.replace(" (", " at 99 places ("),
            (_, 1) => format!("{bullet}\n<!-- a remark -->\n```\n{bullet}\n```"),
            (_, 2) => format!("## Other\n{bullet}\nProse without a mark.\n- ![x](http://example.org/x.png)"),
            (_, 3) => format!("{bullet}\n- Nobody said that 4711 gulls sat there.\nNOTHING_TO_PROMOTE\n---"),
            _ => bullet,
        }
    }

    fn night(&mut self, day: u32) {
        let propose = |config: &mut DreamConfig| config.mode = DreamMode::Propose;
        match day {
            1 | 5 | 17 | 21 | 27 => {
                if day == 17 {
                    self.step(night(day), |play| {
                        let released =
                            play.dreamer(|_| ()).release(&name("memory/2026-11-03-ops.md")).unwrap();
                        play.tell(&format!("released {released}"));
                    });
                }
                if day == 21 {
                    self.take_back_and_bring_again(day);
                }
                if day == 27 {
                    self.dream(day, &honest(), |config| config.mode = DreamMode::Preview);
                }
                self.dream(day, &Extractive::new(), |_| ());
            }
            3 => {
                let leak = keeper(|_, bullet| format!("{bullet}\n- The test key is {KEY}."));
                self.dream(day, &leak, |_| ());
                self.dream(day, &honest(), |_| ());
            }
            6 => self.dream(day, &keeper(Self::spoil(0)), |_| ()),
            8 => self.dream(day, &honest(), propose),
            9 => self.dream(day, &Extractive::new(), propose),
            10 => self.dream(day, &Script::new().fails("no route"), |_| ()),
            13 => self.dream(day, &honest(), |config| {
                config.max_passes = 2;
                config.total_input_bytes = 90 << 10;
            }),
            15 | 20 => {
                if day == 20 {
                    self.save_what_is_stale(day);
                }
                self.dream(day, &keeper(Self::spoil(1)), |_| ());
            }
            16 => {
                self.undo_the_second(day);
                self.dream(day, &honest(), |_| ());
            }
            18 => {
                self.forget(day);
                self.dream(day, &honest(), |_| ());
            }
            19 | 29 => {
                self.sleep(day);
                self.dream(day, &honest(), |config| config.max_passes = 1);
            }
            22 => {
                let now = night(day);
                self.step(now, |play| {
                    let Claim::Granted(lease) = play.workspace.claim(&ClaimTerms::default()).unwrap() else {
                        panic!("nobody else is here")
                    };
                    let report = dream(&play.dreamer(|_| ()), &honest(), now);
                    play.tell(&format!("night {day:02}: {}", told(&report)));
                    lease.release().unwrap();
                });
            }
            23 => self.dream(day, &honest(), |config| {
                config.memory_budget = 4000;
                config.over_budget = OverBudget::Archive;
            }),
            24 => {
                self.answer_proposals(day);
                self.dream(day, &honest(), |_| ());
            }
            25 => {
                self.tidy_up(day);
                self.dream(day, &honest(), propose);
            }
            26 => self.dream(day, &honest(), |config| config.trust = Trust::All),
            28 => self.dream(day, &Script::new().is_cut_off_at("- The storm of last night"), |_| ()),
            _ => self.dream(day, &honest(), |_| ()),
        }
    }

    fn undo_the_second(&mut self, day: u32) {
        let now = night(day);
        self.step(now, |play| {
            let id = play.dreams[1].clone();
            let undone = play.dreamer(|_| ()).undo_dream(&human(), &id, now).unwrap();
            play.tell(&format!("undone {id}: {undone}"));
        });
    }

    /// The dream that was taken back was read again since; the next is taken back and brought again at once.
    fn take_back_and_bring_again(&mut self, day: u32) {
        let now = night(day);
        self.step(now, |play| {
            let dreamer = play.dreamer(|_| ());
            let id = play.dreams[1].clone();
            let refused = match dreamer.redo_dream(&human(), &id, now) {
                Err(Error::DreamStays { path, .. }) => format!("stays because of {path}"),
                other => format!("{other:?}"),
            };
            play.tell(&format!("redo {id}: {refused}"));
            let id = play.dreams.last().unwrap().clone();
            let undone = dreamer.undo_dream(&human(), &id, now).unwrap();
            let redone = dreamer.redo_dream(&human(), &id, now).unwrap();
            play.tell(&format!("undone {id}: {undone}, redone: {redone}"));
        });
    }

    /// An editor that was open since night 18 saves what it read then: later sections are gone.
    fn save_what_is_stale(&mut self, day: u32) {
        self.step(noon(day, 23, 0), |play| {
            let held = format!("{}\n- A line of Marta's own.\n", play.held);
            put(play.workspace.as_ref(), "MEMORY.md", held);
            let editor = Editor::new(play.workspace.as_ref(), human());
            let seen = editor.load(&DocName::USER).unwrap().unwrap().revision();
            let now = noon(day, 23, 0);
            editor.save(&DocName::USER, "# User\n\n- Name: Marta\n", Some(seen), now).unwrap();
            let stale = editor.save(&DocName::USER, "# Nobody\n", Some(seen), now);
            assert!(matches!(stale, Err(Error::Conflict { .. })));
            editor.restore_template(&DocName::TOOLS, play.life.config(), None, now).unwrap_err();
        });
    }

    fn forget(&mut self, day: u32) {
        let now = noon(day, 22, 0);
        self.step(now, |play| {
            let receipt = Forget::new(&human(), "my neighbour Ruben Halloway owes me ninety crowns")
                .in_files(true)
                .workspace(play.workspace.as_ref())
                .run(now)
                .unwrap();
            let mut line = "forgotten".to_owned();
            for place in &receipt.places {
                let PlaceReceipt { place, removed, found, .. } = place;
                write!(line, " {} {removed}/{found}", json(place)).unwrap();
            }
            play.tell(&line);
        });
        self.held = text_of(self.workspace.as_ref(), "MEMORY.md");
    }

    fn sleep(&mut self, day: u32) {
        const DREAM: &str = "OBSERVATIONS:\nRED 20:10 The winch of berth 3 is promised for Friday\nYLW 20:11 Two letters are open\nGRN 20:12 The pump runs\n\nREFLECTION:\nA slow evening.\n\nPRIORITY:\nAnswer the letters.\n";
        const AGAIN: &str = "OBSERVATIONS:\nYLW 20:40 One letter was answered\nGRN 20:41 The pump stopped\n\nREFLECTION:\nBetter.\n\nPRIORITY:\nLook at the pump.\n";
        const DEEP: &str = "DROP:\nnone\n\nPRIORITIES:\n1. The pump\n2. The letters\n3. Rest\n\nDIARY:\nA short stretch by the water.\n";
        let sleeper = SleepDreamer::builder(self.workspace.clone())
            .enabled(true)
            .configure(|config| config.deep_sleep_every = Some(3))
            .build()
            .unwrap();
        let answers = if day == 19 { [DREAM, AGAIN] } else { [AGAIN, DREAM] };
        for (minute, answer) in [(10, answers[0]), (40, answers[1])] {
            self.step(noon(day, 20, minute), |play| {
                let now = noon(day, 20, minute);
                let said = [
                    Said::new("user", format!("How is the pump at {minute}?")),
                    Said::new("assistant", format!("I look at it, on day {day}.")).calls(30),
                ];
                let tired = sleeper.log(&said, now).unwrap();
                let event = serde_json::json!({"kind": "pump", "day": day});
                sleeper.note_event(event.as_object().unwrap().clone(), now).unwrap();
                let plan = sleeper.fall_asleep(900, now).unwrap();
                let report = dream(&sleeper, &Script::new().says(answer).says(DEEP), now);
                play.tell(&format!(
                    "day {day:02} forced {}, sleeps {}: {}",
                    tired == Fatigue::Forced,
                    plan.dreams,
                    told(&report)
                ));
                let now = now + TimeDelta::minutes(15);
                let woken = sleeper.wake(&agent(), now).unwrap();
                play.tell(&format!("woken {}", &hash(woken.to_string().as_bytes())[..16]));
            });
        }
    }

    fn answer_proposals(&mut self, day: u32) {
        let now = noon(day, 21, 0);
        self.step(now, |play| {
            let dreamer = play.dreamer(|_| ());
            let proposals = dreamer.proposals(&human(), now).unwrap();
            for (at, proposal) in proposals.iter().enumerate() {
                if at > 0 {
                    let rejected = dreamer.reject_proposal(&human(), &proposal.id, now).unwrap();
                    play.tell(&format!("rejected {}: {rejected}", proposal.id));
                    continue;
                }
                let document = &proposal.document;
                let edited = document.lossy().replace("short answers", "very short answers");
                let mode = WriteMode::IfRevision(document.revision());
                play.workspace.write(document.name(), edited.as_bytes(), mode).unwrap();
                let report = dreamer.accept_proposal(&human(), &proposal.id, now).unwrap();
                assert_eq!(report.end, ProposalEnd::Appended);
                play.tell(&format!("accepted {}: {:?}", proposal.id, report.section));
            }
        });
    }

    /// Journals go as their retention says, and one more by a person's word.
    fn tidy_up(&mut self, day: u32) {
        let now = noon(day, 21, 0);
        self.step(now, |play| {
            let plan = play.life.propose_retention(now).unwrap();
            let kept: Vec<_> = plan.kept.iter().map(|(journal, _)| journal.name().to_string()).collect();
            play.tell(&format!("kept {kept:?}"));
            let workspace = play.workspace.clone();
            let today = now.date_naive();
            let journals: Vec<JournalName> = plan.archive.iter().chain(&plan.delete).cloned().collect();
            let undreamed = Undreamed::among(workspace.as_ref(), &journals).unwrap();
            for journal in &plan.archive {
                let is_undreamed = |journal: &JournalName| undreamed.contains(journal);
                let to = archive_journal(workspace.as_ref(), journal, today, is_undreamed, None).unwrap();
                play.tell(&format!("archived {to}"));
            }
            let journal = JournalName::parse(&name("memory/2026-11-22-ops.md")).unwrap();
            let consent = Consent::given(&human(), journal.clone()).unwrap();
            let gone = delete_journal(workspace.as_ref(), &journal, today, |_| true, Some(&consent)).unwrap();
            play.tell(&format!("deleted {}: {gone}", journal.name()));
        });
    }
}

/// Removes, by name, the values that cannot be equal in two runs.
fn steady(files: BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    let mut steady = BTreeMap::new();
    for (file, bytes) in files {
        let bytes = match file.as_str() {
            // `counted` is a random token, which tells two counts of the same number apart; `check` is the checksum of the
            // file with it.
            ".dreaming.d/sleep.json" => {
                let mut state: serde_json::Map<String, serde_json::Value> =
                    serde_json::from_slice(&bytes).unwrap();
                assert!(state.remove("check").is_some());
                state.remove("counted");
                serde_json::to_vec(&state).unwrap()
            }
            _ => bytes,
        };
        steady.insert(file, bytes);
    }
    steady
}

#[test]
fn thirty_nights_leave_the_bytes_that_they_left_before() {
    kit::homes(|label, home| {
        let mut play = Play::new(home);
        // A key of its own is drawn by chance where nothing was forgotten yet; this one is fixed.
        let forgotten =
            format!("{{\"v\":1,\"forgotten\":{{\"key\":\"{}\",\"tombstones\":[]}}}}\n", "07".repeat(32));
        play.step(noon(1, 8, 0), |play| {
            play.workspace.write(&StateName::FORGOTTEN, forgotten.as_bytes(), WriteMode::Create).unwrap();
            let boot = play.life.boot(noon(1, 8, 0)).unwrap();
            assert!(!matches!(boot.state, BootState::Uninitialized { .. }));
        });
        let mut before = BTreeMap::new();
        for day in 1..=DAYS {
            play.day(day);
            if day.is_multiple_of(5) {
                play.step(noon(day, 18, 0), |play| {
                    let duties =
                        [Duty::new("mail", TimeDelta::hours(20)), Duty::new("tide", TimeDelta::days(6))];
                    let workspace = play.workspace.as_ref();
                    let now = noon(day, 18, 0);
                    let due: Vec<String> = due_checks(&read_checks(workspace).unwrap(), &duties, now)
                        .into_iter()
                        .map(|duty| duty.name.clone())
                        .collect();
                    for duty in &due {
                        mark_checked(workspace, duty, now).unwrap();
                    }
                    play.diary.push_str(&format!("day {day:02} checked {due:?}\n"));
                });
            }
            play.night(day);
            // The first night that wrote other bytes is where to look.
            let files = steady(home.files());
            for (file, bytes) in files.iter().filter(|(file, bytes)| before.get(*file) != Some(*bytes)) {
                play.tell(&format!("  wrote {} {} {file}", &hash(bytes)[..16], bytes.len()));
            }
            for file in before.keys().filter(|file| !files.contains_key(*file)) {
                play.tell(&format!("  no more {file}"));
            }
            play.tell("");
            before = files;
        }
        let mut found = std::mem::take(&mut play.diary);
        writeln!(found, "\nfiles").unwrap();
        for (file, bytes) in steady(home.files()) {
            writeln!(found, "{} {} {file}", hash(&bytes), bytes.len()).unwrap();
        }
        kit::compare(&format!("nights-{label}.txt"), &found);
    });
}
