//! Whether a standing rule is about a call of a tool.

use serde_json::Value;

use crate::base::gather::Gather as _;
use crate::base::text;
use crate::gate::as_drawn;
use crate::learning::Constraint;

/// JSON within a text is read so deep.
const DEEPEST: u32 = 4;

/// The texts of a call, as rules compare them.
pub(crate) struct Call {
    tool: String,
    texts: String,
}

impl Call {
    pub(crate) fn new(tool: &str, arguments: &Value) -> Self {
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        collect(arguments, 0, &mut keys, &mut values);
        keys.append(&mut values);
        Self { tool: folded(tool), texts: folded(&keys.join(" ")) }
    }

    /// Returns whether a rule is about it. A rule that names no tool is about none.
    pub(crate) fn is_of(&self, rule: &Constraint) -> bool {
        rule.tools.iter().any(|pattern| matches(&folded(pattern), &self.tool))
            && (rule.words.is_empty() || rule.words.iter().any(|words| self.texts.contains(&folded(words))))
    }
}

/// Returns a text as it is compared: without case, marks and runs of white space, in the letters that it looks like.
fn folded(text: &str) -> String {
    text::same_name(&as_drawn(text))
}

/// Collects the keys and the texts of a value, also those of JSON within a text.
fn collect(value: &Value, depth: u32, keys: &mut Vec<String>, values: &mut Vec<String>) {
    match value {
        Value::Null => {}
        Value::Bool(_) | Value::Number(_) => values.push(value.to_string()),
        Value::String(text) => {
            values.push(text.clone());
            if depth < DEEPEST
                && text.trim_start().starts_with(['{', '[', '"'])
                && let Ok(within) = serde_json::from_slice(text.as_bytes())
            {
                collect(&within, depth + 1, keys, values);
            }
        }
        Value::Array(all) => all.iter().for_each(|value| collect(value, depth, keys, values)),
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            keys.push(key.clone());
            collect(value, depth, keys, values);
        }),
    }
}

/// Returns whether a name fits a pattern, in which `*` stands for any characters.
fn matches(pattern: &str, name: &str) -> bool {
    let parts: Vec<&str> = pattern.split('*').gather();
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return false };
    if parts.len() == 1 {
        return pattern == name;
    }
    let Some(rest) = name.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else { return false };
    let mut rest = rest;
    for part in &parts[1..parts.len() - 1] {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use serde_json::json;

    use super::*;
    use crate::base::access::Actor;
    use crate::learning::{Approval, PreferenceId};

    fn rule(tools: &[&str], words: &[&str]) -> Constraint {
        let approved = Approval::new(Actor::Human, DateTime::UNIX_EPOCH);
        let mut rule = Constraint::new(PreferenceId::new(1), None, approved);
        rule.tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
        rule.words = words.iter().map(|words| (*words).to_owned()).collect();
        rule
    }

    #[test]
    fn a_pattern_fits_whole_names() {
        for (pattern, name, fits) in [
            ("shell", "shell", true),
            ("shell", "shell_2", false),
            ("shell", "my_shell", false),
            ("Shell*", "SHELL_exec", true),
            ("*", "anything", true),
            ("*", "", true),
            ("trade_*_order", "trade_spot_order", true),
            ("trade_*_order", "trade_order", false),
            ("a*a", "a", false),
            ("*delete*", "folder_delete_all", true),
            ("*a*b*", "xbxa", false),
            ("", "shell", false),
            ("ѕhell", "shell", true),
        ] {
            assert_eq!(Call::new(name, &json!({})).is_of(&rule(&[pattern], &[])), fits, "{pattern} {name}");
        }
        assert!(!Call::new("shell", &json!({})).is_of(&rule(&[], &[])), "a rule without tools is about none");
    }

    #[test]
    fn words_are_found_however_a_call_writes_them() {
        let deep = r#"{"steps":[{"run":"\u0072m -rf /srv"}]}"#;
        for (arguments, applies) in [
            (json!({"command": "rm -rf /srv"}), true),
            (json!({"command": "sudo  RM\t-rf\n/srv"}), true),
            (json!({"command": "r\u{200b}m -rf /srv"}), true),
            (json!({"command": "ｒｍ －ｒｆ /srv"}), true),
            (json!({"argv": ["rm", "-rf", "/srv"]}), true),
            (json!({"a": [{"b": {"c": ["x", "rm -rf y"]}}]}), true),
            (json!({"rm -rf": 1}), true),
            (json!({"json": deep}), true),
            (json!({"json": json!(deep).to_string()}), true),
            (json!({"command": "ls"}), false),
            (json!({"command": "rm file"}), false),
            (json!(null), false),
        ] {
            let call = Call::new("shell", &arguments);
            assert_eq!(call.is_of(&rule(&["shell"], &["never", "rm -rf"])), applies, "{arguments}");
        }
        let call = Call::new("trade", &json!({"amount": 1500.5, "live": true}));
        assert!(call.is_of(&rule(&["trade"], &["1500.5"])) && call.is_of(&rule(&["trade"], &["true"])));
    }
}
