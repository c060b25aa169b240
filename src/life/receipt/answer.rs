//! The reading of receipts, for a session that may know them.

use super::line::ReceiptLine;
use super::log;
use super::source::{ReplySource, Shown, Standing};
use super::trail::hash_of;
use super::why::Why;
use crate::base::access::{Access, SessionKind};
use crate::base::digest::Digest;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, StateName};
use crate::base::sorted::SortedMap;
use crate::format::state::receipts::keyed;
use crate::session::may_be_told;
use crate::workspace::{Workspace, check_scope};

/// Answers for a session which sources a reply had; `None` where no receipt of it is kept.
pub(super) fn why(workspace: &dyn Workspace, access: &Access, reply: &str) -> Result<Option<Why>> {
    check_scope(workspace, access, StateName::RECEIPTS)?;
    let Some(keys) = log::keys(workspace)? else { return Ok(None) };
    let names: Vec<(Digest, String)> =
        keys.all().iter().map(|key| (*key, keyed(key, &[b"reply", reply.as_bytes()]))).gather();
    let lines = log::read(workspace)?;
    let key_of = |line: &ReceiptLine| names.iter().find(|(_, name)| *name == line.reply).map(|(key, _)| *key);
    let of_reply: Vec<(&ReceiptLine, Digest)> =
        lines.iter().filter_map(|line| key_of(line).map(|key| (line, key))).gather();
    let Some((last, key)) = of_reply.last().copied() else { return Ok(None) };
    let mut asked = Asked { access, workspace, key, read: SortedMap::new(), withheld: 0 };
    let (mut sources, mut left_out) = (Vec::new(), Vec::new());
    for (line, _) in &of_reply {
        asked.tell(line.kind, &line.shown, &mut sources)?;
        for left in &line.left_out {
            if !asked.may_know(&left.source, line.kind) {
                asked.withheld += 1;
            } else if !left_out.contains(left) {
                left_out.push(left.clone());
            }
        }
    }
    let withheld = asked.withheld;
    let mut all = sources.clone();
    let (sessions, turn) = (&last.session, of_reply[0].0.turn);
    for line in lines.iter().filter(|line| line.session == *sessions && line.turn < turn) {
        asked.tell(line.kind, &line.shown, &mut all)?;
    }
    let earlier = all.split_off(sources.len());
    let (at, kind, rules) = (last.at, last.kind, last.rules.clone());
    Ok(Some(Why { at, kind, turn, rules, sources, earlier, left_out, withheld }))
}

/// A document as it is by now.
enum Looked {
    Text(String),
    Gone,
    Closed,
}

/// A question of one session.
struct Asked<'w> {
    access: &'w Access,
    workspace: &'w dyn Workspace,
    key: Digest,
    /// Documents that were read to see whether they still say the same.
    read: SortedMap<DocName, Looked>,
    withheld: u64,
}

impl Asked<'_> {
    /// Adds what the session may know, each source once.
    fn tell(&mut self, kind: SessionKind, shown: &[Shown], told: &mut Vec<Shown>) -> Result<()> {
        for one in shown {
            if !self.may_know(&one.source, kind) {
                self.withheld += 1;
                continue;
            }
            let mut one = one.clone();
            one.standing = self.standing(&one)?;
            if !told.contains(&one) {
                told.push(one);
            }
        }
        Ok(())
    }

    /// Returns whether the session may know that a session of `kind` was shown a source.
    fn may_know(&self, source: &ReplySource, kind: SessionKind) -> bool {
        if self.access.kind == SessionKind::Main {
            return true;
        }
        match source {
            ReplySource::Lines { .. } | ReplySource::Document(_) => {
                source.document().is_some_and(|name| may_be_told(name, self.access))
            }
            ReplySource::Row { shared, .. } => *shared || self.access.is_of_group(),
            // The host gave them to a session of that kind.
            ReplySource::Profile { .. } | ReplySource::Block(_) => kind == self.access.kind,
        }
    }

    fn standing(&mut self, shown: &Shown) -> Result<Standing> {
        let (ReplySource::Lines { at, .. }, Some(hash)) = (&shown.source, &shown.hash) else {
            return Ok(Standing::Unknown);
        };
        if !self.read.contains_key(&at.name) {
            let looked = match self.workspace.read(&at.name) {
                Ok(Some(document)) => Looked::Text(document.lossy().into_owned()),
                Ok(None) => Looked::Gone,
                Err(Error::TooLarge { .. } | Error::Refused { .. }) => Looked::Closed,
                Err(error) => return Err(error),
            };
            self.read.insert(at.name.clone(), looked);
        }
        Ok(match &self.read[&at.name] {
            Looked::Closed => Standing::Unknown,
            Looked::Gone => Standing::Gone,
            Looked::Text(text) => {
                let now = hash_of(text, 1, at.first_line, at.last_line);
                let is_same = now.is_some_and(|now| keyed(&self.key, &[now.as_bytes()]) == *hash);
                if is_same { Standing::Same } else { Standing::Changed }
            }
        })
    }
}
