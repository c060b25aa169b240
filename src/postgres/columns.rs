//! Texts and numbers as columns hold them.

use std::borrow::Cow;

use super::link::Param;

/// A character that means nothing in any text. The server keeps no zero character, which is behind this one in another
/// form.
const MARK: char = '\u{10fffe}';

/// Returns a text as it is kept: the same, without zero characters.
pub(super) fn kept(text: String) -> String {
    if !text.contains(['\0', MARK]) {
        return text;
    }
    let mut kept = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\0' => kept.extend([MARK, '0']),
            MARK => kept.extend([MARK, '1']),
            other => kept.push(other),
        }
    }
    kept
}

/// Returns a text whose copy is kept.
pub(super) fn told(kept: &str) -> Cow<'_, str> {
    if !kept.contains(MARK) {
        return Cow::Borrowed(kept);
    }
    let (mut text, mut characters) = (String::with_capacity(kept.len()), kept.chars());
    while let Some(c) = characters.next() {
        text.push(if c != MARK {
            c
        } else if characters.next() == Some('0') {
            '\0'
        } else {
            MARK
        });
    }
    Cow::Owned(text)
}

/// Returns a value with its texts as they are kept.
pub(super) fn bound(value: Param) -> Param {
    match value {
        Param::Text(text) => Param::Text(kept(text)),
        Param::MaybeText(text) => Param::MaybeText(text.map(kept)),
        Param::Texts(texts) => Param::Texts(texts.into_iter().map(kept).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_comes_back_as_it_was() {
        for text in ["", "plain", "a\0b", "\0\0", "\u{10fffe}", "\u{10fffe}0", "0\u{10fffe}\0\u{10fffe}1"] {
            let kept = kept(text.to_owned());
            assert!(!kept.contains('\0'), "{text:?}");
            assert_eq!(told(&kept), text);
        }
        assert!(kept("a\0b c".to_owned()).contains(&kept("\0b".to_owned())), "a part stays a part");
    }
}
