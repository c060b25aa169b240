//! Characters that are not seen, and those that are drawn like ASCII: without what is drawn over them.
//!
//! Small capitals count as small letters, since that is what they are made from.

use std::sync::LazyLock;

use memchr::memchr;
use unicode_normalization::char::{decompose_compatible, is_combining_mark};

use super::island::Edit;
use crate::steps;
use crate::text;

/// Characters that are drawn like others, where their compatible form does not say so.
const DRAWN: &[(char, &str)] = &[
    ('A', "АΑᎪᗅꓮ𐊠Ꭺ"),
    ('B', "ВΒᏴᗷꓐ𐊂"),
    ('C', "СϹᏟꓚ𐊢"),
    ('D', "Ꭰᗞꓓᗪ"),
    ('E', "ЕΕᎬꓰⴹ𐊆"),
    ('F', "ϜᖴꓝҒ"),
    ('G', "ԌᏀꓖ"),
    ('H', "НΗᎻᕼꓧⲎ"),
    ('I', "ІΙӀ"),
    ('J', "ЈͿᎫᒍꓙ"),
    ('K', "КΚᏦᛕꓗⲔ"),
    ('L', "ᏞᒪꓡⳐ"),
    ('M', "МΜϺᎷᗰꓟⲘ"),
    ('N', "ΝꓠⲚ"),
    ('O', "ОΟՕⲞꓳⵔ"),
    ('P', "РΡᏢᑭꓑⲢ"),
    ('Q', "ԚⵕႭ"),
    ('R', "ᎡᏒᖇꓣƦ"),
    ('S', "ЅՏᏕᏚꓢ"),
    ('T', "ТΤᎢꓔⲦ"),
    ('U', "Սሀᑌꓴ∪⋃"),
    ('V', "ѴᏙᐯꓦ∨"),
    ('W', "ԜᎳᏔꓪ"),
    ('X', "ХΧᚷⲬꓫ╳"),
    ('Y', "УΥҮᎩᎽⲨꓬ"),
    ('Z', "ΖᏃꓜ"),
    ('a', "аαɑᴀ⍺"),
    ('b', "ЬƄʙᏏᖯ"),
    ('c', "сϲᴄⲥ"),
    ('d', "ԁᏧᑯᴅɗ"),
    ('e', "еєҽᴇ℮"),
    ('f', "ꜰẝꬵք"),
    ('g', "ɡցɢᶃ"),
    ('h', "һհᏂʜ"),
    ('i', "іιıɩɪӏꙇ⍳"),
    ('j', "јϳᴊ"),
    ('k', "кκᴋⲕ"),
    ('l', "ʟǀⵏߊ∣"),
    ('m', "мᴍ"),
    ('n', "ոռɴп"),
    ('o', "оοσօᴏⲟ"),
    ('p', "рρᴘⲣ"),
    ('q', "ԛգզ"),
    ('r', "гᴦʀⲅ"),
    ('s', "ѕꜱƽ"),
    ('t', "тτᴛ"),
    ('u', "υսᴜʋ"),
    ('v', "ѵνᴠ∨"),
    ('w', "ԝաᴡ"),
    ('x', "хχ×ᕁ"),
    ('y', "уγүʏყ"),
    ('z', "ᴢʐ"),
    ('2', "ƧϨꙄ"),
    ('3', "ЗӠƷȜⳌ"),
    ('4', "Ꮞ"),
    ('5', "Ƽ"),
    ('6', "бᏮⳒ"),
    ('8', "Ȣȣ৪"),
    ('9', "৭੧Ⳋ"),
    ('-', "‐‑‒–—―−⁃˗﹘Ⲻ➖"),
    ('_', "ߺ﹍﹎﹏‗ˍ"),
    ('.', "․·•∙⋅・٠۰܁܂꓿"),
    (':', "ː˸∶꞉׃։܃܄⁚"),
    ('=', "᐀゠꓿⹀═"),
    ('/', "⁄∕╱⟋Ⳇ⧸丿ノ᜵⼃"),
    ('+', "᛭➕𐊛"),
    ('@', "ⓐ"),
];

static LIKE: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    let mut all: Vec<_> =
        DRAWN.iter().flat_map(|(shown, drawn)| drawn.chars().map(|c| (c, *shown))).collect();
    all.sort_unstable();
    all.dedup_by_key(|(c, _)| *c);
    all
});

/// Returns a text in the ASCII letters and signs that its characters look like.
#[must_use]
pub fn as_drawn(text: &str) -> String {
    let (mut drawn, mut at) = (String::new(), 0);
    for edit in edits(text) {
        drawn.push_str(&text[at..edit.place.start]);
        drawn.extend(edit.shown);
        at = edit.place.end;
    }
    drawn.push_str(&text[at..]);
    drawn
}

/// Returns the small letter of ASCII that a letter looks like, in one of its cases.
#[must_use]
pub fn letter_like(c: char) -> Option<char> {
    let drawn = like(c).or_else(|| c.to_uppercase().next().and_then(like))?;
    (c.is_alphabetic() && drawn.is_ascii_alphabetic()).then_some(drawn.to_ascii_lowercase())
}

pub(super) fn edits(text: &str) -> Vec<Edit> {
    let bytes = text.as_bytes();
    let mut edits = Vec::new();
    let mut at = 0;
    while let Some(ascii) = bytes.get(at..).and_then(first_beyond_ascii) {
        at += ascii;
        steps::take(ascii + 1);
        let Some(c) = text[at..].chars().next() else { break };
        let place = at..at + c.len_utf8();
        at = place.end;
        look(text, c, place, &mut edits);
    }
    edits
}

/// Returns the first byte that is not ASCII, looked for in blocks.
fn first_beyond_ascii(bytes: &[u8]) -> Option<usize> {
    const BLOCK: usize = 256;
    let block = bytes.chunks(BLOCK).position(|block| !block.is_ascii())? * BLOCK;
    Some(block + bytes[block..].iter().position(|byte| !byte.is_ascii())?)
}

/// Finds text in tags, which nobody sees and a model reads: each stands for the character of ASCII that it tags.
pub(super) fn tags(text: &str) -> Vec<Edit> {
    const FIRST: u8 = 0xf3;
    let bytes = text.as_bytes();
    let mut edits = Vec::new();
    let mut at = 0;
    while let Some(next) = bytes.get(at..).and_then(|rest| memchr(FIRST, rest)) {
        steps::take(next + 1);
        at += next;
        let Some(c) = text[at..].chars().next() else { break };
        let place = at..at + c.len_utf8();
        at = place.end;
        if let '\u{e0020}'..='\u{e007e}' = c {
            edits.push(Edit { place, shown: char::from_u32(u32::from(c) - 0xe_0000) });
        }
    }
    edits
}

fn look(text: &str, c: char, place: Range, edits: &mut Vec<Edit>) {
    if text::is_invisible(c) || is_combining_mark(c) || c.is_control() {
        edits.push(Edit { place, shown: None });
        return;
    }
    // Most of what is written in these is no disguise of anything.
    if matches!(c, '\u{3041}'..='\u{30fa}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
        && like(c).is_none()
    {
        return;
    }
    let (mut shown, mut is_ascii) = ([None; 4], true);
    let mut count = 0;
    decompose_compatible(c, |part| {
        if text::is_invisible(part) || is_combining_mark(part) {
            return;
        }
        let part = like(part).unwrap_or(part);
        is_ascii &= part.is_ascii() && count < shown.len();
        if let Some(shown) = shown.get_mut(count) {
            *shown = Some(part);
        }
        count += 1;
    });
    let is_sign = count == 1 && matches!(shown[0], Some('-' | '.'));
    // A sign among words is one: a dash, a dot of a list.
    if !is_ascii || count == 0 || (is_sign && is_alone(text.as_bytes(), &place)) {
        return;
    }
    let end = place.end;
    let mut place = place;
    for shown in shown.into_iter().flatten() {
        edits.push(Edit { place, shown: Some(shown) });
        place = end..end;
    }
}

type Range = std::ops::Range<usize>;

fn is_alone(bytes: &[u8], place: &Range) -> bool {
    let is_blank = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
    is_blank(bytes[..place.start].last()) && is_blank(bytes.get(place.end))
}

fn like(c: char) -> Option<char> {
    LIKE.binary_search_by_key(&c, |(drawn, _)| *drawn).ok().map(|at| LIKE[at].1)
}
