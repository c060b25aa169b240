//! A surface of `plotters`, which draws in whole numbers: a picture has ten of them in each of its pixels.

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::artifacts::markdown::escape;
use crate::base::text::is_invisible;

pub(super) type Drawn<T = ()> = Result<T, Box<dyn Error>>;

pub(super) const INK: RGBColor = RGBColor(0x22, 0x25, 0x2b);
pub(super) const PALE: RGBColor = RGBColor(0x5d, 0x63, 0x6e);
pub(super) const GRID: RGBColor = RGBColor(0xe3, 0xe6, 0xea);
const FONT: FontFamily = FontFamily::Name("system-ui, sans-serif");
/// The width of a letter in small words, about.
const LETTER: f64 = 7.0;
const MARGIN: f64 = 20.0;

/// A picture that is being drawn, measured in pixels.
pub(super) struct Canvas<'s> {
    pub(super) root: DrawingArea<SVGBackend<'s>, Shift>,
    pub(super) width: f64,
    pub(super) height: f64,
    /// The height that titles take.
    pub(super) top: f64,
}

impl<'s> Canvas<'s> {
    pub(super) fn new(svg: &'s mut String, (width, height): (u16, u16), titles: [&str; 2]) -> Drawn<Self> {
        let root = SVGBackend::with_string(svg, (u32::from(width) * 10, u32::from(height) * 10));
        let (width, height) = (f64::from(width), f64::from(height));
        let mut canvas = Self { root: root.into_drawing_area(), width, height, top: MARGIN };
        canvas.root.fill(&WHITE)?;
        let [title, subtitle] = titles.map(|title| shown(title, f64::MAX));
        if !title.is_empty() {
            let bold = style(17.5, INK, FontStyle::Bold);
            canvas.words((MARGIN, 26.0), HPos::Left, &title, width - 2.0 * MARGIN, &bold)?;
            canvas.top = 48.0;
        }
        if !subtitle.is_empty() {
            canvas.text((MARGIN, canvas.top + 2.0), HPos::Left, &subtitle, width - 2.0 * MARGIN)?;
            canvas.top += 20.0;
        }
        Ok(canvas)
    }

    /// Writes a text beside the middle of its height, cut to a width.
    pub(super) fn text(&self, at: (f64, f64), side: HPos, text: &str, width: f64) -> Drawn {
        self.words(at, side, text, width, &small())
    }

    fn words(&self, (x, y): (f64, f64), side: HPos, text: &str, width: f64, style: &TextStyle) -> Drawn {
        let text = shown(text, width * small().font.get_size() / style.font.get_size());
        if text.is_empty() {
            return Ok(());
        }
        Ok(self.root.draw_text(&text, &style.pos(Pos::new(side, VPos::Center)), (fine(x), fine(y)))?)
    }

    pub(super) fn swatch(&self, (x, y): (f64, f64), colour: RGBColor) -> Drawn {
        let corners = [(fine(x), fine(y)), (fine(x + 12.0), fine(y + 12.0))];
        Ok(self.root.draw(&Rectangle::new(corners, colour.filled()))?)
    }
}

/// Returns the style of small words.
pub(super) fn small() -> TextStyle<'static> {
    style(12.5, PALE, FontStyle::Normal)
}

/// Returns a style; the library's size of a font is not that of SVG.
fn style(size: f64, colour: RGBColor, weight: FontStyle) -> TextStyle<'static> {
    FontDesc::new(FONT, size * 12.4, weight).color(&colour)
}

/// Returns the width of a text in small words, about.
pub(super) fn width_of(text: &str) -> f64 {
    text.chars().map(|c| if u32::from(c) >= 0x1100 { 2.0 * LETTER } else { LETTER }).sum()
}

/// Returns a text on one line, of at most a width, without what XML does not allow or nobody sees.
pub(super) fn shown(text: &str, width: f64) -> String {
    let allowed = |c: &char| !c.is_control() && !is_invisible(*c) && !matches!(c, '\u{fffe}' | '\u{ffff}');
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words.join(" ").chars().filter(allowed).collect();
    if width_of(&line) <= width {
        return line.trim().to_owned();
    }
    let mut left = width - LETTER;
    let fits = |c: &char| {
        left -= width_of(c.encode_utf8(&mut [0; 4]));
        left >= 0.0
    };
    line.chars().take_while(fits).collect::<String>() + "…"
}

/// Returns a picture with its size in pixels, and a title for a person who cannot see it.
pub(super) fn finished(svg: &str, (width, height): (u16, u16), title: &str) -> String {
    let title = shown(title, f64::MAX);
    let title = escape(if title.is_empty() { "Chart" } else { &title });
    let drawn = svg.split_once('>').map_or("", |(_, drawn)| drawn);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width}0 {height}0\" role=\"img\">\n\
         <title>{title}</title>{drawn}"
    )
}

/// Returns pixels in units of the surface.
#[expect(clippy::cast_possible_truncation, reason = "a picture is at most 65,535 pixels wide")]
pub(super) fn fine(pixels: f64) -> i32 {
    (pixels * 10.0).round() as i32
}

/// Returns a number of things as a number of a picture.
pub(super) fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

/// Returns a number of a picture as a number of things.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 10,000")]
pub(super) fn whole(number: f64) -> usize {
    number.clamp(0.0, 10_000.0).round() as usize
}
