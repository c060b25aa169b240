//! Maps and sets in the order of their keys, over vectors: a tree is compiled in ten times as many lines.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::marker::PhantomData;
use std::ops::{Bound, Index, RangeBounds};
use std::{fmt, mem, slice, vec};

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::order;
use crate::base::gather::Gather as _;

/// A map in the order of its keys.
///
/// Its rows are in chunks, so that a key that comes or goes moves only the rows of one chunk.
#[derive(Clone)]
pub(crate) struct SortedMap<K, V> {
    /// Each has a row, and they follow one another.
    chunks: Vec<Vec<(K, V)>>,
}

/// Maximum number of rows of a chunk; one that grows beyond it is parted.
const CHUNK: usize = 256;

/// The place of a row: its chunk, and its index there.
type Place = (usize, usize);

/// Returns the place of what a comparison finds equal among `len` in order, or the place where it belongs.
fn search(len: usize, compare: &mut dyn FnMut(usize) -> Ordering) -> Result<usize, usize> {
    let (mut low, mut high) = (0, len);
    while low < high {
        // Most come in order: the first look is at the last one.
        let middle = if low == 0 && high == len { high - 1 } else { low + (high - low) / 2 };
        match compare(middle) {
            Ordering::Less => low = middle + 1,
            Ordering::Equal => return Ok(middle),
            Ordering::Greater => high = middle,
        }
    }
    Err(low)
}

/// Returns the place of what a comparison finds equal in `chunks` chunks of these lengths, or the place where it belongs.
fn search_chunks(
    chunks: usize,
    len: &dyn Fn(usize) -> usize,
    compare: &mut dyn FnMut(Place) -> Ordering,
) -> Result<Place, Place> {
    let Some(last) = chunks.checked_sub(1) else { return Err((0, 0)) };
    // The first chunk whose last key is not below it, or the last one.
    let (Ok(chunk) | Err(chunk)) = search(chunks, &mut |chunk| compare((chunk, len(chunk) - 1)));
    let chunk = chunk.min(last);
    match search(len(chunk), &mut |at| compare((chunk, at))) {
        Ok(at) => Ok((chunk, at)),
        Err(at) => Err((chunk, at)),
    }
}

impl<K, V> SortedMap<K, V> {
    pub(crate) const fn new() -> Self {
        Self { chunks: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        let mut len = 0;
        for chunk in &self.chunks {
            len += chunk.len();
        }
        len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    pub(crate) fn iter(&self) -> Rows<'_, K, V> {
        Rows { chunks: self.chunks.iter(), front: [].iter(), back: [].iter() }
    }

    pub(crate) fn keys(&self) -> Keys<'_, K, V> {
        Keys(self.iter())
    }

    pub(crate) fn values(&self) -> Values<'_, K, V> {
        Values(self.iter())
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        self.chunks.iter_mut().flatten().map(|(key, value)| (&*key, value))
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.chunks.iter_mut().flatten().map(|(_, value)| value)
    }

    pub(crate) fn into_values(self) -> impl Iterator<Item = V> {
        self.into_iter().map(|(_, value)| value)
    }

    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        for chunk in &mut self.chunks {
            order::retain(chunk, |(key, value)| keep(key, value));
        }
        order::retain(&mut self.chunks, |chunk| !chunk.is_empty());
    }

    pub(crate) fn clear(&mut self) {
        self.chunks.clear();
    }

    fn insert_at(&mut self, (chunk, at): Place, row: (K, V)) {
        if self.chunks.is_empty() {
            self.chunks.push(Vec::new());
        }
        let rows = &mut self.chunks[chunk];
        rows.insert(at, row);
        if rows.len() > CHUNK {
            // Keys that come in order leave full chunks behind.
            let half = if at == CHUNK { CHUNK } else { CHUNK / 2 };
            let rest = rows.split_off(half);
            // Pushed and swapped into its place: an insertion is compiled in more lines.
            self.chunks.push(rest);
            for behind in (chunk + 2..self.chunks.len()).rev() {
                self.chunks.swap(behind - 1, behind);
            }
        }
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    /// Returns the place of a key, or the place where it belongs.
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<Place, Place>
    where
        K: Borrow<Q>,
    {
        let chunks = &self.chunks;
        let len = |chunk: usize| chunks[chunk].len();
        search_chunks(chunks.len(), &len, &mut |(chunk, at)| chunks[chunk][at].0.borrow().cmp(key))
    }

    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        match self.find(key) {
            Ok((chunk, at)) => Some(&self.chunks[chunk][at].1),
            Err(_) => None,
        }
    }

    pub(crate) fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        match self.find(key) {
            Ok((chunk, at)) => Some(&mut self.chunks[chunk][at].1),
            Err(_) => None,
        }
    }

    pub(crate) fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// Puts a value at a key, and returns the value that was there.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok((chunk, at)) => Some(mem::replace(&mut self.chunks[chunk][at].1, value)),
            Err(place) => {
                self.insert_at(place, (key, value));
                None
            }
        }
    }

    pub(crate) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        match self.find(key) {
            Ok((chunk, at)) => {
                let (_, value) = self.chunks[chunk].remove(at);
                if self.chunks[chunk].is_empty() {
                    self.chunks.remove(chunk);
                }
                Some(value)
            }
            Err(_) => None,
        }
    }

    pub(crate) fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        Entry { map: self, key }
    }

    pub(crate) fn range(&self, range: impl RangeBounds<K>) -> Rows<'_, K, V> {
        let (first, from) = match range.start_bound() {
            Bound::Included(key) => self.edge(key, false),
            Bound::Excluded(key) => self.edge(key, true),
            Bound::Unbounded => (0, 0),
        };
        let (last, to) = match range.end_bound() {
            Bound::Included(key) => self.edge(key, true),
            Bound::Excluded(key) => self.edge(key, false),
            Bound::Unbounded => (self.chunks.len().saturating_sub(1), self.chunks.last().map_or(0, Vec::len)),
        };
        let none = [].iter();
        if self.chunks.is_empty() || (last, to) <= (first, from) {
            return Rows { chunks: [].iter(), front: none.clone(), back: none };
        }
        if first == last {
            return Rows { chunks: [].iter(), front: self.chunks[first][from..to].iter(), back: none };
        }
        Rows {
            chunks: self.chunks[first + 1..last].iter(),
            front: self.chunks[first][from..].iter(),
            back: self.chunks[last][..to].iter(),
        }
    }

    /// Returns the place where a range begins or ends, before a key or behind it.
    fn edge(&self, key: &K, is_behind: bool) -> Place {
        match self.find(key) {
            Ok((chunk, at)) => (chunk, at + usize::from(is_behind)),
            Err(place) => place,
        }
    }
}

/// The place of a key in a map.
pub(crate) struct Entry<'m, K, V> {
    map: &'m mut SortedMap<K, V>,
    key: K,
}

impl<'m, K: Ord, V> Entry<'m, K, V> {
    pub(crate) fn or_insert_with(self, value: impl FnOnce() -> V) -> &'m mut V {
        let (chunk, at) = match self.map.find(&self.key) {
            Ok(place) => place,
            Err(place) => {
                self.map.insert_at(place, (self.key, value()));
                // A chunk that was parted has its second half behind it.
                let (chunk, at) = place;
                match at.checked_sub(self.map.chunks[chunk].len()) {
                    Some(at) => (chunk + 1, at),
                    None => place,
                }
            }
        };
        &mut self.map.chunks[chunk][at].1
    }

    pub(crate) fn or_insert(self, value: V) -> &'m mut V {
        self.or_insert_with(|| value)
    }

    pub(crate) fn or_default(self) -> &'m mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

impl<K: Ord + Borrow<Q>, Q: Ord + ?Sized, V> Index<&Q> for SortedMap<K, V> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("the key is in the map")
    }
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for SortedMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<K: Eq, V: Eq> Eq for SortedMap<K, V> {}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for SortedMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    /// The last value of a key that comes twice counts.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(rows: I) -> Self {
        let mut rows: Vec<(K, V)> = rows.into_iter().gather();
        order::sort_by(&mut rows, |(one, _), (other, _)| one.cmp(other));
        let mut kept = 0;
        for at in 0..rows.len() {
            if kept > 0 && rows[at].0 == rows[kept - 1].0 {
                kept -= 1;
            }
            rows.swap(kept, at);
            kept += 1;
        }
        rows.truncate(kept);
        let mut chunks = Vec::new();
        while rows.len() > CHUNK {
            chunks.push(rows.split_off(rows.len() - CHUNK));
        }
        if !rows.is_empty() {
            chunks.push(rows);
        }
        chunks.reverse();
        Self { chunks }
    }
}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, rows: I) {
        for (key, value) in rows {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for SortedMap<K, V> {
    fn from(rows: [(K, V); N]) -> Self {
        rows.into_iter().collect()
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = IntoRows<K, V>;

    fn into_iter(self) -> Self::IntoIter {
        IntoRows {
            chunks: self.chunks.into_iter(),
            front: Vec::new().into_iter(),
            back: Vec::new().into_iter(),
        }
    }
}

impl<'m, K, V> IntoIterator for &'m SortedMap<K, V> {
    type Item = (&'m K, &'m V);
    type IntoIter = Rows<'m, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The rows of a map that is taken apart, in order.
pub(crate) struct IntoRows<K, V> {
    chunks: vec::IntoIter<Vec<(K, V)>>,
    front: vec::IntoIter<(K, V)>,
    back: vec::IntoIter<(K, V)>,
}

impl<K, V> Iterator for IntoRows<K, V> {
    type Item = (K, V);

    fn next(&mut self) -> Option<(K, V)> {
        loop {
            if let Some(row) = self.front.next() {
                return Some(row);
            }
            let Some(chunk) = self.chunks.next() else { return self.back.next() };
            self.front = chunk.into_iter();
        }
    }
}

impl<K, V> DoubleEndedIterator for IntoRows<K, V> {
    fn next_back(&mut self) -> Option<(K, V)> {
        loop {
            if let Some(row) = self.back.next_back() {
                return Some(row);
            }
            let Some(chunk) = self.chunks.next_back() else { return self.front.next_back() };
            self.back = chunk.into_iter();
        }
    }
}

/// The rows of a map, in order.
pub(crate) struct Rows<'m, K, V> {
    chunks: slice::Iter<'m, Vec<(K, V)>>,
    front: slice::Iter<'m, (K, V)>,
    back: slice::Iter<'m, (K, V)>,
}

impl<K, V> Clone for Rows<'_, K, V> {
    fn clone(&self) -> Self {
        Self { chunks: self.chunks.clone(), front: self.front.clone(), back: self.back.clone() }
    }
}

impl<'m, K, V> Iterator for Rows<'m, K, V> {
    type Item = (&'m K, &'m V);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((key, value)) = self.front.next() {
                return Some((key, value));
            }
            let Some(chunk) = self.chunks.next() else {
                let (key, value) = self.back.next()?;
                return Some((key, value));
            };
            self.front = chunk.iter();
        }
    }
}

impl<K, V> DoubleEndedIterator for Rows<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((key, value)) = self.back.next_back() {
                return Some((key, value));
            }
            let Some(chunk) = self.chunks.next_back() else {
                let (key, value) = self.front.next_back()?;
                return Some((key, value));
            };
            self.back = chunk.iter();
        }
    }
}

/// The keys of a map, in order.
pub(crate) struct Keys<'m, K, V>(Rows<'m, K, V>);

impl<K, V> Clone for Keys<'_, K, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<'m, K, V> Iterator for Keys<'m, K, V> {
    type Item = &'m K;

    fn next(&mut self) -> Option<&'m K> {
        match self.0.next() {
            Some((key, _)) => Some(key),
            None => None,
        }
    }
}

impl<K, V> DoubleEndedIterator for Keys<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        match self.0.next_back() {
            Some((key, _)) => Some(key),
            None => None,
        }
    }
}

/// The values of a map, in the order of their keys.
pub(crate) struct Values<'m, K, V>(Rows<'m, K, V>);

impl<'m, K, V> Iterator for Values<'m, K, V> {
    type Item = &'m V;

    fn next(&mut self) -> Option<&'m V> {
        match self.0.next() {
            Some((_, value)) => Some(value),
            None => None,
        }
    }
}

impl<K, V> DoubleEndedIterator for Values<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        match self.0.next_back() {
            Some((_, value)) => Some(value),
            None => None,
        }
    }
}

impl<K: Serialize, V: Serialize> Serialize for SortedMap<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (key, value) in self {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>> Deserialize<'de> for SortedMap<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Read(PhantomData))
    }
}

/// Reads a map.
struct Read<K, V>(PhantomData<(K, V)>);

impl<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>> Visitor<'de> for Read<K, V> {
    type Value = SortedMap<K, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut read: A) -> Result<SortedMap<K, V>, A::Error> {
        let mut map = SortedMap::new();
        while let Some((key, value)) = read.next_entry()? {
            map.insert(key, value);
        }
        Ok(map)
    }
}

/// A set in order, in one vector: for tens and hundreds of elements, and for thousands that come in order.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SortedSet<T> {
    rows: Vec<T>,
}

impl<T> SortedSet<T> {
    pub(crate) const fn new() -> Self {
        Self { rows: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(crate) fn iter(&self) -> slice::Iter<'_, T> {
        self.rows.iter()
    }

    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        order::retain(&mut self.rows, |row| keep(row));
    }
}

impl<T: Ord> SortedSet<T> {
    /// Returns the place of an element, or the place where it belongs.
    fn find<Q: Ord + ?Sized>(&self, element: &Q) -> Result<usize, usize>
    where
        T: Borrow<Q>,
    {
        search(self.rows.len(), &mut |at| self.rows[at].borrow().cmp(element))
    }

    pub(crate) fn contains<Q: Ord + ?Sized>(&self, element: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.find(element).is_ok()
    }

    /// Takes an element in, and returns whether it is new.
    pub(crate) fn insert(&mut self, element: T) -> bool {
        let found = self.find(&element);
        if let Err(at) = found {
            self.rows.insert(at, element);
        }
        found.is_err()
    }

    /// Takes an element out, and returns whether it was there.
    pub(crate) fn remove<Q: Ord + ?Sized>(&mut self, element: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        let found = self.find(element);
        if let Ok(at) = found {
            self.rows.remove(at);
        }
        found.is_ok()
    }

    /// Returns the elements from one on.
    pub(crate) fn starting_at<Q: Ord + ?Sized>(&self, first: &Q) -> slice::Iter<'_, T>
    where
        T: Borrow<Q>,
    {
        let (Ok(at) | Err(at)) = self.find(first);
        self.rows[at..].iter()
    }

    /// Returns the elements that the other set has, too.
    pub(crate) fn intersection<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = &'s T> {
        self.rows.iter().filter(|element| other.contains(*element))
    }

    /// Returns the elements that the other set has not.
    pub(crate) fn difference<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = &'s T> {
        self.rows.iter().filter(|element| !other.contains(*element))
    }

    pub(crate) fn is_subset(&self, other: &Self) -> bool {
        self.difference(other).next().is_none()
    }
}

impl<T> Default for SortedSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for SortedSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(&self.rows).finish()
    }
}

impl<T: Ord> FromIterator<T> for SortedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(rows: I) -> Self {
        rows.into_iter().collect::<Vec<T>>().into()
    }
}

impl<T: Ord> From<Vec<T>> for SortedSet<T> {
    fn from(mut rows: Vec<T>) -> Self {
        order::sort(&mut rows);
        order::dedup(&mut rows);
        Self { rows }
    }
}

impl<T: Ord, const N: usize> From<[T; N]> for SortedSet<T> {
    fn from(rows: [T; N]) -> Self {
        Vec::from(rows).into()
    }
}

impl<T: Ord> Extend<T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, rows: I) {
        for row in rows {
            self.insert(row);
        }
    }
}

impl<T> IntoIterator for SortedSet<T> {
    type Item = T;
    type IntoIter = vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.rows.into_iter()
    }
}

impl<'s, T> IntoIterator for &'s SortedSet<T> {
    type Item = &'s T;
    type IntoIter = slice::Iter<'s, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.rows.iter()
    }
}

impl<T: Serialize> Serialize for SortedSet<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.rows.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de> + Ord> Deserialize<'de> for SortedSet<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_map_does_what_a_tree_does(steps in proptest::collection::vec((0_u8..4, 0_u8..12, 0_u16..99), 0..60)) {
            let (mut map, mut tree) = (SortedMap::new(), BTreeMap::new());
            for (verb, key, value) in &steps {
                match verb {
                    0 => prop_assert_eq!(map.remove(key), tree.remove(key)),
                    1 => prop_assert_eq!(map.insert(*key, *value), tree.insert(*key, *value)),
                    2 => *map.entry(*key).or_default() += value,
                    _ => prop_assert_eq!(map.get(key), tree.get(key)),
                }
                if *verb == 2 {
                    *tree.entry(*key).or_default() += value;
                }
                prop_assert!(map.iter().eq(tree.iter()) && map.keys().rev().eq(tree.keys().rev()));
            }
            prop_assert!(map.range(3..=8).eq(tree.range(3..=8)));
            let rows = steps.iter().map(|(_, key, value)| (*key, *value));
            let (map, tree): (SortedMap<_, _>, BTreeMap<_, _>) = (rows.clone().collect(), rows.collect());
            prop_assert!(map.iter().eq(tree.iter()));
            let printed = serde_json::to_string(&map).unwrap();
            prop_assert_eq!(&printed, &serde_json::to_string(&tree).unwrap());
            prop_assert_eq!(serde_json::from_str::<SortedMap<u8, u16>>(&printed).unwrap(), map);
        }

        #[test]
        fn a_set_does_what_a_tree_does(
            one in proptest::collection::vec(0_u8..12, 0..30),
            other in proptest::collection::vec(0_u8..12, 0..30),
        ) {
            let (mut set, mut tree) = (SortedSet::new(), BTreeSet::new());
            for element in &one {
                prop_assert_eq!(set.insert(*element), tree.insert(*element));
            }
            let others: (SortedSet<u8>, BTreeSet<u8>) = (other.iter().copied().collect(), other.iter().copied().collect());
            prop_assert!(set.intersection(&others.0).eq(tree.intersection(&others.1)));
            prop_assert!(set.difference(&others.0).eq(tree.difference(&others.1)));
            prop_assert_eq!(set.is_subset(&others.0), tree.is_subset(&others.1));
            for element in &other {
                prop_assert_eq!(set.remove(element), tree.remove(element));
            }
            prop_assert!(set.iter().eq(tree.iter()));
            let printed = serde_json::to_string(&set).unwrap();
            prop_assert_eq!(&printed, &serde_json::to_string(&tree).unwrap());
            prop_assert_eq!(serde_json::from_str::<SortedSet<u8>>(&printed).unwrap(), set);
        }
    }
}
