//! Pies and rings, with a list of their parts.

use std::f64::consts::{FRAC_PI_2, TAU};

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::canvas::{Canvas, Drawn, count, fine, whole};
use super::options::Chart;

/// Maximum number of parts with a line of their own; the rest share one.
const MOST_LINES: usize = 14;
/// The corners of a whole circle: its edges are less than a tenth of a pixel beside it.
const CORNERS: f64 = 180.0;

pub(super) fn draw(canvas: &Canvas, chart: &Chart) -> Drawn {
    let series = &chart.series[0];
    let parts: Vec<(usize, &str, f64)> = series
        .points
        .iter()
        .enumerate()
        .filter_map(|(number, point)| {
            let value = point.value.filter(|value| *value > 0.0)?;
            Some((number, point.name.as_deref().unwrap_or_default(), value))
        })
        .collect();
    let sum: f64 = parts.iter().map(|(_, _, value)| value).sum();
    if parts.is_empty() || !sum.is_normal() {
        return Err("it has no number above zero".into());
    }
    let room = canvas.height - canvas.top - 24.0;
    let radius = (room / 2.0).min(canvas.width * 0.24).max(20.0);
    let middle = (20.0 + canvas.width * 0.27, canvas.top + room / 2.0);
    let hole = if series.is_ring { radius * 0.58 } else { 0.0 };
    let at = |angle: f64, radius: f64| {
        (fine(middle.0 + radius * angle.cos()), fine(middle.1 + radius * angle.sin()))
    };
    let mut from = -FRAC_PI_2;
    let mut edges = Vec::new();
    for (number, _, value) in &parts {
        let to = from + value / sum * TAU;
        let steps = whole((to - from) / TAU * CORNERS).max(1);
        let angles = || (0..=steps).map(|step| from + (to - from) * count(step) / count(steps));
        let corners =
            angles().map(|angle| at(angle, radius)).chain(angles().rev().map(|angle| at(angle, hole)));
        let mut corners: Vec<_> = corners.collect();
        corners.dedup();
        canvas.root.draw(&Polygon::new(corners, chart.colour(*number).filled()))?;
        edges.push(vec![at(from, hole), at(from, radius)]);
        from = to;
    }
    // The parts of a whole are told apart by thin lines.
    for edge in edges.into_iter().filter(|_| parts.len() > 1) {
        canvas.root.draw(&PathElement::new(edge, WHITE.stroke_width(15)))?;
    }
    list(canvas, chart, &parts, middle.1)
}

/// Writes the names and shares of parts, beside the pie.
fn list(canvas: &Canvas, chart: &Chart, parts: &[(usize, &str, f64)], middle: f64) -> Drawn {
    let sum: f64 = parts.iter().map(|(_, _, value)| value).sum();
    let lines = parts.len().min(MOST_LINES);
    let (left, right) = (canvas.width * 0.58, canvas.width - 24.0);
    let mut y = middle - count(lines) * 11.0 + 10.0;
    for (number, name, value) in parts.iter().take(lines) {
        let share = value / sum * 100.0;
        let is_round = share >= 99.5 || (share - share.round()).abs() < 0.05;
        let share = if is_round { format!("{share:.0}%") } else { format!("{share:.1}%") };
        canvas.swatch((left, y - 6.0), chart.colour(*number))?;
        canvas.text((right, y), HPos::Right, &share, 60.0)?;
        canvas.text((left + 18.0, y), HPos::Left, name, right - 56.0 - left - 18.0)?;
        y += 22.0;
    }
    if parts.len() > lines {
        canvas.text((left + 18.0, y), HPos::Left, &format!("and {} more", parts.len() - lines), 160.0)?;
    }
    Ok(())
}
