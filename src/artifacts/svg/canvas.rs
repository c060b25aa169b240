//! The text of a picture: shapes by numbers, words escaped.

use std::fmt::Write as _;

use crate::artifacts::markdown::escape;
use crate::base::text::is_invisible;

/// A picture that is being drawn.
pub(super) struct Canvas {
    svg: String,
    pub(super) width: f64,
    pub(super) height: f64,
    /// The height that titles take.
    pub(super) top: f64,
}

/// The side of a text at which its place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

pub(super) const INK: &str = "#22252b";
pub(super) const PALE: &str = "#5d636e";
pub(super) const GRID: &str = "#e3e6ea";
/// The width of a letter at size 12, about.
const LETTER: f64 = 6.7;
const MARGIN: f64 = 20.0;

impl Canvas {
    pub(super) fn new(width: u16, height: u16, title: &str, subtitle: &str) -> Self {
        let (width, height) = (f64::from(width), f64::from(height));
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\" font-family=\"system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif\">\n"
        );
        let words = if title.trim().is_empty() { "Chart" } else { title };
        let _ = writeln!(svg, "<title>{}</title>", plain(words));
        let _ = writeln!(svg, "<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>");
        let mut canvas = Self { svg, width, height, top: MARGIN };
        if !title.trim().is_empty() {
            canvas.text_of((MARGIN, 32.0), Anchor::Start, title, width - 2.0 * MARGIN, (17.0, INK, true));
            canvas.top = 48.0;
        }
        if !subtitle.trim().is_empty() {
            let y = canvas.top + 6.0;
            canvas.text_of((MARGIN, y), Anchor::Start, subtitle, width - 2.0 * MARGIN, (12.0, PALE, false));
            canvas.top += 20.0;
        }
        canvas
    }

    /// Returns the width of a text at size 12, about.
    pub(super) fn width_of(text: &str) -> f64 {
        text.chars().map(|c| if u32::from(c) >= 0x1100 { 2.0 * LETTER } else { LETTER }).sum()
    }

    /// Writes a text, cut to a width.
    pub(super) fn text(&mut self, at: (f64, f64), anchor: Anchor, text: &str, width: f64) {
        self.text_of(at, anchor, text, width, (12.0, PALE, false));
    }

    fn text_of(
        &mut self,
        (x, y): (f64, f64),
        anchor: Anchor,
        text: &str,
        width: f64,
        (size, colour, is_bold): (f64, &str, bool),
    ) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let weight = if is_bold { " font-weight=\"600\"" } else { "" };
        let cut = cut(text, width * 12.0 / size);
        let _ = writeln!(
            self.svg,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{colour}\" text-anchor=\"{anchor}\"{weight}>{}</text>",
            plain(&cut)
        );
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str) {
        let ((x1, y1), (x2, y2)) = (from, to);
        let _ = writeln!(
            self.svg,
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\" stroke-width=\"1\"/>"
        );
    }

    /// Draws a bar between two corners; one of no height is still seen.
    pub(super) fn bar(&mut self, from: (f64, f64), to: (f64, f64), colour: &str) {
        let (x, y) = (from.0.min(to.0), from.1.min(to.1));
        let (width, height) = ((from.0 - to.0).abs().max(0.5), (from.1 - to.1).abs().max(0.5));
        let _ = writeln!(
            self.svg,
            "<rect class=\"bar\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{colour}\"/>"
        );
    }

    /// Draws a line through points, with a mark at each where there are few.
    pub(super) fn polyline(&mut self, points: &[(f64, f64)], colour: &str) {
        let _ = writeln!(
            self.svg,
            "<polyline class=\"line\" points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-linejoin=\"round\"/>",
            printed(points)
        );
        if points.len() <= 40 {
            for (x, y) in points {
                let _ = writeln!(self.svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
            }
        }
    }

    /// Fills the area of some corners, so that lines behind it are seen.
    pub(super) fn area(&mut self, points: &[(f64, f64)], colour: &str) {
        let points = printed(points);
        let _ = writeln!(
            self.svg,
            "<polygon class=\"area\" points=\"{points}\" fill=\"{colour}\" fill-opacity=\"0.18\"/>"
        );
    }

    pub(super) fn swatch(&mut self, (x, y): (f64, f64), colour: &str) {
        let _ = writeln!(
            self.svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"12\" height=\"12\" rx=\"2\" fill=\"{colour}\"/>"
        );
    }

    /// Draws a slice by the commands of a path, which are numbers and letters of ours.
    pub(super) fn slice(&mut self, path: &str, colour: &str) {
        let _ = writeln!(
            self.svg,
            "<path class=\"slice\" d=\"{path}\" fill=\"{colour}\" fill-rule=\"evenodd\" stroke=\"#ffffff\" stroke-width=\"1.5\"/>"
        );
    }

    pub(super) fn finish(mut self) -> String {
        self.svg.push_str("</svg>\n");
        self.svg
    }
}

fn printed(points: &[(f64, f64)]) -> String {
    points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
}

/// Returns a text of at most a width, on one line.
fn cut(text: &str, width: f64) -> String {
    let one_line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if Canvas::width_of(&one_line) <= width {
        return one_line;
    }
    let mut left = width - LETTER;
    let fits = |c: &char| {
        left -= Canvas::width_of(c.encode_utf8(&mut [0; 4]));
        left >= 0.0
    };
    one_line.chars().take_while(fits).collect::<String>() + "…"
}

/// Escapes a text. Characters that XML does not allow, or that nobody sees, are left out.
fn plain(text: &str) -> String {
    let allowed = |c: &char| {
        (!c.is_control() || *c == '\n') && !is_invisible(*c) && !matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    escape(&text.chars().filter(allowed).collect::<String>())
}
