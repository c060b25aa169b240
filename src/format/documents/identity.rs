//! The appearance of an agent, `IDENTITY.md`.

use super::fields::Fields;

/// The appearance of an agent, as `IDENTITY.md` says it. A field that is not set is `None`.
///
/// ```
/// use noctuary::format::Identity;
///
/// let identity = Identity::parse("# Identity\n\n- **Name:** Atlas\n- **Vibe:** Calm\n- **Emoji:** 🗺️\n");
/// assert_eq!(identity.name.as_deref(), Some("Atlas"));
/// assert_eq!(identity.persona(), Some("Calm"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identity {
    /// The name that is shown.
    pub name: Option<String>,
    /// The impression that it makes.
    pub vibe: Option<String>,
    /// Its emoji.
    pub emoji: Option<String>,
    /// The kind of being.
    pub creature: Option<String>,
    /// Its character, as tools of OpenClaw write it.
    pub theme: Option<String>,
    /// Its picture: a path or an address.
    pub avatar: Option<String>,
}

impl Identity {
    /// Reads the text of `IDENTITY.md`.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let fields = Fields::parse(text);
        let get = |label| fields.get(label).map(str::to_owned);
        Self {
            name: get("name"),
            vibe: get("vibe"),
            emoji: get("emoji"),
            creature: get("creature"),
            theme: get("theme"),
            avatar: get("avatar"),
        }
    }

    /// Returns what the agent is like, in a few words: its theme, else its creature, else its vibe.
    #[must_use]
    pub fn persona(&self) -> Option<&str> {
        self.theme.as_deref().or(self.creature.as_deref()).or(self.vibe.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // WS-10, D5
    #[test]
    fn placeholders_mean_unset_and_a_value_takes_their_place() {
        let text = "# IDENTITY.md - Who Am I?\n\n- **Name:**\n  _(pick something you like)_\n- **Creature:** (pick one)\n\
                    - **Vibe:** [sharp? warm?]\n- **Emoji:** [[wiki]]\n- **Avatar:** _(optional)_\n- **Theme:**\n\ntext\n";
        let identity = Identity::parse(text);
        assert_eq!(identity, Identity { emoji: Some("[[wiki]]".into()), ..Identity::default() });
        let fields = Fields::parse(text);
        let named = fields.set("name", "Atlas");
        assert_eq!(named, text.replace("\n  _(pick something you like)_", " Atlas"));
        assert_eq!(fields.set("VIBE", "warm"), text.replace("[sharp? warm?]", "warm"));
        assert_eq!(fields.set("theme", "sea\nand sky"), text.replace("**Theme:**", "**Theme:** sea and sky"));
        let below = "- **Name:**\n  Atlas\n";
        assert_eq!(Identity::parse(below).name.as_deref(), Some("Atlas"));
        assert_eq!(Fields::parse(below).set("name", "Io"), "- **Name:**\n  Io\n");
    }
}
