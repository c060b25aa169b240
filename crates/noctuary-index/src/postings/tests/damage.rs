//! Bytes that are not as they were written.

use super::history::Kept;
use super::lines::Dice;
use super::model::check;
use crate::postings::bits::{seal, unsealed};
use crate::postings::error::Error;
use crate::postings::pages::{MemoryPages, place};
use crate::postings::partition::Partition;
use crate::postings::query::{Asked, Gain, Query};
use crate::postings::record::Record;
use crate::rank::Visibility;

fn kept(seed: u64) -> Kept {
    let mut dice = Dice::new(seed);
    let mut kept = Kept::new(60);
    let changes = 900 + dice.below(200);
    for _ in 0..changes {
        kept.change(&mut dice, 40).expect("pages are in memory");
    }
    kept
}

/// Asks everything, whatever comes of it.
fn ask_all(kept: &Kept, partition: &mut Partition, pages: &mut MemoryPages) -> Result<(), Error> {
    let terms: std::collections::BTreeSet<&str> =
        kept.model.rows.values().flat_map(|line| &line.terms).map(|(term, _)| term.as_str()).collect();
    let terms: Vec<&str> = terms.into_iter().take(50).collect();
    let asked: Vec<Asked<'_>> = terms.iter().map(|term| Asked { term, weight: 1.0 }).collect();
    for visibility in [Visibility::All, Visibility::Shared] {
        let query = Query {
            terms: &asked,
            visibility,
            gain: Gain::Bm25,
            mean: 9.0,
            coverage: 0.0,
            whole: 1.0,
            most: 10,
        };
        partition.best(pages, &query, None)?;
        let few = Query { terms: &asked[..asked.len().min(2)], ..query };
        partition.best(pages, &few, None)?;
        for word in &terms {
            partition.latest(pages, word, visibility, 300)?;
        }
    }
    for (_, record) in &kept.log {
        partition.replay(pages, record)?;
    }
    for line in kept.model.rows.values().step_by(9) {
        line.with(|row| partition.remove(pages, row))?;
        partition.keep_up(pages, 0)?;
    }
    let mut dice = Dice::new(8);
    for id in 0..120 {
        let line = super::lines::Line::random(&mut dice, 1_000_000 + id, 60);
        line.with(|row| partition.add(pages, row))?;
        partition.keep_up(pages, 0)?;
    }
    let _ = partition.manifest();
    Ok(())
}

/// Changes bytes, in a way that a checksum does not show.
fn changed(bytes: &[u8], place: u64, dice: &mut Dice) -> Vec<u8> {
    let mut body = unsealed(bytes, place).expect("it was sealed").to_vec();
    for _ in 0..=dice.below(3) {
        let at = dice.below(body.len() as u64) as usize;
        match dice.below(4) {
            0 => body[at] ^= 1 << dice.below(8),
            1 => body[at] = dice.next() as u8,
            2 => body[at] = 0xff,
            _ => {
                body.remove(at);
            }
        }
        if body.is_empty() {
            break;
        }
    }
    seal(&mut body, place);
    body
}

fn keys(pages: &MemoryPages) -> Vec<(u64, u32)> {
    let mut keys: Vec<(u64, u32)> =
        pages.pages.iter().flat_map(|(segment, pages)| pages.keys().map(|page| (*segment, *page))).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn bytes_that_are_sealed_and_wrong_end_in_an_error_or_an_answer() {
    let mut dice = Dice::new(21);
    let (mut errors, mut answers) = (0, 0);
    for seed in 0..6 {
        let kept = kept(seed + 50);
        let manifest = kept.manifest.clone().expect("it was saved");
        let keys = keys(&kept.pages);
        for _ in 0..80 {
            let mut pages = kept.pages.clone();
            let mut manifest = manifest.clone();
            if dice.below(4) == 0 {
                manifest = changed(&manifest, u64::MAX - 1, &mut dice);
            } else {
                let (segment, page) = keys[dice.below(keys.len() as u64) as usize];
                let bytes = pages
                    .pages
                    .get_mut(&segment)
                    .and_then(|pages| pages.get_mut(&page))
                    .expect("it is there");
                *bytes = changed(bytes, place(segment, page), &mut dice);
            }
            let asked = Partition::open(&pages, &manifest, 1 << 14)
                .and_then(|mut partition| ask_all(&kept, &mut partition, &mut pages));
            match asked {
                Ok(()) => answers += 1,
                Err(Error::Damaged(_) | Error::Differs(_)) => errors += 1,
                Err(Error::Host(error)) => panic!("{error}"),
            }
        }
    }
    assert!(errors > 80 && answers > 15, "{errors} {answers}");
}

#[test]
fn a_changed_byte_is_an_error_and_never_another_answer() {
    let mut dice = Dice::new(22);
    let kept = kept(9);
    let manifest = kept.manifest.clone().expect("it was saved");
    let keys = keys(&kept.pages);
    let mut errors = 0;
    for at in 0..200 {
        let mut pages = kept.pages.clone();
        let (segment, page) = keys[dice.below(keys.len() as u64) as usize];
        let bytes =
            pages.pages.get_mut(&segment).and_then(|pages| pages.get_mut(&page)).expect("it is there");
        let place = dice.below(bytes.len() as u64) as usize;
        match at % 3 {
            0 => bytes[place] ^= 1 << dice.below(8),
            1 => bytes.truncate(place),
            _ => drop(pages.pages.get_mut(&segment).and_then(|pages| pages.remove(&page))),
        }
        let asked = Partition::open(&pages, &manifest, 1 << 14).and_then(|mut partition| {
            for (_, record) in &kept.log {
                partition.replay(&pages, record)?;
            }
            check(&kept.model, &partition, &pages, &mut dice, 60)?;
            check(&kept.model, &partition, &pages, &mut dice, 60)
        });
        errors += usize::from(matches!(asked, Err(Error::Damaged(_))));
    }
    assert!(errors > 20, "{errors}");
}

#[test]
fn arbitrary_bytes_are_no_record_and_no_manifest() {
    let mut dice = Dice::new(23);
    let pages = MemoryPages::default();
    for length in 0..400 {
        let bytes: Vec<u8> = (0..length).map(|_| dice.next() as u8).collect();
        assert!(Record::read(&bytes).is_err() && Partition::open(&pages, &bytes, 0).is_err());
        let mut sealed = bytes.clone();
        seal(&mut sealed, u64::MAX);
        drop(Record::read(&sealed));
        let mut sealed = bytes;
        seal(&mut sealed, u64::MAX - 1);
        drop(Partition::open(&pages, &sealed, 0));
    }
}
