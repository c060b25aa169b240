//! The keys of the receipts of two machines.

use crate::base::order;
use crate::format::state::receipts::ReceiptKeys;

impl ReceiptKeys {
    /// Joins the keys of two machines. It makes no difference which comes first.
    pub(crate) fn join(&mut self, other: Self) {
        self.keys.extend(other.keys);
        order::sort(&mut self.keys);
        self.keys.dedup();
        for (key, value) in other.others {
            self.others.entry(key).or_insert(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::digest::Digest;

    #[test]
    fn keys_join_in_any_order() {
        let [one, other] = [b"one", b"two"].map(|key| ReceiptKeys::new(Digest::of(key.as_slice())));
        let again = |keys: &ReceiptKeys| ReceiptKeys::parse(Some(&keys.print())).unwrap().unwrap();
        let (mut here, mut there) = (again(&one), again(&other));
        here.join(again(&other));
        there.join(again(&one));
        here.join(again(&here));
        assert_eq!((here.print(), here.all().len()), (there.print(), 2));
    }
}
