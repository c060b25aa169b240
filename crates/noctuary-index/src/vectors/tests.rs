//! A search against comparing all rows exactly.

use std::collections::BTreeMap;

use super::{
    Centre, Codes, Dimensions, Effort, Encoded, Found, Scored, Unit, VectorError, VectorQuery, Wanted, encode,
};

/// Numbers that look random and are always the same.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let top = u16::try_from(self.0 >> 48).expect("sixteen bits");
        f32::from(top) / 32_768.0 - 1.0
    }

    fn vector(&mut self, dimensions: Dimensions) -> Vec<f32> {
        (0..dimensions.get()).map(|_| self.next()).collect()
    }
}

struct Rows {
    dimensions: Dimensions,
    blobs: BTreeMap<i64, Vec<u8>>,
    codes: Codes,
}

impl Rows {
    /// Rows around a few themes.
    fn new(rows: i64, dimensions: usize, common: f32) -> Self {
        let dimensions = Dimensions::new(dimensions).expect("in bounds");
        let mut numbers = Numbers(7);
        let shift = numbers.vector(dimensions);
        let themes: Vec<_> = (0..20).map(|_| numbers.vector(dimensions)).collect();
        let mut blobs = BTreeMap::new();
        let mut centre = Centre::new(dimensions);
        for id in 1..=rows {
            let theme = &themes[usize::try_from(id % 20).expect("small")];
            let own = numbers.vector(dimensions);
            let row: Vec<f32> =
                (0..own.len()).map(|at| own[at] + 0.7 * theme[at] + common * shift[at]).collect();
            let blob = encode(&Unit::new(&row, dimensions).expect("a good vector"));
            centre.add(&Encoded::parse(&blob, dimensions).expect("what was written is read"));
            blobs.insert(id, blob);
        }
        let mut these = Self { dimensions, codes: Codes::new(&centre), blobs };
        for id in 1..=rows {
            these.take_in(id);
        }
        these
    }

    fn take_in(&mut self, id: i64) {
        let row = Encoded::parse(&self.blobs[&id], self.dimensions).expect("what was written is read");
        self.codes.insert(id, &row).expect("the dimensions agree");
    }

    fn query(&self, seed: u64) -> VectorQuery {
        // Between two rows: near to both, equal to none.
        let mut ids =
            self.blobs.keys().skip(usize::try_from(seed * 37).expect("small") % (self.blobs.len() - 9));
        let (one, other) = (ids.next().expect("a row"), ids.nth(3).expect("a row"));
        let read = |id| Encoded::parse(&self.blobs[id], self.dimensions).expect("what was written is read");
        let sum: Vec<f32> =
            read(one).numbers().zip(read(other).numbers()).map(|(one, other)| one + 0.5 * other).collect();
        VectorQuery::new(&Unit::new(&sum, self.dimensions).expect("a good vector"))
    }

    fn search(&self, query: &VectorQuery, wanted: &Wanted<'_>) -> Found {
        let found = self.codes.search::<VectorError>(query, wanted, |ids, hand_over| {
            assert!(ids.is_sorted());
            for id in ids {
                hand_over(*id, &self.blobs[id]);
            }
            Ok(())
        });
        found.expect("the dimensions agree and every row is there")
    }

    fn exactly(&self, query: &VectorQuery, limit: usize, sees: impl Fn(i64) -> bool) -> Vec<Scored> {
        let read = |blob| Encoded::parse(blob, self.dimensions).expect("what was written is read");
        let rows = self.blobs.iter().filter(|(id, _)| self.codes.contains(**id) && sees(**id));
        let mut all: Vec<Scored> =
            rows.map(|(id, blob)| Scored { id: *id, score: f64::from(query.cosine(&read(blob))) }).collect();
        all.sort_by(Scored::order);
        all.truncate(limit);
        all
    }
}

const NARROW: Effort = Effort { exact: 100, near: 600, rescored: 120 };

/// The share of the exact first ten that a search finds.
fn share(rows: &Rows, wanted: &Wanted<'_>, sees: impl Fn(i64) -> bool) -> f64 {
    let (mut found, mut asked) = (0_usize, 0_usize);
    for seed in 0..30 {
        let query = rows.query(seed);
        let exact = rows.exactly(&query, 10, &sees);
        let rows = rows.search(&query, wanted).rows;
        assert!(rows.iter().all(|row| sees(row.id)));
        asked += exact.len();
        found += exact.iter().filter(|row| rows.contains(row)).count();
    }
    let number = |count: usize| f64::from(u32::try_from(count).expect("few"));
    number(found) / number(asked)
}

#[test]
fn few_rows_are_found_exactly() {
    for dimensions in [1, 3, 64, 65, 384] {
        let rows = Rows::new(500, dimensions, 0.0);
        for seed in 0..10 {
            let query = rows.query(seed);
            let found = rows.search(&query, &Wanted::new(10));
            assert_eq!(found.rows, rows.exactly(&query, 10, |_| true));
        }
    }
}

#[test]
fn many_rows_are_found_by_their_bits_nearly_exactly() {
    // 256 to 1024 have loops of their own, and the others share one.
    for dimensions in [200, 256, 384, 512, 768, 1024, 1536] {
        let rows = Rows::new(3000, dimensions, 0.0);
        let wanted = Wanted { effort: NARROW, ..Wanted::new(10) };
        assert!(share(&rows, &wanted, |_| true) >= 0.98, "{dimensions}");
    }
}

#[test]
fn a_common_part_of_all_rows_hides_nothing() {
    let rows = Rows::new(3000, 256, 4.0);
    let wanted = Wanted { effort: NARROW, ..Wanted::new(10) };
    assert!(share(&rows, &wanted, |_| true) >= 0.98);
    // The same rows with signs against zero: most bits are the same in all rows.
    let mut plain = Codes::new(&Centre::new(rows.dimensions));
    for (id, blob) in &rows.blobs {
        let row = Encoded::parse(blob, rows.dimensions).expect("what was written is read");
        plain.insert(*id, &row).expect("the dimensions agree");
    }
    let plain = Rows { codes: plain, ..rows };
    assert!(share(&plain, &wanted, |_| true) < 0.9);
}

#[test]
fn rows_that_are_refused_are_never_asked_for() -> Result<(), VectorError> {
    let rows = Rows::new(3000, 256, 0.0);
    let allows = |id: i64| id % 3 != 0;
    for exact in [100, 5000] {
        let wanted = Wanted { effort: Effort { exact, ..NARROW }, allows: Some(&allows), ..Wanted::new(10) };
        assert!(share(&rows, &wanted, allows) >= 0.98);
        rows.codes.search::<VectorError>(&rows.query(1), &wanted, |ids, _| {
            assert!(!ids.is_empty() && ids.iter().all(|id| allows(*id)));
            Ok(())
        })?;
    }
    Ok(())
}

#[test]
fn a_sample_says_nearly_how_all_rows_are_spread() {
    let rows = Rows::new(6000, 256, 1.0);
    let spread = |effort| {
        let query = rows.query(4);
        rows.search(&query, &Wanted { effort, ..Wanted::new(10) }).spread.expect("many rows")
    };
    let exact = spread(Effort { exact: 10_000, ..NARROW });
    let sampled = spread(NARROW);
    assert_eq!((exact.rows, sampled.rows), (6000, 6000));
    assert!((exact.mean - sampled.mean).abs() < 0.2 * exact.deviation, "{exact:?} {sampled:?}");
    assert!((exact.deviation / sampled.deviation - 1.0).abs() < 0.15, "{exact:?} {sampled:?}");
    assert_eq!(Rows::new(15, 64, 0.0).search(&rows_of(64), &Wanted::new(5)).spread, None, "too few");
}

fn rows_of(dimensions: usize) -> VectorQuery {
    Rows::new(500, dimensions, 0.0).query(1)
}

#[test]
fn refused_rows_take_no_place() {
    let rows = Rows::new(3000, 256, 0.0);
    let allows = |id: i64| id % 500 == 0;
    let wanted = Wanted { effort: NARROW, allows: Some(&allows), ..Wanted::new(10) };
    let query = rows.query(3);
    let found = rows.search(&query, &wanted).rows;
    assert_eq!(found.len(), 6);
    assert_eq!(found, rows.exactly(&query, 10, allows));
}

#[test]
fn the_order_in_which_rows_came_does_not_matter() {
    let rows = Rows::new(3000, 256, 0.0);
    let mut other = Rows::new(3000, 256, 0.0);
    // Every row leaves, and all come back in another order.
    for id in (1..=3000).map(|number| number * 7 % 3001) {
        assert!(other.codes.remove(id));
    }
    for id in (1..=3000).map(|number| number * 11 % 3001) {
        other.take_in(id);
    }
    for seed in 0..20 {
        let wanted = Wanted { effort: NARROW, ..Wanted::new(50) };
        let query = rows.query(seed);
        assert_eq!(rows.search(&query, &wanted), other.search(&query, &wanted));
    }
}

#[test]
fn equal_rows_come_with_the_greater_id_first() {
    let mut rows = Rows::new(3000, 256, 0.0);
    let query = rows.query(5);
    let blob = rows.blobs[&rows.exactly(&query, 1, |_| true)[0].id].clone();
    for id in 4000..4300 {
        rows.blobs.insert(id, blob.clone());
        rows.take_in(id);
    }
    let wanted = Wanted { effort: Effort { rescored: 150, ..NARROW }, ..Wanted::new(10) };
    let ids: Vec<i64> = rows.search(&query, &wanted).rows.iter().map(|row| row.id).collect();
    assert_eq!(ids, (4290..4300).rev().collect::<Vec<_>>());
}

#[test]
fn a_removed_row_is_not_found_and_a_changed_one_is() {
    let mut rows = Rows::new(3000, 256, 0.0);
    let query = rows.query(2);
    let wanted = Wanted { effort: NARROW, ..Wanted::new(2) };
    let first = rows.search(&query, &wanted).rows;
    assert!(rows.codes.remove(first[0].id));
    assert_eq!(rows.search(&query, &wanted).rows[0], first[1]);
    // A row far away takes the words of the first.
    let far = rows.exactly(&query, 3000, |id| id != first[0].id)[2000].id;
    rows.blobs.insert(far, rows.blobs[&first[0].id].clone());
    rows.take_in(far);
    let now = rows.search(&query, &wanted).rows[0];
    assert_eq!((now.id, now.score.to_bits()), (far, first[0].score.to_bits()));
}

#[test]
fn bad_and_missing_blobs_cost_their_own_rows_only() -> Result<(), VectorError> {
    let rows = Rows::new(40, 64, 0.0);
    let query = rows.query(0);
    let found = rows.codes.search::<VectorError>(&query, &Wanted::new(40), |ids, hand_over| {
        for id in ids {
            match id {
                5 => hand_over(5, &[]),
                6 => hand_over(6, &rows.blobs[&6][..20]),
                7 => {}
                id => hand_over(*id, &rows.blobs[id]),
            }
        }
        hand_over(999, &rows.blobs[&8]);
        hand_over(8, &rows.blobs[&9]);
        Ok(())
    })?;
    assert_eq!(found.damaged, [5, 6]);
    assert_eq!(found.rows, rows.exactly(&query, 40, |id| ![5, 6, 7].contains(&id)));
    Ok(())
}

#[test]
fn an_error_of_the_reader_comes_through() {
    let rows = Rows::new(40, 64, 0.0);
    let wanted = Wanted::new(5);
    let refused = rows.codes.search(&rows.query(0), &wanted, |_, _| Err(VectorError::Zero));
    assert_eq!(refused, Err(VectorError::Zero));
    let other = Rows::new(40, 65, 0.0).query(0);
    let refused = rows.codes.search::<VectorError>(&other, &wanted, |_, _| Ok(()));
    assert_eq!(refused, Err(VectorError::Length { expected: 64, found: 65 }));
}

#[test]
fn nothing_is_read_where_nothing_can_be_found() -> Result<(), VectorError> {
    let rows = Rows::new(40, 64, 0.0);
    let never = |_: &[i64], _: &mut dyn FnMut(i64, &[u8])| -> Result<(), VectorError> { panic!("read") };
    let nobody = |_| false;
    let refused = Wanted { allows: Some(&nobody), ..Wanted::new(5) };
    for wanted in [Wanted::new(0), refused] {
        assert_eq!(rows.codes.search(&rows.query(0), &wanted, never)?, Found::default());
    }
    let empty = Codes::new(&Centre::new(rows.dimensions));
    assert_eq!(empty.search(&rows.query(0), &Wanted::new(5), never)?, Found::default());
    Ok(())
}
