//! The best rows for a query, exactly.
//!
//! Each segment is searched by itself, because a row is whole in one segment. Its lists are sorted by the most that each
//! can add. Rows are never looked at if all their lists together add too little. A window of rows is not read if all its
//! blocks together add too little.

use super::best::{Best, Hit};
use super::cursor::Cursor;
use super::error::Result;
use super::pages::Pages;
use super::partition::Partition;
use super::query::{Filter, Norms, Query, Search};
use super::segment::Segment;

/// The list of a term in a segment.
struct Lane<'a> {
    cursor: Cursor<'a>,
    /// The place of the term in the query.
    term: usize,
    weight: f64,
    /// The most that it adds to a row.
    most: f64,
    /// The block for which `here` is known, by its first row, and what it adds at most.
    known: Option<i64>,
    here: f64,
    /// Its row in the window that is looked at.
    head: i64,
}

/// No row is there: none has this id.
const OUTSIDE: i64 = i64::MAX;

impl Lane<'_> {
    /// Finds its row in a window, up to an end.
    #[inline]
    fn enter(&mut self, end: i64) -> Result<i64> {
        self.head = OUTSIDE;
        if !self.cursor.is_done() && self.cursor.low() <= end {
            self.head = self.cursor.settle()?.filter(|id| *id <= end).unwrap_or(OUTSIDE);
        }
        Ok(self.head)
    }

    /// Returns the most that the block adds to a row.
    #[inline]
    fn here(&mut self, query: &Query<'_>) -> f64 {
        let block = self.cursor.block();
        if self.known != Some(block.first) {
            self.known = Some(block.first);
            self.here = self.weight * query.most_gain(&block.bound);
        }
        self.here
    }
}

impl Partition {
    /// The best rows in sight that a filter takes: by score, then the greater id. The filter is asked for rows only that
    /// would be among the best.
    ///
    /// # Errors
    ///
    /// [`Error`](super::Error), where the pages cannot be read.
    pub fn best(&self, pages: &dyn Pages, query: &Query<'_>, filter: Option<Filter<'_>>) -> Result<Vec<Hit>> {
        if query.most == 0 {
            return Ok(Vec::new());
        }
        let best = Best::of(query.most, query.terms.len());
        let mut search = Search { query, norms: Norms::of(query.mean), best, filter };
        // The newest first: older rows must be better then.
        self.search_tail(&mut search)?;
        for segment in self.segments.iter().rev() {
            self.search_segment(pages, &mut search, segment)?;
        }
        let mut hits = search.best.hits();
        self.count_others(pages, query, &mut hits)?;
        Ok(hits)
    }

    fn search_segment(
        &self,
        pages: &dyn Pages,
        search: &mut Search<'_, '_>,
        segment: &Segment,
    ) -> Result<()> {
        let query = search.query;
        let mut lanes = Vec::new();
        for (term, asked) in query.terms.iter().enumerate().filter(|(_, asked)| asked.weight > 0.0) {
            if let Some((cursor, sums)) = Cursor::open(self.reader(pages), segment, asked.term.as_bytes())? {
                let most = asked.weight * query.most_gain(&sums.bound);
                lanes.push(Lane {
                    cursor,
                    term,
                    weight: asked.weight,
                    most,
                    known: None,
                    here: 0.0,
                    head: OUTSIDE,
                });
            }
        }
        lanes.sort_by(|one, other| one.most.total_cmp(&other.most).then(one.term.cmp(&other.term)));
        let mut under = vec![(0.0, 0.0)];
        for lane in &lanes {
            let (gained, covered) = under[under.len() - 1];
            under.push((gained + lane.most, covered + lane.weight));
        }
        let mut counts = vec![0; query.terms.len()];
        // Lanes before this one do not make a row one of the best together.
        let mut first = 0;
        loop {
            let (least, of_row) = (search.best.least(), search.best.least_id());
            let is_older = segment.last < of_row;
            while first < lanes.len() && query.is_under(under[first + 1], least, is_older) {
                first += 1;
            }
            // A window of rows that meets one block of each lane.
            let mut end = i64::MAX;
            let mut is_done = true;
            for lane in lanes[first..].iter().filter(|lane| !lane.cursor.is_done()) {
                (end, is_done) = (end.min(lane.cursor.block().last), false);
            }
            if is_done {
                return Ok(());
            }
            let (mut gained, mut covered) = under[first];
            for lane in lanes[first..].iter_mut().filter(|lane| !lane.cursor.is_done()) {
                if lane.cursor.low() <= end {
                    (gained, covered) = (gained + lane.here(query), covered + lane.weight);
                }
            }
            if query.is_under((gained, covered), least, end < of_row) {
                for lane in &mut lanes[first..] {
                    lane.cursor.seek_behind(end)?;
                }
                continue;
            }
            self.search_window(search, segment, &mut lanes, (first, &under), end, &mut counts)?;
        }
    }

    /// Looks at each row of a window.
    fn search_window(
        &self,
        search: &mut Search<'_, '_>,
        segment: &Segment,
        lanes: &mut [Lane<'_>],
        (first, under): (usize, &[(f64, f64)]),
        end: i64,
        counts: &mut [u32],
    ) -> Result<()> {
        let query = search.query;
        let (others, lanes) = lanes.split_at_mut(first);
        let mut next = OUTSIDE;
        for lane in lanes.iter_mut() {
            next = next.min(lane.enter(end)?);
        }
        while next < OUTSIDE {
            let id = next;
            next = OUTSIDE;
            let (mut gained, mut covered, mut row) = (0.0, 0.0, None);
            for lane in lanes.iter_mut() {
                if lane.head == id {
                    let cursor = &mut lane.cursor;
                    let (_, _, norm) = *row.get_or_insert_with(|| {
                        let length = cursor.length();
                        (length, cursor.is_shared(), search.norms.get(length))
                    });
                    counts[lane.term] = cursor.count();
                    gained += lane.weight * query.gain(counts[lane.term], norm);
                    covered += lane.weight;
                    cursor.next()?;
                    lane.enter(end)?;
                }
                next = next.min(lane.head);
            }
            let Some((length, shared, norm)) = row else { return Ok(()) };
            if query.visibility.sees(shared) {
                let least = search.best.least();
                let mut may = !query.is_below(gained + under[first].0, covered + under[first].1, least);
                for (at, lane) in others.iter_mut().enumerate().rev() {
                    if !may {
                        break;
                    }
                    lane.cursor.seek(id)?;
                    if lane.cursor.is_done() || lane.cursor.low() > id {
                        may = !query.is_below(gained + under[at].0, covered + under[at].1, least);
                        continue;
                    }
                    let here = lane.here(query);
                    may = !query.is_below(
                        gained + here + under[at].0,
                        covered + lane.weight + under[at].1,
                        least,
                    );
                    if may && lane.cursor.settle()? == Some(id) {
                        counts[lane.term] = lane.cursor.count();
                        gained += lane.weight * query.gain(counts[lane.term], norm);
                        covered += lane.weight;
                    }
                }
                if may {
                    let (gained, covered) = exactly(query, counts, norm);
                    let score = query.score(gained, covered);
                    search.offer(id, score, (length, shared), counts, || !self.is_gone(id, segment.age))?;
                }
            }
            counts.fill(0);
        }
        Ok(())
    }

    fn search_tail(&self, search: &mut Search<'_, '_>) -> Result<()> {
        let query = search.query;
        let lists: Vec<_> = query
            .terms
            .iter()
            .enumerate()
            .filter(|(_, asked)| asked.weight > 0.0)
            .filter_map(|(at, asked)| Some((at, self.tail.list(asked.term.as_bytes())?)))
            .collect();
        let mut places = vec![0; lists.len()];
        let mut counts = vec![0; query.terms.len()];
        loop {
            let heads = lists.iter().zip(&places).filter_map(|((_, list), place)| list.postings.get(*place));
            let Some(number) = heads.map(|(row, _)| *row).min() else { return Ok(()) };
            counts.fill(0);
            for ((at, list), place) in lists.iter().zip(&mut places) {
                if let Some((_, count)) = list.postings.get(*place).filter(|(row, _)| *row == number) {
                    counts[*at] = *count;
                    *place += 1;
                }
            }
            let row = &self.tail.rows[number as usize];
            if row.is_live() && query.visibility.sees(row.shared) {
                let (gained, covered) = exactly(query, &counts, search.norms.get(row.length));
                let score = query.score(gained, covered);
                search.offer(row.id, score, (row.length, row.shared), &counts, || true)?;
            }
        }
    }

    /// Counts the words of weight 0 in the found rows.
    fn count_others(&self, pages: &dyn Pages, query: &Query<'_>, hits: &mut [Hit]) -> Result<()> {
        let others: Vec<usize> = (0..query.terms.len()).filter(|at| query.terms[*at].weight <= 0.0).collect();
        if others.is_empty() {
            return Ok(());
        }
        let mut by_id: Vec<&mut Hit> = hits.iter_mut().collect();
        by_id.sort_unstable_by_key(|hit| hit.id);
        for at in others {
            let term = query.terms[at].term.as_bytes();
            for segment in &self.segments {
                let Some((mut cursor, _)) = Cursor::open(self.reader(pages), segment, term)? else {
                    continue;
                };
                for hit in &mut by_id {
                    if !self.is_gone(hit.id, segment.age) {
                        hit.counts[at] = hit.counts[at].max(cursor.count_of(hit.id)?);
                    }
                }
            }
            if let Some(list) = self.tail.list(term) {
                for hit in &mut by_id {
                    hit.counts[at] = hit.counts[at].max(self.tail.count(list, hit.id));
                }
            }
        }
        Ok(())
    }
}

/// Returns the gain of a row by its words, and their weight, in the order of the query.
#[inline]
fn exactly(query: &Query<'_>, counts: &[u32], norm: f64) -> (f64, f64) {
    let (mut gained, mut covered) = (0.0, 0.0);
    for (asked, count) in query.terms.iter().zip(counts).filter(|(_, count)| **count > 0) {
        gained += asked.weight * query.gain(*count, norm);
        covered += asked.weight;
    }
    (gained, covered)
}
