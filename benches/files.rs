//! The cost of keeping a file and of looking one up, beside the bare operations that they cannot do without, among 100,000 files.
//!
//! Beside `put` stands what keeps as much as safely: the bytes in a new file that is synced, their hash, a record beside them that is written
//! under another name, synced and renamed, and both folders synced. Beside `get` stands a read of the record and its JSON, beside `read` the
//! same and a read of the bytes. The files that are there already were written without a sync.
//!
//! Run it with `cargo bench --bench files`; `-- --quick`, and `cargo test --benches`, run a few rounds only and say nothing of speed. It ends
//! within 90 seconds. What is measured lies in the folder for temporary files (`TMPDIR`).
#![expect(clippy::unwrap_used, reason = "a benchmark stops where something fails")]

mod measure;

use std::fs::{self, File, OpenOptions};
use std::hint::black_box;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use measure::{Effort, compare};
use noctuary::files::{FileKey, FileStore, LocalFileStore, NewFile};
use noctuary::workspace::Digest;
use noctuary::{Access, Scope};

const FILES: u64 = 100_000;
const BYTES: usize = 64 << 10;
/// The greatest ratio that is kept to.
const BOUND: f64 = 1.3;

fn at(number: u64) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 1, 1, 0, 0, 0).unwrap()
        + TimeDelta::milliseconds(i64::try_from(number).unwrap())
}

fn content(number: u64) -> Vec<u8> {
    let mut bytes = vec![b'x'; BYTES];
    bytes[..20].copy_from_slice(format!("{number:020}").as_bytes());
    bytes
}

/// The name of a file by its number, as a store would have drawn it.
fn name(number: u64) -> String {
    format!("{}-{number:032x}.bin", at(number).timestamp_millis())
}

fn record(number: u64, bytes: &[u8]) -> String {
    serde_json::json!({
        "v": 1, "scope": {"user": "marta", "agent": ""}, "len": bytes.len(), "sha256": Digest::of(bytes), "at": at(number),
    })
    .to_string()
}

/// Files of one byte, written as fast as a disk takes them.
fn fill(root: &Path, count: u64) {
    let (bytes, records) = (root.join("chat/files/marta"), root.join(".dreaming.d/files/marta"));
    for folder in [&bytes, &records] {
        fs::create_dir_all(folder).unwrap();
    }
    let text = record(0, b"x");
    for number in 0..count {
        fs::write(bytes.join(name(number)), "x").unwrap();
        fs::write(records.join(format!("{}.json", name(number))), &text).unwrap();
    }
}

fn create(path: &Path, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).unwrap();
    file.write_all(bytes).unwrap();
    file.sync_all().unwrap();
}

fn main() {
    let effort = Effort::of_arguments();
    let count = FILES / u64::from(effort.divisor);
    let (ours, bare) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fill(ours.path(), count);
    fill(bare.path(), count);
    let access = Access::human(Scope::user("marta"));
    let store = LocalFileStore::open(ours.path(), Scope::user("marta")).unwrap();
    let (bytes, records) =
        (bare.path().join("chat/files/marta"), bare.path().join(".dreaming.d/files/marta"));

    let put_bare = |number: u64| {
        let (content, name) = (content(number), name(FILES + number));
        create(&bytes.join(&name), &content);
        File::open(&bytes).unwrap().sync_all().unwrap();
        let temporary = records.join(format!(".{name}.tmp"));
        create(&temporary, record(number, &content).as_bytes());
        fs::rename(&temporary, records.join(format!("{name}.json"))).unwrap();
        File::open(&records).unwrap().sync_all().unwrap();
    };
    let put = |number: u64| {
        let content = content(number);
        store.put(&access, &NewFile::new("bin"), &mut &*content, at(FILES + number)).unwrap();
    };
    let key = |number: u64| {
        let number = number.wrapping_mul(7_919) % count;
        FileKey::parse(format!("chat/files/marta/{}", name(number))).unwrap()
    };
    let get_bare = |number: u64| {
        let name = key(number).as_str().rsplit('/').next().unwrap().to_owned();
        let record = fs::read(records.join(format!("{name}.json"))).unwrap();
        serde_json::from_slice::<serde_json::Value>(&record).unwrap();
        name
    };
    let rows = [
        compare(
            effort,
            ["put 64 KiB", "two files, synced", ""],
            200,
            || {},
            Box::new(put_bare),
            Box::new(put),
        ),
        compare(
            effort,
            ["get", "fs::read of the record", ""],
            2_000,
            || {},
            Box::new(|number| drop(black_box(get_bare(number)))),
            Box::new(|number| drop(black_box(store.get(&access, &key(number)).unwrap()))),
        ),
        compare(
            effort,
            ["read", "fs::read of both", ""],
            2_000,
            || {},
            Box::new(|number| drop(black_box(fs::read(bytes.join(get_bare(number))).unwrap()))),
            Box::new(|number| drop(black_box(store.read(&access, &key(number), 0..9).unwrap()))),
        ),
    ];
    let rows: Vec<_> = rows
        .into_iter()
        .map(|mut row| {
            row.bound = Some(BOUND);
            row
        })
        .collect();
    measure::print(effort, ["verb", "baseline", "among 100,000"], &rows);
}
