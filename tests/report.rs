//! The page on a dream: what it shows, and what can never stand on it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use chrono::FixedOffset;
use html5gum::emitters::default::DefaultEmitter;
use html5gum::{Token, Tokenizer};
use noctuary::dream::DreamMode;
use noctuary::exchange::Forget;
use noctuary::gate::{Door, DoorPolicy, Doors, InjectionPolicy, SecretPolicy};
use noctuary::life::Guarded;
use noctuary::report::DreamPage;
use noctuary::testing::{Script, cases, secrets};
use noctuary::workspace::DayPolicy;
use noctuary::{Access, Actor, DocName, DreamReport, Error, Extractive, Outcome, Scope, SessionKind};
use noctuary_tests::dreaming::{KEY, Life, dream, journal, name, night};
use proptest::prelude::*;
use serde_json::{Value, json};

/// An element of a page: its tag, and what is set on it.
#[derive(Debug)]
struct Element {
    tag: String,
    attributes: Vec<(String, String)>,
    parent: Option<usize>,
}

/// A page as a browser reads it. Fails where it is not well formed: every element is closed where it was opened.
struct Tree {
    elements: Vec<Element>,
    /// The texts, in order, and the element that each stands in.
    texts: Vec<(usize, String)>,
}

/// Elements that hold nothing.
const VOID: &[&str] = &["meta"];

impl Tree {
    fn of(html: &str) -> Self {
        let mut emitter = DefaultEmitter::default();
        emitter.naively_switch_states(true);
        let text = |bytes: &[u8]| std::str::from_utf8(bytes).unwrap().to_owned();
        let (mut elements, mut texts, mut open) = (Vec::<Element>::new(), Vec::new(), Vec::new());
        for token in Tokenizer::new_with_emitter(html, emitter) {
            match token.unwrap() {
                Token::StartTag(tag) => {
                    let element = Element {
                        tag: text(&tag.name),
                        attributes: tag
                            .attributes
                            .iter()
                            .map(|(name, value)| (text(name), text(value)))
                            .collect(),
                        parent: open.last().copied(),
                    };
                    if !VOID.contains(&element.tag.as_str()) {
                        open.push(elements.len());
                    }
                    elements.push(element);
                }
                Token::EndTag(tag) => {
                    let closed = &elements[open.pop().expect("something is open")];
                    assert_eq!(closed.tag, text(&tag.name), "closed where it was opened");
                }
                Token::String(string) => match open.last() {
                    Some(at) => texts.push((*at, text(&string))),
                    None => assert!(text(&string).trim().is_empty(), "text outside of the page"),
                },
                Token::Doctype(doctype) => assert!(&*doctype.name == b"html" && elements.is_empty()),
                Token::Comment(_) => panic!("a page has no comments"),
                Token::Error(error) => panic!("no valid HTML: {error:?}"),
            }
        }
        assert!(open.is_empty(), "all is closed");
        Self { elements, texts }
    }

    fn all<'t>(&'t self, tag: &'t str) -> impl Iterator<Item = (usize, &'t Element)> {
        self.elements.iter().enumerate().filter(move |(_, element)| element.tag == tag)
    }

    /// The text of an element and of all in it.
    fn text(&self, root: usize) -> String {
        let is_in = |mut at: usize| loop {
            match self.elements[at].parent {
                _ if at == root => return true,
                Some(parent) => at = parent,
                None => return false,
            }
        };
        let inside = self.texts.iter().filter(|(at, _)| is_in(*at));
        inside.flat_map(|(_, text)| text.split_inclusive(char::is_whitespace)).collect()
    }

    /// The text of the section with this id.
    fn section(&self, id: &str) -> String {
        let is_it =
            |element: &Element| element.attributes.iter().any(|(name, value)| name == "id" && value == id);
        self.text(self.all("section").find(|(_, element)| is_it(element)).unwrap().0)
    }

    fn attributes(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.elements.iter().flat_map(|element| {
            element
                .attributes
                .iter()
                .map(|(name, value)| (element.tag.as_str(), name.as_str(), value.as_str()))
        })
    }
}

const TAGS: &[&str] = &[
    "a",
    "aside",
    "body",
    "code",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "head",
    "header",
    "html",
    "ins",
    "li",
    "main",
    "mark",
    "meta",
    "meter",
    "nav",
    "ol",
    "p",
    "path",
    "pre",
    "section",
    "span",
    "strong",
    "style",
    "summary",
    "svg",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "ul",
];
const ATTRIBUTES: &[&str] = &[
    "aria-hidden",
    "aria-label",
    "aria-labelledby",
    "charset",
    "class",
    "content",
    "d",
    "datetime",
    "dir",
    "high",
    "href",
    "http-equiv",
    "id",
    "lang",
    "low",
    "max",
    "min",
    "name",
    "optimum",
    "preserveaspectratio",
    "role",
    "scope",
    "tabindex",
    "value",
    "viewbox",
];

/// A report in which every field holds something.
fn specimen() -> Value {
    let source = json!({ "name": "memory/2026-11-20-repl.md", "first_line": 2, "last_line": 3 });
    let line = |text: &str, fate: Value| json!({ "text": text, "heading": "Facts", "sources": [source], "fate": fate });
    let pass = |outcome: &str| {
        json!({
            "outcome": outcome,
            "dream_id": "0123456789abcdef",
            "shown": [{ "name": "memory/2026-11-20-repl.md", "from": 0, "to": 90, "first_line": 1, "last_line": 4 }],
            "request_bytes": 4096,
            "usage": { "input": 1000, "output": 20, "cached_input": 0 },
            "masked": [{ "class": "aws_access_key", "count": 2 }],
            "warned": [{ "class": "override", "count": 1 }],
            "stripped": [source],
            "failure": { "client": { "message": "no route", "retryable": true } },
            "lost": "guard",
            "lines": [
                line("Releases go out on Fridays.", json!({ "promoted": { "cited": true } })),
                line("Releases go out on Mondays.", json!({ "held": { "reason": "name", "word": "Mondays" } })),
                line("Known already.", json!("duplicate")),
                line("Taken out.", json!("removed_before")),
                line("[REDACTED:forgotten#1]", json!("forgotten")),
                line("One more.", json!({ "over_cap": "too_many" })),
            ],
            "dropped": [{ "reason": "heading", "count": 3 }],
            "quarantined": [
                {
                    "pattern": "aws_access_key",
                    "places": [source],
                    "journals": ["memory/2026-11-20-repl.md"],
                    "findings": [{
                        "name": "memory/2026-11-20-repl.md", "class": "aws_access_key", "line": 2, "column": 8,
                        "view": "raw", "confidence": "shape", "preview": "AK…LE", "cure": "take_out_and_release",
                    }],
                },
                { "pattern": "jwt", "places": [], "journals": ["memory/2026-11-19-repl.md"], "findings": [] },
                { "pattern": "pem", "places": [source], "journals": ["memory/2026-11-18.md"], "findings": [] },
            ],
            "section": "\n## Dreamed 2026-11-21\n\n- Releases go out on Fridays.\n",
        })
    };
    let looked = |reason: &str, shown: u64| json!({ "name": format!("memory/2026-11-20-{reason}.md"), "reason": reason, "size": 90, "shown": shown, "pending": 9 });
    json!({
        "schema_version": 1,
        "outcome": "appended",
        "mode": "append",
        "workspace": "/home/marta/agent",
        "started_at": "2026-11-21T03:00:00Z",
        "ended_at": "2026-11-21T03:00:12Z",
        "epoch": 7,
        "recovered": "fedcba9876543210",
        "archived": ["0f3a9c5be2d14477", "1f3a9c5be2d14477"],
        "holder": { "pid": 12, "hostname": "host", "since": "2026-11-21T02:00:00Z" },
        "not_due": { "reason": "back_off", "failures": 2, "next": "2026-11-21T04:00:00Z" },
        "passes": [pass("appended"), pass("pii_detected_quarantine")],
        "journals": [looked("shown", 90), looked("over_budget", 0), looked("already_shown", 0)],
        "backlog": { "journals": 1, "bytes": 9, "oldest": "2026-11-20" },
        "calls": 2,
        "usage": { "input": 2000, "output": 40, "cached_input": 0 },
        "memory": { "chars": 10_274, "budget": 10_000 },
        "notices": [
            "memory_over_budget",
            { "refused_entry": "link" },
            { "stopped_early": "a disk was full" },
            { "case_collision": ["memory/a.md", "memory/A.md"] },
            { "section_missing": "0123456789abcdef" },
            "no_journals",
        ],
    })
}

const LOG: &str = r#"{"v":1,"at":"2026-11-18T03:00:00.000Z","day":"2026-11-18","id":"00000000000000aa","epoch":5,"outcome":"appended","sources":[],"lines":["a","b","c"],"request_bytes":900}
{"v":1,"at":"2026-11-20T03:00:00.000Z","day":"2026-11-20","id":"00000000000000ab","epoch":6,"outcome":"llm_error","sources":[],"request_bytes":900}
{"v":1,"at":"2026-11-21T03:00:00.000Z","day":"2026-11-21","id":"0123456789abcdef","epoch":7,"outcome":"appended","sources":[],"lines":["d"],"request_bytes":4096,"usage":{"input":1000,"output":20,"cached_input":0}}
"#;

const JOURNAL: &str =
    "# 2026-11-20\n[user] releases go out on Fridays\n[agent] Noted: Fridays.\n[user] thanks\n";

fn page(report: &Value, journal: &str, memory: &str, log: &str) -> String {
    let report: DreamReport = serde_json::from_value(report.clone()).unwrap();
    DreamPage::new(&report)
        .journal(name("memory/2026-11-20-repl.md"), journal)
        .memory(memory)
        .log(log)
        .budget(1 << 18)
        .to_html()
}

/// The strings of the specimen that take another text: where each stands, and whether it is the name of a document.
static SLOTS: LazyLock<Vec<(String, bool)>> = LazyLock::new(|| {
    let mut paths = Vec::new();
    strings(&specimen(), &mut String::new(), &mut paths);
    let takes = |path: &str, text: &str| {
        let mut changed = specimen();
        *changed.pointer_mut(path).unwrap() = json!(text);
        serde_json::from_value::<DreamReport>(changed).is_ok()
    };
    let slot = |path: String| match (takes(&path, "<>/"), takes(&path, "memory/x.md")) {
        (true, _) => Some((path, false)),
        (false, is_name) => is_name.then_some((path, true)),
    };
    paths.into_iter().filter_map(slot).collect()
});

/// Puts a text in the place of every string of the specimen that takes it, and another into names.
fn with_everywhere(text: &str, in_name: &str) -> Value {
    let mut report = specimen();
    let in_name = format!("memory/2026-11-20-{in_name}.md");
    for (path, is_name) in &*SLOTS {
        *report.pointer_mut(path).unwrap() = json!(if *is_name { &in_name } else { text });
    }
    report
}

#[test]
fn the_specimen_fills_every_field_of_a_report() {
    let report: DreamReport = serde_json::from_value(specimen()).unwrap();
    let mut fields = BTreeMap::new();
    fill(&serde_json::to_value(report).unwrap(), "", &mut fields);
    let empty: Vec<_> = fields.into_iter().filter(|(_, is_filled)| !is_filled).collect();
    assert!(empty.is_empty(), "fill these in the specimen, and show them on the page: {empty:?}");
    assert!(SLOTS.len() > 80, "{SLOTS:?}");
}

/// Notes of each field, whatever list it stands in, whether it holds something anywhere.
fn fill(value: &Value, path: &str, fields: &mut BTreeMap<String, bool>) {
    let is_filled = match value {
        Value::Null => false,
        Value::Array(list) => !list.is_empty(),
        _ => true,
    };
    *fields.entry(path.to_owned()).or_default() |= is_filled;
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| fill(value, &format!("{path}/{key}"), fields));
        }
        Value::Array(list) => list.iter().for_each(|value| fill(value, &format!("{path}/*"), fields)),
        _ => {}
    }
}

fn strings(value: &Value, path: &mut String, found: &mut Vec<String>) {
    let end = path.len();
    let mut inside = |key: &str, value: &Value, found: &mut Vec<String>| {
        path.push('/');
        path.push_str(key);
        strings(value, path, found);
        path.truncate(end);
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| inside(key, value, found)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(at, value)| inside(&at.to_string(), value, found));
        }
        Value::String(_) => found.push(path.clone()),
        _ => {}
    }
}

/// No text of others makes an element or an attribute, and none stands in one.
fn assert_only_ours(tree: &Tree, others: &str) {
    for element in &tree.elements {
        assert!(TAGS.contains(&element.tag.as_str()), "<{}> is none of ours", element.tag);
    }
    for (tag, attribute, value) in tree.attributes() {
        assert!(ATTRIBUTES.contains(&attribute), "{attribute} of <{tag}> is none of ours");
        assert!(!value.contains(others), "{attribute} of <{tag}> is {value}");
        assert!(attribute != "href" || value.starts_with('#'), "a link leads away: {value}");
    }
    let ids: Vec<&str> = tree.attributes().filter(|(_, name, _)| *name == "id").map(|(.., id)| id).collect();
    assert_eq!(ids.len(), ids.iter().collect::<BTreeSet<_>>().len(), "an id is one element's: {ids:?}");
}

/// A mark in every text of others.
const MARK: &str = "zqx";

fn hostile() -> impl Strategy<Value = String> {
    let pieces = [
        "<script>alert(1)</script>",
        "</style>",
        "</title>",
        "<!--",
        "-->",
        "\"><img src=x onerror=alert(1)>",
        "' onclick='",
        "<svg/onload=alert(1)>",
        "]]>",
        "&lt;b&gt;",
        "&#60;b&#62;",
        "&",
        "<",
        ">",
        "\"",
        "'",
        "`",
        "\u{0}",
        "\u{1b}[31m",
        "\u{202e}",
        "\u{2028}",
        "\u{fffe}",
        "\n",
        "\r\n",
        "\n- ",
        "```",
        "</li></ul></main>",
        "<base href=//x>",
        "<meta http-equiv=refresh content=0>",
        "javascript:alert(1)",
        "{{ }}",
        "@{ }",
        "(memory/2026-11-20-repl.md#L2)",
        "é日本",
        "👩\u{200d}🚀",
        "\u{feff}",
    ];
    let piece = prop_oneof![
        4 => prop::sample::select(pieces.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => "[a-z ]{0,9}",
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| format!("{MARK}{}", pieces.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(5_000)))]

    #[test]
    fn whatever_stands_in_a_report_the_page_has_only_our_tags(
        text in hostile(),
        journal in prop::collection::vec(hostile(), 0..5),
        is_preview: bool,
    ) {
        let is_of_names = |c: &char| *c != '/' && DocName::parse(format!("memory/x{c}x.md")).is_ok();
        let in_name: String = text.chars().filter(is_of_names).take(60).collect();
        let mut report = with_everywhere(&text, &in_name);
        if is_preview {
            report["mode"] = json!("preview");
        }
        let log = LOG.replace("appended", serde_json::to_string(&text).unwrap().trim_matches('"'));
        let journal = journal.join("\n");
        let html = page(&report, &journal, &format!("# Memory\n{text}\n"), &format!("{LOG}{log}"));
        let tree = Tree::of(&html);
        assert_only_ours(&tree, MARK);
        prop_assert!(tree.text(0).matches(MARK).count() >= 30, "and shows them as text");
    }
}

/// BX-36
#[test]
fn a_line_stands_beside_its_source_and_the_words_that_they_share_are_marked() {
    let life =
        Life::with(&[(20, "# Friday\n\n[user] our releases go out on Fridays at 16:00\n[agent] Noted.\n")]);
    let model = Script::new().says(
        "### Decisions\n- Releases go out on Fridays. (memory/2026-11-20-repl.md#L3)\n\
         - Releases go out on Mondays. (memory/2026-11-20-repl.md#L3)\n- Known already.\n# Hello\n",
    );
    let report = dream(&life.dreamer(), &model, night(21));
    let html = DreamPage::new(&report).budget(1 << 18).read(life.workspace().as_ref()).unwrap().to_html();
    let tree = Tree::of(&html);
    assert_only_ours(&tree, "\u{0}");

    let promoted = tree.section("promoted");
    assert!(promoted.starts_with("Promoted 1 lineDecisionsReleases go out on Fridays."), "{promoted}");
    assert!(
        promoted.contains("memory/2026-11-20-repl.md#L3[user] our"),
        "blank lines are no context: {promoted}"
    );
    let marked: Vec<String> = tree.all("mark").map(|(at, _)| tree.text(at)).collect();
    assert_eq!(marked[0], "releases go out on Fridays");
    let cited = |element: &Element| element.attributes.iter().any(|(_, value)| value == "cited");
    let (_, cited) = tree.all("li").find(|(_, element)| cited(element)).unwrap();
    assert!(cited.attributes.contains(&("value".into(), "3".into())), "its number is the file's: {cited:?}");

    let held = tree.section("held");
    assert!(held.contains("A name is not in the cited lines: Mondays"), "{held}");
    assert!(held.contains("1 line: memory holds it already") && held.contains("Known already."), "{held}");
    assert!(held.contains("Taken out of the answer: 1 heading."), "{held}");

    let memory = tree.section("memory");
    let id = report.passes[0].dream_id.as_str();
    assert!(
        memory.contains(&format!("DreamId::parse(\"{id}\")")) && memory.contains("undo_dream"),
        "{memory}"
    );
    let lines: Vec<String> = tree.all("ins").map(|(at, _)| tree.text(at)).collect();
    assert!(
        lines.contains(&"- Releases go out on Fridays. (memory/2026-11-20-repl.md#L3)".to_owned()),
        "{lines:?}"
    );
    assert!(memory.contains("- Known already."), "what stood there is above: {memory}");
    let journals = tree.section("journals");
    assert!(journals.contains("1 journal read") && journals.contains("of 256.0 KiB"), "{journals}");
    assert!(tree.section("nights").contains("1 line promoted from 2026-11-21 to 2026-11-21"));
}

#[test]
fn a_report_that_was_kept_makes_the_same_page_and_the_same_inputs_the_same_bytes() {
    let life = Life::with(&[(20, "[user] Decision: releases go out on Fridays.\n")]);
    let report = dream(&life.dreamer(), &Extractive::new(), night(21));
    let workspace = life.workspace();
    let page = |report: &DreamReport| DreamPage::new(report).read(workspace.as_ref()).unwrap().to_html();
    let kept: DreamReport = serde_json::from_str(&serde_json::to_string(&report).unwrap()).unwrap();
    assert_eq!(page(&kept), page(&report));
    let given = DreamPage::new(&report)
        .journal(name(&journal(20)), life.bytes(&journal(20)))
        .memory(life.memory())
        .log(&life.text(".dreaming.d/log.jsonl"))
        .quarantine(life.dreamer().quarantine().unwrap());
    assert_eq!(given.to_html(), page(&report), "from a workspace or from elsewhere");
    assert!(!format!("{given:?}").contains("Fridays"));
}

#[test]
fn what_changed_since_the_dream_is_said() {
    let life = Life::with(&[
        (18, "[user] Ilya lives in Turku.\n"),
        (19, "[user] Marta sails.\n"),
        (20, "[user] The office is in Kyiv.\n"),
    ]);
    let model = Script::new().says(format!(
        "- Ilya lives in Turku. ({}#L1)\n- Marta sails. ({}#L1)\n- The office is in Kyiv. ({}#L1)\n",
        journal(18),
        journal(19),
        journal(20)
    ));
    let report = dream(&life.dreamer(), &model, night(21));
    assert_eq!(report.promoted().count(), 3);
    life.put(&journal(18), "[user] Ilya left Turku.\n");
    life.remove(&journal(19));
    life.add(&journal(20), "[user] More.\n");
    let notes = |report: &DreamReport| -> Vec<String> {
        let html = DreamPage::new(report).read(life.workspace().as_ref()).unwrap().to_html();
        let tree = Tree::of(&html);
        tree.all("em").map(|(at, _)| tree.text(at)).collect()
    };
    assert_eq!(notes(&report), ["changed since the dream read it", "not there any more"]);

    let memory = |report: &DreamReport| {
        Tree::of(&DreamPage::new(report).read(life.workspace().as_ref()).unwrap().to_html()).section("memory")
    };
    assert!(!memory(&report).contains("edited") && !memory(&report).contains("no longer"));
    life.put("MEMORY.md", life.memory().replace("Marta sails", "Marta sails a lot"));
    assert!(memory(&report).contains("Somebody has edited this section since"));
    life.put("MEMORY.md", "# Memory\n");
    assert!(memory(&report).contains("no longer in MEMORY.md") && !memory(&report).contains("undo_dream"));
}

// The page of a past dream told of no secrets beside a mask, of an unchanged memory, and of nothing held.
#[test]
fn the_page_of_a_past_dream_says_what_was_not_kept() {
    let text = format!("[user] the key is {KEY}\n[user] Releases go out on Fridays.\n[user] Kyiv calls.\n");
    let life = Life::with(&[(20, &text)]);
    let model = Script::new().says(format!(
        "- Releases go out on Fridays. ({0}#L2)\n- There are 77 boats. ({0}#L3)\n",
        journal(20)
    ));
    let report = dream(&life.dreamer(), &model, night(21));
    let id = report.passes[0].dream_id.clone();
    let page = || {
        let past = life.dreamer().past_dream(&id).unwrap().unwrap();
        assert!(past.retold);
        Tree::of(&DreamPage::new(&past).read(life.workspace().as_ref()).unwrap().to_html())
    };
    let whole = page();
    let secrets = whole.section("secrets");
    assert!(secrets.contains("was not kept") && !secrets.contains("None was found"), "{secrets}");
    let memory = whole.section("memory");
    assert!(memory.contains("Dreamed 2026-11-21") && !memory.contains("Unchanged"), "{memory}");
    let held = whole.section("held");
    assert!(held.contains("1 line held: the words were not kept") && !held.contains("Nothing"), "{held}");
    let journals = whole.section("journals");
    assert!(journals.starts_with("Journals 1 journal read, ") && !journals.contains("0 B"), "{journals}");
    assert!(whole.section("promoted").contains("Releases go out on Fridays."));
    assert!(whole.text(0).contains("Waits not kept") || whole.text(0).contains("Waitsnot kept"));

    let before = life.memory();
    life.put("MEMORY.md", before.replace("on Fridays", "on Mondays"));
    let memory = page().section("memory");
    assert!(memory.contains("edited this section since; what was appended was not kept"), "{memory}");
    life.put("MEMORY.md", "# Memory\n");
    let gone = page();
    assert!(gone.section("memory").contains("no longer in MEMORY.md; what was appended was not kept"));
    assert!(gone.section("promoted").contains("1 line more, no longer in memory"));
    life.put("MEMORY.md", &before);
    let human = Access::human(Scope::user("marta"));
    assert!(life.dreamer().undo_dream(&human, &id, night(22)).unwrap());
    let undone = page();
    assert!(undone.section("promoted").contains("Releases go out on Fridays."));
    assert!(undone.section("memory").contains("no longer in MEMORY.md; here is what was appended"));
}

#[test]
fn a_preview_says_what_would_be_and_has_nothing_to_undo() {
    let life = Life::with(&[(20, "[user] Decision: releases go out on Fridays.\n")]);
    let dreamer = life.dreamer_with(|config| config.mode = DreamMode::Preview);
    let report = dream(&dreamer, &Extractive::new(), night(21));
    let tree = Tree::of(&DreamPage::new(&report).read(life.workspace().as_ref()).unwrap().to_html());
    assert!(tree.section("promoted").starts_with("Would promote 1 line"));
    let memory = tree.section("memory");
    assert!(memory.contains("- Known already.") && memory.contains("Dreamed 2026-11-21"), "{memory}");
    assert!(!memory.contains("undo_dream"), "{memory}");
    assert!(tree.text(0).contains("A preview: nothing was written."));
}

#[test]
fn a_quarantine_is_shown_masked_with_the_way_out() {
    let text = format!("[user] the key is {KEY}\n[user] tea\n");
    let life = Life::with(&[(20, &text)]);
    let model = Script::new().says(format!("- The key is {KEY}. (memory/2026-11-20-repl.md#L1)\n"));
    let report = dream(&life.dreamer(), &model, night(21));
    assert_eq!(report.outcome, Outcome::Quarantined);
    let html = DreamPage::new(&report).read(life.workspace().as_ref()).unwrap().to_html();
    assert!(!html.contains(KEY));
    let secrets = Tree::of(&html).section("secrets");
    assert!(secrets.starts_with("Secrets 1 journal in quarantine"), "{secrets}");
    assert!(
        secrets.contains("memory/2026-11-20-repl.md:1:19 AK…LE[user] the key is [REDACTED:aws_access_key#1]"),
        "{secrets}"
    );
    assert!(
        secrets.contains("dreamer.release(&DocName::parse(\"memory/2026-11-20-repl.md\")?)?;"),
        "{secrets}"
    );

    // Later, from a night that has nothing to do with it.
    let report = dream(&life.dreamer(), &Script::new(), night(22));
    let html = DreamPage::new(&report).read(life.workspace().as_ref()).unwrap().to_html();
    let secrets = Tree::of(&html).section("secrets");
    assert!(secrets.contains("aws_access_key, since 2026-11-21 03:00 UTC: "), "{secrets}");
    // The clock of the person who looks at it, and their date.
    let page = DreamPage::new(&report).day(DayPolicy::new(FixedOffset::east_opt(13 * 3600).unwrap(), 0));
    let local = Tree::of(&page.read(life.workspace().as_ref()).unwrap().to_html());
    assert!(
        local.section("secrets").contains("since 2026-11-21 16:00 +13:00"),
        "{}",
        local.section("secrets")
    );
    assert!(secrets.contains("DocName::parse(\"memory/2026-11-20-repl.md\")"), "{secrets}");
    assert!(html.contains("No journal has anything new that a dream may read"), "not that all was read");
    assert!(html.contains(&format!("{} B in 1 journal in quarantine", text.len())), "nor that nothing waits");
}

#[test]
#[ignore = "sweep"]
fn no_secret_stands_on_a_page_whatever_the_doors_let_pass() {
    let gate = noctuary::SecretGate::default();
    let open = DoorPolicy::new(SecretPolicy::Allow, InjectionPolicy::Allow);
    let doors = Door::ALL
        .into_iter()
        .fold(Doors::default().memory_policy(open), |doors, door| doors.policy(door, open));
    let mut planted = 0;
    for seed in 0..u64::from(cases(1_000) / 32) {
        for (class, text) in secrets(seed) {
            use noctuary::PiiFilter as _;
            let Some(found) = gate.scan(&text).into_iter().next() else { continue };
            let secret = &text[found.span];
            planted += 1;
            let journal = format!("# Day\n[user] fridays {text}\n[user] fridays\n[user] and {text}\n");
            // In a name it may be no secret any more.
            let named = format!("memory/2026-11-20-{text}.md");
            let is_name = DocName::parse(named.as_str()).is_ok() && !gate.scan(&named).is_empty();
            let mut report = with_everywhere(&text, if is_name { &text } else { "" });
            report["passes"][0]["section"] = json!(format!("\n## Dreamed 2026-11-21\n\n- {text}\n"));
            let memory = format!("# Memory\n{text}\n\n## Dreamed 2026-11-21\n\n- {text}\n");
            let log = LOG.replace("llm_error", serde_json::to_string(&text).unwrap().trim_matches('"'));
            let report: DreamReport = serde_json::from_value(report).unwrap();
            let html = DreamPage::new(&report)
                .doors(doors.clone())
                .journal(name("memory/2026-11-20-repl.md"), journal)
                .memory(memory)
                .log(&log)
                .to_html();
            let shown = Tree::of(&html).text(0);
            // A line break inside a secret stays; what is left of each line goes.
            for part in secret.lines().filter(|part| part.len() > 8 && !part.contains("PRIVATE KEY")) {
                let at = shown.find(part).unwrap_or(0);
                assert!(
                    !shown.contains(part) && !html.contains(part),
                    "{class}: {part} {}",
                    &shown[at.saturating_sub(200)..][..400]
                );
            }
        }
    }
    println!("{planted} secrets planted");
    assert!(planted > 50, "{planted}");
}

#[test]
fn a_secret_that_runs_over_lines_is_masked_where_a_citation_cuts_it() {
    let line = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2";
    let text =
        format!("[user] fridays\n-----BEGIN PRIVATE KEY-----\n{line}\n{line}\n-----END PRIVATE KEY-----\n");
    let html = page(&specimen(), &text, &text, LOG);
    assert!(!html.contains(line) && html.contains("[REDACTED:pem_private#1]"));
}

#[test]
fn what_a_workspace_has_forgotten_is_masked_too() {
    let life = Life::with(&[(20, "[user] My landlord is Jan Kowalski.\n[user] Marta sails on Fridays.\n")]);
    let model = Script::new().says(format!("- Marta sails on Fridays. ({}#L2)\n", journal(20)));
    let report = dream(&life.dreamer(), &model, night(21));
    let workspace = life.workspace();
    let shows = || DreamPage::new(&report).read(workspace.as_ref()).unwrap().to_html().contains("Kowalski");
    assert!(shows(), "it stands above the line that is cited");
    let marta = Access::human(Scope::user("marta"));
    Forget::new(&marta, "My landlord is Jan Kowalski.").workspace(&workspace).run(night(22)).unwrap();
    life.put(&journal(20), "[user] My landlord is Jan Kowalski.\n[user] Marta sails on Fridays.\n");
    assert!(!shows(), "not even where it was written again");
}

#[test]
fn a_session_is_shown_no_page() {
    let life = Life::with(&[(20, "[user] Decision: releases go out on Fridays.\n")]);
    let report = dream(&life.dreamer(), &Extractive::new(), night(21));
    for kind in [SessionKind::Main, SessionKind::Shared, SessionKind::Subagent, SessionKind::Scheduled] {
        for actor in [Actor::Human, Actor::Agent] {
            let view = Guarded::new(life.workspace(), Access::new(kind, actor, Scope::user("marta")));
            let refused = DreamPage::new(&report).read(&view);
            assert!(matches!(refused, Err(Error::Denied { .. })), "{kind:?} {actor:?}: {refused:?}");
        }
    }
}

#[test]
fn every_ending_has_a_page_also_without_anything_to_read() {
    for outcome in [
        "disabled",
        "nothing_new",
        "already_promoted",
        "nothing_to_promote",
        "appended",
        "not_due_skip",
        "lock_held_skip",
        "lease_lost",
        "llm_error",
        "pii_detected_quarantine",
        "proposed",
        "already_proposed",
        "proposals_full_skip",
        "facts_decided",
        "nothing_decided",
        "personalization_rebuilt",
    ] {
        let mut report = specimen();
        report["outcome"] = json!(outcome);
        let whole = Tree::of(&page(&report, JOURNAL, "", LOG));
        assert_only_ours(&whole, "\u{0}");
        for empty in ["passes", "journals", "notices"] {
            report[empty] = json!([]);
        }
        for none in ["holder", "not_due", "memory", "usage", "recovered"] {
            report[none] = Value::Null;
        }
        let report: DreamReport = serde_json::from_value(report).unwrap();
        let tree = Tree::of(&DreamPage::new(&report).to_html());
        assert_only_ours(&tree, "\u{0}");
        let said = tree.all("p").map(|(at, _)| tree.text(at)).next().unwrap();
        assert!(said.len() > 10 && !said.contains('_'), "{outcome}: {said}");
        // Three sections that have nothing are one line, also where they are led to.
        assert_eq!((whole.all("h2").count(), tree.all("h2").count()), (6, 3), "{outcome}");
        assert!(!tree.all("a").any(|(at, _)| tree.text(at) == "Secrets"));
    }
}

#[test]
fn the_growth_is_drawn_from_the_log() {
    let html = page(&specimen(), JOURNAL, "", LOG);
    let tree = Tree::of(&html);
    let (_, path) = tree.all("path").next().unwrap();
    // Four days: three lines on the first, one more on the last.
    assert!(path.attributes.contains(&("d".into(), "M0 200H0V50H500V50H750V0H1000V200Z".into())), "{path:?}");
    let nights = tree.section("nights");
    assert!(
        nights.contains("2026-11-1833900 B0appended") && nights.contains("2026-11-21144.0 KiB1,020appended"),
        "{nights}"
    );
}

#[test]
fn a_page_asks_for_nothing() {
    let html = page(&specimen(), JOURNAL, "", LOG);
    let tree = Tree::of(&html);
    let policy = tree.attributes().find(|(_, _, value)| value.contains("default-src")).unwrap().2;
    assert!(policy.starts_with("default-src 'none';"), "{policy}");
    let style = tree.text(tree.all("style").next().unwrap().0);
    for asks in ["url(", "@import", "http", "expression", "</"] {
        assert!(!style.contains(asks), "{asks}");
    }
}

/// A page on one name: well formed, masked, and drawn from the same page in the same bytes.
#[test]
fn the_page_on_a_name_shows_what_was_said_as_text_and_draws_what_is_beside() {
    use std::sync::Arc;

    use chrono::{TimeZone, Utc};
    use noctuary::memory::{NewMemory, Source};
    use noctuary::pages::Pages;
    use noctuary::report::EntityPage;
    use noctuary::{FileMemoryStore, MemoryStore};

    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(FileMemoryStore::open(folder.path(), Scope::user("marta")).unwrap());
    let human = Access::human(Scope::user("marta"));
    let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
    let write = |category: &str, text: &str| {
        store.write(&human, &NewMemory::new(category, text, Source::UserExplicit), now).unwrap();
    };
    write("preference", "Brisk is <script>alert(1)</script> & \"blue\" with @jan");
    write("observation", "the keel of Brisk was repaired by Ilya </main>");
    (0..20).for_each(|number| write("observation", &format!("Brisk met @friend{number:02} and @jan")));
    let pages = Pages::new(store.clone());
    let page = pages.page(&human, "brisk", true, now).unwrap();
    let html = EntityPage::new(&page).to_html();
    assert_eq!(EntityPage::new(&page).to_html(), html);
    let tree = Tree::of(&html);
    let tags: Vec<&str> = tree.elements.iter().map(|element| element.tag.as_str()).collect();
    assert!(!tags.contains(&"script") && tags.contains(&"svg"));
    assert_eq!(tags.iter().filter(|tag| **tag == "circle").count(), 13, "twelve, and the name itself");
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp;"), "{html}");
    assert!(html.contains("memory 1, ") && html.contains("default-src 'none'"));
    let attributes = tree.elements.iter().flat_map(|element| &element.attributes);
    assert!(attributes.clone().all(|(name, _)| !name.starts_with("on") && name != "src"));
    assert!(attributes.filter(|(name, _)| name == "href").all(|(_, to)| to.starts_with('#')));

    let empty = pages.page(&human, "nobody", true, now).unwrap();
    assert!(EntityPage::new(&empty).to_html().contains("Nothing is known of it."));
    // Whoever compiled a page without masks: the page in HTML has them.
    let mut bare = (*page).clone();
    bare.facts[0].text = format!("the key is {KEY}");
    bare.title = KEY.to_owned();
    assert!(!EntityPage::new(&bare).to_html().contains(KEY));
}
