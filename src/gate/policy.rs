//! Policies: how a door treats a secret, and an instruction.

/// The treatment of a secret. The strictest comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SecretPolicy {
    /// Nothing passes.
    Reject,
    /// It passes as `[REDACTED:class#n]`: the same secret has the same number.
    Redact,
    /// It passes, with a warning.
    Warn,
    /// It is not looked for.
    Allow,
}

/// The treatment of an instruction hidden in a text. The strictest comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum InjectionPolicy {
    /// Nothing passes.
    Reject,
    /// Its lines pass as `[BLOCKED: reason]`.
    Block,
    /// It passes, with a warning.
    Warn,
    /// It is not looked for.
    Allow,
}

/// The policy of one door: a row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DoorPolicy {
    /// With secrets.
    pub secrets: SecretPolicy,
    /// With instructions.
    pub injections: InjectionPolicy,
}

impl DoorPolicy {
    /// Combines a treatment of secrets with one of instructions.
    #[must_use]
    pub const fn new(secrets: SecretPolicy, injections: InjectionPolicy) -> Self {
        Self { secrets, injections }
    }

    /// Returns the stricter of both policies, of each treatment on its own.
    #[must_use]
    pub fn stricter(self, other: Self) -> Self {
        Self::new(self.secrets.min(other.secrets), self.injections.min(other.injections))
    }

    /// Returns the same, but that nothing is stopped or changed.
    pub(crate) fn only_warning(self) -> Self {
        let allows_secrets = self.secrets == SecretPolicy::Allow;
        let allows_injections = self.injections == InjectionPolicy::Allow;
        Self {
            secrets: if allows_secrets { SecretPolicy::Allow } else { SecretPolicy::Warn },
            injections: if allows_injections { InjectionPolicy::Allow } else { InjectionPolicy::Warn },
        }
    }

    /// Returns the same, but that nothing is stopped: what would stop a document is masked and blocked.
    pub(crate) fn as_shown(self) -> Self {
        Self::new(self.secrets.max(SecretPolicy::Redact), self.injections.max(InjectionPolicy::Block))
    }

    /// Returns the same, but that what would be changed is stopped.
    pub(crate) fn as_it_is(self) -> Self {
        let redacts = self.secrets == SecretPolicy::Redact;
        let blocks = self.injections == InjectionPolicy::Block;
        Self {
            secrets: if redacts { SecretPolicy::Reject } else { self.secrets },
            injections: if blocks { InjectionPolicy::Reject } else { self.injections },
        }
    }
}
