//! Keys in messages, in the shapes that providers want, and back.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use data_encoding::BASE64;
use serde_json::{Map, Value, json};

use super::inline::{decoded, lift_inline};
use crate::base::access::Access;
use crate::base::debug::debug_as;
use crate::base::digest::Digest;
use crate::base::error::Result;
use crate::upload::{
    FileKey, FileStore, NewFile, StoredFile, TableLimits, extension_for, is_text, table_text,
};

/// A provider whose messages are known, each in its own shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Provider {
    /// Chat completions of `OpenAI`, and of the many endpoints that speak like it.
    OpenAi,
    /// Messages of Anthropic.
    Anthropic,
    /// Contents of Gemini.
    Gemini,
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::OpenAi => "OpenAI",
            Self::Anthropic => "Anthropic",
            Self::Gemini => "Gemini",
        })
    }
}

/// Translates keys of messages into parts for a provider, and parts back into keys, so that no transcript keeps bytes.
/// (seed 000, file store)
///
/// A message that is stored names a file by [`part`](Self::part): `{"file_key": "chat/files/…"}`.
/// [`inward`](Self::inward) replaces it, where it is in a message, by the part of the provider. It is a picture, a
/// document, a sound, or the text of a table or a text file. [`outward`](Self::outward) does the reverse: what was
/// translated has its key again, and bytes that came otherwise are kept as new files.
///
/// A file that this session may not read is an error, and so is one that is gone. A host that shows old messages
/// catches [`Error::NotFound`](crate::Error::NotFound).
///
/// ```
/// use std::sync::Arc;
/// use chrono::Utc;
/// use noctuary::files::{FileStore, LocalFileStore, MessageFiles, NewFile, Provider};
/// use noctuary::{Access, Scope};
/// use serde_json::json;
///
/// let folder = tempfile::tempdir()?;
/// let store = Arc::new(LocalFileStore::open(folder.path(), Scope::user("marta"))?);
/// let marta = Access::human(Scope::user("marta"));
/// let plan = store.put(&marta, &NewFile::new("png"), &mut &b"\x89PNG\r\n\x1a\n"[..], Utc::now())?;
///
/// let files = MessageFiles::new(Provider::Anthropic, store, marta);
/// let kept = json!({"role": "user", "content": [{"type": "text", "text": "Is it right?"}, MessageFiles::part(&plan.key)]});
/// let sent = files.inward(&kept)?;
/// assert_eq!(sent["content"][1]["source"]["data"], "iVBORw0KGgo=");
/// assert_eq!(files.outward(&sent, Utc::now())?, kept);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MessageFiles {
    provider: Provider,
    store: Arc<dyn FileStore>,
    access: Access,
    is_by_url: bool,
    limits: TableLimits,
    /// The files that were translated or kept, by their hash.
    known: Mutex<BTreeMap<Digest, StoredFile>>,
}

debug_as!(MessageFiles, |it| "MessageFiles({}, {:?})", it.provider, it.store);

/// The field of a part that is stored.
const KEY: &str = "file_key";
/// Maximum bytes of a file that are read: more than any store keeps by default.
const MOST: u64 = 1 << 30;
/// The beginning of a text part that stands for a file.
const TEXT_MARK: &str = "[file ";

impl MessageFiles {
    /// Makes a translator for the messages of a session.
    #[must_use]
    pub fn new(provider: Provider, store: Arc<dyn FileStore>, access: Access) -> Self {
        let (limits, known) = (TableLimits::default(), Mutex::default());
        Self { provider, store, access, is_by_url: false, limits, known }
    }

    /// Sends pictures and documents by their [address](StoredFile::url), for a store whose addresses the provider can fetch.
    #[must_use]
    pub fn by_url(mut self) -> Self {
        self.is_by_url = true;
        self
    }

    /// Sets how much of a table and of a text file is sent.
    #[must_use]
    pub fn limits(mut self, limits: TableLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns the part of a stored message that names a file.
    #[must_use]
    pub fn part(key: &FileKey) -> Value {
        json!({ KEY: key.as_str() })
    }

    /// Translates a message, or many, for the provider.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`](crate::Error::NotFound) for a file that this session may not read, and the errors of the store.
    pub fn inward(&self, message: &Value) -> Result<Value> {
        Ok(match message {
            Value::Array(all) => Value::Array(all.iter().map(|one| self.inward(one)).collect::<Result<_>>()?),
            Value::Object(fields) => {
                if let Some(key) = key_of(fields) {
                    self.sent(&key)?
                } else {
                    let fields = fields.iter().map(|(name, value)| Ok((name.clone(), self.inward(value)?)));
                    Value::Object(fields.collect::<Result<_>>()?)
                }
            }
            other => other.clone(),
        })
    }

    /// Translates a message, or many, for storage: no bytes are left in it. Base64 in texts is lifted out too, as
    /// [`lift_inline`] does.
    ///
    /// # Errors
    ///
    /// The errors of [`FileStore::put`].
    pub fn outward(&self, message: &Value, now: DateTime<Utc>) -> Result<Value> {
        Ok(match message {
            Value::Array(all) => {
                Value::Array(all.iter().map(|one| self.outward(one, now)).collect::<Result<_>>()?)
            }
            Value::Object(fields) => {
                if let Some(key) = self.kept(fields, now)? {
                    Self::part(&key)
                } else {
                    let fields =
                        fields.iter().map(|(name, value)| Ok((name.clone(), self.outward(value, now)?)));
                    Value::Object(fields.collect::<Result<_>>()?)
                }
            }
            Value::String(text) => {
                let lifted = lift_inline(self.store.as_ref(), &self.access, text, now)?;
                for file in lifted.files {
                    self.known().insert(file.sha256, file);
                }
                Value::String(lifted.text)
            }
            other => other.clone(),
        })
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<Digest, StoredFile>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the part of the provider for a file.
    fn sent(&self, key: &FileKey) -> Result<Value> {
        let file = self.store.get(&self.access, key)?;
        self.known().insert(file.sha256, file.clone());
        let extension = key.extension();
        let kind = file.media_type();
        let is_picture = kind.starts_with("image/");
        let is_sound = ["mp3", "wav"].contains(&extension) && self.provider != Provider::Anthropic;
        let is_film = self.provider == Provider::Gemini && (kind.starts_with("video/") || extension == "ogg");
        let is_document = extension == "pdf";
        if self.is_by_url && (is_picture || (is_document && self.provider != Provider::OpenAi)) {
            return Ok(self.address(&file, is_picture));
        }
        if !(is_picture || is_sound || is_film || is_document) {
            return self.as_text(&file);
        }
        let bytes = self.store.read(&self.access, key, 0..file.len.min(MOST))?;
        let data = BASE64.encode(&bytes);
        Ok(match self.provider {
            Provider::OpenAi if is_picture => {
                json!({"type": "image_url", "image_url": {"url": format!("data:{kind};base64,{data}")}})
            }
            Provider::OpenAi if is_sound => {
                json!({"type": "input_audio", "input_audio": {"data": data, "format": extension}})
            }
            Provider::OpenAi => json!({"type": "file", "file": {
                "filename": format!("file.{extension}"), "file_data": format!("data:{kind};base64,{data}")
            }}),
            Provider::Anthropic => json!({
                "type": if is_picture { "image" } else { "document" },
                "source": {"type": "base64", "media_type": kind, "data": data}
            }),
            Provider::Gemini => json!({"inlineData": {"mimeType": kind, "data": data}}),
        })
    }

    fn address(&self, file: &StoredFile, is_picture: bool) -> Value {
        match self.provider {
            Provider::OpenAi => json!({"type": "image_url", "image_url": {"url": file.url}}),
            Provider::Anthropic => json!({
                "type": if is_picture { "image" } else { "document" }, "source": {"type": "url", "url": file.url}
            }),
            Provider::Gemini => json!({"fileData": {"mimeType": file.media_type(), "fileUri": file.url}}),
        }
    }

    /// Returns the text of a file, or its kind if it has no text.
    fn as_text(&self, file: &StoredFile) -> Result<Value> {
        let extension = file.key.extension();
        let is_table = matches!(extension, "csv" | "tsv" | "xlsx" | "xlsm");
        let read = |most: u64| self.store.read(&self.access, &file.key, 0..file.len.min(most));
        // A workbook that does not read is told of like any other file.
        let table = if is_table {
            table_text(extension, &read(MOST)?, &self.limits).unwrap_or_default()
        } else {
            None
        };
        let text = match table {
            Some(table) => table.text,
            None if is_text(extension) => {
                let bytes = read(self.limits.bytes as u64)?;
                let mut text = String::from_utf8_lossy(&bytes).into_owned();
                if file.len > bytes.len() as u64 {
                    text += "\n(The rest is left out.)\n";
                }
                text
            }
            None => format!("({}, {} bytes; its content is not shown)", file.media_type(), file.len),
        };
        let text = format!("{TEXT_MARK}{}]\n{text}", file.key);
        Ok(match self.provider {
            Provider::Gemini => json!({ "text": text }),
            _ => json!({"type": "text", "text": text}),
        })
    }

    /// Returns the key of the file in a provider's part. A new file is kept. `None` for any other object.
    fn kept(&self, fields: &Map<String, Value>, now: DateTime<Utc>) -> Result<Option<FileKey>> {
        if let Some(text) = fields.get("text").and_then(Value::as_str) {
            return Ok(self.named_in(fields, text));
        }
        let Some(held) = held(fields) else { return Ok(None) };
        let (extension, bytes) = match held {
            Held::Address(url) => {
                let known = self.known();
                return Ok(known.values().find(|file| file.url == url).map(|file| file.key.clone()));
            }
            Held::Bytes(extension, bytes) => (extension, bytes),
        };
        let digest = Digest::of(&bytes);
        if let Some(file) = self.known().get(&digest) {
            return Ok(Some(file.key.clone()));
        }
        let file = self.store.put(&self.access, &NewFile::new(extension), &mut &*bytes, now)?;
        self.known().insert(digest, file.clone());
        Ok(Some(file.key))
    }

    /// Returns the key of a text part that stands for a file, if it was made here.
    fn named_in(&self, fields: &Map<String, Value>, text: &str) -> Option<FileKey> {
        if fields.keys().any(|field| field != "text" && field != "type") {
            return None;
        }
        let key = FileKey::parse(text.strip_prefix(TEXT_MARK)?.split_once(']')?.0).ok()?;
        self.known().values().any(|file| file.key == key).then_some(key)
    }
}

/// The content of a part of a provider.
enum Held {
    Address(String),
    Bytes(&'static str, Vec<u8>),
}

fn key_of(fields: &Map<String, Value>) -> Option<FileKey> {
    let key = fields.get(KEY)?.as_str()?;
    if fields.len() == 1 { FileKey::parse(key).ok() } else { None }
}

/// Reads a part in any of the shapes that are known.
fn held(fields: &Map<String, Value>) -> Option<Held> {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let of = |name: &str| fields.get(name);
    let base64 = |kind: &str, data: &str| Some(Held::Bytes(extension_for(kind), decoded(data)?));
    let address = |url: String| match url.split_once(";base64,") {
        Some((kind, data)) if kind.starts_with("data:") => base64(&kind["data:".len()..], data),
        _ => Some(Held::Address(url)),
    };
    // OpenAI: chat completions, and responses.
    if let Some(image) = of("image_url") {
        return address(image.as_str().map(str::to_owned).or_else(|| text(image, "url"))?);
    }
    if let Some(audio) = of("input_audio") {
        return base64(&format!("audio/{}", text(audio, "format")?), &text(audio, "data")?);
    }
    if let Some(data) = of("file")
        .and_then(|file| text(file, "file_data"))
        .or_else(|| of("file_data").and_then(Value::as_str).map(str::to_owned))
    {
        return address(data);
    }
    // Anthropic.
    if let Some(source) = of("source") {
        return match text(source, "type")?.as_str() {
            "base64" => base64(&text(source, "media_type")?, &text(source, "data")?),
            "url" => Some(Held::Address(text(source, "url")?)),
            _ => None,
        };
    }
    // Gemini, in both spellings of its fields.
    if let Some(data) = of("inlineData").or_else(|| of("inline_data")) {
        let kind = text(data, "mimeType").or_else(|| text(data, "mime_type"))?;
        return base64(&kind, &text(data, "data")?);
    }
    let file = of("fileData").or_else(|| of("file_data"))?;
    Some(Held::Address(text(file, "fileUri").or_else(|| text(file, "file_uri"))?))
}
