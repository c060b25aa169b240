//! The key of this account, which signs exports.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use noctuary::exchange::BundleKey;
use noctuary::gate::TombstoneKey;

use super::config::Config;
use super::output::{Trouble, notice};

/// Reads the key, where there is one.
pub(crate) fn read(config: &Config) -> Result<Option<BundleKey>, Trouble> {
    let Some(path) = config.key_file() else { return Ok(None) };
    match std::fs::read_to_string(&path) {
        Ok(text) => parse(&text).map(Some).ok_or_else(|| Trouble::of("key_damaged", &[&path.display()])),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Trouble::of("key_unread", &[&path.display(), &error])),
    }
}

/// Reads the key, or makes one; `None` where there is no place for it.
pub(crate) fn read_or_make(config: &Config) -> Result<Option<BundleKey>, Trouble> {
    if let Some(key) = read(config)? {
        return Ok(Some(key));
    }
    let Some(path) = config.key_file() else {
        notice("key_nowhere", &[]);
        return Ok(None);
    };
    let bytes = random();
    match write(&path, &bytes) {
        Ok(()) => {
            notice("key_new", &[&path.display()]);
            Ok(Some(BundleKey::from_bytes(bytes)))
        }
        // Another process made one meanwhile.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => read(config),
        Err(error) => {
            notice("key_unwritten", &[&path.display(), &error]);
            Ok(None)
        }
    }
}

fn parse(text: &str) -> Option<BundleKey> {
    let text = text.trim();
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, at) in bytes.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&text[at..at + 2], 16).ok()?;
    }
    Some(BundleKey::from_bytes(bytes))
}

/// Makes a file that no other account reads. One that is there stays as it is.
pub(crate) fn create_private(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Writes a page that holds private text: one that is new is read by no other account.
pub(crate) fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}

fn write(path: &Path, bytes: &[u8; 32]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = create_private(path)?;
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    file.write_all(format!("{digits}\n").as_bytes())?;
    file.sync_all()
}

/// Returns random bytes: of the system, mixed with those of the standard library.
fn random() -> [u8; 32] {
    let mut bytes = *TombstoneKey::random().as_bytes();
    let mut system = [0; 32];
    if File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut system)).is_ok() {
        for (byte, other) in bytes.iter_mut().zip(system) {
            *byte ^= other;
        }
    }
    bytes
}
