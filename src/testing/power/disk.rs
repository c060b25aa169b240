//! A disk in memory that knows what was made durable, and shows what a power loss may leave.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::drive::MemoryDrive;
use super::loss::{PowerLoss, Terms};
use super::outcome::{CrashOutcome, Lie};
use super::volume::{Effect, Node, Operation, Volume, folder_of};
use crate::disk::{Disk, DiskFile, Entry, Kind, Open, Stat};

/// A disk in memory that records what changes it. Clones are the same disk; its time moves only in pauses.
///
/// From the record it makes the disk that a process finds after a crash, as another disk without locks.
/// [`after_kill`](Self::after_kill) is for a process that died, with everything still in the system's cache. After
/// [`power_loss`](Self::power_loss) only synced bytes are sure to be there.
///
/// The model of a power loss is harsher than any journaling file system:
///
/// - A write is durable once the file is synced; a name, once its folder is. The sync of a file does
///   nothing for its name, and the other way round.
/// - Every other write may be there, absent, or torn to its first half. Where it makes the file longer, it may also be
///   zeros. Each for itself, in any combination.
/// - Every other change of a name may be there or not, each for itself, also within one folder. A rename is two of
///   them, the new name and the end of the old one. A file may be left with both names, with neither never: the old one
///   ends only where the new one is there.
/// - Mode and owner are as they were set last.
///
/// It does not model durable bytes that go bad, or a sync that fails and leaves the cache clean. A drive lies only if
/// it is [told to](Self::lie).
///
/// ```
/// use noctuary::testing::{Disk, CrashOutcome, MemoryDisk, Open};
///
/// let disk = MemoryDisk::new();
/// disk.put("a", "old ");
/// let file = disk.open("a", Open::Append)?;
/// file.append(b"new!")?;
/// let loss = disk.power_loss(disk.operations().len());
/// assert_eq!(loss.choices(), [[CrashOutcome::Lost, CrashOutcome::Kept, CrashOutcome::Torn, CrashOutcome::Zeroed]]);
/// assert_eq!(loss.image(&[CrashOutcome::Torn]).files()["a"], b"old ne");
///
/// file.sync()?;
/// assert_eq!(disk.power_loss(disk.operations().len()).choices().len(), 0, "nothing can be lost");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MemoryDisk(Arc<Mutex<MemoryDrive>>);

impl Default for MemoryDisk {
    fn default() -> Self {
        Self::over(Arc::default(), Volume::default(), Vec::new(), Terms::default())
    }
}

impl MemoryDisk {
    /// An empty disk.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn over(base: Arc<Volume>, live: Volume, record: Vec<Operation>, terms: Terms) -> Self {
        let (locks, opened) = (BTreeMap::new(), 0);
        Self(Arc::new(Mutex::new(MemoryDrive { base, record, live, locks, opened, terms })))
    }

    fn inner(&self) -> MutexGuard<'_, MemoryDrive> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a file there that has long been durable, with the folders that lead to it, and begins a new record.
    pub fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let mut inner = self.inner();
        let now = inner.now();
        let mut volume = inner.live.clone();
        for (at, _) in path.match_indices('/') {
            volume.names.insert(path[..at].to_owned(), Node::Folder);
        }
        volume.names.insert(path.to_owned(), Node::File(volume.files.len()));
        volume.add(now);
        volume.files.last_mut().expect("just added").bytes = Arc::new(bytes.as_ref().to_owned());
        inner.record.clear();
        inner.base = Arc::new(volume.clone());
        inner.live = volume;
    }

    /// Sets the wall clock.
    pub fn set_clock(&self, now: DateTime<Utc>) {
        let mut inner = self.inner();
        inner.terms.begun = now - inner.terms.elapsed;
    }

    /// From now on says that it did this, and does not. Its state after a crash is false too.
    pub fn lie(&self, about: Lie) {
        self.inner().terms.lie = Some(about);
    }

    /// Every file as a process sees it, with its bytes.
    #[must_use]
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let inner = self.inner();
        let files = inner.live.names.iter().filter_map(|(path, node)| match node {
            Node::File(file) => Some((path.clone(), inner.live.files[*file].bytes.to_vec())),
            Node::Folder => None,
        });
        files.collect()
    }

    /// The operations that changed or synced something, in order.
    #[must_use]
    pub fn operations(&self) -> Vec<String> {
        self.inner().record.iter().map(Operation::to_string).collect()
    }

    /// The disk that a process finds where the one before it died after the first `n` operations. All of them
    /// are there, and what was not durable is not: its record goes on from theirs.
    #[must_use]
    pub fn after_kill(&self, n: usize) -> Self {
        let inner = self.inner();
        let record = inner.record[..n].to_vec();
        let mut live = Volume::clone(&inner.base);
        for operation in &record {
            live.apply(operation);
        }
        Self::over(Arc::clone(&inner.base), live, record, inner.terms)
    }

    /// Returns the possible remains of a power loss after the first `n` operations.
    #[must_use]
    pub fn power_loss(&self, n: usize) -> PowerLoss {
        let inner = self.inner();
        let mut loss =
            PowerLoss { durable: Volume::clone(&inner.base), pending: Vec::new(), terms: inner.terms };
        inner.record[..n].iter().enumerate().for_each(|(at, operation)| loss.note(at, operation));
        loss
    }
}

impl PowerLoss {
    /// The disk that is left by one fate for each of [`choices`](Self::choices); where there are fewer, the
    /// rest is lost. It is all durable.
    #[must_use]
    pub fn image(&self, fates: &[CrashOutcome]) -> MemoryDisk {
        let volume = self.volume(fates);
        MemoryDisk::over(Arc::new(volume.clone()), volume, Vec::new(), self.terms)
    }
}

impl Disk for MemoryDisk {
    fn root(&self) -> &Path {
        Path::new("memory")
    }

    fn open(&self, path: &str, how: Open) -> io::Result<Box<dyn DiskFile>> {
        let mut inner = self.inner();
        let file = match inner.file(path) {
            Ok(_) if how == Open::CreateNew => return Err(ErrorKind::AlreadyExists.into()),
            Err(error)
                if error.kind() == ErrorKind::NotFound && !matches!(how, Open::Read | Open::Modify) =>
            {
                inner.folder(folder_of(path))?;
                let (file, now) = (inner.live.files.len(), inner.now());
                inner.run(path, Effect::Create { file, now });
                file
            }
            other => other?,
        };
        inner.opened += 1;
        let (disk, path, handle) = (self.clone(), path.to_owned(), inner.opened);
        Ok(Box::new(MemoryFile { disk, path, file, handle }))
    }

    fn stat(&self, path: &str) -> io::Result<Option<Stat>> {
        let inner = self.inner();
        Ok(match inner.live.names.get(path) {
            Some(Node::File(file)) => Some(inner.stat(*file)),
            Some(Node::Folder) => Some(Stat {
                kind: Kind::Folder,
                len: 0,
                modified: inner.terms.begun,
                mode: 0o700,
                owner: (0, 0),
                id: (1, 0),
            }),
            None => None,
        })
    }

    fn list(&self, folder: &str) -> io::Result<Vec<Entry>> {
        let inner = self.inner();
        inner.folder(folder)?;
        let below = inner.live.names.iter().filter(|(path, _)| folder_of(path) == folder);
        let entries = below.map(|(path, node)| Entry {
            name: path.rsplit('/').next().unwrap_or(path).to_owned(),
            kind: if *node == Node::Folder { Kind::Folder } else { Kind::File },
        });
        Ok(entries.collect())
    }

    fn create_folder(&self, path: &str) -> io::Result<()> {
        let mut inner = self.inner();
        inner.folder(folder_of(path))?;
        if !inner.live.names.contains_key(path) {
            inner.run(path, Effect::CreateFolder);
        }
        Ok(())
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut inner = self.inner();
        let file = inner.file(from)?;
        inner.folder(folder_of(to))?;
        match inner.file(to) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            // Two names of one file: nothing happens. (POSIX)
            Ok(standing) if standing == file => return Ok(()),
            _ => {}
        }
        inner.run(from, Effect::Rename { file, to: to.to_owned() });
        Ok(())
    }

    fn rename_new(&self, from: &str, to: &str) -> io::Result<()> {
        if self.inner().live.names.contains_key(to) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        self.rename(from, to)
    }

    fn unlink(&self, path: &str) -> io::Result<()> {
        let mut inner = self.inner();
        inner.file(path)?;
        inner.run(path, Effect::Unlink);
        Ok(())
    }

    fn sync_folder(&self, folder: &str) -> io::Result<()> {
        let mut inner = self.inner();
        inner.folder(folder)?;
        if inner.terms.lie != Some(Lie::SyncFolder) {
            inner.run(folder, Effect::SyncFolder);
        }
        Ok(())
    }

    fn network(&self) -> io::Result<Option<&'static str>> {
        Ok(None)
    }

    fn clock(&self) -> DateTime<Utc> {
        self.inner().now()
    }

    fn elapsed(&self) -> Duration {
        self.inner().terms.elapsed
    }

    fn pause(&self, duration: Duration) {
        self.inner().terms.elapsed += duration;
        // The holder that is waited for is a thread.
        std::thread::yield_now();
    }
}

#[derive(Debug)]
struct MemoryFile {
    disk: MemoryDisk,
    /// The name that it was opened by, for messages.
    path: String,
    file: usize,
    handle: u64,
}

impl Drop for MemoryFile {
    fn drop(&mut self) {
        let mut inner = self.disk.inner();
        if inner.locks.get(&self.file) == Some(&self.handle) {
            inner.locks.remove(&self.file);
        }
    }
}

impl DiskFile for MemoryFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let inner = self.disk.inner();
        let bytes = &inner.live.files[self.file].bytes;
        let rest = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or_default();
        let read = rest.len().min(buffer.len());
        buffer[..read].copy_from_slice(&rest[..read]);
        Ok(read)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let offset = usize::try_from(offset).map_err(|_| ErrorKind::FileTooLarge)?;
        self.disk.inner().write(&self.path, self.file, offset, bytes);
        Ok(())
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let mut inner = self.disk.inner();
        let end = inner.live.files[self.file].bytes.len();
        inner.write(&self.path, self.file, end, bytes);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut inner = self.disk.inner();
        if inner.terms.lie != Some(Lie::Sync) {
            inner.run(&self.path, Effect::Sync { file: self.file });
        }
        Ok(())
    }

    fn stat(&self) -> io::Result<Stat> {
        Ok(self.disk.inner().stat(self.file))
    }

    fn make_like(&self, other: &Stat) -> io::Result<()> {
        let effect = Effect::MakeLike { file: self.file, mode: other.mode, owner: other.owner };
        self.disk.inner().run(&self.path, effect);
        Ok(())
    }

    fn try_lock(&self) -> io::Result<bool> {
        let mut inner = self.disk.inner();
        Ok(*inner.locks.entry(self.file).or_insert(self.handle) == self.handle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every disk that a power loss may leave now, as the bytes of its files.
    fn left(disk: &MemoryDisk) -> Vec<BTreeMap<String, Vec<u8>>> {
        let loss = disk.power_loss(disk.operations().len());
        let mut all = vec![Vec::new()];
        for choice in loss.choices() {
            let longer = all.iter().flat_map(|fates: &Vec<CrashOutcome>| {
                choice.iter().map(move |fate| [fates.as_slice(), &[*fate]].concat())
            });
            all = longer.collect();
        }
        let mut left: Vec<_> = all.iter().map(|fates| loss.image(fates).files()).collect();
        left.sort();
        left.dedup();
        left
    }

    fn tree(files: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
        files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_owned())).collect()
    }

    fn made(path: &str, bytes: &[u8]) -> (MemoryDisk, Box<dyn DiskFile>) {
        let disk = MemoryDisk::new();
        let file = disk.open(path, Open::CreateNew).unwrap();
        file.write_at(bytes, 0).unwrap();
        (disk, file)
    }

    #[test]
    fn a_file_without_any_sync_may_be_absent_empty_torn_zeros_or_whole() {
        let (disk, _file) = made("a", b"word");
        let texts = ["", "\0\0\0\0", "wo", "word"].map(|text| tree(&[("a", text)]));
        assert_eq!(left(&disk), [&[tree(&[])], &texts[..]].concat());
    }

    #[test]
    fn the_sync_of_a_file_and_that_of_its_folder_do_not_replace_each_other() {
        let (disk, file) = made("a", b"word");
        file.sync().unwrap();
        assert_eq!(left(&disk), [tree(&[]), tree(&[("a", "word")])]);
        disk.sync_folder("").unwrap();
        assert_eq!(left(&disk), [tree(&[("a", "word")])]);
        file.write_at(b"more", 4).unwrap();
        disk.sync_folder("").unwrap();
        assert_eq!(left(&disk).len(), 4, "a synced folder does nothing for the bytes");
    }

    #[test]
    fn what_is_written_in_place_may_be_torn_and_is_never_zeros() {
        let disk = MemoryDisk::new();
        disk.put("a", "old!");
        disk.open("a", Open::Modify).unwrap().write_at(b"new?", 0).unwrap();
        assert_eq!(left(&disk), ["ned!", "new?", "old!"].map(|text| tree(&[("a", text)])));
    }

    #[test]
    fn a_rename_leaves_one_name_or_both_and_never_neither() {
        let disk = MemoryDisk::new();
        disk.put("f/a", "word");
        disk.rename("f/a", "b").unwrap();
        let (new, old) = (tree(&[("b", "word")]), tree(&[("f/a", "word")]));
        let both = tree(&[("b", "word"), ("f/a", "word")]);
        assert_eq!(left(&disk), [new.clone(), both.clone(), old]);
        disk.sync_folder("f").unwrap();
        assert_eq!(left(&disk).len(), 3, "the folder that it left does not make the new name durable");
        disk.sync_folder("").unwrap();
        assert_eq!(left(&disk), [new.clone(), both]);
        disk.sync_folder("f").unwrap();
        assert_eq!(left(&disk), [new]);
    }

    #[test]
    fn a_file_that_is_replaced_is_old_or_new_and_one_that_is_removed_may_come_back() {
        let disk = MemoryDisk::new();
        disk.put("a", "old");
        disk.put("new", "new");
        disk.rename("new", "a").unwrap();
        assert!(left(&disk).iter().all(|files| files["a"] == b"old" || files["a"] == b"new"));
        disk.sync_folder("").unwrap();
        disk.unlink("a").unwrap();
        assert_eq!(left(&disk), [tree(&[]), tree(&[("a", "new")])]);
    }

    #[test]
    fn a_folder_that_is_lost_takes_everything_with_it() {
        let disk = MemoryDisk::new();
        disk.create_folder("f").unwrap();
        let file = disk.open("f/a", Open::Ensure).unwrap();
        file.sync().unwrap();
        disk.sync_folder("f").unwrap();
        assert_eq!(left(&disk), [tree(&[]), tree(&[("f/a", "")])]);
        disk.sync_folder("").unwrap();
        assert_eq!(left(&disk), [tree(&[("f/a", "")])]);
    }

    #[test]
    fn a_killed_process_leaves_everything_and_nothing_of_it_is_durable() {
        let (disk, file) = made("a", b"word");
        assert!(file.try_lock().unwrap());
        assert!(!disk.open("a", Open::Read).unwrap().try_lock().unwrap());
        let after = disk.after_kill(2);
        assert_eq!(after.files(), tree(&[("a", "word")]));
        assert!(after.open("a", Open::Read).unwrap().try_lock().unwrap(), "its lock is free");
        assert_eq!(left(&after).len(), 5);
        assert_eq!(disk.after_kill(1).files(), tree(&[("a", "")]));
        drop(file);
        assert!(disk.open("a", Open::Read).unwrap().try_lock().unwrap());
    }

    #[test]
    fn a_lie_loses_what_was_synced() {
        let (disk, file) = made("a", b"word");
        disk.lie(Lie::Sync);
        file.sync().unwrap();
        disk.sync_folder("").unwrap();
        assert_eq!(left(&disk).len(), 4);
        let (disk, file) = made("a", b"word");
        disk.lie(Lie::SyncFolder);
        file.sync().unwrap();
        disk.sync_folder("").unwrap();
        assert_eq!(left(&disk), [tree(&[]), tree(&[("a", "word")])]);
    }
}
