//! Labelled fields in a person's markdown: `IDENTITY.md` and `USER.md`.
//!
//! ```text
//! - Name: Atlas
//! - **Name:** Atlas
//! **Name:** Atlas
//! ```
//!
//! All three say the same. Every other line is the operator's. It is kept byte for byte, and so is what is around a
//! value that is set. A line inside a code fence or a comment is no field.

use std::fmt;
use std::ops::Range;

use crate::base::debug::debug_as;
use crate::base::text;
use crate::format::replies::fences::one_line;

/// The longest label, in characters; a longer beginning of a line is a sentence with a colon.
const LONGEST_LABEL: usize = 40;

/// A document with its labelled fields. Prints as the text that it was parsed from.
///
/// ```
/// use noctuary::format::Fields;
///
/// let fields = Fields::parse("# Identity\r\n\r\n- **Name:** _(pick one)_\r\nI am calm.\r\n");
/// assert_eq!(fields.get("name"), None);
/// let named = fields.set("name", "Atlas");
/// assert_eq!(named, "# Identity\r\n\r\n- **Name:** Atlas\r\nI am calm.\r\n");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Fields {
    text: String,
    found: Vec<Field>,
    /// The number of fields before the heading that follows the first of them.
    head: usize,
}

#[derive(Clone, PartialEq, Eq)]
struct Field {
    label: Range<usize>,
    /// Right behind the colon and its bold marks.
    behind: usize,
    /// Without white space around it; empty at the end of its line where there is none.
    value: Range<usize>,
    /// Whether the value is on the line below its label.
    below: bool,
}

impl Fields {
    /// Finds the fields of a text. Every text parses.
    #[must_use]
    pub fn parse(text: impl Into<String>) -> Self {
        let text = text.into();
        let mut fields: Vec<Field> = Vec::new();
        let mut head = None;
        let (mut fence, mut in_comment, mut may_follow) = (None, false, false);
        for line in text::line_ranges(&text) {
            let content = &text[line.clone()];
            let trimmed = content.trim_start_matches(text::BOM).trim();
            let follows = std::mem::take(&mut may_follow);
            if in_comment || trimmed.starts_with("<!--") {
                in_comment = !trimmed.contains("-->");
            } else if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark)) {
                if fence.is_none() || fence == Some(mark) {
                    fence = if fence.is_none() { Some(mark) } else { None };
                }
            } else if fence.is_some() || trimmed.is_empty() {
            } else if trimmed.starts_with('#') {
                if !fields.is_empty() {
                    head.get_or_insert(fields.len());
                }
            } else if let Some(field) = field(&text, line.clone()) {
                may_follow = field.value.is_empty();
                fields.push(field);
            } else if follows
                && content.starts_with([' ', '\t'])
                && let Some(last) = fields.last_mut()
            {
                last.value = trim(&text, line);
                last.below = true;
            }
        }
        let head = head.unwrap_or(fields.len());
        Self { text, found: fields, head }
    }

    /// Returns the value of the first field with this label, in any case. `None` where there is none, or only a
    /// placeholder: `_(…)_`, `(pick …)`, `[…]`.
    #[must_use]
    pub fn get(&self, label: &str) -> Option<&str> {
        self.find(label).and_then(|field| self.value(field))
    }

    /// Returns a value as [`get`](Self::get) does, of the fields at the head only: those before the next heading.
    /// A `Name` further down is a project's, not the operator's.
    #[must_use]
    pub fn get_at_head(&self, label: &str) -> Option<&str> {
        let field = self.found[..self.head].iter().find(|field| self.is_labelled(field, label))?;
        self.value(field)
    }

    /// Labels and values of all fields that have a value, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.found.iter().filter_map(|field| Some((&self.text[field.label.clone()], self.value(field)?)))
    }

    /// Returns the text with one value changed, and every other byte as it was.
    ///
    /// A missing label is added on a line of its own below the last field, in the same form. A value is one line: line
    /// breaks in it become spaces. A text that cannot be a label changes nothing.
    #[must_use]
    pub fn set(&self, label: &str, value: &str) -> String {
        let value = one_line(value);
        let value = value.trim();
        let Some(field) = self.find(label) else { return self.add(label, value) };
        let mut text = self.text.clone();
        if field.below && self.value(field).is_none() {
            // Other readers look on the line of the label only.
            text.replace_range(field.behind..field.value.end, &format!(" {value}"));
        } else {
            let space = if text[..field.value.start].ends_with([' ', '\t']) { "" } else { " " };
            text.replace_range(field.value.clone(), &format!("{space}{value}"));
        }
        text
    }

    fn add(&self, label: &str, value: &str) -> String {
        let label = label.trim();
        let model = self.found[..self.head].last();
        let line = match model.map(|field| self.dress(field)) {
            Some((bullet, true)) => format!("{bullet}**{label}:** {value}"),
            Some((bullet, false)) => format!("{bullet}{label}: {value}"),
            None => format!("- **{label}:** {value}"),
        };
        // A value that would not read back is not written.
        if field(&line, 0..line.len()).is_none_or(|field| line[field.label] != *label) {
            return self.text.clone();
        }
        let at = model.map_or(self.text.len(), |field| {
            self.text[field.value.end..].find('\n').map_or(self.text.len(), |end| field.value.end + end + 1)
        });
        let newline = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let (before, after) = self.text.split_at(at);
        let bare = before.trim_start_matches(text::BOM);
        let gap = if bare.is_empty() || bare.ends_with('\n') { "" } else { newline };
        format!("{before}{gap}{line}{newline}{after}")
    }

    /// Returns what is before a field's label, and whether it is bold.
    fn dress(&self, field: &Field) -> (&str, bool) {
        let start = self.text[..field.label.start].rfind('\n').map_or(0, |at| at + 1);
        let before = self.text[start..field.label.start].trim_start_matches(text::BOM);
        before.strip_suffix("**").map_or((before, false), |bullet| (bullet, true))
    }

    fn find(&self, label: &str) -> Option<&Field> {
        self.found.iter().find(|field| self.is_labelled(field, label))
    }

    fn is_labelled(&self, field: &Field, label: &str) -> bool {
        text::same_name(&self.text[field.label.clone()]) == text::same_name(label)
    }

    fn value(&self, field: &Field) -> Option<&str> {
        let value = &self.text[field.value.clone()];
        (!value.is_empty() && !is_placeholder(value)).then_some(value)
    }
}

impl fmt::Display for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

debug_as!(Fields, |it| "Fields {{ fields: {}, bytes: {} }}", it.found.len(), it.text.len());

/// Reads a line as a field.
fn field(text: &str, line: Range<usize>) -> Option<Field> {
    let content = &text[line.clone()];
    let plain = content.trim_start_matches(text::BOM);
    let plain = plain.trim_start_matches(' ');
    let (item, is_bullet) = match plain.strip_prefix(['-', '*', '+']) {
        Some(item) if item.starts_with([' ', '\t']) => (item.trim_start_matches([' ', '\t']), true),
        _ => (plain, false),
    };
    let (label, rest) = match item.strip_prefix("**") {
        Some(bold) => {
            let (label, rest) = bold.split_once("**")?;
            // The colon stands inside the bold or behind it.
            match label.strip_suffix(':') {
                Some(label) => (label, rest),
                None => (label, rest.strip_prefix(':')?),
            }
        }
        None if is_bullet => {
            item.split_once(':').filter(|(_, rest)| rest.is_empty() || rest.starts_with([' ', '\t']))?
        }
        None => return None,
    };
    let fits = !label.trim().is_empty()
        && label.trim() == label
        && label.chars().count() <= LONGEST_LABEL
        && !label.contains(['*', '`', '[', ']', '<', '>', ':'])
        && !label.chars().any(char::is_control);
    if !fits {
        return None;
    }
    let behind = line.end - rest.len();
    let start = behind - (item.len() - rest.len());
    let label_start = start + if item.starts_with("**") { 2 } else { 0 };
    Some(Field {
        label: label_start..label_start + label.len(),
        behind,
        value: trim(text, behind..line.end),
        below: false,
    })
}

/// Returns a range without the white space around it; an empty one lies at the end.
fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let start = range.end - text[range.clone()].trim_start().len();
    start..start + text[start..range.end].trim_end().len()
}

/// Returns whether a value is what a template asks for instead of an answer.
fn is_placeholder(value: &str) -> bool {
    let inside = |open: &str, close: &str| {
        value.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)).map(str::to_lowercase)
    };
    inside("_(", ")_").is_some()
        || inside("*(", ")*").is_some()
        || inside("(", ")").is_some_and(|hint| hint.starts_with("pick"))
        || inside("[", "]").is_some_and(|hint| !hint.contains(['[', ']']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Profile;
    use crate::testing::cases;
    use proptest::prelude::*;

    // D6: directives of OpenClaw are not fields, and stand as they are.
    #[test]
    fn what_is_no_field_is_kept() {
        let text = "# USER.md - User Model\n\n## Directives\n\n<!-- observed: 2026-03-01 | status: active -->\n\n\
                    - Prefer short answers\n- See https://example.com: it helps\n```yaml\n- name: fenced\n```\n\
                    <!--\n- Name: hidden\n-->\n- [ ] task: later\n";
        let fields = Fields::parse(text);
        assert_eq!(fields.get("name"), None);
        assert_eq!(fields.get("observed"), None);
        assert_eq!(fields.iter().count(), 0);
        assert_eq!(fields.set("Name", "Marta"), format!("{text}- **Name:** Marta\n"));
    }

    #[test]
    fn a_missing_label_is_added_at_the_head_as_its_neighbours_are_written() {
        let text = "# User\r\n\r\n**Name:** Marta\r\n\r\n## Projects\r\n\r\n- Language: Rust";
        let fields = Fields::parse(text);
        assert_eq!(fields.get("language"), Some("Rust"));
        assert_eq!(Profile::parse(text).language(), None, "a project's");
        let set = fields.set("Timezone", "UTC");
        assert_eq!(set, text.replace("Marta\r\n", "Marta\r\n**Timezone:** UTC\r\n"));
        assert_eq!(Fields::parse("- Name: x").set("Role", "y"), "- Name: x\n- Role: y\n");
        for no_label in ["", "a:b", "**", "`x`", &"x".repeat(41)] {
            assert_eq!(fields.set(no_label, "v"), text, "{no_label:?}");
        }
    }

    /// Makes lines of every kind that matters.
    fn line() -> impl Strategy<Value = String> {
        let label = "[A-Za-z][A-Za-z ]{0,6}[a-z]";
        prop_oneof![
            (label, "\\PC{0,12}").prop_map(|(label, value)| format!("- {label}: {value}")),
            (label, "\\PC{0,12}").prop_map(|(label, value)| format!("* **{label}:** {value}")),
            (label, "\\PC{0,12}").prop_map(|(label, value)| format!("**{label}:**{value}")),
            Just("- **Name:**".to_owned()),
            Just("  _(pick one)_".to_owned()),
            Just("```".to_owned()),
            Just("## Heading".to_owned()),
            Just("<!-- observed: 2026-03-01 | status: active -->".to_owned()),
            "\\PC{0,20}",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(100_000)))]

        #[test]
        fn every_text_prints_as_it_was(text in any::<String>()) {
            prop_assert_eq!(Fields::parse(text.as_str()).to_string(), text);
        }

        #[test]
        #[ignore = "sweep"]
        fn a_set_value_reads_back_and_every_other_line_stands(
            bom in "\u{feff}?",
            lines in proptest::collection::vec(line(), 0..9),
            newline in prop_oneof![Just("\n"), Just("\r\n")],
            label in prop_oneof![Just("name".to_owned()), "[a-z]{2,8}"],
            value in "[A-Za-z0-9äß/][A-Za-z0-9 äß:/.-]{0,16}[a-z]",
        ) {
            let text = format!("{bom}{}", lines.join(newline));
            let before = Fields::parse(text.as_str());
            prop_assert_eq!(before.to_string(), &*text);
            let set = before.set(&label, &value);
            let after = Fields::parse(set.as_str());
            // An added line may fall into an open fence or comment at the end.
            if before.find(&label).is_some() || before.head > 0 || !(text.contains("```") || text.contains("<!--")) {
                prop_assert_eq!(after.get(&label), Some(value.as_str()), "{:?}", set);
                prop_assert_eq!(after.set(&label, &value), &*set, "setting again changes nothing");
            }
            let changed: Vec<&str> = text.lines().filter(|line| !set.lines().any(|other| other == *line)).collect();
            prop_assert!(changed.len() <= 2, "{changed:?}");
            let others = |fields: &Fields| {
                fields.iter().filter(|(other, _)| text::same_name(other) != text::same_name(&label))
                    .map(|(label, value)| (label.to_owned(), value.to_owned())).collect::<Vec<_>>()
            };
            prop_assert_eq!(others(&before), others(&after));
        }
    }
}
