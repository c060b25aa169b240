//! Files in object stores: in memory, in a folder, and on a server that speaks S3.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use noctuary::Error;
use noctuary::exchange::copy_files;
use noctuary::files::{FileKey, FileStore, LocalFileStore, ObjectFileStore, ObjectSettings, ObjectStorage};
use noctuary::testing::contract::files::{OpenFiles, files};

use super::{human, marta, now, put};

fn over(storage: ObjectStorage) -> OpenFiles {
    Box::new(move |scope, limits| {
        Arc::new(ObjectFileStore::open_with(&storage, scope, limits, now()).unwrap())
    })
}

fn memory() -> ObjectStorage {
    ObjectStorage::connect(&ObjectSettings::new("memory:///some/prefix/")).unwrap()
}

fn folder(path: &std::path::Path) -> ObjectStorage {
    ObjectStorage::connect(&ObjectSettings::new(format!("file://{}", path.display()))).unwrap()
}

fn open(storage: &ObjectStorage) -> ObjectFileStore {
    ObjectFileStore::open(storage, marta(), now()).unwrap()
}

/// The server of the gate; `None` where there is none, which the gate does not let pass.
fn server() -> Option<String> {
    let server = std::env::var("NOCTUARY_S3").ok();
    assert!(server.is_some() || std::env::var_os("CI").is_none(), "the gate needs a server: .ci/s3");
    if server.is_none() {
        println!("skipped: NOCTUARY_S3 is not set; CI=true .ci/s3 starts a server");
    }
    server
}

/// A place of its own in the bucket.
fn bucket(server: &str) -> ObjectStorage {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    make_bucket(server);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let settings = ObjectSettings::new(format!("s3://noctuary/{}-{number}", std::process::id()))
        .option("endpoint", server)
        .option("allow_http", "true")
        .option("region", "us-east-1")
        .option("access_key_id", "noctuary")
        .option("secret_access_key", "none")
        .timeout(Duration::from_secs(20));
    ObjectStorage::connect(&settings).unwrap()
}

/// Makes the bucket; again, it changes nothing.
fn make_bucket(server: &str) {
    let host = server.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let request =
        format!("PUT /noctuary HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

// BX-50: one suite for all of them.
#[test]
fn object_stores_keep_the_contract() {
    files(&|| over(memory()));
    files(&|| {
        let place = tempfile::tempdir().unwrap();
        let open = over(folder(place.path()));
        Box::new(move |scope, limits| {
            assert!(place.path().exists());
            open(scope, limits)
        })
    });
}

#[test]
fn a_server_that_speaks_s3_keeps_the_contract() {
    let Some(server) = server() else { return };
    files(&|| over(bucket(&server)));
}

#[test]
fn files_go_up_and_come_down_with_their_keys() {
    let storage = server().map_or_else(memory, |server| bucket(&server));
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let local = LocalFileStore::open(here.path(), marta()).unwrap();
    let large = vec![5; 6 << 20];
    let keys: Vec<FileKey> =
        [&b"one"[..], b"", &large].into_iter().map(|bytes| put(&local, bytes).unwrap()).collect();
    let above = open(&storage);
    assert_eq!(copy_files(&local, &above, &human()).unwrap(), 3);
    assert_eq!(copy_files(&local, &above, &human()).unwrap(), 0, "once");
    let back = LocalFileStore::open(there.path(), marta()).unwrap();
    assert_eq!(copy_files(&above, &back, &human()).unwrap(), 3);
    for key in &keys {
        let (one, two) = (local.get(&human(), key).unwrap(), back.get(&human(), key).unwrap());
        assert_eq!((one.len, one.sha256, one.at), (two.len, two.sha256, two.at));
    }
    assert!(back.read(&human(), &keys[2], 0..u64::MAX).unwrap() == large);
    assert!(above.get(&human(), &keys[0]).unwrap().url.ends_with(keys[0].as_str()));
}

#[test]
fn eight_writers_at_once_lose_nothing() {
    let storage = server().map_or_else(memory, |server| bucket(&server));
    let mut written: Vec<FileKey> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..8)
            .map(|writer| {
                let storage = storage.clone();
                scope.spawn(move || {
                    let store = open(&storage);
                    let keep = |round| put(&store, format!("{writer} {round}").as_bytes()).unwrap();
                    (0..5).map(keep).collect::<Vec<_>>()
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    let listed = open(&storage).list(&human(), None, 99).unwrap();
    let keys: Vec<FileKey> = listed.into_iter().map(|file| file.key).collect();
    written.sort();
    assert_eq!(keys, written);
}

// In a host with a runtime of its own, on any of its threads.
#[test]
fn verbs_may_be_called_on_the_threads_of_a_runtime() {
    let place = tempfile::tempdir().unwrap();
    for storage in [memory(), folder(place.path())] {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
        let key = runtime.block_on(async { put(&open(&storage), b"within").unwrap() });
        assert_eq!(open(&storage).read(&human(), &key, 0..9).unwrap(), b"within");
    }
}

// An upload that ended between its two steps is seen by nobody, and an open a day later takes it away.
#[test]
fn bytes_without_a_record_are_removed_a_day_later() {
    let place = tempfile::tempdir().unwrap();
    let storage = folder(place.path());
    let kept = put(&open(&storage), b"whole").unwrap();
    let half = place.path().join("chat/files/marta/1795251600000-3f9b95c40c6126e13f9b95c40c6126e1.bin");
    std::fs::write(&half, "half").unwrap();
    let real: DateTime<Utc> = std::fs::metadata(&half).unwrap().modified().unwrap().into();
    let at = |hours| ObjectFileStore::open(&storage, marta(), real + TimeDelta::hours(hours)).unwrap();
    assert_eq!(at(23).list(&human(), None, 9).unwrap().len(), 1, "half a file is not listed");
    assert!(half.exists(), "it may be under way");
    let later = at(25);
    assert!(!half.exists(), "nobody writes for a day");
    assert_eq!(later.read(&human(), &kept, 0..9).unwrap(), b"whole");
}

#[test]
fn what_is_wrong_with_a_connection_is_said_without_a_secret() {
    for wrong in ["ftp://x/y", "s3://", "file:///does/not/exist", ""] {
        let refused = ObjectStorage::connect(&ObjectSettings::new(wrong));
        assert!(matches!(refused, Err(Error::Config { .. })), "{wrong}");
    }
    let unknown = ObjectSettings::new("s3://bucket").option("colour", "green");
    assert!(matches!(ObjectStorage::connect(&unknown), Err(Error::Config { setting: "option", .. })));
    let keyed = |settings: ObjectSettings| {
        settings.option("access_key_id", "ALSO-SECRET").option("secret_access_key", "VERY-SECRET")
    };
    let settings = keyed(ObjectSettings::new("s3://bucket")).timeout(Duration::from_secs(5));
    assert!(!format!("{settings:?}").contains("SECRET"));
    let fails = |settings: ObjectSettings| {
        let storage = ObjectStorage::connect(&settings).unwrap();
        let opened = ObjectFileStore::open(&storage, marta(), now());
        let error = opened.and_then(|store| put(&store, b"x")).unwrap_err();
        let told = format!("{error} {error:?}");
        assert!(matches!(error, Error::Io { .. }) && !told.contains("SECRET"), "{told}");
    };
    // Nobody listens there; and nothing is sent in the clear unless it was allowed.
    let nowhere = settings.option("endpoint", "http://127.0.0.1:9");
    fails(nowhere.clone().option("allow_http", "true"));
    fails(nowhere);
    if let Some(server) = server() {
        let gone = keyed(ObjectSettings::new("s3://there-is-no-such-bucket"));
        fails(gone.option("endpoint", &server).option("allow_http", "true"));
    }
}
