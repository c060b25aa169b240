//! A count of the bytes that a scan looks at, so that a test may bound it without a clock.

pub(super) use counter::take;
#[cfg(test)]
pub(super) use counter::taken;

#[cfg(not(test))]
mod counter {
    pub(crate) fn take(_: usize) {}
}

#[cfg(test)]
mod counter {
    use std::cell::Cell;

    thread_local!(static TAKEN: Cell<u64> = const { Cell::new(0) });

    pub(crate) fn take(count: usize) {
        TAKEN.set(TAKEN.get() + u64::try_from(count).unwrap_or(u64::MAX));
    }

    pub(crate) fn taken() -> u64 {
        TAKEN.get()
    }
}
