//! Lines and bars.

use std::collections::BTreeMap;

use super::axes::{self, Plot, count};
use super::canvas::Canvas;
use super::options::{Chart, Kind, Series};
use super::scale::Scale;

/// The two ends of each number of a series: where there is a stack, it begins at what is below.
type Ends = Vec<Option<(f64, f64)>>;

pub(super) fn draw(canvas: &mut Canvas, chart: &Chart) -> Result<(), String> {
    let ends = ends(chart);
    let spans = ends.iter().flatten().flatten().flat_map(|(low, high)| [*low, *high]);
    let has_ground =
        chart.series.iter().any(|one| one.kind == Kind::Bar || one.is_area || one.stack.is_some());
    let values = || {
        let tops = ends.iter().flatten().flatten().map(|(_, high)| *high);
        if has_ground { spans.clone().chain([0.0]).collect::<Vec<_>>() } else { tops.collect() }
    };
    let is_numeric = !chart.is_lying
        && chart.categories.is_empty()
        && chart.series.iter().all(|one| {
            one.kind == Kind::Line
                && one.points.iter().all(|point| point.value.is_none() || point.x.is_some())
        });
    let words = words(chart);
    let widest = |words: &mut dyn Iterator<Item = &str>| words.map(Canvas::width_of).fold(0.0, f64::max);
    let side = if chart.is_lying {
        widest(&mut words.iter().map(String::as_str))
    } else {
        let ticks = Scale::of(values().into_iter(), 5.0, (0.0, 1.0)).ticks();
        widest(&mut ticks.iter().map(|(_, word)| word.as_str()))
    };
    let plot = Plot::of(canvas, chart, side);
    if plot.right - plot.left < 40.0 || plot.bottom - plot.top < 40.0 {
        return Err("the picture is too small".to_owned());
    }
    let range = if chart.is_lying { (plot.left, plot.right) } else { (plot.bottom, plot.top) };
    let scale = Scale::of(values().into_iter(), 5.0, range);
    axes::legend(canvas, chart);
    axes::values(canvas, chart, plot, &scale);
    if is_numeric {
        lines_by_number(canvas, chart, plot, &scale);
        return Ok(());
    }
    axes::categories(canvas, chart, plot, &words);
    bars(canvas, chart, plot, &scale, &ends);
    lines(canvas, chart, plot, &scale, &ends);
    axes::ground(canvas, chart, plot, if has_ground { scale.place(0.0) } else { range.0 });
    Ok(())
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

/// Returns the ends of all numbers, stacks of bars and lines added up: what is below zero apart from what is above.
fn ends(chart: &Chart) -> Vec<Ends> {
    let mut sums: BTreeMap<(bool, &str, usize, bool), f64> = BTreeMap::new();
    let of = |series: &'_ Series| series.kind == Kind::Bar;
    chart
        .series
        .iter()
        .map(|series| {
            let end = |(row, value): (usize, f64)| match &series.stack {
                None => (0.0, value),
                Some(stack) => {
                    let sum = sums.entry((of(series), stack, row, value < 0.0)).or_insert(0.0);
                    let from = *sum;
                    *sum += value;
                    (from, *sum)
                }
            };
            let mut end = end;
            series.points.iter().enumerate().map(|(row, point)| Some(end((row, point.value?)))).collect()
        })
        .collect()
}

fn bars(canvas: &mut Canvas, chart: &Chart, plot: Plot, scale: &Scale, ends: &[Ends]) {
    // A stack shares one place beside the others.
    let mut places: Vec<(usize, Option<&str>)> = Vec::new();
    let mut place_of = Vec::new();
    for (number, series) in chart.series.iter().enumerate() {
        let stack = series.stack.as_deref();
        let known = places.iter().position(|(_, other)| stack.is_some() && *other == stack);
        place_of.push(if series.kind == Kind::Bar {
            known.unwrap_or_else(|| {
                places.push((number, stack));
                places.len() - 1
            })
        } else {
            0
        });
    }
    let rows = words(chart).len();
    let along = if chart.is_lying { plot.bottom - plot.top } else { plot.right - plot.left };
    let band = along / count(rows.max(1));
    let width = (band * 0.72 / count(places.len().max(1))).min(64.0);
    for (number, _) in chart.series.iter().enumerate().filter(|(_, series)| series.kind == Kind::Bar) {
        let colour = chart.colour(number).to_owned();
        for (row, end) in ends[number].iter().enumerate() {
            let Some((low, high)) = end else { continue };
            let all = width * count(places.len());
            let from = (count(row) + 0.5) * band - all / 2.0 + count(place_of[number]) * width;
            let (from, to) = (from + width * 0.04, from + width * 0.96);
            let (low, high) = (scale.place(*low), scale.place(*high));
            if chart.is_lying {
                canvas.bar((low, plot.bottom - from), (high, plot.bottom - to), &colour);
            } else {
                canvas.bar((plot.left + from, low), (plot.left + to, high), &colour);
            }
        }
    }
}

fn lines(canvas: &mut Canvas, chart: &Chart, plot: Plot, scale: &Scale, ends: &[Ends]) {
    let rows = words(chart).len().max(1);
    for (number, series) in chart.series.iter().enumerate().filter(|(_, series)| series.kind == Kind::Line) {
        let colour = chart.colour(number).to_owned();
        let place = |row: usize, value: f64| {
            let share = (count(row) + 0.5) / count(rows);
            if chart.is_lying {
                (scale.place(value), plot.bottom - share * (plot.bottom - plot.top))
            } else {
                (plot.left + share * (plot.right - plot.left), scale.place(value))
            }
        };
        let mut run: Vec<((f64, f64), (f64, f64))> = Vec::new();
        let runs = ends[number].iter().map(Some).chain([None]).enumerate();
        for (row, end) in runs {
            match end {
                Some(Some((low, high))) => run.push((place(row, *low), place(row, *high))),
                // A gap parts a line.
                _ if run.is_empty() => {}
                _ => {
                    if series.is_area {
                        let back = run.iter().rev().map(|(low, _)| *low);
                        let corners: Vec<_> = run.iter().map(|(_, high)| *high).chain(back).collect();
                        canvas.area(&corners, &colour);
                    }
                    let points: Vec<_> = run.iter().map(|(_, high)| *high).collect();
                    canvas.polyline(&points, &colour);
                    run.clear();
                }
            }
        }
    }
}

/// Draws lines whose points have places of their own.
fn lines_by_number(canvas: &mut Canvas, chart: &Chart, plot: Plot, scale: &Scale) {
    let all = chart.series.iter().flat_map(|one| &one.points).filter_map(|point| point.x);
    let across = Scale::of(all, 6.0, (plot.left, plot.right));
    for (value, word) in across.ticks() {
        let at = across.place(value);
        canvas.text((at, plot.bottom + 18.0), super::canvas::Anchor::Middle, &word, 90.0);
    }
    for (number, series) in chart.series.iter().enumerate() {
        let colour = chart.colour(number).to_owned();
        let points: Vec<(f64, f64)> = series
            .points
            .iter()
            .filter_map(|point| Some((across.place(point.x?), scale.place(point.value?))))
            .collect();
        if series.is_area
            && let (Some(first), Some(last)) = (points.first(), points.last())
        {
            let ground = scale.place(0.0);
            let corners: Vec<_> =
                points.iter().copied().chain([(last.0, ground), (first.0, ground)]).collect();
            canvas.area(&corners, &colour);
        }
        if !points.is_empty() {
            canvas.polyline(&points, &colour);
        }
    }
    axes::ground(canvas, chart, plot, plot.bottom);
}
