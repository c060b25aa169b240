//! Confidence: the lower bound of Wilson's score interval.

/// The quantile of the normal distribution behind every confidence: 1.96, for an interval of 95 %.
pub const WILSON_Z: f64 = 1.96;

/// Returns the lower bound of Wilson's score interval for successes and uses, at [`WILSON_Z`]; 0 without uses.
///
/// Few uses say little: three successes of three are worth less than eighty of a hundred.
///
/// ```
/// use noctuary::learning::wilson;
///
/// assert!((wilson(81, 263) - 0.2553).abs() < 0.0001); // Newcombe (1998), table I, method 3
/// assert!(wilson(3, 3) < wilson(80, 100));
/// ```
#[must_use]
pub fn wilson(successes: u64, uses: u64) -> f64 {
    if uses == 0 {
        return 0.0;
    }
    let (n, z) = (exact(uses), WILSON_Z);
    let share = exact(successes.min(uses)) / n;
    let middle = share + z * z / (2.0 * n);
    let margin = z * ((share * (1.0 - share) + z * z / (4.0 * n)) / n).sqrt();
    ((middle - margin) / (1.0 + z * z / n)).max(0.0)
}

/// Returns a count as a number that a bound is computed of. Nobody counts to 2^32 uses.
fn exact(count: u64) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3; z = 1.96.
    #[test]
    fn the_bound_is_the_published_one() {
        for (successes, uses, published) in
            [(81, 263, 0.2553), (15, 148, 0.0624), (0, 20, 0.0), (1, 29, 0.0061)]
        {
            let bound = wilson(successes, uses);
            assert!((bound - published).abs() < 0.000_051, "{successes}/{uses}: {bound}");
        }
    }

    #[test]
    fn the_bound_never_leaves_zero_to_one_and_grows_with_each_success() {
        assert_eq!(wilson(0, 0).to_bits(), 0.0_f64.to_bits());
        for uses in 1..200 {
            for successes in 0..uses {
                let (less, more) = (wilson(successes, uses), wilson(successes + 1, uses));
                assert!((0.0..1.0).contains(&less) && less < more && more < 1.0, "{successes}/{uses}");
            }
        }
        assert_eq!(wilson(9, 3).to_bits(), wilson(3, 3).to_bits());
    }
}
