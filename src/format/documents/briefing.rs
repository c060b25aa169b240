//! The briefing, `BRIEFING.md`: one page on what is going on now, which a dream replaces.
//!
//! Its first line is a mark with the dream and a hash of all bytes below it. A page without a mark, or whose bytes have another
//! hash, is a person's: it is never replaced.

use chrono::NaiveDate;

use crate::base::digest::Digest;
use crate::base::text::BOM;
use crate::format::DreamId;

const OPEN: &str = "<!-- briefing:v1 dream=";
const HASH: &str = " sha256=";
const CLOSE: &str = " -->";

/// Prints the page of a dream over bullets.
pub(crate) fn print(id: &DreamId, day: NaiveDate, bullets: &str) -> String {
    let body = format!("# Briefing, {day}\n\n{bullets}");
    format!("{OPEN}{id}{HASH}{}{CLOSE}\n{body}", Digest::of(body.as_bytes()))
}

/// Returns the dream that wrote a page; `None` of a page that a person wrote or edited.
pub(crate) fn dream(page: &[u8]) -> Option<DreamId> {
    let end = page.iter().position(|byte| *byte == b'\n')?;
    let mark = std::str::from_utf8(&page[..end]).ok()?;
    let (id, hash) = mark.strip_prefix(OPEN)?.strip_suffix(CLOSE)?.split_once(HASH)?;
    let is_whole = hash == Digest::of(&page[end + 1..]).to_string();
    is_whole.then(|| DreamId::parse(id)).flatten()
}

/// Returns a page without its mark.
pub(crate) fn without_mark(page: &str) -> &str {
    let page = page.trim_start_matches(BOM);
    match page.split_once('\n') {
        Some((mark, body)) if mark.starts_with(OPEN) && mark.trim_end().ends_with(CLOSE) => body,
        _ => page,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_a_dreams_until_a_person_edits_it() {
        let id = DreamId::parse("0f3a9c5be2d14477").unwrap();
        let day = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
        let page = print(&id, day, "- The mast is at the yard.\n");
        assert_eq!(dream(page.as_bytes()), Some(id));
        assert_eq!(without_mark(&page), "# Briefing, 2026-11-21\n\n- The mast is at the yard.\n");
        for edited in [format!("{page}x"), page.replace("mast", "boat"), page[1..].to_owned(), String::new()]
        {
            assert_eq!(dream(edited.as_bytes()), None, "{edited}");
        }
        assert_eq!(without_mark("# Mine\n"), "# Mine\n");
    }
}
