//! The tags that a line of an answer loses, and those that frame a prompt.

/// Tags that are taken out; any other `<word` is text, such as a generic type, and loses only its bracket.
const TAGS: &str = "a abbr article aside audio b base blockquote body br button canvas center cite code dd del details \
    div dl dt em embed font footer form frame h1 h2 h3 h4 h5 h6 head header hr html i iframe img input \
    ins kbd label li link main mark meta nav noscript object ol option p param picture pre q s samp \
    script section select small source span strike strong style sub summary sup svg table tbody td \
    textarea tfoot th thead title tr track u ul var video wbr";

/// Tags that frame the parts of a prompt.
const FRAMES: &str = "system sys inst assistant user human tool tools function instructions instruction prompt context \
    memory journal journals document think thinking message invoke script iframe";

pub(super) fn is_frame(name: &str) -> bool {
    has(FRAMES, name) || name.contains(['-', ':', '_'])
}

/// Returns whether a tag is taken out.
pub(super) fn is_tag(name: &str) -> bool {
    has(TAGS, name) || is_frame(name)
}

fn has(words: &str, name: &str) -> bool {
    words.split(' ').any(|word| word == name)
}
