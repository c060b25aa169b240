//! Pictures of charts, which the host draws.

use std::fmt::Debug;

use serde_json::Value;

use crate::base::debug::debug_as;

/// Draws the options of a chart as a picture. It belongs to the host: with a browser it may run `ECharts` itself.
///
/// ```
/// use noctuary::artifacts::{ChartPicture, ChartRenderer};
/// use serde_json::Value;
///
/// #[derive(Debug)]
/// struct Browser;
///
/// impl ChartRenderer for Browser {
///     fn render(&self, options: &Value) -> Result<ChartPicture, String> {
///         // Send `options` to a page that you control, and take a picture of it at twice its size.
///         let _ = options;
///         Err("no browser is installed".to_owned())
///     }
/// }
/// assert!(Browser.render(&Value::Null).is_err());
/// ```
pub trait ChartRenderer: Debug + Send + Sync {
    /// Draws one chart; a PNG at twice the size of the page (seed 000).
    ///
    /// # Errors
    ///
    /// The reason for the operator. The picture is left out, and everything else is written.
    fn render(&self, options: &Value) -> Result<ChartPicture, String>;
}

/// A picture of a chart.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChartPicture {
    /// A PNG.
    Png(Vec<u8>),
    /// An SVG. A picture that could run or fetch anything is refused: scripts, handlers, styles, links, foreign objects,
    /// entities.
    Svg(String),
}

debug_as!(ChartPicture, |it| "ChartPicture({}, bytes: {})", it.ending(), it.bytes().len());

impl ChartPicture {
    /// Returns the ending of its file's name: `png` or `svg`.
    #[must_use]
    pub fn ending(&self) -> &'static str {
        match self {
            Self::Png(_) => "png",
            Self::Svg(_) => "svg",
        }
    }

    /// Returns its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Png(bytes) => bytes,
            Self::Svg(text) => text.as_bytes(),
        }
    }

    /// Returns its media type.
    pub(super) fn media_type(&self) -> &'static str {
        match self {
            Self::Png(_) => "image/png",
            Self::Svg(_) => "image/svg+xml",
        }
    }

    /// Returns whether it is the picture that it says, and can neither run nor fetch anything.
    pub(super) fn is_inert(&self) -> bool {
        match self {
            Self::Png(bytes) => bytes.starts_with(b"\x89PNG\r\n\x1a\n"),
            Self::Svg(text) => is_inert_svg(text),
        }
    }
}

/// The elements that draw.
const ELEMENTS: [&str; 14] = [
    "svg", "g", "title", "desc", "rect", "circle", "ellipse", "line", "polyline", "polygon", "path", "text",
    "tspan", "defs",
];

fn is_inert_svg(text: &str) -> bool {
    let mut rest =
        text.trim_start().strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>").unwrap_or(text);
    if !rest.trim_start().starts_with("<svg") || text.contains("<!") || text.contains('\0') {
        return false;
    }
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let Some(end) = rest.find('>') else { return false };
        let tag = rest[..end].trim_start_matches('/');
        let name: &str = tag.split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
        if !ELEMENTS.contains(&name) || !has_inert_attributes(&tag[name.len()..]) {
            return false;
        }
        rest = &rest[end + 1..];
    }
    true
}

/// Returns whether attributes only draw: no handler, no style, no address.
fn has_inert_attributes(attributes: &str) -> bool {
    let lower = attributes.to_ascii_lowercase();
    let words = lower.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '/'));
    let mut names = words.filter_map(|word| word.split_once('=').map(|(name, _)| name));
    let is_bad =
        |name: &str| name.starts_with("on") || name.contains("href") || name == "style" || name == "src";
    let is_split = lower.split_whitespace().any(|word| word.starts_with('='));
    !names.any(is_bad) && !is_split && !lower.contains("url(") && !lower.contains('&')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_that_could_run_or_fetch_is_none() {
        let svg = |inner: &str| {
            ChartPicture::Svg(format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{inner}</svg>"))
        };
        assert!(svg("<g fill=\"#333\"><path d=\"M0 0\"/><text x=\"1\">a &lt; b</text></g>").is_inert());
        for hostile in [
            "<script>alert(1)</script>",
            "<SCRIPT>alert(1)</SCRIPT>",
            "<rect onload=\"alert(1)\"/>",
            "<rect\nonclick =\"alert(1)\"/>",
            "<rect x=\"1\"onload=\"alert(1)\"/>",
            "<a href=\"javascript:alert(1)\"><text>x</text></a>",
            "<text xlink:href=\"data:x\"/>",
            "<foreignObject><p/></foreignObject>",
            "<image href=\"http://a.example/\"/>",
            "<use href=\"#a\"/>",
            "<style>@import url(http://a.example)</style>",
            "<rect style=\"background:url(http://a.example)\"/>",
            "<rect fill=\"url(http://a.example)\"/>",
            "<!ENTITY x \"y\">",
            "<![CDATA[x]]>",
            "<animate attributeName=\"href\"/>",
            "<rect",
            "<?xml-stylesheet href=\"a\"?>",
        ] {
            assert!(!svg(hostile).is_inert(), "{hostile}");
        }
        assert!(!ChartPicture::Svg("<html><svg></svg></html>".to_owned()).is_inert());
        assert!(!ChartPicture::Png(b"GIF89a".to_vec()).is_inert());
        assert!(ChartPicture::Png(b"\x89PNG\r\n\x1a\n...".to_vec()).is_inert());
    }
}
