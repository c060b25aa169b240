//! The receipts of a session: what it showed, the host's name for the reply, and the question why.

use chrono::{DateTime, Utc};

use super::answer;
use super::exhibit::{Exhibit, Item};
use super::line::{ReceiptLine, ShownRules};
use super::log;
use super::source::{ReplySource, Shown, Standing};
use super::why::Why;
use crate::base::access::Access;
use crate::base::digest::Digest;
use crate::base::error::Result;
use crate::base::name::DocName;
use crate::format::state::receipts::keyed;
use crate::gate::{Door, InjectionPolicy, SecretPolicy};
use crate::life::life::Life;
use crate::life::session::Session;

impl Life {
    /// Returns what the model was shown before a reply that the host [named](Session::replied), and what was left out.
    /// `None` if no receipt of it is kept. It reads the log of receipts and the documents named there, to see whether
    /// these still say the same.
    ///
    /// A main session gets all sources. Any other one gets the sources that it may read itself; the rest is
    /// [counted](Why::withheld). A group has a log of its own, in its [`GroupView`](crate::life::GroupView).
    ///
    /// # Errors
    ///
    /// [`Error::Denied`](crate::Error::Denied) for another scope than the workspace's; [`Error::Corrupt`](crate::Error::Corrupt)
    /// where `.dreaming.d/receipts.json` is damaged; those of reading.
    pub fn why(&self, access: &Access, reply: &str) -> Result<Option<Why>> {
        answer::why(self.workspace().as_ref(), access, reply)
    }
}

impl Session {
    /// Names the reply of the model to the texts that this session showed it. These are the last prompt, and all that its
    /// tools and [`showed`](Self::showed) handed out since the reply before. [`why`](Self::why) answers by that name.
    /// Nothing happens if [receipts](crate::LifeConfig::receipts) are off.
    ///
    /// Call it before the reply is delivered. When it returns, the receipt survives a power loss. After an error or a crash
    /// there is none, earlier ones stay, and you may call again. A name that is given twice has the sources of both.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::{TimeZone, Utc};
    /// use noctuary::{Access, DocName, FileWorkspace, Life, LifeConfig, Scope, Workspace, WriteMode};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let workspace = Arc::new(FileWorkspace::open(folder.path())?);
    /// workspace.write(&DocName::MEMORY, b"# Memory\n\n- The boat is called Brisk.\n", WriteMode::Create)?;
    /// let mut config = LifeConfig::default();
    /// config.receipts.enabled = true; // off by default
    /// let life = Life::new(workspace, config);
    ///
    /// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
    /// let mut session = life.begin_session(Access::agent(Scope::user("marta")), "8f14", "repl", now)?;
    /// let prompt = session.prompt(&[])?; // goes to the model, which answers
    /// session.replied("reply-17", now)?;
    ///
    /// let why = session.why("reply-17")?.unwrap();
    /// assert!(why.sources.iter().any(|source| source.to_string() == "MEMORY.md#L1-L3 (prompt)"));
    /// # assert!(prompt.to_string().contains("Brisk"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of the workspace, and [`Error::Corrupt`](crate::Error::Corrupt) where `.dreaming.d/receipts.json` is damaged.
    pub fn replied(&self, reply: &str, now: DateTime<Utc>) -> Result<()> {
        let Some(mut kept) = self.recorder.kept() else { return Ok(()) };
        let workspace = self.workspace.as_ref();
        let keys = log::own_keys(workspace)?;
        let key = keys.key();
        let began = self.began.to_rfc3339();
        let session = keyed(key, &[b"session", self.id.as_bytes(), began.as_bytes()]);
        let reply = keyed(key, &[b"reply", reply.as_bytes()]);
        let mut line = ReceiptLine::of(now, reply, session, self.access().kind, self.rules());
        line.turn = kept.replies + 1;
        for exhibit in [&kept.prompt, &kept.since] {
            for item in &exhibit.items {
                let shown = shown(key, item);
                if !line.shown.contains(&shown) {
                    line.shown.push(shown);
                }
            }
            for left in &exhibit.left_out {
                if !line.left_out.contains(left) {
                    line.left_out.push(left.clone());
                }
            }
        }
        log::add(workspace, &line.print(), self.config.receipts.max_bytes)?;
        kept.since = Exhibit::default();
        kept.replies += 1;
        Ok(())
    }

    /// Says that the model was shown results of the host's own search, or rows packed into a context. Nothing else need be
    /// told: tools of the session are known, and so is a [`MemoryContext`](crate::life::MemoryContext) given to
    /// [`prompt`](Self::prompt) as its [`block`](crate::life::MemoryContext::block). Nothing happens if receipts are off.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use chrono::{TimeZone, Utc};
    /// use noctuary::memory::{NewMemory, Query, Source};
    /// # use noctuary::{Access, FileMemoryStore, FileWorkspace, Life, LifeConfig, MemoryStore, Scope};
    /// # let folder = tempfile::tempdir()?;
    /// # let mut config = LifeConfig::default();
    /// # config.receipts.enabled = true;
    /// # let life = Life::new(Arc::new(FileWorkspace::open(folder.path())?), config);
    /// # let store = FileMemoryStore::open(folder.path(), Scope::user("marta"))?;
    /// # let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
    /// # let access = Access::agent(Scope::user("marta"));
    /// # store.write(&access, &NewMemory::new("fact", "The boat is called Brisk.", Source::UserExplicit), now)?;
    /// # let session = life.begin_session(access.clone(), "8f14", "repl", now)?;
    /// let found = store.search(&access, &Query::new("boat"))?;
    /// session.showed(&found); // the host put it into the model's context
    /// session.replied("reply-18", now)?;
    /// assert_eq!(session.why("reply-18")?.unwrap().to_string(), "memory 1 (search)\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn showed(&self, what: impl Into<Exhibit>) {
        self.recorder.keep(|| what.into());
    }

    /// Says what the model was shown before a reply, as far as this session may know; see [`Life::why`].
    ///
    /// # Errors
    ///
    /// The errors of [`Life::why`].
    pub fn why(&self, reply: &str) -> Result<Option<Why>> {
        answer::why(self.workspace.as_ref(), self.access(), reply)
    }

    fn rules(&self) -> ShownRules {
        let prompt = &self.config.prompt;
        let policy = self.view.doors().policy_of(Door::PromptLoad, &DocName::MEMORY).as_shown();
        let secrets = match policy.secrets {
            SecretPolicy::Reject => "reject",
            SecretPolicy::Redact => "redact",
            SecretPolicy::Warn => "warn",
            SecretPolicy::Allow => "allow",
        };
        let injections = match policy.injections {
            InjectionPolicy::Reject => "reject",
            InjectionPolicy::Block => "block",
            InjectionPolicy::Warn => "warn",
            InjectionPolicy::Allow => "allow",
        };
        ShownRules {
            actor: self.access().actor,
            max_file_chars: prompt.max_file_chars as u64,
            max_chars: prompt.max_chars as u64,
            journal_days: prompt.journal_days,
            secrets: secrets.to_owned(),
            injections: injections.to_owned(),
        }
    }
}

/// The most letters of a name that a host gave a block.
const LONGEST_ID: usize = 64;

/// Returns a source as it is written down.
fn shown(key: &Digest, item: &Item) -> Shown {
    let hashed = |digest: &Digest| keyed(key, &[digest.as_bytes()]);
    let source = match &item.source {
        // A name is one word; anything else may be a text.
        ReplySource::Block(id) => {
            let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
            let is_id = id.len() <= LONGEST_ID && id.chars().all(is_name);
            ReplySource::Block(if is_id { id.clone() } else { keyed(key, &[b"block", id.as_bytes()]) })
        }
        other => other.clone(),
    };
    let (revision, hash) = (item.revision.as_ref().map(hashed), item.hash.as_ref().map(hashed));
    Shown { by: item.by, source, revision, hash, standing: Standing::default() }
}
