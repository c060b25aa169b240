//! One source of numbers for all lives by chance: a seed determines them (`SplitMix64`).

/// Numbers that follow from a seed.
#[derive(Debug, Clone)]
pub struct Dice(pub u64);

impl Dice {
    /// Dice that no other run has.
    pub fn fresh() -> Self {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        Self(u64::from(now.subsec_nanos()) ^ now.as_secs().rotate_left(32) ^ u64::from(std::process::id()))
    }

    /// The next number, any of them.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is at least 1.
    pub fn below<N: TryInto<u64> + TryFrom<u64>>(&mut self, end: N) -> N {
        let end: u64 = end.try_into().ok().unwrap();
        N::try_from(self.roll() % end).ok().unwrap()
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// One of some things.
    pub fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }
}
