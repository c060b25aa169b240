//! A run over notes: ask for classes, then for lessons, then for methods.

use chrono::{DateTime, Utc};

use super::config::RoleConfig;
use super::dreamer::RoleDreamer;
use super::{answer, ask};
use crate::base::digest::Hasher;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::order;
use crate::dream::engine::{Asking, Paced, Pass, Question, Run, Then, held, refused, stopped};
use crate::dreamer::{Dreamer, Failure, LineOutcome, LineReport, Outcome, PassReport, Step};
use crate::format::replies::fences::{Printer, one_line};
use crate::format::replies::reply::NOTHING_TO_PROMOTE;
use crate::gate::{Door, DoorWarning, Masks};
use crate::learning::{NewMethod, Reflection, RoleClass, RoleNote};
use crate::llm::LlmRequest;

/// The key for the hash of the lessons that methods were formed of.
const METHODS: &str = "methods";

/// The most lessons that are shown, the latest.
const MAX_LESSONS: usize = 40;

impl Dreamer for RoleDreamer {
    fn begin(&self, now: DateTime<Utc>) -> Result<Step> {
        let RoleConfig { enabled, pace, .. } = self.config.as_ref();
        let reflecting = |paced| Reflecting { dreamer: self.clone(), paced, classed: Vec::new() };
        self.base.begin(*enabled, pace, now, reflecting)
    }
}

/// A run that reflects.
struct Reflecting {
    dreamer: RoleDreamer,
    paced: Paced,
    /// Notes whose classes are known, and whose lessons are not.
    classed: Vec<(RoleNote, RoleClass)>,
}

/// The matter of a pass.
enum Matter {
    Classes(Vec<RoleNote>),
    Lessons(Vec<(RoleNote, RoleClass)>),
    /// The hash of the lessons.
    Methods(String),
}

/// An answer, in the order of what was shown.
enum Reflected {
    Classes(Vec<Option<RoleClass>>),
    Lessons(Vec<Option<String>>),
    Methods(Vec<NewMethod>),
}

/// The printed matter of a request.
#[derive(Default)]
struct Printed {
    text: String,
    masks: Masks,
    found: Vec<DoorWarning>,
}

impl Question for Reflecting {
    type Material = Matter;
    type Answer = Reflected;

    fn paced(&mut self) -> &mut Paced {
        &mut self.paced
    }

    fn ask(&mut self, run: &mut Run) -> Result<Option<Asking<Matter>>> {
        if run.report.calls == 0 {
            let due = self.due_notes(run.now())?;
            if let Some(asking) = self.ask_classes(run, due)? {
                return Ok(Some(asking));
            }
        }
        if self.classed.is_empty() { self.ask_methods(run) } else { self.ask_lessons(run) }
    }

    fn read(&self, run: &Run, matter: &Matter, text: &str) -> Result<Reflected, Failure> {
        // A secret that a model repeats or invents is masked, and its line left out further down.
        let text = run.host.doors.gate().mask(text, &mut Masks::default());
        let none = Failure::Malformed;
        Ok(match matter {
            Matter::Classes(notes) => Reflected::Classes(answer::classes(&text, notes.len()).ok_or(none)?),
            Matter::Lessons(notes) => Reflected::Lessons(answer::lessons(&text, notes.len()).ok_or(none)?),
            Matter::Methods(_) if text.trim() == NOTHING_TO_PROMOTE => Reflected::Methods(Vec::new()),
            Matter::Methods(_) => Reflected::Methods(answer::methods(&text).ok_or(none)?),
        })
    }

    fn commit(&mut self, run: &Run, pass: &mut Pass<Matter>, answer: Reflected) -> Result<Then> {
        let Pass { report, material } = pass;
        report.outcome = Outcome::NothingToPromote;
        match (answer, material) {
            (Reflected::Classes(classes), Matter::Classes(notes)) => {
                let of_notes = std::mem::take(notes).into_iter().zip(classes);
                self.classed = of_notes.filter_map(|(note, class)| Some((note, class?))).gather();
            }
            (Reflected::Lessons(lessons), Matter::Lessons(notes)) => {
                for ((note, class), lesson) in notes.iter().zip(lessons) {
                    let Some(lesson) = lesson else { continue };
                    let reflection = Reflection::new(*class, &lesson, run.now());
                    let store = &self.dreamer.store;
                    keep_line(run, report, &lesson, &mut || {
                        store.reflect(&self.dreamer.base.access, note.id, &reflection)
                    })?;
                }
            }
            (Reflected::Methods(methods), Matter::Methods(input)) => {
                let Some(store) = &self.dreamer.methods else { return Ok(Then::End) };
                for method in methods {
                    let said = format!("{} | {} | {}", method.name, method.class, method.body);
                    keep_line(run, report, &said, &mut || {
                        store.create_method(&self.dreamer.base.access, &method, run.now()).map(|_| true)
                    })?;
                }
                self.paced.state.asked.insert(METHODS.to_owned(), std::mem::take(input));
            }
            _ => unreachable!("an answer is read by the matter of its pass"),
        }
        self.paced.end(run, report.outcome)?;
        Ok(Then::GoOn)
    }
}

impl Reflecting {
    /// Returns the notes that are old enough for their role, the oldest first.
    fn due_notes(&self, now: DateTime<Utc>) -> Result<Vec<RoleNote>> {
        let config = &self.dreamer.config;
        let mut notes = self.dreamer.store.notes(&self.dreamer.base.access, true)?;
        order::retain(&mut notes, |note| now - note.created_at >= config.age_of(&note.role));
        notes.truncate(config.notes);
        Ok(notes)
    }

    fn ask_classes(&self, run: &Run, notes: Vec<RoleNote>) -> Result<Option<Asking<Matter>>> {
        let (mut shown, mut printed) = (Vec::new(), Printed::default());
        for note in notes {
            if print(run, &self.paced, &mut printed, &note, shown.len() + 1, "")? {
                shown.push(note);
            }
        }
        if shown.is_empty() {
            return Ok(None);
        }
        Ok(Some(request(run, &self.paced, ask::CLASSES, &printed, Matter::Classes(shown))))
    }

    fn ask_lessons(&mut self, run: &Run) -> Result<Option<Asking<Matter>>> {
        let (mut shown, mut printed) = (Vec::new(), Printed::default());
        for (note, class) in std::mem::take(&mut self.classed) {
            if print(run, &self.paced, &mut printed, &note, shown.len() + 1, class.as_str())? {
                shown.push((note, class));
            }
        }
        if shown.is_empty() {
            return Ok(None);
        }
        Ok(Some(request(run, &self.paced, ask::LESSONS, &printed, Matter::Lessons(shown))))
    }

    /// Asks for methods, where there are enough lessons that nobody was asked about.
    fn ask_methods(&self, run: &Run) -> Result<Option<Asking<Matter>>> {
        if self.dreamer.methods.is_none() {
            return Ok(None);
        }
        let reflected = self.dreamer.store.notes(&self.dreamer.base.access, false)?;
        let latest = reflected.last().map_or(0, |note| note.id.get());
        let asked = self.paced.state.asked.get(METHODS).and_then(|asked| asked.split_once('-'));
        let count: usize = asked.and_then(|(count, _)| count.parse().ok()).unwrap_or_default();
        if reflected.len() < count.saturating_add(self.dreamer.config.lessons) {
            return Ok(None);
        }
        let input = format!("{}-{latest}", reflected.len());
        let mut printed = Printed::default();
        for (at, note) in (1..).zip(&reflected[reflected.len().saturating_sub(MAX_LESSONS)..]) {
            if let Some(reflection) = &note.reflection {
                let front = format!("L{at} {}, {}", note.role, reflection.class);
                print_line(run, &self.paced, &mut printed, &front, &reflection.lesson)?;
            }
        }
        if printed.text.is_empty() {
            return Ok(None);
        }
        Ok(Some(request(run, &self.paced, ask::METHODS, &printed, Matter::Methods(input))))
    }
}

/// Prints a note; `false` where it does not fit, or its door refuses it.
fn print(
    run: &Run,
    paced: &Paced,
    printed: &mut Printed,
    note: &RoleNote,
    number: usize,
    class: &str,
) -> Result<bool> {
    let subject = note.subject.as_ref().map(|subject| format!(", about {subject}")).unwrap_or_default();
    let class = if class.is_empty() { String::new() } else { format!(", {class}") };
    let front = format!("N{number} {}{subject}, {}{class}", note.role, note.created_at.date_naive());
    print_line(run, paced, printed, &front, &note.content)
}

fn print_line(run: &Run, paced: &Paced, printed: &mut Printed, front: &str, text: &str) -> Result<bool> {
    let (doors, name) = (run.doors(), crate::store::row_name(None));
    let policy = doors.policy_of(Door::DreamRequest, &name);
    // The words in front may show the class of a secret behind them.
    let line = format!("{front}: {}", one_line(text));
    let passed = match doors.judge(Door::DreamRequest, policy, &name, &line, &mut printed.masks) {
        Ok(passed) => passed,
        Err(Error::Stopped { .. }) => return Ok(false),
        Err(error) => return Err(error),
    };
    if printed.text.len() + passed.text.len() + 1 > paced.room(run, ask::METHODS.len() + 1024) {
        return Ok(false);
    }
    printed.text.push_str(&passed.text);
    printed.text.push('\n');
    printed.found.extend(passed.warnings);
    Ok(true)
}

fn request(run: &Run, paced: &Paced, system: &str, shown: &Printed, material: Matter) -> Asking<Matter> {
    let mut hasher = Hasher::new();
    hasher.field(b"roles").field(system.as_bytes()).field(shown.text.as_bytes());
    hasher.field(run.now().to_rfc3339().as_bytes());
    let id = hasher.finish();
    let mut printer = Printer::new(id.short(16));
    printer.say("The notes:");
    printer.block("roles.md", &shown.text);
    let mut request = LlmRequest::new(system, printer.finish());
    let report = paced.report(id, &mut request, &shown.masks, &shown.found);
    Asking { request, pass: Pass { report, material } }
}

/// Gives a line to a store, and tells its fate.
fn keep_line(
    run: &Run,
    report: &mut PassReport,
    line: &str,
    write: &mut dyn FnMut() -> Result<bool>,
) -> Result<()> {
    let (text, refused) = refused(run, line);
    let fate = if let Some(fate) = refused {
        fate
    } else {
        run.check_lease()?;
        match write() {
            Ok(true) => LineOutcome::Promoted { cited: false },
            Ok(false) => LineOutcome::Duplicate,
            Err(Error::Config { setting, .. }) => held(Some(setting.to_owned())),
            Err(error) => stopped(error)?,
        }
    };
    if matches!(fate, LineOutcome::Promoted { .. }) {
        report.outcome = Outcome::Reflected;
    }
    report.lines.push(LineReport::new(text, None, Vec::new(), fate));
    Ok(())
}
