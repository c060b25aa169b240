//! The frame of lines and bars: axes, ticks, names, a legend.

use super::canvas::{Anchor, Canvas, GRID, PALE};
use super::options::{Chart, Kind};
use super::scale::Scale;

/// The rectangle in which numbers are drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plot {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Plot {
    /// Leaves room for titles, words of both axes and a legend.
    pub(super) fn of(canvas: &Canvas, chart: &Chart, words_at_side: f64) -> Self {
        let side = words_at_side.clamp(24.0, canvas.width * 0.3);
        let legend = if chart.has_legend { 24.0 } else { 0.0 };
        let above = if chart.names[usize::from(!chart.is_lying)].is_empty() { 0.0 } else { 16.0 };
        let names = if chart.names[usize::from(chart.is_lying)].is_empty() { 0.0 } else { 18.0 };
        Self {
            left: 20.0 + side + 8.0,
            right: canvas.width - 24.0,
            top: canvas.top + legend + above + 10.0,
            bottom: canvas.height - 34.0 - names,
        }
    }
}

/// Draws the lines and words of values, and the names of both axes.
pub(super) fn values(canvas: &mut Canvas, chart: &Chart, plot: Plot, scale: &Scale) {
    for (value, word) in scale.ticks() {
        let at = scale.place(value);
        if chart.is_lying {
            canvas.line((at, plot.top), (at, plot.bottom), GRID);
            canvas.text((at, plot.bottom + 18.0), Anchor::Middle, &word, 90.0);
        } else {
            canvas.line((plot.left, at), (plot.right, at), GRID);
            canvas.text((plot.left - 8.0, at + 4.0), Anchor::End, &word, plot.left - 20.0);
        }
    }
    let [categories, values] = &chart.names;
    let (below, above) = if chart.is_lying { (values, categories) } else { (categories, values) };
    let middle = f64::midpoint(plot.left, plot.right);
    if !below.is_empty() {
        canvas.text((middle, canvas.height - 12.0), Anchor::Middle, below, plot.right - plot.left);
    }
    if !above.is_empty() {
        canvas.text((20.0, plot.top - 10.0), Anchor::Start, above, plot.right - 20.0);
    }
}

/// Draws the words of categories, as many as have room.
pub(super) fn categories(canvas: &mut Canvas, chart: &Chart, plot: Plot, words: &[String]) {
    let along = if chart.is_lying { plot.bottom - plot.top } else { plot.right - plot.left };
    let band = along / count(words.len());
    let widest = words.iter().map(|word| Canvas::width_of(word)).fold(0.0, f64::max).min(110.0);
    let needed = if chart.is_lying { 16.0 } else { widest + 10.0 };
    let every = whole((needed / band).ceil());
    for (number, word) in words.iter().enumerate().step_by(every) {
        let at = (count(number) + 0.5) * band;
        if chart.is_lying {
            // The first category is at the bottom, as an axis begins there.
            canvas.text((plot.left - 8.0, plot.bottom - at + 4.0), Anchor::End, word, plot.left - 24.0);
        } else {
            let room = (band * count(every)).max(20.0);
            canvas.text((plot.left + at, plot.bottom + 18.0), Anchor::Middle, word, room);
        }
    }
}

/// Draws the line at zero, or at the edge where there is no zero.
pub(super) fn ground(canvas: &mut Canvas, chart: &Chart, plot: Plot, at: f64) {
    if chart.is_lying {
        canvas.line((at, plot.top), (at, plot.bottom), PALE);
    } else {
        canvas.line((plot.left, at), (plot.right, at), PALE);
    }
}

/// Draws the names of series below the title, as many as have room.
pub(super) fn legend(canvas: &mut Canvas, chart: &Chart) {
    if !chart.has_legend {
        return;
    }
    let (mut x, y) = (20.0, canvas.top);
    for (number, series) in chart.series.iter().enumerate().filter(|(_, series)| series.kind != Kind::Pie) {
        let width = Canvas::width_of(&series.name).min(160.0);
        let left = chart.series.len() - number;
        if x + width + 60.0 > canvas.width && left > 1 {
            canvas.text((x, y + 10.0), Anchor::Start, &format!("+{left}"), 40.0);
            return;
        }
        canvas.swatch((x, y), chart.colour(number));
        canvas.text((x + 18.0, y + 10.0), Anchor::Start, &series.name, 160.0);
        x += width + 42.0;
    }
}

/// Returns a number of things as a number of a picture.
pub(super) fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

/// Returns a whole number from 1 on.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 10,000")]
fn whole(number: f64) -> usize {
    number.clamp(1.0, 10_000.0) as usize
}
