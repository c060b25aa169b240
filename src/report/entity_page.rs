//! The page on one name, as a person looks at it.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::frame::{POLICY, STYLE};
use super::page::{capital, time};
use super::parts::{count, section};
use super::veil::{Shown, Veil};
use crate::base::day::{DayPolicy, Zone};
use crate::base::debug::debug_as;
use crate::base::text;
use crate::edges::Entity;
use crate::gate::Doors;
use crate::pages::{CompiledPage, PageLine};

/// A page on one name in HTML: a [`CompiledPage`] with its neighbourhood drawn.
///
/// It holds words of memory, and belongs where those do. Secrets are masked once more, whatever the doors of the
/// [`Pages`](crate::pages::Pages) let pass. The same page gives the same bytes.
///
/// # Example: a name and its page
///
/// ```
/// use std::sync::Arc;
/// use chrono::Utc;
/// use noctuary::memory::{NewMemory, Source};
/// use noctuary::pages::Pages;
/// use noctuary::report::EntityPage;
/// use noctuary::{Access, FileMemoryStore, MemoryStore, Scope};
///
/// let folder = tempfile::tempdir()?;
/// let store = Arc::new(FileMemoryStore::open(folder.path(), Scope::user("marta"))?);
/// let marta = Access::human(Scope::user("marta"));
/// store.write(&marta, &NewMemory::new("fact", "Brisk lies in <Lisbon>", Source::UserManual), Utc::now())?;
///
/// let page = Pages::new(store).page(&marta, "Brisk", true, Utc::now())?;
/// let html = EntityPage::new(&page).to_html();
/// assert!(html.contains("Brisk lies in &lt;Lisbon&gt;") && html.contains("<svg"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[must_use = "`to_html` makes the page"]
pub struct EntityPage<'p> {
    page: &'p CompiledPage,
    day: DayPolicy,
    doors: Doors,
}

/// The most neighbours that are drawn.
const DRAWN: usize = 12;

/// Their places around the middle, in thousandths of the radius: every thirtieth degree from the top.
const PLACES: [(i32, i32); DRAWN] = [
    (0, -1000),
    (500, -866),
    (866, -500),
    (1000, 0),
    (866, 500),
    (500, 866),
    (0, 1000),
    (-500, 866),
    (-866, 500),
    (-1000, 0),
    (-866, -500),
    (-500, -866),
];

/// The most characters of a label.
const LABEL: usize = 22;

impl<'p> EntityPage<'p> {
    /// Makes the page.
    pub fn new(page: &'p CompiledPage) -> Self {
        Self { page, day: DayPolicy::UTC, doors: Doors::default() }
    }

    /// Sets the days and the time zone in which the page prints times; UTC without it.
    pub fn day(mut self, day: DayPolicy) -> Self {
        self.day = day;
        self
    }

    /// Sets what finds the secrets that are masked. The policies of the doors are not used.
    pub fn doors(mut self, doors: Doors) -> Self {
        self.doors = doors;
        self
    }

    /// Prints the page: one HTML document.
    #[must_use]
    pub fn to_html(&self) -> String {
        let veil = Veil::new(&self.doors, None);
        let (page, zone) = (self.page, self.day.zone());
        let sections = [
            ("constraints", "Constraints", page.constraints.len(), constraints(page, zone, &veil)),
            ("facts", "What holds now", page.facts.len(), lines(&page.facts, zone, &veil)),
            ("methods", "Methods", page.methods.len(), methods(page, &veil)),
            ("timeline", "Timeline", page.timeline.len(), lines(&page.timeline, zone, &veil)),
            (
                "contradictions",
                "Open contradictions",
                page.contradictions.len(),
                contradictions(page, zone, &veil),
            ),
            ("neighbours", "Neighbours", page.neighbors.len(), neighbors(page, &veil)),
        ];
        let shown: Vec<_> = sections.into_iter().filter(|(_, _, many, _)| *many > 0).collect();
        let latest = if page.is_cut { "the latest " } else { "" };
        let body = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(POLICY);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="referrer" content="no-referrer";
                    title { (veil.show(&page.title)) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    a.skip href="#main" { "Skip to the page" }
                    header {
                        h1 { (veil.show(&page.title)) }
                        @if page.is_empty() { p.outcome.calm { "Nothing is known of it." } } @else if page.texts > 0 {
                            p.outcome.calm {
                                (veil.show(&capital(&page.kinds.join(", ")))) ", in " (latest) (count(page.texts, "text")) "."
                            }
                        }
                    }
                    nav aria-label="Sections" {
                        ul { @for (id, title, ..) in &shown { li { a href={ "#" (id) } { (title) } } } }
                    }
                    main #main {
                        @for (id, title, many, body) in &shown { (section(id, title, &many.to_string(), body)) }
                    }
                    footer {
                        p {
                            "Made by noctuary " (env!("CARGO_PKG_VERSION")) ". This page loads nothing and runs nothing. \
                            It holds words of memory: keep it where they are kept."
                        }
                    }
                }
            }
        };
        body.into_string()
    }
}

debug_as!(EntityPage<'_>, |it| "EntityPage {{ {:?} }}", it.page);

fn constraints(page: &CompiledPage, zone: Zone, veil: &Veil) -> Markup {
    html! {
        ul.lines {
            @for rule in &page.constraints {
                li { div.claim {
                    p { (veil.show(&rule.text)) }
                    p.note { "Approved by " (veil.show(&rule.approved_by)) " " (time(rule.approved_at, zone)) }
                } }
            }
        }
    }
}

fn methods(page: &CompiledPage, veil: &Veil) -> Markup {
    html! {
        ul.lines {
            @for method in &page.methods {
                li { div.claim {
                    p { (veil.show(&method.name)) }
                    p.note { (format!("{:.2}", method.confidence)) " after " (count(method.uses, "use")) }
                } }
            }
        }
    }
}

fn lines(all: &[PageLine], zone: Zone, veil: &Veil) -> Markup {
    html! { ul.lines { @for one in all { li { (line(one, zone, veil)) } } } }
}

/// Prints a statement above its source.
fn line(line: &PageLine, zone: Zone, veil: &Veil) -> Markup {
    html! {
        div.claim {
            p dir="auto" { (veil.show(&line.text)) }
            @if !line.notes.is_empty() { p.why { (veil.show(&line.notes.join(", "))) } }
            p.note {
                (veil.show(&line.kind)) " "
                @if let Some(at) = line.at { (time(at, zone)) " " }
                code { (veil.show(&line.citation.to_string())) }
                @for lines in &line.lines { " " code { (veil.show(&lines.to_string())) } }
            }
        }
    }
}

fn contradictions(page: &CompiledPage, zone: Zone, veil: &Veil) -> Markup {
    html! {
        ul.lines {
            @for pair in &page.contradictions { li { (line(&pair.older, zone, veil)) (line(&pair.newer, zone, veil)) } }
        }
    }
}

/// Draws the first neighbours around the name, a heavier line for more texts, and lists all.
fn neighbors(page: &CompiledPage, veil: &Veil) -> Markup {
    let most = page.neighbors.iter().map(|near| near.texts).max().unwrap_or(1).max(1);
    let drawn = page.neighbors.len().min(DRAWN);
    // Few stand all around, and not beside each other.
    let placed: Vec<_> =
        page.neighbors.iter().take(drawn).zip((0..drawn).map(|at| PLACES[at * DRAWN / drawn])).collect();
    let place = |(x, y): (i32, i32)| (360 + x * 250 / 1000, 210 + y * 165 / 1000);
    html! {
        figure.map {
            svg viewBox="0 0 720 420" role="img" aria-label={ "The names beside " (veil.show(&page.title)) } {
                @for (near, at) in &placed {
                    @let (x, y) = place(*at);
                    line x1="360" y1="210" x2=(x) y2=(y) stroke-width=(1 + near.texts * 4 / most) {}
                }
                @for (near, at) in &placed {
                    @let (x, y) = place(*at);
                    circle cx=(x) cy=(y) r="7" {}
                    text x=(x) y=(y - 12) { (label(&name(page, &near.entity), veil)) }
                }
                circle.middle cx="360" cy="210" r="11" {}
                text.middle x="360" y="194" { (label(&page.title, veil)) }
            }
            figcaption { "Names in the same texts; a heavier line stands for more of them." }
        }
        ul {
            @for near in &page.neighbors {
                li { (veil.show(&name(page, &near.entity))) " " span.soft { (veil.show(&near.entity.kind)) ", " (count(near.texts, "text")) } }
            }
        }
    }
}

/// Returns a name as a text of the page spells it: its key is in lower case. Other kinds of entities are their keys.
fn name(page: &CompiledPage, entity: &Entity) -> String {
    let words = entity.key.split(' ').count();
    for line in page.facts.iter().chain(&page.timeline).filter(|_| entity.kind == "name") {
        let spelled: Vec<&str> = line.text.split_whitespace().collect();
        for run in spelled.windows(words) {
            let run = run.join(" ");
            let run = run.trim_matches(|c: char| !c.is_alphanumeric());
            if Entity::fold(run) == entity.key {
                return run.to_owned();
            }
        }
    }
    entity.key.clone()
}

/// Returns the beginning of a name, masked before it is cut.
fn label(name: &str, veil: &Veil) -> Shown {
    let masked = veil.mask(name);
    let short = text::head(&masked, LABEL, text::Unit::Chars);
    Shown::masked(&if short.len() < masked.len() { format!("{short}…") } else { short.to_owned() })
}
