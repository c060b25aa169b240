//! A run over notes: ask for classes, then for lessons, then for methods.

use chrono::{DateTime, Utc};

use super::dreamer::RoleDreamer;
use super::{answer, ask};
use crate::base::digest::Hasher;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::name::StateName;
use crate::base::order;
use crate::dream::engine::{self, Asking, Dream, Due, Pass, Run, Terms, Then, tell_request};
use crate::dream::facts::asked;
use crate::dream::profile::instructs;
use crate::dreamer::{
    DreamMode, Dreamer, Failure, Hold, HoldReason, LineOutcome, LineReport, Outcome, PassReport, Step,
};
use crate::format::DreamId;
use crate::format::replies::fences::{Printer, one_line};
use crate::format::replies::reply::NOTHING_TO_PROMOTE;
use crate::format::state::asked::AskedState;
use crate::gate::{Door, DoorWarning, Masks, is_struck};
use crate::learning::{Reflection, RoleClass, RoleNote};
use crate::llm::LlmRequest;

/// The key for the hash of the lessons that methods were formed of.
const METHODS: &str = "methods";

/// The most lessons that are shown, the latest.
const MAX_LESSONS: usize = 40;

impl Dreamer for RoleDreamer {
    fn begin(&self, now: DateTime<Utc>) -> Result<Step> {
        let config = &self.config;
        let terms = Terms { enabled: config.enabled, mode: DreamMode::Append, claim: &config.pace.claim };
        engine::begin(&self.host, &terms, now, |run| {
            let state = asked::read(run.workspace(), &StateName::ROLES)?;
            Ok(Reflecting { dreamer: self.clone(), state, classed: Vec::new() })
        })
    }
}

/// A run that reflects.
struct Reflecting {
    dreamer: RoleDreamer,
    state: AskedState,
    /// Notes whose classes are known, and whose lessons are not.
    classed: Vec<(RoleNote, RoleClass)>,
}

/// The matter of a pass.
enum Question {
    Classes(Vec<RoleNote>),
    Lessons(Vec<(RoleNote, RoleClass)>),
    /// The hash of the lessons.
    Methods(String),
}

/// The printed matter of a request.
#[derive(Default)]
struct Printed {
    text: String,
    masks: Masks,
    found: Vec<DoorWarning>,
}

impl Dream for Reflecting {
    type Material = Question;

    fn select(&mut self, run: &mut Run) -> Result<Option<Asking<Question>>> {
        let pace = &self.dreamer.config.pace;
        let calls = run.report.calls;
        if calls == 0 {
            if let Due::NotYet(not_due) = pace.due(run.now(), true, &self.state.pace) {
                run.put_off(Some(not_due));
                return Ok(None);
            }
            let due = self.due_notes(run.now())?;
            if let Some(asking) = self.ask_classes(run, due)? {
                return Ok(Some(asking));
            }
        } else if calls >= pace.max_passes || pace.breaker(run.now(), &self.state.pace).is_some() {
            return Ok(None);
        }
        if self.classed.is_empty() { self.ask_methods(run) } else { self.ask_lessons(run) }
    }

    fn count(&mut self, run: &Run, pass: &PassReport) -> Result<()> {
        self.dreamer.config.pace.count(&mut self.state.pace, run.now(), pass);
        Ok(())
    }

    fn judge(
        &mut self,
        run: &mut Run,
        pass: &mut Pass<Question>,
        answer: Result<String, Failure>,
    ) -> Result<Then> {
        let Pass { report, material } = pass;
        report.outcome = Outcome::NothingToPromote;
        // A secret that a model repeats or invents is masked, and its line left out further down.
        let answer = answer.map(|text| run.host.doors.gate().mask(&text, &mut Masks::default()));
        let judged = match (answer, material) {
            (Err(failure), _) => Err(failure),
            (Ok(text), Question::Classes(notes)) => match answer::classes(&text, notes.len()) {
                Some(classes) => {
                    let of_notes = std::mem::take(notes).into_iter().zip(classes);
                    self.classed = of_notes.filter_map(|(note, class)| Some((note, class?))).gather();
                    Ok(())
                }
                None => Err(Failure::Malformed),
            },
            (Ok(text), Question::Lessons(notes)) => match answer::lessons(&text, notes.len()) {
                Some(lessons) => self.keep_lessons(run, report, notes, lessons).map(Ok)?,
                None => Err(Failure::Malformed),
            },
            (Ok(text), Question::Methods(input)) => self.keep_methods(run, report, &text, input)?,
        };
        if let Err(failure) = judged {
            report.failure = Some(failure);
            report.outcome = Outcome::LlmError;
        }
        self.dreamer.config.pace.stamp(&mut self.state.pace, run.now(), report.outcome);
        run.lease().replace(&StateName::ROLES, &self.state.print())?;
        Ok(if report.outcome == Outcome::LlmError { Then::End } else { Then::GoOn })
    }
}

impl Reflecting {
    /// Returns the notes that are old enough for their role, the oldest first.
    fn due_notes(&self, now: DateTime<Utc>) -> Result<Vec<RoleNote>> {
        let config = &self.dreamer.config;
        let mut notes = self.dreamer.store.notes(&self.dreamer.access, true)?;
        order::retain(&mut notes, |note| now - note.created_at >= config.age_of(&note.role));
        notes.truncate(config.notes);
        Ok(notes)
    }

    fn ask_classes(&self, run: &mut Run, notes: Vec<RoleNote>) -> Result<Option<Asking<Question>>> {
        let (mut shown, mut printed) = (Vec::new(), Printed::default());
        for note in notes {
            if self.print(run, &mut printed, &note, shown.len() + 1, "")? {
                shown.push(note);
            }
        }
        if shown.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.request(run, ask::CLASSES, &printed, Question::Classes(shown))))
    }

    fn ask_lessons(&mut self, run: &mut Run) -> Result<Option<Asking<Question>>> {
        let (mut shown, mut printed) = (Vec::new(), Printed::default());
        for (note, class) in std::mem::take(&mut self.classed) {
            if self.print(run, &mut printed, &note, shown.len() + 1, class.as_str())? {
                shown.push((note, class));
            }
        }
        if shown.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.request(run, ask::LESSONS, &printed, Question::Lessons(shown))))
    }

    /// Asks for methods, where there are enough lessons that nobody was asked about.
    fn ask_methods(&self, run: &mut Run) -> Result<Option<Asking<Question>>> {
        if self.dreamer.methods.is_none() {
            return Ok(None);
        }
        let reflected = self.dreamer.store.notes(&self.dreamer.access, false)?;
        let latest = reflected.last().map_or(0, |note| note.id.get());
        let asked = self.state.asked.get(METHODS).and_then(|asked| asked.split_once('-'));
        let count: usize = asked.and_then(|(count, _)| count.parse().ok()).unwrap_or_default();
        if reflected.len() < count.saturating_add(self.dreamer.config.lessons) {
            return Ok(None);
        }
        let input = format!("{}-{latest}", reflected.len());
        let mut printed = Printed::default();
        for (at, note) in (1..).zip(&reflected[reflected.len().saturating_sub(MAX_LESSONS)..]) {
            if let Some(reflection) = &note.reflection {
                let front = format!("L{at} {}, {}", note.role, reflection.class);
                self.print_line(run, &mut printed, &front, &reflection.lesson)?;
            }
        }
        if printed.text.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.request(run, ask::METHODS, &printed, Question::Methods(input))))
    }

    /// Prints a note; `false` where it does not fit, or its door refuses it.
    fn print(
        &self,
        run: &Run,
        printed: &mut Printed,
        note: &RoleNote,
        number: usize,
        class: &str,
    ) -> Result<bool> {
        let subject = note.subject.as_ref().map(|subject| format!(", about {subject}")).unwrap_or_default();
        let class = if class.is_empty() { String::new() } else { format!(", {class}") };
        let front = format!("N{number} {}{subject}, {}{class}", note.role, note.created_at.date_naive());
        self.print_line(run, printed, &front, &note.content)
    }

    fn print_line(&self, run: &Run, printed: &mut Printed, front: &str, text: &str) -> Result<bool> {
        let (doors, name) = (run.doors(), crate::store::row_name(None));
        let policy = doors.policy_of(Door::DreamRequest, &name);
        // The words in front may show the class of a secret behind them.
        let line = format!("{front}: {}", one_line(text));
        let passed = match doors.judge(Door::DreamRequest, policy, &name, &line, &mut printed.masks) {
            Ok(passed) => passed,
            Err(Error::Stopped { .. }) => return Ok(false),
            Err(error) => return Err(error),
        };
        let pace = &self.dreamer.config.pace;
        let room = pace.room(run.now(), &self.state.pace).saturating_sub(ask::METHODS.len() + 1024);
        if printed.text.len() + passed.text.len() + 1 > room {
            return Ok(false);
        }
        printed.text.push_str(&passed.text);
        printed.text.push('\n');
        printed.found.extend(passed.warnings);
        Ok(true)
    }

    fn request(&self, run: &Run, system: &str, shown: &Printed, question: Question) -> Asking<Question> {
        let mut hasher = Hasher::new();
        hasher.field(b"roles").field(system.as_bytes()).field(shown.text.as_bytes());
        hasher.field(run.now().to_rfc3339().as_bytes());
        let id = hasher.finish();
        let mut printer = Printer::new(id.short(16));
        printer.say("The notes:");
        printer.block("roles.md", &shown.text);
        let mut request = LlmRequest::new(system, printer.finish());
        request.max_output_tokens = self.dreamer.config.pace.budget.max_output_tokens;
        let mut report = PassReport::new(DreamId::from_digest(id));
        tell_request(&mut report, &request, &shown.masks, &shown.found);
        Asking { request, pass: Pass { report, material: question } }
    }

    fn keep_lessons(
        &self,
        run: &Run,
        report: &mut PassReport,
        notes: &[(RoleNote, RoleClass)],
        lessons: Vec<Option<String>>,
    ) -> Result<()> {
        for ((note, class), lesson) in notes.iter().zip(lessons) {
            let Some(lesson) = lesson else { continue };
            let (text, refused) = judged(run, &lesson);
            let fate = if let Some(fate) = refused {
                fate
            } else {
                run.check_lease()?;
                let reflection = Reflection::new(*class, &lesson, run.now());
                kept(self.dreamer.store.reflect(&self.dreamer.access, note.id, &reflection))?
            };
            if matches!(fate, LineOutcome::Promoted { .. }) {
                report.outcome = Outcome::Reflected;
            }
            report.lines.push(LineReport::new(text, None, Vec::new(), fate));
        }
        Ok(())
    }

    fn keep_methods(
        &mut self,
        run: &Run,
        report: &mut PassReport,
        text: &str,
        input: &str,
    ) -> Result<Result<(), Failure>> {
        let methods = match (text.trim() == NOTHING_TO_PROMOTE, answer::methods(text)) {
            (true, _) => Vec::new(),
            (false, Some(methods)) => methods,
            (false, None) => return Ok(Err(Failure::Malformed)),
        };
        let Some(store) = self.dreamer.methods.as_ref() else { return Ok(Ok(())) };
        for method in methods {
            let said = format!("{} | {} | {}", method.name, method.class, method.body);
            let (text, refused) = judged(run, &said);
            let fate = if let Some(fate) = refused {
                fate
            } else {
                run.check_lease()?;
                let created = store.create_method(&self.dreamer.access, &method, run.now());
                kept(created.map(|_| true))?
            };
            if matches!(fate, LineOutcome::Promoted { .. }) {
                report.outcome = Outcome::Reflected;
            }
            report.lines.push(LineReport::new(text, None, Vec::new(), fate));
        }
        self.state.asked.insert(METHODS.to_owned(), input.to_owned());
        Ok(Ok(()))
    }
}

/// Returns a line as a report may tell it, and why it is not kept.
fn judged(run: &Run, line: &str) -> (String, Option<LineOutcome>) {
    if run.forgotten.as_ref().is_some_and(|forgotten| forgotten.holds(line)) {
        return ("[REDACTED:forgotten#1]".to_owned(), Some(LineOutcome::Forgotten));
    }
    if is_struck(line) {
        return (line.to_owned(), Some(LineOutcome::Forgotten));
    }
    if line.contains("[REDACTED:") {
        let hold = Hold { reason: HoldReason::Injection, word: Some("secret".to_owned()) };
        return (line.to_owned(), Some(LineOutcome::Held(hold)));
    }
    (line.to_owned(), instructs(run, line).map(LineOutcome::Held))
}

/// Returns the fate of a line that a store was given.
fn kept(written: Result<bool>) -> Result<LineOutcome> {
    match written {
        Ok(true) => Ok(LineOutcome::Promoted { cited: false }),
        Ok(false) => Ok(LineOutcome::Duplicate),
        Err(Error::Stopped { classes, .. }) => {
            Ok(LineOutcome::Held(Hold { reason: HoldReason::Injection, word: classes.into_iter().next() }))
        }
        Err(Error::Config { setting, .. }) => {
            Ok(LineOutcome::Held(Hold { reason: HoldReason::Injection, word: Some(setting.to_owned()) }))
        }
        Err(error) => Err(error),
    }
}
