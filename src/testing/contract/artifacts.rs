//! The suite of a home of artifacts.

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use serde_json::json;

use crate::artifacts::{
    ArtifactData, ArtifactFilter, ArtifactKind, ArtifactStatus, ArtifactStore, ArtifactStoreExt, NewArtifact,
};
use crate::base::access::{Access, Scope};
use crate::base::error::Error;

/// Makes a new, empty home of the scope of the user `marta`, with the default configuration.
pub type MakeArtifacts<'a> = &'a dyn Fn() -> std::sync::Arc<dyn ArtifactStore>;

/// Runs all parts of the suite.
///
/// ```
/// use std::sync::Arc;
/// use noctuary::testing::contract;
/// use noctuary::{FileArtifactStore, Scope};
///
/// let folders = std::cell::RefCell::new(Vec::new());
/// contract::artifacts::artifacts(&|| {
///     let folder = tempfile::tempdir().unwrap();
///     let store = FileArtifactStore::open(folder.path(), Scope::user("marta")).unwrap();
///     folders.borrow_mut().push(folder);
///     Arc::new(store)
/// });
/// ```
pub fn artifacts(make: MakeArtifacts<'_>) {
    path(make);
    sight(make);
    doors(make);
    pages(make);
    removal(make);
    forgetting(make);
    adoption(make);
    erasure(make);
}

fn at(minute: i64) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap() + TimeDelta::minutes(minute)
}

fn marta() -> Access {
    Access::agent(Scope::user("marta"))
}

fn group() -> Access {
    Access::shared(Scope::user("marta"))
}

fn data(kind: ArtifactKind) -> ArtifactData {
    match kind {
        ArtifactKind::Chart => {
            ArtifactData::charts([json!({"series": [{"type": "bar", "data": [1, 2.5, null]}]})])
        }
        ArtifactKind::Spreadsheet => ArtifactData::csv("a,\"b\"\r\n1,=2\n\u{0}é\n"),
        ArtifactKind::Report => ArtifactData::markdown("# Q3\n\n<script>alert(1)</script>\r\n"),
    }
}

fn is_not_found<T: std::fmt::Debug>(answer: &crate::Result<T>) -> bool {
    matches!(answer, Err(Error::ArtifactNotFound { .. }))
}

/// Every artifact goes from running to completed or to an error, once, and each transition is in the audit.
/// (AF-02, AF-06, AF-07)
pub fn path(make: MakeArtifacts<'_>) {
    let store = make();
    for kind in ArtifactKind::ALL {
        let new = NewArtifact::new(kind, "Builds, \"all\"\n").session("repl-1");
        let id = store.insert(&marta(), &new, at(0)).expect("it begins");
        let prefix = if kind == ArtifactKind::Report { "r-" } else { "x-" };
        assert!(id.as_str().starts_with(prefix), "{kind} has the prefix {prefix}");
        let begun = store.get(&marta(), &id).expect("it is there");
        assert_eq!(
            (begun.status, begun.kind, &*begun.title),
            (ArtifactStatus::Running, kind, "Builds, \"all\"\n")
        );
        assert_eq!((begun.session.as_deref(), begun.created_at), (Some("repl-1"), at(0)));
        assert_eq!(begun.to_string(), format!("{kind}://{id} (running)"));

        for other in ArtifactKind::ALL.into_iter().filter(|other| *other != kind) {
            let wrong = store.mark_completed(&marta(), &id, &data(other), at(1));
            assert!(
                matches!(wrong, Err(Error::Config { .. })),
                "{other} data do not complete a {kind}: {wrong:?}"
            );
        }
        let draft = store.update(&marta(), &id, &data(kind), at(1)).expect("it runs");
        assert_eq!((draft.status, draft.updated_at), (ArtifactStatus::Running, at(1)));
        let ended = store.mark_completed(&marta(), &id, &data(kind), at(2)).expect("it ends");
        let kept = store.get(&marta(), &id).expect("it is there");
        assert_eq!(kept, ended, "the answer is what is kept");
        assert_eq!(
            (kept.status, &kept.data, kept.size),
            (ArtifactStatus::Completed, &Some(data(kind)), data(kind).size())
        );
        assert_eq!(store.resolve(&marta(), &kept.uri().to_string()).expect("its reference").id, id);
        for again in [
            store.mark_completed(&marta(), &id, &data(kind), at(3)),
            store.mark_error(&marta(), &id, "late", at(3)),
            store.update(&marta(), &id, &data(kind), at(3)),
        ] {
            assert!(
                matches!(again, Err(Error::ArtifactEnded { status: "completed", .. })),
                "it ends once: {again:?}"
            );
        }
        assert_eq!(store.get(&marta(), &id).expect("it is there"), kept, "a refused change changes nothing");

        let failed = store.insert(&marta(), &new, at(4)).expect("another one begins");
        store.update(&marta(), &failed, &data(kind), at(4)).expect("it runs");
        let error = store
            .mark_error(&marta(), &failed, "no answer; key AKIAIOSFODNN7EXAMPLE", at(5))
            .expect("it ends");
        assert_eq!((error.status, error.data.is_none(), error.size), (ArtifactStatus::Error, true, 0));
        assert!(
            error
                .message
                .as_deref()
                .is_some_and(|message| message.contains("no answer") && !message.contains("AKIA"))
        );
        assert_eq!(store.get(&marta(), &failed).expect("it is there"), error);
        let again = store.mark_completed(&marta(), &failed, &data(kind), at(6));
        assert!(
            matches!(again, Err(Error::ArtifactEnded { status: "error", .. })),
            "it ends once: {again:?}"
        );
    }
    let actions: Vec<String> =
        store.audit(&marta(), 99).expect("the audit").into_iter().map(|line| line.action).collect();
    let of = |action: &str| actions.iter().filter(|found| *found == action).count();
    let (begun, completed, failed) = (of("artifact_insert"), of("artifact_complete"), of("artifact_error"));
    assert_eq!((begun, completed, failed, actions.len()), (6, 3, 3, 12), "a line for each transition");
    assert_eq!(store.audit(&marta(), 2).expect("the audit").len(), 2);
}

/// A session is told of its scope alone, and with others present of what is shared. (AF-18)
pub fn sight(make: MakeArtifacts<'_>) {
    let store = make();
    let chart = |access: &Access, new: NewArtifact| store.insert(access, &new, at(0)).expect("it begins");
    let private = chart(&marta(), NewArtifact::new(ArtifactKind::Chart, "mine"));
    let shared = chart(&marta(), NewArtifact::new(ArtifactKind::Chart, "ours").shared());
    let theirs = chart(&group(), NewArtifact::new(ArtifactKind::Chart, "said among others"));
    assert!(
        store.get(&group(), &theirs).expect("it is there").is_shared,
        "with others present all is shared"
    );
    let payload = data(ArtifactKind::Chart);
    for access in [group(), Access::subagent(Scope::user("marta")), Access::scheduled(Scope::user("marta"))] {
        assert!(is_not_found(&store.get(&access, &private)), "{:?} reads nothing private", access.kind);
        assert!(is_not_found(&store.mark_completed(&access, &private, &payload, at(1))), "nor ends it");
        assert!(is_not_found(&store.mark_error(&access, &private, "no", at(1))), "nor ends it");
        assert!(is_not_found(&store.update(&access, &private, &payload, at(1))), "nor changes it");
        let listed = store.list(&access, &ArtifactFilter::default()).expect("a list");
        assert!(listed.len() == 2 && listed.iter().all(|one| one.is_shared), "nor lists it");
        assert!(
            is_not_found(&store.list(&access, &ArtifactFilter::default().after(private.clone()))),
            "nor pages by it"
        );
        assert!(
            matches!(store.delete(&access, &shared, at(1)), Err(Error::Denied { .. })),
            "nor deletes anything"
        );
        assert!(store.audit(&access, 9).expect("the audit").is_empty(), "nor is told of the audit");
    }
    for stranger in [Scope::user("jan"), Scope { agent: "other".to_owned(), ..Scope::user("marta") }] {
        let stranger = Access::human(stranger);
        assert!(is_not_found(&store.get(&stranger, &shared)), "another scope reads nothing");
        assert!(is_not_found(&store.mark_completed(&stranger, &shared, &payload, at(1))));
        assert!(store.list(&stranger, &ArtifactFilter::default()).expect("a list").is_empty());
        assert!(store.audit(&stranger, 9).expect("the audit").is_empty());
        let begun = store.insert(&stranger, &NewArtifact::new(ArtifactKind::Chart, ""), at(1));
        assert!(matches!(begun, Err(Error::Denied { .. })), "another scope begins nothing");
        assert!(matches!(store.delete(&stranger, &shared, at(1)), Err(Error::Denied { .. })));
    }
    assert!(
        store.get(&marta(), &private).is_ok()
            && store.list(&marta(), &ArtifactFilter::default()).expect("a list").len() == 3
    );
}

/// No secret comes in, and no message tells it. (AF-09)
pub fn doors(make: MakeArtifacts<'_>) {
    const KEY: &str = "AKIAIOSFODNN7EXAMPLE";
    let store = make();
    let stops = |answer: crate::Result<crate::artifacts::Artifact>| {
        let error = answer.expect_err("it is stopped");
        assert!(matches!(error, Error::Stopped { .. }), "{error}");
        assert!(!format!("{error} {error:?}").contains(KEY));
    };
    let title = store.insert(&marta(), &NewArtifact::new(ArtifactKind::Chart, KEY), at(0));
    assert!(matches!(title, Err(Error::Stopped { .. })));
    for held in [
        ArtifactData::charts([json!({"title": {"text": KEY}})]),
        ArtifactData::charts([json!({KEY: 1})]),
        ArtifactData::csv(format!("a,{KEY}\n")),
        ArtifactData::markdown(format!("# Keys\n\n{KEY}\n")),
        ArtifactData::html(format!("<p>{KEY}</p>")),
    ] {
        let id = store.insert(&marta(), &NewArtifact::new(held.kind(), ""), at(0)).expect("it begins");
        stops(store.update(&marta(), &id, &held, at(1)));
        stops(store.mark_completed(&marta(), &id, &held, at(1)));
        assert_eq!(store.get(&marta(), &id).expect("it is there").data, None, "nothing was written");
    }
    for made_up in ["x-1", "chart://x-1", "chart://r-1", "http://a.example", "x-../../x", ""] {
        let error = store.resolve(&marta(), made_up).expect_err("nobody made it");
        assert!(matches!(error, Error::ArtifactNotFound { .. }), "{made_up}: {error}");
        assert!(
            error.to_string().contains("list of artifacts")
                || error.to_string().contains("list the artifacts"),
            "{error}"
        );
    }
}

/// A list has the latest first, in pages that stay stable while others write.
pub fn pages(make: MakeArtifacts<'_>) {
    let store = make();
    let mut ids = Vec::new();
    for minute in 0..7 {
        let kind = ArtifactKind::ALL[usize::try_from(minute % 3).unwrap_or(0)];
        ids.push(
            store
                .insert(&marta(), &NewArtifact::new(kind, format!("{minute}")), at(minute))
                .expect("it begins"),
        );
    }
    ids.reverse();
    let page = |filter: ArtifactFilter| -> Vec<_> {
        store.list(&marta(), &filter).expect("a page").into_iter().map(|one| one.id).collect()
    };
    assert_eq!(page(ArtifactFilter::default()), ids);
    let first = page(ArtifactFilter::default().limit(3));
    store.insert(&marta(), &NewArtifact::new(ArtifactKind::Chart, "meanwhile"), at(8)).expect("it begins");
    let second = page(ArtifactFilter::default().limit(9).after(first[2].clone()));
    assert_eq!([first, second].concat(), ids, "nothing twice, and nothing left out");
    assert_eq!(page(ArtifactFilter::default().kind(ArtifactKind::Report)).len(), 2);
    assert_eq!(page(ArtifactFilter::default().status(ArtifactStatus::Completed)).len(), 0);
    let heavy = &ids[0];
    store.mark_completed(&marta(), heavy, &data(ArtifactKind::Chart), at(9)).expect("it ends");
    let listed =
        store.list(&marta(), &ArtifactFilter::default().status(ArtifactStatus::Completed)).expect("a page");
    assert_eq!((listed.len(), &listed[0].data, listed[0].size > 0), (1, &None, true), "a list has no data");
}

/// A deleted artifact is gone, and its line of the audit stays.
pub fn removal(make: MakeArtifacts<'_>) {
    let store = make();
    let id = store
        .insert(&marta(), &NewArtifact::new(ArtifactKind::Report, "for a day"), at(0))
        .expect("it begins");
    let other =
        store.insert(&marta(), &NewArtifact::new(ArtifactKind::Report, "stays"), at(0)).expect("it begins");
    store.mark_completed(&marta(), &id, &data(ArtifactKind::Report), at(1)).expect("it ends");
    assert!(store.delete(&marta(), &id, at(2)).expect("it is deleted"));
    assert!(!store.delete(&marta(), &id, at(3)).expect("it is gone"));
    assert!(is_not_found(&store.get(&marta(), &id)));
    assert!(is_not_found(&store.mark_completed(&marta(), &id, &data(ArtifactKind::Report), at(3))));
    assert!(is_not_found(&store.list(&marta(), &ArtifactFilter::default().after(id.clone()))));
    let left = store.list(&marta(), &ArtifactFilter::default()).expect("a list");
    assert_eq!(left.iter().map(|one| &one.id).collect::<Vec<_>>(), [&other]);
    let audit = store.audit(&marta(), 9).expect("the audit");
    assert_eq!((&*audit[0].action, &audit[0].id, audit[0].at), ("artifact_delete", &id, at(2)));
}

/// A forgotten statement leaves with its artifacts, and comes in again by no way until it is lifted.
pub fn forgetting(make: MakeArtifacts<'_>) {
    const SAID: &str = "my landlord is Jan Kowalski";
    let store = make();
    let human = Access::human(Scope::user("marta"));
    let begin = |title: &str, kind| store.insert(&marta(), &NewArtifact::new(kind, title), at(0));
    let titled = begin("My landlord is  JAN Kowalski!", ArtifactKind::Chart).expect("it begins");
    let report = begin("a report", ArtifactKind::Report).expect("it begins");
    let draft = begin("a draft", ArtifactKind::Spreadsheet).expect("it begins");
    let other = begin("tea at five", ArtifactKind::Report).expect("it begins");
    store
        .mark_completed(&marta(), &report, &ArtifactData::html(format!("<p>{SAID}.</p>")), at(1))
        .expect("it ends");
    store.update(&marta(), &draft, &ArtifactData::csv(format!("who\n{SAID}\n")), at(1)).expect("it runs");
    for access in [group(), Access::human(Scope::user("jan"))] {
        assert!(matches!(store.forget(&access, SAID, at(2)), Err(Error::Denied { .. })));
    }
    assert!(matches!(store.lift(&marta(), SAID), Err(Error::Denied { .. })), "the human lifts");
    assert!(matches!(store.forget(&marta(), "tea", at(2)), Err(Error::Config { .. })));
    let line = store.forget(&marta(), SAID, at(2)).expect("it forgets");
    assert_eq!((line.found, line.removed, line.left), (3, 3, None));
    for gone in [&titled, &report, &draft] {
        assert!(is_not_found(&store.get(&marta(), gone)));
    }
    assert!(store.get(&marta(), &other).is_ok(), "nothing else is removed");
    let again = store.forget(&marta(), SAID, at(3)).expect("it forgets");
    assert_eq!((again.found, again.removed), (0, 0));
    assert!(
        matches!(begin(SAID, ArtifactKind::Chart), Err(Error::Stopped { .. })),
        "no title brings it back"
    );
    let back = store.mark_completed(&marta(), &other, &ArtifactData::markdown(format!("**{SAID}**")), at(4));
    assert!(matches!(back, Err(Error::Stopped { .. })), "no data bring it back: {back:?}");
    let failed = store.mark_error(&marta(), &other, SAID, at(5)).expect("it ends");
    assert!(!failed.message.is_some_and(|message| message.contains("Kowalski")), "nor does a message");
    let actions = store.audit(&marta(), 99).expect("the audit");
    assert_eq!(actions.iter().filter(|line| line.action == "artifact_forget").count(), 3);
    assert!(store.lift(&human, SAID).expect("it is lifted"));
    assert!(!store.lift(&human, SAID).expect("once"));
    assert!(begin(SAID, ArtifactKind::Chart).is_ok(), "it may come in again");
}

/// An artifact of another home is kept as it is there, once, and not where it was deleted or forgotten.
pub fn adoption(make: MakeArtifacts<'_>) {
    let (source, target) = (make(), make());
    let human = Access::human(Scope::user("marta"));
    let begin = |kind, title: &str| {
        source.insert(&marta(), &NewArtifact::new(kind, title).session("repl-1"), at(0)).expect("it begins")
    };
    let mut all = Vec::new();
    for kind in ArtifactKind::ALL {
        let completed = begin(kind, "completed");
        source.mark_completed(&marta(), &completed, &data(kind), at(1)).expect("it ends");
        let failed = begin(kind, "failed");
        source.mark_error(&marta(), &failed, "no answer", at(2)).expect("it ends");
        all.extend([completed, failed, begin(kind, "running")]);
    }
    let shared = NewArtifact::new(ArtifactKind::Chart, "ours").shared();
    all.push(source.insert(&marta(), &shared, at(3)).expect("it begins"));
    for id in &all {
        let artifact = source.get(&human, id).expect("it is there");
        for access in [marta(), group(), Access::human(Scope::user("jan"))] {
            assert!(matches!(target.adopt(&access, &artifact, at(4)), Err(Error::Denied { .. })));
        }
        assert!(target.adopt(&human, &artifact, at(4)).expect("it is kept"), "it is new here");
        assert_eq!(target.get(&human, id).expect("it is there"), artifact, "as it was there");
        assert!(!target.adopt(&human, &artifact, at(5)).expect("it is here already"), "once");
    }
    let audit = target.audit(&human, 99).expect("the audit");
    assert!(audit.len() == all.len() && audit.iter().all(|line| line.action == "artifact_import"));
    let gone = source.get(&human, &all[0]).expect("it is there");
    target.delete(&human, &gone.id, at(6)).expect("it is deleted");
    assert!(!target.adopt(&human, &gone, at(7)).expect("it was deleted"), "a copy does not bring it back");
    let said = source.insert(
        &marta(),
        &NewArtifact::new(ArtifactKind::Report, "my landlord is Jan Kowalski"),
        at(8),
    );
    let said = source.get(&human, &said.expect("it begins")).expect("it is there");
    target.forget(&human, "my landlord is Jan Kowalski", at(9)).expect("it forgets");
    let back = target.adopt(&human, &said, at(9));
    assert!(matches!(back, Err(Error::Stopped { .. })), "what was forgotten does not come back: {back:?}");
}

/// A scope is erased whole.
pub fn erasure(make: MakeArtifacts<'_>) {
    let store = make();
    let human = Access::human(Scope::user("marta"));
    let mut ids = Vec::new();
    for kind in ArtifactKind::ALL {
        let id = store.insert(&marta(), &NewArtifact::new(kind, "for a day"), at(0)).expect("it begins");
        store.mark_completed(&marta(), &id, &data(kind), at(1)).expect("it ends");
        ids.push(id);
    }
    store.delete(&human, &ids[0], at(2)).expect("it is deleted");
    for access in [marta(), group(), Access::human(Scope::user("jan"))] {
        assert!(matches!(store.erase(&access), Err(Error::Denied { .. })), "the human alone erases");
    }
    assert_eq!(store.erase(&human).expect("it is erased"), 2);
    assert_eq!(store.erase(&human).expect("it is erased"), 0, "once");
    assert!(ids.iter().all(|id| is_not_found(&store.get(&human, id))));
    assert!(store.list(&human, &ArtifactFilter::default()).expect("a list").is_empty());
    assert!(store.audit(&human, 9).expect("the audit").is_empty(), "nor is a line left");
}
