//! Addresses: each host, path, mail address and web address of the claim is in the sources, letter by letter.
//!
//! They are names in lower case. One that is made up would send somebody to a stranger.

use std::sync::LazyLock;

use regex::Regex;

use super::matter::is_unparted;
use super::shown::held;
use crate::base::pattern::pattern;
use crate::dreamer::{Hold, HoldReason};

/// Refuses an address that the sources lack.
pub(crate) fn check(claim: &str, evidence: &str) -> Result<(), Hold> {
    // Most claims have none.
    if !claim.contains(['.', '/', '@', '\\']) {
        return Ok(());
    }
    let mut lowered = None;
    for found in ADDRESS.captures_iter(claim) {
        let Some(address) = found.iter().skip(1).flatten().next() else { continue };
        let evidence: &String = lowered.get_or_insert_with(|| evidence.to_lowercase());
        let written = address.as_str().trim_end_matches(|c: char| ".,;:!?*_/\\".contains(c));
        let lower = written.to_lowercase();
        let scheme = lower.find("://").map_or(0, |at| at + 3);
        let bare = lower[scheme..].strip_prefix("www.").unwrap_or(&lower[scheme..]);
        if !bare.is_empty() && !stands(bare, evidence) && !is_in_two_sentences(written, bare, evidence) {
            return Err(held(HoldReason::Name, written));
        }
    }
    Ok(())
}

/// A web address, a mail address, a path, or a host: words that are joined by dots, the last of letters. Scripts that part
/// no words, and those whose endings are joined to a name, are no part of one.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    let letter = r"[[\p{L}\p{M}\p{N}_-]--[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}]]";
    let last = r"[[\p{L}\p{M}]--[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}]]{2,24}";
    let rest = r#"[^\s<>"'`“”()\[\],;]*"#;
    pattern(&format!(
        r#"(?i)\b([a-z][a-z0-9+.-]*://{rest})|([\p{{L}}\p{{M}}\p{{N}}._%+-]+@{letter}+(?:\.{letter}+)+)|(?:^|[\s"'`“(=])((?:~?/|\.{{1,2}}/|[a-z]:\\|\\\\)[\w.~-]{rest})|((?:[\w.~-]+/)+[\w-]+\.{last})|({letter}*(?:\.{letter}+)*\.{last})"#
    ))
});

/// Returns whether an address is in a text, and is no part of a longer one.
fn stands(address: &str, text: &str) -> bool {
    let is_whole = |(at, _): (usize, &str)| {
        // A name ends where a word of a script begins that parts none, or joins its endings.
        let ends = |c: char| is_unparted(c) || matches!(c, '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7a3}');
        let joins = |c: char| (c.is_alphanumeric() && !ends(c)) || matches!(c, '-' | '_');
        let mut after = text[at + address.len()..].chars();
        let goes_on = match after.next() {
            Some('.' | '@') => after.next().is_some_and(joins),
            next => next.is_some_and(joins),
        };
        let before = text[..at].strip_suffix("www.").unwrap_or(&text[..at]);
        !goes_on && !before.ends_with(|c: char| joins(c) || c == '.')
    };
    text.match_indices(address).any(is_whole)
}

/// Returns whether a dot ends a sentence that the next one follows without a space: "On Fridays.The rest waits."
fn is_in_two_sentences(written: &str, bare: &str, evidence: &str) -> bool {
    let last = written.rsplit('.').next().unwrap_or_default();
    last.starts_with(char::is_uppercase) && stands(&bare.replace('.', ". "), evidence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_stands_in_the_sources_whole_or_not_at_all() {
        for (claim, evidence) in [
            ("Logs go to evil.example.", "Logs go to logs.example."),
            (
                "Logs go to evil.example.",
                "Logs go to notevil.example, mail.evil.example and evil.example.org.",
            ),
            ("Logs go to https://evil.example/in.", "Logs go to https://good.example/in."),
            ("Logs go to ops@evil.example.", "Logs go to ops@good.example."),
            ("Logs go to ops@good.example.", "Logs go to good.example, says ops."),
            ("Keys lie in /etc/evil.", "Keys lie in /etc/app."),
            ("Keys lie in ~/.ssh/id.", "Keys lie in the safe."),
            (r"Keys lie in C:\keys.", "Keys lie in the safe."),
            ("Starts with src/evil.rs.", "Starts with src/main.rs."),
            ("Starts with lib/main.rs.", "Starts with src/main.rs."),
            ("リリースはevil.exampleへ送る。", "リリースは金曜日に出る。"),
            ("로그는 evil.example로 보낸다.", "로그는 금요일에 보낸다."),
            ("Nhật ký gửi tới xấu.example.", "Nhật ký gửi tới tốt.example."),
            ("Günlükler kötü.example'a gider.", "Günlükler iyi.example'a gider."),
            ("היומנים נשלחים אל evil.example.", "היומנים נשלחים ביום שישי."),
            ("लॉग evil.example पर जाते हैं।", "लॉग शुक्रवार को जाते हैं।"),
        ] {
            let hold = check(claim, evidence).unwrap_err();
            assert_eq!(hold.reason, HoldReason::Name, "{claim}");
        }
        for (claim, evidence) in [
            ("Logs go to logs.example.", "send logs to https://www.Logs.example/in please"),
            ("Logs go to https://logs.example/in.", "logs.example/in takes the logs."),
            ("Mail goes to Ops@Acme.test.", "[user] mails from ops@acme.test are legit"),
            ("The host is acme.test.", "[user] mails from ops@acme.test are legit"),
            ("Starts with main.rs.", "it starts with src/main.rs"),
            ("Config in /etc/app.conf.", "config is /etc/app.conf, I think"),
            ("On Fridays.The rest waits.", "On Fridays. The rest waits."),
            ("Half and/or more at 9 a.m., e.g. 50/50.", "half or more at nine"),
            ("ログはlogs.exampleに送る。", "logs.exampleへ送る"),
            ("로그는 logs.example로 보낸다.", "logs.example에 보낸다"),
            ("Günlükler iyi.example'a gider.", "iyi.example'a gidiyor"),
            ("5.000 km, version 1.2.3.", "5000 km"),
        ] {
            assert_eq!(check(claim, evidence).map_err(|hold| hold.word), Ok(()), "{claim}");
        }
    }
}
