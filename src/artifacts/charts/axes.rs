//! Lines and bars between two axes.

use std::ops::Range;

use plotters::coord::ranged1d::{BoldPoints, Ranged as _};
use plotters::coord::types::RangedCoordf64 as Axis;
use plotters::data::float::pretty_print_float;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::canvas::{Canvas, Drawn, GRID, PALE, count, fine, shown, small, whole, width_of};
use super::options::{Chart, Kind, Point, Series};

/// A number of a series: its place along the first axis, and the two ends between which it is drawn.
type Placed = Option<(f64, f64, f64)>;
type Plot<'p, 's> = ChartContext<'p, SVGBackend<'s>, Cartesian2d<Axis, Axis>>;

/// Maximum number of ticks of numbers along an axis.
const TICKS: usize = 7;

pub(super) fn draw(canvas: &Canvas, chart: &Chart) -> Drawn {
    let is_numeric = !chart.is_lying
        && chart.categories.is_empty()
        && chart.series.iter().all(|one| {
            one.kind == Kind::Line
                && one.points.iter().all(|point| point.value.is_none() || point.x.is_some())
        });
    let has_ground =
        chart.series.iter().any(|one| one.kind == Kind::Bar || one.is_area || one.stack.is_some());
    let mut placed: Vec<Vec<Placed>> =
        (0..chart.series.len()).map(|number| placed(chart, number, is_numeric)).collect();
    let all = || placed.iter().flatten().flatten();
    let grounds = all().map(|(_, low, _)| *low).chain([0.0]).filter(|_| has_ground);
    let (unit, values) = range(all().map(|(_, _, high)| *high).chain(grounds).collect(), 0.05);
    let words = words(chart);
    let (length, along) = if is_numeric {
        range(all().map(|(along, _, _)| *along).collect(), 0.0)
    } else {
        (1.0, -0.5..count(words.len()) - 0.5)
    };
    for (along, low, high) in placed.iter_mut().flatten().flatten() {
        (*along, *low, *high) = (*along / length, *low / unit, *high / unit);
    }

    // Room for titles, a legend, the words of both axes, and their names: above the one, below the other.
    let [below, above] = if chart.is_lying { [1, 0] } else { [0, 1] }.map(|axis| &chart.names[axis]);
    let ticks = Axis::from(values.clone()).key_points(BoldPoints(TICKS));
    let of_values = ticks.iter().map(|tick| width_of(&number(*tick, unit))).fold(24.0, f64::max);
    let of_words = words.iter().map(|word| width_of(word)).fold(24.0, f64::max);
    let side = if chart.is_lying { of_words } else { of_values }.min(canvas.width * 0.3);
    let top =
        canvas.top + if chart.has_legend { 34.0 } else { 10.0 } + if above.is_empty() { 0.0 } else { 20.0 };
    let foot = if below.is_empty() { 22.0 } else { 40.0 };
    let (wide, high) = (canvas.width - side - 52.0, canvas.height - top - foot - 12.0);
    if wide < 40.0 || high < 40.0 {
        return Err("the picture is too small".into());
    }
    let pixels = if chart.is_lying { high } else { wide };
    let needed = if chart.is_lying { 16.0 } else { of_words.min(110.0) + 10.0 };
    let most = if is_numeric { TICKS } else { whole((pixels / needed).floor()).clamp(1, words.len()) };
    let room = if chart.is_lying { side } else { pixels / count(most.min(words.len())) };
    let word = |at: &f64| match (is_numeric, words.get(whole(*at))) {
        (false, Some(word)) => shown(word, room),
        _ => number(*at, length),
    };
    let value = |at: &f64| number(*at, unit);

    legend(canvas, chart)?;
    canvas.text((canvas.width - 24.0 - wide / 2.0, canvas.height - 16.0), HPos::Center, below, wide)?;
    canvas.text((20.0, top - 18.0), HPos::Left, above, wide)?;
    let mut builder = ChartBuilder::on(&canvas.root);
    builder.margin_top(fine(top)).margin_right(fine(24.0)).margin_bottom(fine(12.0)).margin_left(fine(20.0));
    builder.x_label_area_size(fine(foot)).y_label_area_size(fine(side + 8.0));
    let ends = [along.start, along.end];
    let ground = if has_ground { 0.0 } else { values.start };
    // A bar of no height is still seen.
    let thin = (values.end - values.start) * 0.5 / if chart.is_lying { wide } else { high };
    let (x, y) = if chart.is_lying { (values, along) } else { (along, values) };
    let mut plot = builder.build_cartesian_2d(x, y)?;
    let mut mesh = plot.configure_mesh();
    mesh.label_style(small()).axis_style(TRANSPARENT).set_all_tick_mark_size(fine(4.0));
    mesh.bold_line_style(GRID.stroke_width(10)).max_light_lines(0);
    if chart.is_lying {
        mesh.disable_y_mesh()
            .x_label_formatter(&value)
            .x_labels(TICKS)
            .y_label_formatter(&word)
            .y_labels(most)
    } else {
        mesh.disable_x_mesh()
            .x_label_formatter(&word)
            .x_labels(most)
            .y_label_formatter(&value)
            .y_labels(TICKS)
    }
    .draw()?;

    bars(&mut plot, chart, &placed, (64.0 * count(words.len()) / pixels, thin))?;
    lines(&mut plot, chart, &placed)?;
    let line = [at(chart, ends[0], ground), at(chart, ends[1], ground)];
    plot.draw_series([PathElement::new(line, PALE.stroke_width(10))])?;
    Ok(())
}

/// Returns a power of ten for some numbers, and their range in it. Between -10 and 10 the ticks of the library are round.
fn range(numbers: Vec<f64>, margin: f64) -> (f64, Range<f64>) {
    let (mut low, mut high) =
        numbers.into_iter().fold((f64::MAX, f64::MIN), |(low, high), one| (low.min(one), high.max(one)));
    let largest = low.abs().max(high.abs());
    let unit = if largest == 0.0 { 1.0 } else { 10_f64.powf(largest.log10().floor()) };
    (low, high) = (low / unit, high / unit);
    // A span that is nothing beside its numbers cannot be parted.
    if high - low < 1e-6 {
        (low, high) = (low - 0.5, high + 0.5);
    }
    let margin = (high - low) * margin;
    let aside = |end: f64, margin: f64| if end == 0.0 { 0.0 } else { end + margin };
    (unit, aside(low, -margin)..aside(high, margin))
}

/// Returns the word of a tick, thousands parted by commas.
fn number(tick: f64, unit: f64) -> String {
    let number = (tick * 1e9).round() / 1e9 * unit;
    let text = pretty_print_float(number, !(1e-6..1e15).contains(&number.abs()));
    let whole = text.find(['.', 'e']).unwrap_or(text.len());
    let mut parted = String::new();
    for (at, digit) in text.char_indices() {
        if at < whole && at > 0 && (whole - at).is_multiple_of(3) && !parted.ends_with('-') {
            parted.push(',');
        }
        parted.push(digit);
    }
    parted
}

/// Returns where a value is drawn.
fn at(chart: &Chart, along: f64, value: f64) -> (f64, f64) {
    if chart.is_lying { (value, along) } else { (along, value) }
}

fn bars(plot: &mut Plot, chart: &Chart, placed: &[Vec<Placed>], (widest, thin): (f64, f64)) -> Drawn {
    // A stack shares one place beside the others.
    let mut columns: Vec<usize> = Vec::new();
    let all = chart.series.iter().enumerate().filter(|(_, series)| series.kind == Kind::Bar);
    let all: Vec<(usize, usize)> = all
        .map(|(number, series)| {
            let is_shared =
                |first: &usize| series.stack.is_some() && chart.series[*first].stack == series.stack;
            let known = columns.iter().position(is_shared);
            (
                number,
                known.unwrap_or_else(|| {
                    columns.push(number);
                    columns.len() - 1
                }),
            )
        })
        .collect();
    let width = (0.72 / count(columns.len().max(1))).min(widest);
    for (number, place) in all {
        let from = (count(place) - count(columns.len()) / 2.0) * width;
        plot.draw_series(placed[number].iter().flatten().map(|(along, low, high)| {
            let high = if (high - low).abs() < thin { low + thin } else { *high };
            let (left, right) = (along + from + width * 0.04, along + from + width * 0.96);
            Rectangle::new([at(chart, left, *low), at(chart, right, high)], chart.colour(number).filled())
        }))?;
    }
    Ok(())
}

fn lines(plot: &mut Plot, chart: &Chart, placed: &[Vec<Placed>]) -> Drawn {
    for (number, series) in chart.series.iter().enumerate().filter(|(_, series)| series.kind == Kind::Line) {
        let colour = chart.colour(number);
        // A gap parts a line.
        for run in placed[number].split(Option::is_none).filter(|run| !run.is_empty()) {
            let tops = || run.iter().flatten().map(|(along, _, high)| at(chart, *along, *high));
            if series.is_area {
                let back = run.iter().rev().flatten().map(|(along, low, _)| at(chart, *along, *low));
                plot.draw_series([Polygon::new(tops().chain(back).collect::<Vec<_>>(), colour.mix(0.18))])?;
            }
            let marks = if run.len() <= 40 { 30 } else { 0 };
            let style = colour.filled().stroke_width(20);
            plot.draw_series(LineSeries::new(tops(), style).point_size(marks))?;
        }
    }
    Ok(())
}

/// Places the numbers of a series, stacks added up: what is below zero apart from what is above.
fn placed(chart: &Chart, number: usize, is_numeric: bool) -> Vec<Placed> {
    let series = &chart.series[number];
    let is_below =
        |one: &&Series| one.kind == series.kind && one.stack.is_some() && one.stack == series.stack;
    let place = |(row, point): (usize, &Point)| {
        let value = point.value?;
        let others =
            chart.series[..number].iter().filter(is_below).filter_map(|one| one.points.get(row)?.value);
        let low: f64 = others.filter(|other| (*other < 0.0) == (value < 0.0)).sum();
        Some((if is_numeric { point.x? } else { count(row) }, low, low + value))
    };
    series.points.iter().enumerate().map(place).collect()
}

/// Returns the words of all categories.
fn words(chart: &Chart) -> Vec<String> {
    let rows = chart.series.iter().map(|one| one.points.len()).max().unwrap_or(0).max(chart.categories.len());
    let own = |row: usize| chart.series.iter().find_map(|one| one.points.get(row)?.name.clone());
    let word = |row: usize| {
        chart.categories.get(row).cloned().or_else(|| own(row)).unwrap_or_else(|| (row + 1).to_string())
    };
    (0..rows).map(word).collect()
}

/// Draws the names of series below the title, as many as have room.
fn legend(canvas: &Canvas, chart: &Chart) -> Drawn {
    let (mut x, y) = (20.0, canvas.top + 6.0);
    for (number, series) in chart.series.iter().enumerate().filter(|_| chart.has_legend) {
        let width = width_of(&series.name).min(160.0);
        let left = chart.series.len() - number;
        if x + width + 60.0 > canvas.width && left > 1 {
            return canvas.text((x, y), HPos::Left, &format!("+{left}"), 40.0);
        }
        canvas.swatch((x, y - 6.0), chart.colour(number))?;
        canvas.text((x + 18.0, y), HPos::Left, &series.name, 160.0)?;
        x += width + 42.0;
    }
    Ok(())
}
