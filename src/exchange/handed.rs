//! Forgetting in files that people handed over.

use chrono::{DateTime, Utc};

use crate::base::access::Access;
use crate::base::error::{Error, Result};
use crate::base::receipt::{ForgetPlace, PlaceReceipt};
use crate::gate::{TombstoneKey, Tombstones};
use crate::upload::{FileKey, FileStore, StoredFile, TableLimits, is_text, table_text};

/// Maximum size of a file that is searched, in bytes; a larger one counts as not searched.
const MAX_FILE_BYTES: u64 = 64 << 20;
const PAGE: usize = 100;

/// Searches the files of some stores for statements, and removes the files that have one if `removes` is set. `None` without a store.
pub(super) fn forget(
    stores: &[&dyn FileStore],
    access: &Access,
    texts: &[String],
    removes: bool,
    now: DateTime<Utc>,
) -> Result<Option<PlaceReceipt>> {
    if stores.is_empty() {
        return Ok(None);
    }
    let mut forgotten = Tombstones::new(TombstoneKey::random());
    for text in texts {
        if let Some(stone) = forgotten.bury(text) {
            forgotten.insert(stone);
        }
    }
    let mut line = PlaceReceipt::new(ForgetPlace::Files, 0, 0);
    let mut closed = 0;
    for store in stores {
        let mut after: Option<FileKey> = None;
        loop {
            let page = store.list(access, after.as_ref(), PAGE)?;
            for file in &page {
                match words(*store, access, file)? {
                    None => closed += 1,
                    Some(words) if forgotten.holds(&words) => {
                        line.found += 1;
                        if removes {
                            store.delete(access, &file.key, now)?;
                            line.removed += 1;
                        }
                    }
                    Some(_) => {}
                }
            }
            match page.last() {
                Some(last) => after = Some(last.key.clone()),
                None => break,
            }
        }
    }
    if line.removed < line.found {
        line.also_left("they are the person's own: asked for with in_files alone");
    }
    if closed > 0 {
        line.also_left(format!("{closed} files are no text, and nobody looked into them"));
    }
    Ok(Some(line))
}

/// Returns all words of a file; `None` where they cannot be read.
fn words(store: &dyn FileStore, access: &Access, file: &StoredFile) -> Result<Option<String>> {
    let extension = file.key.extension();
    let is_workbook = matches!(extension, "xlsx" | "xlsm");
    if file.len > MAX_FILE_BYTES || !(is_workbook || is_text(extension)) {
        return Ok(None);
    }
    let bytes = match store.read(access, &file.key, 0..file.len) {
        Ok(bytes) => bytes,
        // Removed meanwhile.
        Err(Error::NotFound { .. }) => return Ok(Some(String::new())),
        Err(error) => return Err(error),
    };
    if !is_workbook {
        return Ok(Some(String::from_utf8_lossy(&bytes).into_owned()));
    }
    let table = table_text(extension, &bytes, &TableLimits::default()).unwrap_or_default();
    Ok(table.filter(|table| table.is_whole).map(|table| table.text))
}
