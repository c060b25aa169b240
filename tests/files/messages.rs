//! Keys in messages, for each provider and back, and base64 that is lifted out.

use std::sync::Arc;

use data_encoding::BASE64;
use noctuary::files::{FileStore, LocalFileStore, MessageFiles, NewFile, Provider, StoredFile, lift_inline};
use noctuary::tools::Toolbox;
use noctuary::{Access, Error};
use serde_json::{Value, json};

use super::{human, marta, now};

const PROVIDERS: [Provider; 3] = [Provider::OpenAi, Provider::Anthropic, Provider::Gemini];

struct Desk {
    store: Arc<LocalFileStore>,
    _folder: tempfile::TempDir,
}

fn desk() -> Desk {
    let folder = tempfile::tempdir().unwrap();
    Desk { store: Arc::new(LocalFileStore::open(folder.path(), marta()).unwrap()), _folder: folder }
}

impl Desk {
    fn keep(&self, extension: &str, bytes: &[u8]) -> StoredFile {
        self.store.put(&human(), &NewFile::new(extension), &mut &*bytes, now()).unwrap()
    }

    fn files(&self, provider: Provider) -> MessageFiles {
        MessageFiles::new(provider, self.store.clone(), human())
    }

    fn count(&self) -> usize {
        self.store.list(&human(), None, 99).unwrap().len()
    }
}

/// A file of each kind.
const ALL: [(&str, &[u8]); 8] = [
    ("png", b"\x89PNG\r\n\x1a\n1"),
    ("jpg", b"\xff\xd8\xff2"),
    ("pdf", b"%PDF-1.7"),
    ("mp3", b"ID3"),
    ("mp4", b"film"),
    ("csv", b"day,high\nMon,3.2\n"),
    ("txt", b"plain\n"),
    ("zip", b"PK\x03\x04"),
];

// AF-15
#[test]
fn what_is_sent_has_the_shape_of_the_provider_and_becomes_keys_again() {
    let desk = desk();
    let stored: Vec<StoredFile> = ALL.iter().map(|(extension, bytes)| desk.keep(extension, bytes)).collect();
    let parts: Vec<Value> = stored.iter().map(|file| MessageFiles::part(&file.key)).collect();
    let first = parts[0].clone();
    let text = json!({"type": "text", "text": "look"});
    let kept = json!([{"role": "user", "content": [text, parts, {"deep": {"er": first}}]}]);
    for provider in PROVIDERS {
        let files = desk.files(provider);
        let sent = files.inward(&kept).unwrap();
        assert!(!sent.to_string().contains("file_key"), "{provider}: each has a shape");
        let part = |at: usize| &sent[0]["content"][1][at];
        for (at, (extension, bytes)) in ALL.iter().enumerate() {
            let is_bytes = match *extension {
                "png" | "jpg" | "pdf" => true,
                "mp3" => provider != Provider::Anthropic,
                "mp4" => provider == Provider::Gemini,
                _ => false,
            };
            let has = part(at).to_string().contains(&BASE64.encode(bytes));
            assert_eq!(has, is_bytes, "{provider} {extension}: {}", part(at));
        }
        let begins = |text: &Value, with: &str| text.as_str().is_some_and(|text| text.starts_with(with));
        match provider {
            Provider::OpenAi => {
                assert!(begins(&part(0)["image_url"]["url"], "data:image/png;base64,"));
                assert!(begins(&part(2)["file"]["file_data"], "data:application/pdf;base64,"));
                assert_eq!(part(3)["input_audio"]["format"], "mp3");
            }
            Provider::Anthropic => {
                assert_eq!((&part(0)["type"], &part(2)["type"]), (&json!("image"), &json!("document")));
                assert_eq!(part(1)["source"]["media_type"], "image/jpeg");
            }
            _ => assert_eq!(part(4)["inlineData"]["mimeType"], "video/mp4"),
        }
        assert!(
            part(5)["text"].as_str().unwrap().contains("| 2 | Mon | 3.2 |"),
            "a table is text: {}",
            part(5)
        );
        assert!(part(6)["text"].as_str().unwrap().ends_with("]\nplain\n"));
        assert!(part(7)["text"].as_str().unwrap().contains("not shown"));
        assert_eq!(files.outward(&sent, now()).unwrap(), kept, "{provider}: each has its key again");
        assert_eq!(desk.count(), ALL.len(), "{provider}: nothing is kept twice");
    }
}

#[test]
fn addresses_are_sent_where_a_provider_fetches_them() {
    let desk = desk();
    let picture = desk.keep("png", b"\x89PNG\r\n\x1a\n");
    for provider in PROVIDERS {
        let files = desk.files(provider).by_url();
        let sent = files.inward(&MessageFiles::part(&picture.key)).unwrap();
        assert!(sent.to_string().contains(&picture.url) && !sent.to_string().contains("base64"), "{sent}");
        assert_eq!(files.outward(&sent, now()).unwrap(), MessageFiles::part(&picture.key));
        let foreign = json!({"type": "image_url", "image_url": {"url": "https://pictures.example/1.png"}});
        assert_eq!(files.outward(&foreign, now()).unwrap(), foreign, "what is elsewhere stays there");
    }
}

// No bytes are left in what is stored, in whichever shape they came.
#[test]
fn bytes_that_came_otherwise_are_kept_once_as_files() {
    let bytes = [&b"\x89PNG\r\n\x1a\n"[..], &[9; 600]].concat();
    let data = BASE64.encode(&bytes);
    let address = format!("data:image/png;base64,{data}");
    for message in [
        json!({"type": "image_url", "image_url": {"url": address}}),
        json!({"type": "input_image", "image_url": address}),
        json!({"type": "input_file", "filename": "x.png", "file_data": address}),
        json!({"type": "file", "file": {"filename": "x.png", "file_data": address}}),
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}),
        json!({"inlineData": {"mimeType": "image/png", "data": data}}),
        json!({"inline_data": {"mime_type": "image/png", "data": data}}),
    ] {
        let desk = desk();
        let files = desk.files(Provider::OpenAi);
        let twice = files.outward(&json!([message, {"in": [message]}]), now()).unwrap();
        let key = &desk.store.list(&human(), None, 9).unwrap()[0].key;
        let part = MessageFiles::part(key);
        assert_eq!(twice, json!([part, {"in": [part]}]), "{message:.40}");
        assert_eq!((desk.count(), key.extension()), (1, "png"));
        assert_eq!(desk.store.read(&human(), key, 0..9999).unwrap(), bytes);
    }
    let desk = desk();
    for text in [format!("see {address}!"), format!("raw {data}")] {
        let kept = desk.files(Provider::Gemini).outward(&json!({"note": text}), now()).unwrap();
        assert!(kept["note"].as_str().unwrap().contains("chat/files/marta/"));
        assert!(!kept.to_string().contains(&data[..64]));
    }
    let prose = json!({"text": "nothing here", "source": {"type": "text"}, "file": 3, "n": [null, 1.5]});
    assert_eq!(desk.files(Provider::Anthropic).outward(&prose, now()).unwrap(), prose);
}

#[test]
fn a_session_translates_what_it_may_read_and_nothing_else() {
    let desk = desk();
    let private = desk.keep("png", b"\x89PNG\r\n\x1a\n");
    let group = MessageFiles::new(Provider::OpenAi, desk.store.clone(), Access::shared(marta()));
    let part = MessageFiles::part(&private.key);
    assert!(matches!(group.inward(&part), Err(Error::NotFound { .. })));
    // What only looks like a key, or a text that names one without having been sent, is a text.
    let files = desk.files(Provider::OpenAi);
    for plain in [
        json!({"file_key": "chat/files/../x"}),
        json!({"file_key": private.key, "and": 1}),
        json!({"type": "text", "text": format!("[file {}]\nhello", private.key)}),
    ] {
        assert_eq!(files.inward(&plain).unwrap(), plain);
        assert_eq!(files.outward(&plain, now()).unwrap(), plain);
    }
    let among = Access::shared(marta());
    let kept = lift_inline(desk.store.as_ref(), &among, "data:text/plain;base64,aGk=", now()).unwrap();
    assert!(kept.files[0].is_shared, "what came in a group is the group's");
}

// The tools: in parts, masked, as the session may read.
#[test]
fn a_model_reads_files_in_parts_and_masked() {
    let desk = desk();
    let words = "é word ".repeat(6_000);
    let long = desk.keep("md", words.as_bytes());
    let keyed = desk.keep("txt", b"key AKIAIOSFODNN7EXAMPLE\n");
    let picture = desk.keep("png", b"\x89PNG");
    let tools = Toolbox::without_documents(Access::agent(marta())).files(desk.store.clone());
    let call = |name: &str, arguments: Value| tools.call(name, &arguments, now());
    let listed = call("file_list", json!({})).unwrap();
    assert_eq!(listed["files"].as_array().unwrap().len(), 3);
    let page = call("file_list", json!({"after": listed["files"][0]["key"], "limit": 1})).unwrap();
    assert_eq!(page["files"], json!([listed["files"][1]]));
    let (mut read, mut offset) = (String::new(), 0);
    loop {
        let part = call("file_read", json!({"key": long.key, "offset": offset})).unwrap();
        let text = part["text"].as_str().unwrap();
        assert!(text.len() < 24 << 10);
        read.push_str(text);
        offset += text.len();
        if part["cut"].is_null() {
            break;
        }
    }
    assert_eq!(read, words);
    let few = call("file_read", json!({"key": long.key, "offset": 8, "limit": 10})).unwrap();
    assert_eq!((few["text"].as_str().unwrap(), few["cut"].is_null()), ("é word é", false));
    let shown = call("file_read", json!({"key": keyed.key})).unwrap().to_string();
    assert!(shown.contains("[REDACTED:aws_access_key") && !shown.contains("AKIA"), "{shown}");
    let seen = call("file_read", json!({"key": picture.key})).unwrap();
    assert!(seen["text"].is_null() && seen["type"] == "image/png");
    let unknown = "chat/files/marta/1795251600000-3f9b95c40c6126e13f9b95c40c6126e1.bin";
    for (arguments, why) in [
        (json!({"key": unknown}), "There is no such file"),
        (json!({"key": "../../etc/passwd"}), "There is no such file"),
        (json!({"key": long.key, "offset": 1}), "inside of a character"),
        (json!({"key": long.key, "scope": "ivo"}), "does not take"),
    ] {
        let refused = call("file_read", arguments.clone()).unwrap_err();
        assert!(refused.message().contains(why), "{arguments}: {refused}");
    }
    let group = Toolbox::without_documents(Access::shared(marta())).files(desk.store.clone());
    assert_eq!(group.call("file_list", &json!({}), now()).unwrap(), json!({"files": []}));
    assert!(group.call("file_read", &json!({"key": long.key}), now()).is_err());
}
