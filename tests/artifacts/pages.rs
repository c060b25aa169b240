//! The files of a turn's end: what is written, what is inert, what is left out.

use std::fs;
use std::sync::Arc;

use noctuary::artifacts::{
    ArtifactData, ArtifactKind, ArtifactStore, ChartPicture, ChartRenderer, Materialiser, NewArtifact,
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
