//! Lines of two machines that may say the same.

use crate::dream::Said;

impl Said {
    /// Returns whether another line with the same citations may say the same: half of the shorter line's words are in the other.
    /// One line of a journal may say more than one thing, and a citation may be wrong.
    pub(crate) fn may_be(&self, other: &Self) -> bool {
        let common = self.terms.intersection(&other.terms).count();
        let shorter = self.len().min(other.len());
        self.decisive == other.decisive && common > 0 && common * 2 >= shorter
    }

    /// Returns whether another line says the same, except for at most two words. Then it counts as the same, even if nobody knows
    /// whether both cite the same lines.
    pub(crate) fn is_nearly(&self, other: &Self) -> bool {
        self.repeats(other) || other.repeats(self)
    }

    /// Returns whether a line of a journal has its words, except two at most, and each number and negation.
    pub(crate) fn is_told_by(&self, line: &str) -> bool {
        const LACKING: usize = 2;
        self.lacks_in(line).is_some_and(|lacking| lacking <= LACKING && lacking * 2 < self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negation_says_something_else_in_any_spelling() {
        for (one, other) in [
            ("Marta has worked there.", "Marta hasn't worked there."),
            ("Marta has worked there.", "Marta hasn’t worked there."),
            ("Tiene t\u{e9}.", "No tiene ning\u{fa}n t\u{e9}."),
            ("\u{559c}\u{6b22}\u{7eff}\u{8336}。", "\u{4e0d}\u{559c}\u{6b22}\u{7eff}\u{8336}。"),
        ] {
            assert!(!Said::of(one).is_nearly(&Said::of(other)), "{other}");
        }
    }
}
