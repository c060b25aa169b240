//! Collects the items of an iterator into a list. There is one function for each kind of item, not one for each chain of
//! adapters.

/// A way to collect whose code is compiled once for each kind of item.
pub(crate) trait Gather: Iterator {
    /// Returns all items that are left, in their order.
    fn gather(self) -> Vec<Self::Item>;
}

impl<I: Iterator> Gather for I {
    fn gather(mut self) -> Vec<Self::Item> {
        gather_from(&mut || self.next())
    }
}

fn gather_from<T>(next: &mut dyn FnMut() -> Option<T>) -> Vec<T> {
    let mut items = Vec::new();
    while let Some(item) = next() {
        items.push(item);
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_in_their_order_and_all_of_them() {
        assert_eq!((1..9).filter(|number| number % 3 > 0).gather(), [1, 2, 4, 5, 7, 8]);
        assert!(std::iter::empty::<u8>().gather().is_empty());
    }
}
