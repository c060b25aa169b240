//! Pies and rings, with a list of their parts.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use super::axes::count;
use super::canvas::{Anchor, Canvas};
use super::options::Chart;

/// More parts than these are told as one line.
const MOST_LINES: usize = 14;

pub(super) fn draw(canvas: &mut Canvas, chart: &Chart) -> Result<(), String> {
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
    let whole: f64 = parts.iter().map(|(_, _, value)| value).sum();
    if parts.is_empty() || !whole.is_normal() {
        return Err("it has no number above zero".to_owned());
    }
    let room = canvas.height - canvas.top - 24.0;
    let radius = (room / 2.0).min(canvas.width * 0.24).max(20.0);
    let middle = (20.0 + canvas.width * 0.27, canvas.top + room / 2.0);
    let hole = if series.is_ring { radius * 0.58 } else { 0.0 };
    let mut from = -FRAC_PI_2;
    for (number, _, value) in &parts {
        let to = from + value / whole * TAU;
        canvas.slice(&slice(middle, (radius, hole), (from, to)), chart.colour(*number));
        from = to;
    }
    let lines = parts.len().min(MOST_LINES);
    let x = canvas.width * 0.58;
    let mut y = middle.1 - count(lines) * 11.0 + 4.0;
    for (number, name, value) in parts.iter().take(lines) {
        canvas.swatch((x, y), chart.colour(*number));
        let share = value / whole * 100.0;
        let share = if share >= 99.5 || (share - share.round()).abs() < 0.05 {
            format!("{share:.0}%")
        } else {
            format!("{share:.1}%")
        };
        canvas.text((canvas.width - 24.0, y + 10.0), Anchor::End, &share, 60.0);
        canvas.text((x + 18.0, y + 10.0), Anchor::Start, name, canvas.width - 24.0 - 56.0 - x - 18.0);
        y += 22.0;
    }
    if parts.len() > lines {
        let more = format!("and {} more", parts.len() - lines);
        canvas.text((x + 18.0, y + 10.0), Anchor::Start, &more, 160.0);
    }
    Ok(())
}

/// Returns the path of a slice between two angles; a whole turn is two halves, as an arc cannot end where it begins.
fn slice((x, y): (f64, f64), (radius, hole): (f64, f64), (from, to): (f64, f64)) -> String {
    let at =
        |angle: f64, radius: f64| format!("{:.2} {:.2}", x + radius * angle.cos(), y + radius * angle.sin());
    if to - from > TAU - 1e-6 {
        let ring = |radius: f64| {
            let (one, other) = (at(from, radius), at(from + PI, radius));
            format!("M {one} A {radius:.2} {radius:.2} 0 1 1 {other} A {radius:.2} {radius:.2} 0 1 1 {one} Z")
        };
        return if hole > 0.0 { format!("{} {}", ring(radius), ring(hole)) } else { ring(radius) };
    }
    let large = u8::from(to - from > PI);
    let outer = format!("{} A {radius:.2} {radius:.2} 0 {large} 1 {}", at(from, radius), at(to, radius));
    if hole > 0.0 {
        format!("M {outer} L {} A {hole:.2} {hole:.2} 0 {large} 0 {} Z", at(to, hole), at(from, hole))
    } else {
        format!("M {x:.2} {y:.2} L {outer} Z")
    }
}
