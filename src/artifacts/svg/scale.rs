//! From numbers to places: round ticks.

/// A scale from values to places along an axis.
pub(super) struct Scale {
    low: f64,
    high: f64,
    step: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// Makes a scale over some values, with about so many ticks, between two places.
    pub(super) fn of(values: impl Iterator<Item = f64>, ticks: f64, (from, to): (f64, f64)) -> Self {
        let (mut low, mut high) =
            values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        // A span that is nothing beside its numbers cannot be parted.
        if high - low <= low.abs().max(high.abs()) * 1e-9 {
            let around = if high == 0.0 { 1.0 } else { high.abs() * 0.5 };
            (low, high) = (low - around, high + around);
        }
        let step = round((high - low) / ticks.max(1.0));
        let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
        Self { low, high, step, from, to }
    }

    pub(super) fn place(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        self.from + share * (self.to - self.from)
    }

    /// Returns the values at which a line is drawn, with their words.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let mut ticks = Vec::new();
        for number in 0..=40 {
            let value = self.low + f64::from(number) * self.step;
            if value > self.high + self.step * 0.5 {
                break;
            }
            ticks.push((value, self.word(value)));
        }
        ticks
    }

    fn word(&self, value: f64) -> String {
        let value = if value.abs() < self.step * 1e-6 { 0.0 } else { value };
        let largest = self.low.abs().max(self.high.abs());
        if largest >= 1e15 || self.step < 1e-6 {
            return format!("{value:.2e}");
        }
        let decimals = [1.0, 0.1, 0.01, 0.001, 1e-4, 1e-5]
            .iter()
            .position(|unit| self.step >= unit * 0.999)
            .unwrap_or(6);
        // 0.25 and 2.5 have a digit more than their size says.
        let is_whole = |decimals: usize| {
            let scaled = self.step * [1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6, 1e7][decimals];
            (scaled - scaled.round()).abs() < 1e-6
        };
        let decimals = if is_whole(decimals) { decimals } else { decimals + 1 };
        grouped(&format!("{value:.decimals$}"))
    }
}

/// Returns 1, 2, 2.5 or 5 times a power of ten, not less than a number.
fn round(number: f64) -> f64 {
    let power = 10_f64.powf(number.log10().floor());
    let parts = [1.0, 2.0, 2.5, 5.0, 10.0];
    let part = parts.into_iter().find(|part| part * power >= number * 0.999_999).unwrap_or(10.0);
    let step = part * power;
    if step.is_normal() { step } else { f64::MIN_POSITIVE }
}

/// Parts thousands by commas.
fn grouped(number: &str) -> String {
    let (sign, rest) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (whole, part) = rest.split_once('.').map_or((rest, None), |(whole, part)| (whole, Some(part)));
    let mut digits = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            digits.push(',');
        }
        digits.push(digit);
    }
    match part {
        Some(part) => format!("{sign}{digits}.{part}"),
        None => format!("{sign}{digits}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_hold_all_values() {
        for (values, expected) in [
            (&[0.0, 41.0][..], "0 10 20 30 40 50"),
            (&[-1.0, 1.0], "-1.0 -0.5 0.0 0.5 1.0"),
            (&[0.0, 0.9], "0.0 0.2 0.4 0.6 0.8 1.0"),
            (&[0.0, 12_000.0], "0 2,500 5,000 7,500 10,000 12,500"),
            (&[0.0, 1.1], "0.00 0.25 0.50 0.75 1.00 1.25"),
            (&[5.0, 5.0], "2 3 4 5 6 7 8"),
        ] {
            let ticks = Scale::of(values.iter().copied(), 5.0, (0.0, 1.0)).ticks();
            let words: Vec<String> = ticks.into_iter().map(|(_, word)| word).collect();
            assert_eq!(words.join(" "), expected);
        }
        let scale = Scale::of([0.0, 40.0].into_iter(), 4.0, (100.0, 0.0));
        assert!((scale.place(10.0) - 75.0).abs() < 1e-9);
    }
}
