//! Suites of every workspace: its documents, its state, its leases, and a dream on it.

use std::sync::Arc;

use super::dreamer::dream;
use crate::base::document::Revision;
use crate::base::error::{Error, Refusal};
use crate::base::name::{DocName, StateName};
use crate::workspace::{Claim, ClaimTerms, Lease, Workspace, WorkspaceExt, WriteMode};

/// Makes a new, empty workspace.
pub type Make<'a> = &'a dyn Fn() -> Arc<dyn Workspace>;

/// Runs every suite of a workspace: its documents, its state, its leases, and a dream on it.
///
#[doc = include_str!("in_memory.md")]
pub fn workspace(make: Make<'_>) {
    view(make);
    states(make().as_ref());
    leases(&make());
    dream(&make());
}

/// Runs the suites of documents alone: what also a view that guards a workspace does for the human in private.
pub fn view(make: Make<'_>) {
    documents(make().as_ref());
    looks(make().as_ref());
    revisions(make().as_ref());
    ranges(make().as_ref());
    listing(make().as_ref());
    places(make().as_ref());
    appends(&make());
    lines(make().as_ref());
    renames(make().as_ref());
}

fn name(text: &str) -> DocName {
    DocName::parse(text).expect("a name of the suite")
}

/// Bytes are read back as they were written; a missing document is `None`.
pub fn documents(workspace: &dyn Workspace) {
    let long = vec![b'x'; 100_000];
    for bytes in [&b""[..], b"# Memory\n", "\u{feff}a\r\nb\r\n".as_bytes(), b"\xff\xfe\x00 not text", &long] {
        let revision = workspace.write(&DocName::MEMORY, bytes, WriteMode::Replace).expect("a replace");
        assert_eq!(revision, Revision::of(bytes), "a write returns the revision of its bytes");
        let read = workspace.read(&DocName::MEMORY).expect("a read").expect("what was written");
        assert_eq!(read.bytes(), bytes, "bytes come back as they went");
        let metadata = workspace.metadata(&DocName::MEMORY).expect("a look").expect("what was written");
        assert_eq!(metadata.len, bytes.len() as u64, "the length is the document's");
    }
    let absent = name("projects/one/plan.md");
    assert!(workspace.read(&absent).expect("a read").is_none(), "what is not there is none");
    assert!(workspace.metadata(&absent).expect("a look").is_none(), "what is not there has no metadata");
    assert!(!workspace.remove(&absent).expect("a removal"), "nothing was removed");
    workspace.write(&absent, b"plan", WriteMode::Create).expect("folders are made on the way");
    assert_eq!(workspace.read_text(&absent).expect("a read").as_deref(), Some("plan"));
    assert!(workspace.remove(&absent).expect("a removal"), "it was there");
    assert!(workspace.read(&absent).expect("a read").is_none(), "a removed document is gone");

    workspace.write(&DocName::USER, b"ok \xc3\x28", WriteMode::Replace).expect("bytes are bytes");
    let error = workspace.read_text(&DocName::USER).expect_err("this is not text");
    assert!(matches!(error, Error::NotUtf8 { valid_up_to: 3, .. }), "{error:?}");
}

/// A look at many documents says of each what a look at it alone says, in order.
pub fn looks(workspace: &dyn Workspace) {
    for text in ["memory/b.md", "memory/a.md", "SOUL.md"] {
        workspace.write(&name(text), text.as_bytes(), WriteMode::Create).expect("a create");
    }
    let asked = ["memory/b.md", "memory/none.md", "SOUL.md", "none/a.md", "memory", "memory/a.md", "SOUL.md"];
    let names = asked.map(name);
    let together = workspace.metadata_of(&names.each_ref().map(|name| &**name));
    assert_eq!(together.len(), names.len(), "one answer for each name");
    for (name, found) in names.iter().zip(together) {
        let alone = workspace.metadata(name);
        assert_eq!(found.as_ref().ok(), alone.as_ref().ok(), "{name}");
        let said = |error: Option<Error>| error.map(|error| error.to_string());
        assert_eq!(said(found.err()), said(alone.err()), "{name}");
    }
    assert!(workspace.metadata_of(&[]).is_empty());
}

/// A write does what it intends, or nothing.
pub fn revisions(workspace: &dyn Workspace) {
    let soul = &DocName::SOUL;
    let first = workspace.write(soul, b"one", WriteMode::Create).expect("a create");
    for bytes in [&b"two"[..], b"one"] {
        match workspace.write(soul, bytes, WriteMode::Create) {
            Err(Error::Conflict { current: Some(current), .. }) => assert_eq!(current.bytes(), b"one"),
            other => panic!("a create of an existing name must conflict: {other:?}"),
        }
    }
    let second =
        workspace.write(soul, b"two", WriteMode::IfRevision(first)).expect("the revision was current");
    match workspace.write(soul, b"three", WriteMode::IfRevision(first)) {
        Err(Error::Conflict { current: Some(current), .. }) => {
            assert_eq!((current.bytes(), current.revision()), (&b"two"[..], second));
        }
        other => panic!("a stale revision must conflict: {other:?}"),
    }
    let again = workspace.write(soul, b"two", WriteMode::IfRevision(first));
    assert_eq!(again.expect("the content stands there already"), second);
    assert!(workspace.remove(soul).expect("a removal"));
    match workspace.write(soul, b"x", WriteMode::IfRevision(second)) {
        Err(Error::Conflict { current: None, .. }) => {}
        other => panic!("a revision of what is gone must conflict: {other:?}"),
    }
}

/// Ranges and tails are what is there, and no character is split.
pub fn ranges(workspace: &dyn Workspace) {
    let text = "äöü日本\nlast line ✓";
    workspace.write(&DocName::USER, text.as_bytes(), WriteMode::Replace).expect("a write");
    let len = text.len() as u64;
    for from in 0..=len {
        let range = workspace.read_range(&DocName::USER, from..len + 10).expect("a range");
        assert_eq!(range, &text.as_bytes()[usize::try_from(from).expect("small")..], "from {from}");
        let tail = workspace.read_tail(&DocName::USER, len - from).expect("a tail");
        assert!(text.ends_with(&tail.text), "a tail is an end of the document");
        assert!(tail.text.len() as u64 <= len - from, "a tail keeps its bound");
        assert_eq!(tail.start, len - tail.text.len() as u64);
    }
    assert!(workspace.read_range(&name("none.md"), 0..9).expect("a range").is_empty());
    assert_eq!(workspace.read_tail(&name("none.md"), 9).expect("a tail").text, "");
    assert!(workspace.read_range(&DocName::USER, 50..50).expect("an empty range").is_empty());
}

/// A listing names what is there, sorted, and not more.
pub fn listing(workspace: &dyn Workspace) {
    assert!(workspace.list(Some(&DocName::JOURNALS)).expect("a listing").documents.is_empty());
    for text in ["memory/b.md", "memory/a.md", "memory/deep/c.md", "SOUL.md"] {
        workspace.write(&name(text), b"x", WriteMode::Create).expect("a create");
    }
    let journals = workspace.list(Some(&DocName::JOURNALS)).expect("a listing");
    assert_eq!(journals.documents, [name("memory/a.md"), name("memory/b.md")]);
    assert_eq!(journals.folders, [name("memory/deep")]);
    let root = workspace.list(None).expect("a listing");
    assert_eq!(root.documents, [DocName::SOUL]);
    assert_eq!(root.folders, [DocName::JOURNALS]);
}

/// A name is a document's or a folder's and never both, also where folders are made of names alone.
pub fn places(workspace: &dyn Workspace) {
    workspace.write(&name("memory/a.md"), b"x", WriteMode::Create).expect("a create");
    let refused = |result: Result<(), Error>| match result {
        Err(Error::Refused { reason, .. }) => reason,
        other => panic!("this must be refused: {other:?}"),
    };
    let folder = name("memory");
    assert_eq!(refused(workspace.read(&folder).map(|_| ())), Refusal::NotAFile);
    assert_eq!(refused(workspace.metadata(&folder).map(|_| ())), Refusal::NotAFile);
    assert_eq!(refused(workspace.write(&folder, b"x", WriteMode::Replace).map(|_| ())), Refusal::NotAFile);
    assert_eq!(refused(workspace.append(&folder, b"x")), Refusal::NotAFile);
    assert_eq!(refused(workspace.remove(&folder).map(|_| ())), Refusal::NotAFile);
    let below = name("memory/a.md/b.md");
    assert_eq!(refused(workspace.write(&below, b"x", WriteMode::Create).map(|_| ())), Refusal::NotAFolder);
    assert_eq!(refused(workspace.append(&below, b"x")), Refusal::NotAFolder);
    assert_eq!(refused(workspace.list(Some(&name("memory/a.md"))).map(|_| ())), Refusal::NotAFolder);
}

/// Appends follow one another and lose nothing, from several threads.
pub fn appends(workspace: &Arc<dyn Workspace>) {
    let journal = name("memory/2026-01-01-a.md");
    workspace.append(&journal, b"first\n").expect("an append creates");
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (workspace, journal) = (Arc::clone(workspace), journal.clone());
            scope.spawn(move || {
                for line in 0..25 {
                    workspace.append(&journal, format!("{thread} {line}\n").as_bytes()).expect("an append");
                }
            });
        }
    });
    let text = workspace.read_text(&journal).expect("a read").expect("a journal");
    assert!(text.starts_with("first\n"), "what stood there stands there");
    for thread in 0..4 {
        let prefix = format!("{thread} ");
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with(&prefix)).collect();
        let expected: Vec<String> = (0..25).map(|line| format!("{thread} {line}")).collect();
        assert_eq!(lines, expected, "every append stands there once, in order");
    }
}

/// An append begins on a line of its own, whatever end somebody left, and adds nothing else.
pub fn lines(workspace: &dyn Workspace) {
    let ends: [&[u8]; 9] = [
        b"",
        b"\n",
        b"- whole\n",
        b"- whole\r\n",
        b"- torn",
        b"- torn\r",
        b"\n\n",
        b"\xff\xfea\0",
        "- é".as_bytes(),
    ];
    let added: [&[u8]; 8] = [b"", b"- b", b"- b\n", b"\n- b\n", b"\r\n- b\n", b"\r", b"\n", b"\xc3"];
    for (at, (end, bytes)) in ends.iter().flat_map(|end| added.map(|bytes| (*end, bytes))).enumerate() {
        let document = name(&format!("context/{at}.md"));
        workspace.write(&document, end, WriteMode::Create).expect("a create");
        workspace.append(&document, bytes).expect("an append");
        let standing = workspace.read(&document).expect("a read").expect("a document");
        let is_on_its_own =
            end.is_empty() || end.ends_with(b"\n") || bytes.starts_with(b"\n") || bytes.starts_with(b"\r\n");
        let gap: &[u8] = if bytes.is_empty() || is_on_its_own { b"" } else { b"\n" };
        let whole = [end, gap, bytes].concat();
        assert_eq!(
            standing.bytes(),
            whole,
            "{:?} appended to {:?}",
            bytes.escape_ascii(),
            end.escape_ascii()
        );
    }
    let document = name("memory/2026-01-01-b.md");
    for word in ["one", "two", "three"] {
        workspace.append(&document, word.as_bytes()).expect("an append");
    }
    assert_eq!(workspace.read_text(&document).expect("a read").as_deref(), Some("one\ntwo\nthree"));
}

/// A rename moves one document and replaces none.
pub fn renames(workspace: &dyn Workspace) {
    let (from, to) = (name("BOOTSTRAP.md"), name("done/BOOTSTRAP.md"));
    assert!(matches!(workspace.rename(&from, &to), Err(Error::NotFound { .. })));
    workspace.write(&from, b"one", WriteMode::Create).expect("a create");
    workspace.rename(&from, &to).expect("a rename");
    assert!(workspace.read(&from).expect("a read").is_none());
    workspace.write(&from, b"two", WriteMode::Create).expect("a create");
    match workspace.rename(&from, &to) {
        Err(Error::Conflict { current: Some(current), .. }) => assert_eq!(current.bytes(), b"one"),
        other => panic!("a rename onto a document must conflict: {other:?}"),
    }
    assert_eq!(workspace.read_text(&from).expect("a read").as_deref(), Some("two"));
}

/// State files are read and written as documents are.
pub fn states(workspace: &dyn Workspace) {
    let states = [
        StateName::DREAMED,
        StateName::QUARANTINE,
        StateName::LEDGER,
        StateName::INTENT,
        StateName::LOG,
        StateName::SOUL,
        StateName::LIFE,
        StateName::history(&DocName::SOUL),
    ];
    for state in states {
        assert!(workspace.read(&state).expect("a read").is_none());
        workspace.write(&state, b"{}", WriteMode::Replace).expect("a write");
        workspace.append(&state, b"\n").expect("an append");
        assert_eq!(workspace.read(&state).expect("a read").expect("a state").bytes(), b"{}\n");
        let root = workspace.list(None).expect("a listing");
        assert!(root.documents.is_empty() && root.folders.is_empty(), "state is not listed");
        assert!(workspace.remove(&state).expect("a removal"));
    }
}

fn claim(workspace: &dyn Workspace) -> Option<Box<dyn Lease>> {
    match workspace.claim(&ClaimTerms::default()).expect("a claim") {
        Claim::Granted(lease) => Some(lease),
        Claim::Held(_) => None,
    }
}

/// One holder at a time; a lease writes until it is given back, and later claims have greater epochs.
pub fn leases(workspace: &Arc<dyn Workspace>) {
    let lease = claim(workspace.as_ref()).expect("nobody holds it");
    assert!(claim(workspace.as_ref()).is_none(), "a held workspace is held");
    lease.check().expect("it holds");
    lease.replace(&StateName::LEDGER, b"{}").expect("a fenced replace");
    lease.append(&DocName::MEMORY, b"- a\n").expect("a fenced append");
    lease.append(&DocName::MEMORY, b"- b\n").expect("a fenced append");
    assert_eq!(workspace.read_text(&DocName::MEMORY).expect("a read").as_deref(), Some("- a\n- b\n"));
    lease.append(&DocName::MEMORY, b"- c").expect("a fenced append");
    lease.append(&DocName::MEMORY, b"- d").expect("a fenced append");
    let len = |text: &str| text.len() as u64;
    assert!(!lease.finish(&DocName::MEMORY, 3, b"X").expect("a fenced end"), "it is not so long");
    assert!(lease.finish(&DocName::MEMORY, len("- a\n- b\n- c\n- d"), b" and on\n").expect("a fenced end"));
    let text = workspace.read_text(&DocName::MEMORY).expect("a read").expect("a memory");
    assert_eq!(text, "- a\n- b\n- c\n- d and on\n", "an append begins a line, an end goes on in one");
    assert!(
        lease.finish(&DocName::TOOLS, 0, b"- e").expect("a fenced end"),
        "what is not there has no bytes"
    );
    assert_eq!(workspace.read_text(&DocName::TOOLS).expect("a read").as_deref(), Some("- e"));
    assert!(lease.remove(&StateName::LEDGER).expect("a fenced removal"));
    assert!(!lease.remove(&StateName::LEDGER).expect("a fenced removal"));
    let epoch = lease.epoch();
    lease.release().expect("a release");

    let next = claim(workspace.as_ref()).expect("it was given back");
    assert!(next.epoch() > epoch, "epochs rise");
    drop(next);
    assert!(claim(workspace.as_ref()).is_some(), "dropping gives back");

    let held = claim(workspace.as_ref());
    let other = Arc::clone(workspace);
    std::thread::spawn(move || assert!(claim(other.as_ref()).is_none(), "held in another thread"))
        .join()
        .expect("no panic");
    drop(held);
}
