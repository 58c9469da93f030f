//! Recovery: torn records are dropped, damaged ones are refused, and the bytes stay.

use proptest::prelude::*;

use crate::session::memfs::{Fault, Plan};
use crate::session::testing::*;
use crate::session::*;

/// Plays the small debate; returns its journal's bytes.
fn journal() -> (MemFs, Vec<u8>) {
    let fs = disk();
    play(&store(&fs), &mut TestWorld::default()).unwrap();
    let bytes = bytes_of(&fs);
    (fs, bytes)
}

fn bytes_of(fs: &MemFs) -> Vec<u8> {
    fs.tree(&journal_path()).remove(&journal_path()).unwrap().unwrap()
}

fn line_starts(bytes: &[u8]) -> Vec<usize> {
    std::iter::once(0)
        .chain(bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1))
        .collect()
}

#[test]
fn a_journal_torn_at_any_byte_loses_at_most_the_record_it_tears() {
    // F35, F38.
    let (fs, bytes) = journal();
    let starts = line_starts(&bytes);
    for len in 0..bytes.len() {
        fs.overwrite(&journal_path(), &bytes[..len]).unwrap();
        let whole = starts.iter().filter(|start| **start > 0 && **start <= len).count();
        let read = store(&fs).read(ID);
        assert_eq!(bytes_of(&fs), &bytes[..len], "reading changed the file");
        if whole == 0 {
            assert!(matches!(read, Err(StoreError::NeverOpened { .. })), "{len}");
            continue;
        }
        let read = read.unwrap();
        let torn = !starts.contains(&len);
        assert_eq!(read.records.len(), whole, "{len}");
        assert_eq!(read.notes.len(), usize::from(torn), "{len}");
        if torn && len % 11 != 0 {
            continue;
        }
        let (session, records, notes) = store(&fs).open(ID).unwrap();
        assert_eq!((records.len(), notes.len()), (whole, usize::from(torn)));
        drop(session);
        assert_eq!(bytes_of(&fs), &bytes[..starts[whole]], "the rest is cut off");
        assert!(store(&fs).read(ID).unwrap().notes.is_empty());
    }
}

proptest! {
    #[test]
    fn a_flipped_bit_is_refused_by_number_or_dropped_at_the_end(at in any::<prop::sample::Index>(), bit in 0_u8..8) {
        // F37.
        let (fs, mut bytes) = journal();
        let starts = line_starts(&bytes);
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        fs.overwrite(&journal_path(), &bytes).unwrap();
        let hit = starts.iter().filter(|start| **start <= at).count();
        let last = starts.len() - 1;
        match store(&fs).open(ID) {
            Ok((_, records, notes)) if !notes.is_empty() => {
                prop_assert!(hit == last || hit == last - 1 && bytes.get(starts[hit] - 1) != Some(&b'\n'));
                prop_assert!(records.len() >= last - 2);
            }
            Ok(_) => prop_assert!(false, "not seen"),
            Err(StoreError::Corrupt { record, offset, .. }) => {
                prop_assert_eq!(record, hit as u64);
                prop_assert_eq!(offset, starts[hit - 1] as u64);
                prop_assert_eq!(bytes_of(&fs), bytes, "nothing was changed");
            }
            // The digit of the version.
            Err(StoreError::Newer { record, .. }) => {
                prop_assert_eq!(record, hit as u64);
                prop_assert_eq!(bytes_of(&fs), bytes, "nothing was changed");
            }
            Err(error) => prop_assert!(false, "{}", error),
        }
    }

    #[test]
    fn any_bytes_for_a_journal_are_judged_without_a_panic(junk in prop::collection::vec(any::<u8>(), 0..300)) {
        let (fs, mut bytes) = journal();
        bytes.extend(junk);
        fs.overwrite(&journal_path(), &bytes).unwrap();
        drop(store(&fs).read(ID));
        drop(store(&fs).list());
    }
}

#[test]
fn a_later_version_is_refused_and_its_bytes_stay() {
    // F39: also without a known checksum, and also as the last record.
    let (fs, bytes) = journal();
    let starts = line_starts(&bytes);
    for at in [0, 3, starts.len() - 2] {
        let mut newer = bytes.clone();
        newer[starts[at] + 5] = b'3';
        fs.overwrite(&journal_path(), &newer).unwrap();
        let error = store(&fs).open(ID).unwrap_err();
        assert!(
            matches!(error, StoreError::Newer { record, v: 3, .. } if record == at as u64 + 1),
            "{error}"
        );
        assert_eq!(bytes_of(&fs), newer);
    }
}

#[test]
fn a_record_out_of_turn_is_refused_by_number() {
    let (fs, bytes) = journal();
    let starts = line_starts(&bytes);
    let mut cut = bytes[..starts[2]].to_vec();
    cut.extend_from_slice(&bytes[starts[3]..]);
    fs.overwrite(&journal_path(), &cut).unwrap();
    let error = store(&fs).read(ID).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { record: 3, .. }), "{error}");
}

#[test]
fn a_session_copied_to_another_name_is_refused() {
    let (fs, bytes) = journal();
    drop(store(&fs).create(opened("other")).unwrap());
    let path = std::path::Path::new(ROOT).join("sessions/other/journal.jsonl");
    fs.overwrite(&path, &bytes).unwrap();
    let error = store(&fs).read("other").unwrap_err();
    assert!(matches!(error, StoreError::Inconsistent { record: 1, .. }), "{error}");
}

#[test]
fn growth_by_somebody_else_and_removal_stop_the_run() {
    // F29 is the removal.
    for remove in [false, true] {
        let fs = disk();
        let mut session = store(&fs).create(opened(ID)).unwrap();
        if remove {
            fs.remove_dir_all(&session_dir()).unwrap();
        } else {
            let mut bytes = bytes_of(&fs);
            bytes.push(b'x');
            fs.overwrite(&journal_path(), &bytes).unwrap();
        }
        let error = session.resume(resumed()).unwrap_err();
        if remove {
            assert!(matches!(error, StoreError::Io { .. }), "{error}");
        } else {
            assert!(
                matches!(error, StoreError::Changed { expected, found, .. } if found == expected + 1),
                "{error}"
            );
        }
        let error = session.resume(resumed()).unwrap_err();
        assert!(matches!(error, StoreError::Poisoned { .. }), "{error}");
    }
}

#[test]
fn what_was_not_synced_before_is_synced_before_anybody_acts_on_it() {
    let fs = disk();
    let mut session = store(&fs).create(opened(ID)).unwrap();
    // Killed between write and fsync: the record is seen, but is only in memory.
    fs.plan(Some(Plan { at: 2, fault: Fault::AbortBefore, under: Some(journal_path()) }));
    session.resume(resumed()).unwrap_err();
    let next = fs.kill();
    let (reopened, records, _) = store(&next).open(ID).unwrap();
    assert_eq!(records.len(), 2);
    drop(reopened);
    assert_eq!(store(&next.crash(|_| false)).read(ID).unwrap().records.len(), 2);
}
