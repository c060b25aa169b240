//! The lease of a folder: a kernel lock for our own peers, and the seed's lock file for the others.
//!
//! The truth is the kernel's lock on `.dreaming.d/guard`, a file that is never removed. The kernel frees the lock if
//! its holder dies, and no two open files have it at once. The guard also holds the epoch, a number that only rises.
//! Beside it is `.dreaming.lock`, complete from the moment it can be seen. It is refreshed in place while held, so
//! that no peer takes a live holder for dead by its age. A peer that takes over a lock moves it aside and looks again
//! before it removes it.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::documents::{append, finish, remove, write};
use super::lock::{self, LOCK, OurLock, Placed};
use super::write_guard::write_guard;
use crate::base::debug::debug_as;
use crate::base::error::{At, Error, LostBy, Result};
use crate::base::name::{Name, StateName};
#[cfg(feature = "doctor")]
use crate::disk::Open;
use crate::disk::host;
use crate::disk::{Disk, DiskFile, STATE_FOLDER, atomic};
use crate::format::state::ledger::Ledger;
use crate::workspace::{Claim, ClaimTerms, Lease, MAX_DOCUMENT, WriteMode};

pub(crate) const GUARD: &str = ".dreaming.d/guard";
/// The epoch as text: twenty digits and a line break.
const EPOCH_BYTES: usize = 21;

/// Claims the workspace, or says who holds it.
pub(super) fn claim(disk: &Arc<dyn Disk>, terms: &ClaimTerms) -> Result<Claim> {
    if !terms.allow_network
        && let Some(file_system) = disk.network().at("look at", disk.root().display())?
    {
        return Err(Error::NetworkFileSystem { path: disk.root().display().to_string(), file_system });
    }
    atomic::create_folder_of(disk.as_ref(), GUARD)?;
    let Some(guard) = atomic::lock_named(disk.as_ref(), GUARD)? else {
        return Ok(Claim::Held(lock::standing_holder(disk.as_ref())?));
    };
    let epoch = raise_epoch(disk.as_ref(), guard.as_ref())?;
    {
        let _write_guard = write_guard(disk.as_ref())?;
        atomic::sweep(disk.as_ref(), "")?;
        atomic::sweep(disk.as_ref(), STATE_FOLDER)?;
    }
    let guard_id = guard.stat().at("look at", GUARD)?.id;
    let token = host::token();
    // The lock of a failed claim is taken away again: a peer that goes by age and process id would wait.
    let withdraw = |_: &Error| drop(lock::take_away(disk.as_ref(), &token));
    let lock = match lock::place(disk.as_ref(), terms, epoch, &token, GUARD).inspect_err(withdraw)? {
        Placed::Ours(lock) => lock,
        Placed::Held(holder) => return Ok(Claim::Held(holder)),
    };
    let shared = Arc::new(Shared {
        disk: Arc::clone(disk),
        guard_id,
        guard,
        epoch,
        lock,
        deadline: disk.elapsed().saturating_add(terms.max_hold),
        poisoned: Mutex::new(false),
    });
    let heartbeat = Heartbeat::start(&shared, terms.ttl / 4).inspect_err(withdraw)?;
    Ok(Claim::Granted(Box::new(FileLease { shared, heartbeat: Some(heartbeat) })))
}

fn raise_epoch(disk: &dyn Disk, guard: &dyn DiskFile) -> Result<u64> {
    // A guard that somebody deleted begins at nothing; the last holder's lock may still know better, and so may the ledger. The same
    // goes for one that was damaged: who holds the kernel's lock on it is alone, whatever it says.
    let standing = lock::standing(disk)?.and_then(|lock| lock.epoch);
    let known = match read_epoch(guard)? {
        None | Some(0) => {
            let ledger = atomic::read(disk, StateName::LEDGER.as_str(), MAX_DOCUMENT)?;
            Ledger::parse(ledger.as_deref()).map_or(0, |ledger| ledger.epoch)
        }
        Some(known) => known,
    };
    let epoch = known.max(standing.unwrap_or(0)).saturating_add(1);
    guard.write_at(format!("{epoch:020}\n").as_bytes(), 0).at("write", GUARD)?;
    guard.sync().map_err(atomic::unsynced).at("sync", GUARD)?;
    Ok(epoch)
}

/// Returns whether the guard says a number, or there is none.
#[cfg(feature = "doctor")]
pub(crate) fn is_guard_sound(disk: &dyn Disk) -> Result<bool> {
    match disk.open(GUARD, Open::Read) {
        Ok(guard) => Ok(read_epoch(guard.as_ref())?.is_some()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error).at("open", GUARD),
    }
}

/// Reads the epoch; `None` where the guard is damaged.
fn read_epoch(guard: &dyn DiskFile) -> Result<Option<u64>> {
    let mut bytes = [0; EPOCH_BYTES];
    let read = guard.read_at(&mut bytes, 0).at("read", GUARD)?;
    // Zeros are what a power loss leaves where it takes the first epoch and not the length.
    let text = std::str::from_utf8(&bytes[..read]).unwrap_or("x").trim_matches(['\0', '\n']).trim();
    Ok(if text.is_empty() { Some(0) } else { text.parse().ok() })
}

/// The state that a lease and its heartbeat share.
struct Shared {
    disk: Arc<dyn Disk>,
    guard: Box<dyn DiskFile>,
    guard_id: (u64, u64),
    epoch: u64,
    lock: OurLock,
    deadline: Duration,
    poisoned: Mutex<bool>,
}

impl Shared {
    /// Checks the fence. The caller holds the write guard if a write follows.
    fn check(&self) -> Result<()> {
        let lost = |by| Err(Error::LeaseLost(by));
        if *self.poisoned.lock().unwrap_or_else(PoisonError::into_inner) {
            return lost(LostBy::Poisoned);
        }
        if self.disk.elapsed() >= self.deadline {
            return lost(LostBy::Deadline);
        }
        if self.disk.stat(GUARD).at("look at", GUARD)?.is_none_or(|named| named.id != self.guard_id) {
            return lost(LostBy::Guard);
        }
        if read_epoch(self.guard.as_ref())? != Some(self.epoch) {
            return lost(LostBy::Epoch);
        }
        if lock::standing(self.disk.as_ref())?.is_none_or(|lock| lock.token != self.lock.token) {
            return lost(LostBy::Token);
        }
        Ok(())
    }

    /// Runs a mutation behind the fence, in one critical section.
    fn fenced<T>(&self, mutate: impl FnOnce(&dyn Disk) -> Result<T>) -> Result<T> {
        let _write_guard = write_guard(self.disk.as_ref())?;
        self.check()?;
        mutate(self.disk.as_ref()).inspect_err(|error| {
            // After a failed sync nobody knows the bytes on the disk. This lease writes no more, and the next
            // claim finishes from the intent.
            if matches!(error, Error::DurabilityUnknown { .. }) {
                *self.poisoned.lock().unwrap_or_else(PoisonError::into_inner) = true;
            }
        })
    }

    fn release(&self) -> Result<()> {
        lock::take_away(self.disk.as_ref(), &self.lock.token)
    }
}

/// Refreshes the lock file until stopped. The one thread of this crate.
struct Heartbeat {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

impl Heartbeat {
    fn start(shared: &Arc<Shared>, every: Duration) -> Result<Self> {
        let (stop, stopped) = mpsc::channel();
        let shared = Arc::clone(shared);
        let every = every.max(Duration::from_millis(1));
        let thread = std::thread::Builder::new()
            .name("noctuary-lease".to_owned())
            .spawn(move || {
                // A holder past its deadline writes no more, and no longer looks alive to peers.
                while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout)
                    && shared.disk.elapsed() < shared.deadline
                {
                    // A missed refresh is made up by the next; a peer that took over meanwhile is noticed by
                    // the fence.
                    let _ = shared.lock.refresh(shared.disk.clock());
                }
            })
            .at("start the heartbeat of", LOCK)?;
        Ok(Self { stop, thread })
    }

    fn stop(self) {
        drop(self.stop);
        let _ = self.thread.join();
    }
}

/// The lease of a [`FileWorkspace`](super::workspace::FileWorkspace).
struct FileLease {
    shared: Arc<Shared>,
    heartbeat: Option<Heartbeat>,
}

impl FileLease {
    fn give_back(&mut self) -> Result<()> {
        let Some(heartbeat) = self.heartbeat.take() else { return Ok(()) };
        heartbeat.stop();
        self.shared.release()
        // The guard is freed by the kernel when `shared` is dropped.
    }
}

impl Lease for FileLease {
    fn epoch(&self) -> u64 {
        self.shared.epoch
    }

    fn check(&self) -> Result<()> {
        self.shared.check()
    }

    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        self.shared.fenced(|disk| append(disk, name, bytes))
    }

    fn finish(&self, name: &Name, len: u64, rest: &[u8]) -> Result<bool> {
        self.shared.fenced(|disk| finish(disk, name, len, rest))
    }

    fn replace(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        self.shared.fenced(|disk| write(disk, name, bytes, WriteMode::Replace).map(|_| ()))
    }

    fn remove(&self, name: &Name) -> Result<bool> {
        self.shared.fenced(|disk| remove(disk, name))
    }

    fn release(mut self: Box<Self>) -> Result<()> {
        self.give_back()
    }
}

impl Drop for FileLease {
    fn drop(&mut self) {
        // Nobody is left to tell: a lock file that stays is known as dead by the free guard.
        let _ = self.give_back();
    }
}

debug_as!(FileLease, |it| "FileLease {{ epoch: {} }}", it.shared.epoch);
