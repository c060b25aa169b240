//! The extent of a private key that begins with `-----BEGIN … PRIVATE KEY-----`.

use std::sync::LazyLock;

use regex::Regex;

/// No key is longer than this, in bytes and in lines.
const MOST_BYTES: usize = 32 << 10;
const MOST_LINES: usize = 200;

/// A control character in a head is as good as the space that it stands for.
pub(super) const HEAD: &str = r"-----BEGIN[\s\x00-\x08\x0e-\x1f\x7f-\x9f]{0,2}(?:[A-Z0-9]+[\s\x00-\x08\x0e-\x1f\x7f-\x9f]{0,2}){0,4}PRIVATE[\s\x00-\x08\x0e-\x1f\x7f-\x9f]{0,2}KEY(?:[\s\x00-\x08\x0e-\x1f\x7f-\x9f]{0,2}BLOCK)?-----";

static END: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!(r"\A{}", HEAD.replace("BEGIN", "END"))).expect("a literal pattern"));

/// Maximum number of end marks that are looked at: one is the key's.
const MAX_END_MARKS: usize = 16;

/// A line of a block. In a log, times, tags and list marks may precede it.
static LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:\s|\[[^\]\n]{0,60}\]|[0-9]{1,4}[-:.0-9TZ]+|[|>*-])*(?:(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset|Subject|X-[A-Za-z-]+): ?.*|[A-Za-z0-9+/=\\]{4,}[.,;\x22'`)]*)?\s*$")
        .expect("a literal pattern")
});

/// Returns the end of the key whose head ends at `from`: its end mark. If that is missing, it is the end of
/// the last line that can belong to the key. The rest of the head's own line belongs to it in any case.
pub(super) fn body(text: &str, from: usize) -> usize {
    let window = crate::text::floor_boundary(text, from.saturating_add(MOST_BYTES));
    let rest = &text[from..window];
    // A row of heads without an end must not cost all that follows for each.
    let lines = rest.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').nth(MOST_LINES);
    let near = &rest[..lines.map_or(rest.len(), |(at, _)| at)];
    let mut ends = near.match_indices("-----END").take(MAX_END_MARKS);
    if let Some(end) = ends.find_map(|(at, _)| Some(at + END.find(&rest[at..])?.end())) {
        return from + end;
    }
    let mut end = rest.find('\n').unwrap_or(rest.len());
    for line in rest[end..].split_inclusive('\n').skip(1).take(MOST_LINES) {
        if !LINE.is_match(line.trim_end_matches(['\n', '\r'])) {
            break;
        }
        end += line.len();
    }
    // The last line break stays outside.
    let end = rest[..end].trim_end_matches(['\n', '\r']).len();
    from + end
}
