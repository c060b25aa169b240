//! The files of a turn's end: what is written, what is inert, what is left out.

use std::fs;
use std::sync::Arc;

use noctuary::artifacts::{
    ArtifactData, ArtifactKind, ArtifactStore, ChartPicture, ChartRenderer, Materialiser, NewArtifact,
    SvgCharts,
};
use noctuary::store::ArtifactConfig;
use noctuary::{Access, Error};
use serde_json::{Value, json};

use crate::artifacts::homes::{Heard, agent, homes, marta, now};

#[derive(Debug)]
struct Draws(Draw);

type Draw = fn() -> Result<ChartPicture, String>;

impl ChartRenderer for Draws {
    fn render(&self, _options: &Value) -> Result<ChartPicture, String> {
        (self.0)()
    }
}

fn made(store: &dyn ArtifactStore, data: &ArtifactData) -> String {
    let id = store.insert(&agent(), &NewArtifact::new(data.kind(), "<i>Title</i>"), now()).unwrap();
    store.mark_completed(&agent(), &id, data, now()).unwrap().uri().to_string()
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n-";

/// AF-10, AF-11
#[test]
fn a_message_has_files_for_what_it_refers_to_and_says_what_is_missing() {
    for (home, open) in homes() {
        let (life, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let store = open(life.path(), ArtifactConfig::default());
        let chart =
            made(store.as_ref(), &ArtifactData::charts([json!({"series": []}), json!({"series": {}})]));
        let sheet = made(store.as_ref(), &ArtifactData::csv("a,b\n=1,2\n"));
        let report = made(store.as_ref(), &ArtifactData::html("<script>alert(1)</script>"));
        let runs = store.insert(&agent(), &NewArtifact::new(ArtifactKind::Chart, ""), now()).unwrap();
        let message = format!("{chart} {sheet} {report} {report} chart://{runs} report://r-made-up");
        let heard = Arc::new(Heard::default());
        let files = Materialiser::open(data.path())
            .unwrap()
            .apart_from([life.path()])
            .unwrap()
            .observer(heard.clone());
        let written = files.materialise(store.as_ref(), &agent(), &message).unwrap();
        let names: Vec<Vec<String>> = written.pages.iter().map(|page| page.files.clone()).collect();
        let expected: [&[&str]; 3] = [
            &["index.html", "data.json"],
            &["index.html", "data.json", "data.csv"],
            &["index.html", "data.json", "report.html.txt"],
        ];
        assert_eq!(
            names,
            expected.map(|names| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>()),
            "{home}"
        );
        assert_eq!(
            (written.pages[0].without_picture, written.unknown.len(), written.unfinished.len()),
            (2, 1, 1)
        );
        let skipped = heard.0.lock().unwrap().iter().filter(|event| *event == "chart_png_skipped").count();
        assert_eq!(skipped, 2);
        let read =
            |page: usize, file: &str| fs::read_to_string(written.pages[page].folder.join(file)).unwrap();
        assert_eq!(read(1, "data.csv"), "a,b\n'=1,2\n");
        assert_eq!(read(2, "report.html.txt"), "<script>alert(1)</script>");
        let json: Value = serde_json::from_str(&read(0, "data.json")).unwrap();
        assert_eq!(json, json!({"charts": [{"series": []}, {"series": {}}]}));
        assert!(
            read(2, "index.html").contains("&lt;script&gt;")
                && read(0, "index.html").contains("&lt;i&gt;Title")
        );
        assert_eq!(
            files.materialise(store.as_ref(), &agent(), &message).unwrap(),
            written,
            "again is the same"
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(written.pages[1].folder.join("data.csv")), 0o600);
            assert_eq!(mode(written.pages[1].folder.clone()), 0o700);
        }
        let group = files.materialise(store.as_ref(), &Access::shared(marta()), &message).unwrap();
        assert_eq!(
            (group.pages.len(), group.unknown.len()),
            (0, 5),
            "with others present nothing private is written"
        );
    }
}

#[test]
fn a_renderer_draws_and_a_picture_that_is_none_is_left_out() {
    let (life, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = homes()[0].1(life.path(), ArtifactConfig::default());
    let chart = made(store.as_ref(), &ArtifactData::charts([json!({"series": []})]));
    let draws: [(Draw, Option<&str>); 5] = [
        (|| Ok(ChartPicture::Png(PNG.to_vec())), Some("chart-1.png")),
        (
            || Ok(ChartPicture::Svg("<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>".into())),
            Some("chart-1.svg"),
        ),
        (|| Ok(ChartPicture::Svg("<svg onload=\"alert(1)\"></svg>".into())), None),
        (|| Ok(ChartPicture::Png(b"<html>".to_vec())), None),
        (|| Err("no browser".to_owned()), None),
    ];
    for (draw, name) in draws {
        let files = Materialiser::open(data.path()).unwrap().renderer(Arc::new(Draws(draw)));
        let page = files.materialise(store.as_ref(), &agent(), &chart).unwrap().pages.remove(0);
        assert_eq!(page.files.iter().find(|file| file.starts_with("chart-")).map(String::as_str), name);
        let html = fs::read_to_string(page.folder.join("index.html")).unwrap();
        assert_eq!(html.contains("<img alt=\"Chart 1\" src=\"data:image/"), name.is_some());
    }
}

// AF-01: neither inside of the other, links included.
#[test]
fn roots_that_share_anything_are_refused() {
    let data = tempfile::tempdir().unwrap();
    let inside = data.path().join("artifacts/sandbox");
    fs::create_dir_all(&inside).unwrap();
    let beside = data.path().join("sandbox");
    fs::create_dir(&beside).unwrap();
    let open = || Materialiser::open(data.path()).unwrap();
    for shared in [
        data.path().to_owned(),
        data.path().join("artifacts"),
        inside.clone(),
        data.path().join("artifacts/new"),
    ] {
        let refused = open().apart_from([&shared]);
        assert!(matches!(refused, Err(Error::Refused { .. })), "{}", shared.display());
    }
    assert!(
        open().apart_from([&beside]).is_ok() && open().apart_from([data.path().join("workspace")]).is_ok()
    );
    #[cfg(unix)]
    {
        let link = data.path().join("link");
        std::os::unix::fs::symlink(&inside, &link).unwrap();
        assert!(matches!(open().apart_from([&link]), Err(Error::Refused { .. })));
    }
}

/// The chart of the example `day`, as the README shows it. `NOCTUARY_BEFORE=write` draws it anew.
#[test]
fn the_picture_in_the_readme_is_what_is_drawn() {
    let options = json!({
        "title": {"text": "Minutes a build"},
        "xAxis": {"type": "category", "data": ["Wed", "Thu", "Fri"]},
        "yAxis": {"type": "value"},
        "series": [{"name": "main", "type": "bar", "data": [41, 38, 29]}],
    });
    let drawn = SvgCharts::new().render(&options).unwrap();
    let path = noctuary_tests::root().join("examples/chart.svg");
    if std::env::var("NOCTUARY_BEFORE").is_ok_and(|word| word == "write") {
        fs::write(&path, drawn.bytes()).unwrap();
    }
    assert_eq!(fs::read(&path).unwrap_or_default(), drawn.bytes());
}

/// Draws some charts into a folder, for a person to look at: `NOCTUARY_CHARTS=/tmp/charts`.
#[test]
fn several_charts_are_drawn() {
    let months = json!({"type": "category", "data": ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct"]});
    let charts = [
        json!({"title": {"text": "Revenue and cost", "subtext": "in thousands, 2026"}, "xAxis": months, "yAxis": {"name": "EUR k"},
            "series": [{"type": "line", "name": "Revenue", "areaStyle": {}, "data": [820, 932, 901, 934, 1290, 1330, 1320, null, 1400, 1502]},
                       {"type": "line", "name": "Cost", "data": [620, 732, 701, 734, 1090, 1130, 1120, 900, 1000, 1102]}]}),
        json!({"title": {"text": "Net flow"}, "xAxis": months,
            "series": [{"type": "bar", "name": "in", "stack": "a", "data": [1, 2, 3, 4, 5, 4, 3, 2, 1, 1]},
                       {"type": "bar", "name": "more in", "stack": "a", "data": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]},
                       {"type": "bar", "name": "out", "stack": "a", "data": [-1, -1, -2, -1, -1, -2, -1, -1, -1, -3]},
                       {"type": "bar", "name": "other", "data": [1, 1.5, 2, 1.5, 1, 1.5, 2, 1, 1, 0.5]}]}),
        json!({"title": {"text": "Holdings"}, "series": [{"type": "pie", "radius": ["40%", "70%"], "data": [
            {"value": 48, "name": "World equity"}, {"value": 25, "name": "Bonds"}, {"value": 14, "name": "Gold"}, {"value": 8.5, "name": "Cash"},
            {"value": 4.5, "name": "A position with a rather long name indeed"}]}]}),
        json!({"title": {"text": "Days to close, by team"}, "yAxis": {"type": "category", "name": "team", "data": ["Platform", "Payments", "Growth"]},
            "xAxis": {"type": "value", "name": "days"}, "series": [{"type": "bar", "data": [3.5, 6, 2.25]}]}),
        json!({"xAxis": {"type": "value", "name": "seconds"}, "yAxis": {"name": "metres"},
            "series": [{"type": "line", "data": [[0, 0], [1, 4.9], [2, 19.6], [3, 44.1], [4.5, 99.2]]}]}),
    ];
    for (number, chart) in charts.iter().enumerate() {
        let drawn = SvgCharts::new().render(chart).unwrap();
        assert!(drawn.bytes().len() > 1_000);
        if let Some(folder) = std::env::var_os("NOCTUARY_CHARTS") {
            fs::write(std::path::Path::new(&folder).join(format!("{number}.svg")), drawn.bytes()).unwrap();
        }
    }
}

/// Returns the elements and attributes of a page, as a browser reads them.
fn elements(html: &str) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for token in html5gum::Tokenizer::new(html) {
        if let Ok(html5gum::Token::StartTag(tag)) = token {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            found.push((text(&tag.name), tag.attributes.keys().map(|name| text(name)).collect()));
        }
    }
    found
}

/// Hostile words: each opening with each payload.
fn hostile() -> Vec<String> {
    let openings = [
        "",
        "\"",
        "'",
        "</title>",
        "</style>",
        "</pre>",
        "-->",
        "]]>",
        "</textarea>",
        "\u{202e}",
        "`",
        "\r\n\r\n",
        "=",
        "\u{0}",
    ];
    let payloads = [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<svg onload=alert(1)>",
        "<iframe src=javascript:alert(1)>",
        "<a href=\"javascript:alert(1)\">x</a>",
        "[x](javascript:alert(1))",
        "![x](http://a.example/p.png)",
        "<meta http-equiv=refresh content=0;url=http://a.example>",
        "../../../../etc/passwd",
        "<!--<script>",
        "=cmd|' /C calc'!A0",
        "&lt;script&gt;alert(1)&#60;/script&#62;",
        "<style>@import 'http://a.example'</style>",
        "javascript:alert(1)",
        "<form action=http://a.example><button>",
    ];
    openings
        .iter()
        .flat_map(|opening| payloads.iter().map(move |payload| format!("{opening}{payload}")))
        .collect()
}

// AF-17: no case runs, fetches, or leaves its folder.
#[test]
fn two_hundred_hostile_words_are_inert_in_every_file() {
    const KNOWN: [&str; 29] = [
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "h1",
        "h2",
        "h3",
        "h4",
        "p",
        "img",
        "table",
        "tr",
        "td",
        "details",
        "summary",
        "pre",
        "footer",
        "a",
        "code",
        "ul",
        "ol",
        "li",
        "em",
        "strong",
        "blockquote",
        "br",
        "hr",
    ];
    const ATTRIBUTES: [&str; 9] =
        ["lang", "charset", "http-equiv", "content", "name", "alt", "src", "href", "rel"];
    let (life, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = homes()[0].1(life.path(), ArtifactConfig::default());
    let files = Materialiser::open(data.path()).unwrap().renderer(Arc::new(SvgCharts::new()));
    let mut cases = 0;
    for words in hostile() {
        let spreadsheet = json!({"csvContent": format!("{words},b\n\"{}\",1\n", words.replace('"', "\"\"")), "title": words, "description": words});
        let chart = json!({"title": {"text": words}, "xAxis": {"data": [words]}, "color": [words],
            "series": [{"type": "bar", "name": words, "data": [1]}, {"type": "line", "name": words, "data": [2]}]});
        for held in [
            ArtifactData::parse(ArtifactKind::Spreadsheet, spreadsheet).unwrap(),
            ArtifactData::charts([chart]),
            ArtifactData::markdown(words.clone()),
            ArtifactData::html(words.clone()),
        ] {
            let new = NewArtifact::new(held.kind(), words.clone()).session(words.clone());
            let id = store.insert(&agent(), &new, now()).unwrap();
            let uri = store.mark_completed(&agent(), &id, &held, now()).unwrap().uri().to_string();
            let page = files
                .materialise(store.as_ref(), &agent(), &format!("{words} {uri}"))
                .unwrap()
                .pages
                .remove(0);
            assert!(page.folder.starts_with(files.root()), "{words:?}");
            for file in &page.files {
                let path = page.folder.join(file);
                assert!(
                    ["html", "json", "csv", "svg", "md", "txt"]
                        .contains(&path.extension().unwrap().to_str().unwrap())
                );
            }
            let html = fs::read_to_string(page.folder.join("index.html")).unwrap();
            for (element, attributes) in elements(&html) {
                assert!(KNOWN.contains(&element.as_str()), "{words:?} makes <{element}>");
                let unknown = attributes.iter().find(|name| !ATTRIBUTES.contains(&name.as_str()));
                assert_eq!(unknown, None, "{words:?} in <{element}>");
            }
            assert!(!html.contains("href=\"javascript:") && !html.contains("src=\"http"), "{words:?}");
            if let Ok(csv) = fs::read_to_string(page.folder.join("data.csv")) {
                // A cell begins outside of quotes: after an even number of them.
                let mut quotes = 0;
                for line in csv.lines() {
                    let opens = quotes % 2 == 0 && line.starts_with(['=', '+', '@']);
                    assert!(!opens, "{words:?}: {csv}");
                    quotes += line.matches('"').count();
                }
            }
        }
        cases += 1;
    }
    assert!(cases >= 200, "{cases}");
    let beside: Vec<_> = fs::read_dir(data.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(beside, ["artifacts"], "nothing is written beside the folder of artifacts");
}

// A picture and the files of an artifact that was deleted are removed by its id, and nothing else.
#[test]
fn files_of_a_deleted_artifact_are_removed() {
    let (life, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = homes()[0].1(life.path(), ArtifactConfig::default());
    let files = Materialiser::open(data.path()).unwrap();
    let (one, other) =
        (made(store.as_ref(), &ArtifactData::csv("a")), made(store.as_ref(), &ArtifactData::csv("b")));
    let written = files.materialise(store.as_ref(), &agent(), &format!("{one} {other}")).unwrap();
    assert_eq!(files.remove(&written.pages[0].uri.id).unwrap(), 3);
    assert_eq!(files.remove(&written.pages[0].uri.id).unwrap(), 0);
    assert!(
        !written.pages[0].folder.join("data.csv").exists()
            && written.pages[1].folder.join("data.csv").exists()
    );
}
