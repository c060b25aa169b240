//! BM25: what a word adds to the score of a row.

const K1: f64 = 1.2;
const B: f64 = 0.75;
const IN_LONG_ROWS: f64 = 0.85;

/// Returns the score of a term by its number of occurrences.
#[must_use]
pub fn gain(count: f64, norm: f64) -> f64 {
    count * (K1 + 1.0) / (count + norm)
}

/// Returns the weight of a term by the number of rows that have it.
#[must_use]
pub fn rarity(rows: u32, found_in: u32) -> f64 {
    let (rows, found_in) = (f64::from(rows), f64::from(found_in));
    ln(1.0 + (rows - found_in + 0.5) / (found_in + 0.5))
}

/// Returns the weight of a row's length against it.
#[must_use]
pub fn norm(length: u32, mean: f64) -> f64 {
    norm_by(B, length, mean)
}

/// Returns the same where length counts by a share, from 0 to 1.
pub(super) fn norm_by(share: f64, length: u32, mean: f64) -> f64 {
    K1 * (1.0 - share + share * f64::from(length) / mean)
}

/// Returns the share by which length counts among rows of a mean length. In long rows it counts the most, and in rows of
/// `even` words half of that. An `even` of 0 is BM25 as it is known.
pub(super) fn length_share(even: u32, mean: f64) -> f64 {
    if even == 0 { B } else { IN_LONG_ROWS * mean / (mean + f64::from(even)) }
}

/// Returns the natural logarithm of a number from 1 up, the same bits on every machine.
pub(crate) fn ln(number: f64) -> f64 {
    let (mut twos, mut rest) = (0.0, number);
    while rest > 1.5 {
        rest /= 2.0;
        twos += 1.0;
    }
    // ln(x) = 2 (y + y³/3 + y⁵/5 + …) with y = (x − 1) / (x + 1), here at most 1/5.
    let y = (rest - 1.0) / (rest + 1.0);
    let (mut power, mut sum, mut odd) = (y, 0.0, 1.0);
    while odd < 26.0 {
        sum += power / odd;
        power *= y * y;
        odd += 2.0;
    }
    twos * std::f64::consts::LN_2 + 2.0 * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    // A line of eight words came before one of sixteen with more of the question.
    #[test]
    fn length_counts_the_less_the_shorter_rows_are() {
        let is_near = |one: f64, other: f64| (one - other).abs() < 0.001;
        for (mean, share) in [(60.0, 0.425), (20.0, 0.2125), (1140.0, 0.8075)] {
            assert!(is_near(length_share(60, mean), share), "{mean}");
        }
        assert!(is_near(length_share(0, 20.0), B), "BM25 as it is known");
        let lost =
            |even| norm_by(length_share(even, 12.0), 16, 12.0) / norm_by(length_share(even, 12.0), 8, 12.0);
        assert!(lost(60) < 1.1 && lost(0) > 1.6, "{} {}", lost(60), lost(0));
    }

    #[test]
    fn our_logarithm_is_the_logarithm() {
        for number in [1.0, 1.000_001, 1.5, 2.0, 3.7, 100.0, 99_999.5, 4e9] {
            assert!((ln(number) - f64::ln(number)).abs() < 1e-13 * f64::ln(number).max(1.0), "{number}");
        }
    }
}
