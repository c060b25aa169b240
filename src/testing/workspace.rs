//! A workspace that fails at the n-th operation.

use std::ops::Range;
use std::sync::Arc;

use super::faults::Faults;
use crate::base::access::Scope;
use crate::base::debug::debug_as;
use crate::base::document::{Document, Revision};
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, Name};
use crate::workspace::{Claim, ClaimTerms, Lease, Listing, Metadata, Reach, Workspace, WriteMode};

/// A workspace whose every verb, and whose leases' every verb, asks [`Faults`] first. A verb that fails has
/// no effect.
#[derive(Clone)]
pub struct FaultyWorkspace {
    workspace: Arc<dyn Workspace>,
    faults: Faults,
}

impl FaultyWorkspace {
    /// Wraps a workspace.
    #[must_use]
    pub fn new(workspace: Arc<dyn Workspace>, faults: Faults) -> Self {
        Self { workspace, faults }
    }
}

fn pass(faults: &Faults, action: &'static str, name: &str) -> Result<()> {
    faults.pass(&format!("{action} {name}")).map_err(|source| Error::Io {
        action,
        path: name.to_owned(),
        source,
    })
}

impl Workspace for FaultyWorkspace {
    fn location(&self) -> String {
        self.workspace.location()
    }

    fn scope(&self) -> Option<&Scope> {
        self.workspace.scope()
    }

    fn reach(&self) -> Reach {
        self.workspace.reach()
    }

    fn list(&self, folder: Option<&DocName>) -> Result<Listing> {
        pass(&self.faults, "list", folder.map_or("", |folder| folder.as_str()))?;
        self.workspace.list(folder)
    }

    fn hidden(&self) -> Result<Vec<Name>> {
        pass(&self.faults, "list", "hidden files")?;
        self.workspace.hidden()
    }

    fn metadata(&self, name: &Name) -> Result<Option<Metadata>> {
        pass(&self.faults, "look at", name.as_str())?;
        self.workspace.metadata(name)
    }

    fn read(&self, name: &Name) -> Result<Option<Document>> {
        pass(&self.faults, "read", name.as_str())?;
        self.workspace.read(name)
    }

    fn read_range(&self, name: &Name, range: Range<u64>) -> Result<Vec<u8>> {
        pass(&self.faults, "read a range of", name.as_str())?;
        self.workspace.read_range(name, range)
    }

    fn write(&self, name: &Name, bytes: &[u8], mode: WriteMode) -> Result<Revision> {
        pass(&self.faults, "write", name.as_str())?;
        self.workspace.write(name, bytes, mode)
    }

    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        pass(&self.faults, "append to", name.as_str())?;
        self.workspace.append(name, bytes)
    }

    fn remove(&self, name: &Name) -> Result<bool> {
        pass(&self.faults, "remove", name.as_str())?;
        self.workspace.remove(name)
    }

    fn rename(&self, from: &Name, to: &Name) -> Result<()> {
        pass(&self.faults, "rename", from.as_str())?;
        self.workspace.rename(from, to)
    }

    fn drop_versions(&self, holds: &dyn Fn(&str, &[u8]) -> bool) -> Result<u64> {
        pass(&self.faults, "drop versions of", "documents")?;
        self.workspace.drop_versions(holds)
    }

    fn claim(&self, terms: &ClaimTerms) -> Result<Claim> {
        pass(&self.faults, "claim", "the workspace")?;
        Ok(match self.workspace.claim(terms)? {
            Claim::Granted(lease) => {
                Claim::Granted(Box::new(FaultyLease { lease, faults: self.faults.clone() }))
            }
            held @ Claim::Held(_) => held,
        })
    }
}

debug_as!(FaultyWorkspace, |it| "FaultyWorkspace({:?})", it.workspace);

#[derive(Debug)]
struct FaultyLease {
    lease: Box<dyn Lease>,
    faults: Faults,
}

impl Lease for FaultyLease {
    fn epoch(&self) -> u64 {
        self.lease.epoch()
    }

    fn check(&self) -> Result<()> {
        pass(&self.faults, "check", "the lease")?;
        self.lease.check()
    }

    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        pass(&self.faults, "append under the lease to", name.as_str())?;
        self.lease.append(name, bytes)
    }

    fn finish(&self, name: &Name, len: u64, rest: &[u8]) -> Result<bool> {
        pass(&self.faults, "finish under the lease", name.as_str())?;
        self.lease.finish(name, len, rest)
    }

    fn replace(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        pass(&self.faults, "replace under the lease", name.as_str())?;
        self.lease.replace(name, bytes)
    }

    fn remove(&self, name: &Name) -> Result<bool> {
        pass(&self.faults, "remove under the lease", name.as_str())?;
        self.lease.remove(name)
    }

    fn release(self: Box<Self>) -> Result<()> {
        self.lease.release()
    }
}
