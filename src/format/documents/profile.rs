//! The person whom the agent serves, `USER.md`.

use super::fields::Fields;

/// Whom the agent serves, as `USER.md` says it.
///
/// ```
/// use noctuary::format::Profile;
///
/// let profile = Profile::parse("# User\n\n**Name:** Marta\n**Timezone:** [TZ identifier]\n- Role: Engineer\n");
/// assert_eq!(profile.name(), Some("Marta"));
/// assert_eq!(profile.timezone(), None);
/// assert_eq!(profile.get("role"), Some("Engineer"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile(Fields);

impl Profile {
    /// Reads the text of `USER.md`.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        Self(Fields::parse(text))
    }

    /// Returns the operator's name.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.0.get_at_head("name")
    }

    /// Returns their time zone.
    #[must_use]
    pub fn timezone(&self) -> Option<&str> {
        self.0.get_at_head("timezone")
    }

    /// Returns the language that they want to be answered in.
    #[must_use]
    pub fn language(&self) -> Option<&str> {
        self.0.get_at_head("language")
    }

    /// Returns the value of any label.
    #[must_use]
    pub fn get(&self, label: &str) -> Option<&str> {
        self.0.get(label)
    }

    /// Returns the facts about the operator that others may know: name, time zone and language, as lines of
    /// `USER.md`. Empty if none is set. A value of more than 80 characters is none of these. (SE-05)
    pub(crate) fn subset(&self) -> String {
        [("Name", self.name()), ("Timezone", self.timezone()), ("Language", self.language())]
            .into_iter()
            .filter_map(|(label, value)| Some((label, value.filter(|value| value.chars().count() <= 80)?)))
            .map(|(label, value)| format!("- **{label}:** {value}\n"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // WS-11, C17
    #[test]
    fn three_dialects_give_the_same_fields() {
        for text in [
            "- Name: Marta\n- Timezone: Europe/Berlin\n",
            "- **Name:** Marta\n- **Timezone:** Europe/Berlin\n",
            "**Name:** Marta\n**Timezone:** Europe/Berlin\n",
            "\u{feff}* **name**: Marta\r\n+ TIMEZONE:\tEurope/Berlin  \r\n",
        ] {
            let profile = Profile::parse(text);
            assert_eq!(
                (profile.name(), profile.timezone()),
                (Some("Marta"), Some("Europe/Berlin")),
                "{text}"
            );
        }
    }

    // WS-11: whatever the label, and however a program ends and dresses its lines, each profile says the same.
    #[test]
    fn every_label_of_every_seed_reads_the_same_in_three_dialects() {
        let labels = [
            ("Name", "Marta"),
            ("Communication style", "short: no emoji"),
            ("Timezone", "America/Los_Angeles (PST/PDT)"),
            ("Focus", "spot, 1x leverage"),
            ("Risk", "**low**"),
            ("Watchlist", "BTC, ETH; [[sol]]"),
            ("Role", "Engineer"),
            ("Company", "Acme: a \"mill\""),
            ("What to call them", "M."),
            ("Zeitzone", "später"),
            ("時區", "亞洲/台北"),
        ];
        let dialects: [fn(&str, &str) -> String; 4] = [
            |label, value| format!("- {label}: {value}"),
            |label, value| format!("- **{label}:** {value}"),
            |label, value| format!("**{label}:** {value}"),
            |label, value| format!("* **{label}**: {value}"),
        ];
        for (bom, newline) in [("", "\n"), ("\u{feff}", "\r\n")] {
            for (at, dialect) in dialects.iter().enumerate() {
                let lines: Vec<String> = labels.iter().map(|(label, value)| dialect(label, value)).collect();
                let tail =
                    ["", "## Projects", "[Ongoing projects]", "", "## Notes", "", "## Context", "free words"];
                let text =
                    [&["# User Profile".to_owned(), String::new()][..], &lines, &tail.map(str::to_owned)]
                        .concat();
                let text = format!("{bom}{}", text.join(newline));
                let profile = Profile::parse(&text);
                assert_eq!(profile.0.iter().collect::<Vec<_>>(), labels, "dialect {at}");
                for (label, value) in labels {
                    assert_eq!(profile.get(&label.to_uppercase()), Some(value), "dialect {at}");
                }
                assert_eq!(
                    profile.subset(),
                    "- **Name:** Marta\n- **Timezone:** America/Los_Angeles (PST/PDT)\n"
                );
                let moved = profile.0.set("Timezone", "UTC");
                assert_eq!(moved, text.replace("America/Los_Angeles (PST/PDT)", "UTC"), "the rest stands");
            }
        }
    }

    #[test]
    fn a_profile_prints_no_words() {
        let profile = Profile::parse("- Name: Marta\n");
        assert!(!format!("{profile:?}").contains("Marta"));
    }
}
