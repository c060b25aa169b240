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

use crate::homes::{HOMES, Heard, agent, marta, now};

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

#[test]
fn a_message_has_files_for_what_it_refers_to_and_says_what_is_missing() {
    for (home, open) in HOMES {
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
    let store = HOMES[0].1(life.path(), ArtifactConfig::default());
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
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/chart.svg");
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
