//! Parsing git's output; the calls are tested in `tests/it/git.rs`.

use proptest::prelude::{any, proptest};

use super::graph::Graph;
use super::parse::{check_reference, lines, names, shields, status, time};
use super::{CommitId, GitError};

#[test]
fn every_filter_is_switched_off_and_one_that_cannot_be_is_refused() {
    let found =
        shields(b"filter.lfs.clean\0filter.lfs.process\0filter.a.b.smudge\0remote.origin.url\0")
            .unwrap();
    assert!(found.has_remote);
    assert_eq!(
        found.settings,
        [
            "filter.lfs.clean=",
            "filter.lfs.smudge=",
            "filter.lfs.process=",
            "filter.lfs.required=false",
            "filter.a.b.clean=",
            "filter.a.b.smudge=",
            "filter.a.b.process=",
            "filter.a.b.required=false",
        ]
    );
    for hostile in [&b"filter.a=b.clean\0"[..], b"filter.\xff.clean\0"] {
        assert!(matches!(shields(hostile), Err(GitError::Hostile { .. })));
    }
    let many = (0..101).fold(String::new(), |all, n| all + &format!("filter.f{n}.clean\0"));
    assert!(matches!(shields(many.as_bytes()), Err(GitError::Hostile { .. })));
}

#[test]
fn names_that_could_be_options_are_no_references() {
    for bad in ["", "-", "--output=x", "--help", "a\nb", "\u{1b}[2J"] {
        assert!(matches!(check_reference(bad), Err(GitError::BadReference { .. })));
    }
    assert_eq!(check_reference("feature/größe"), Ok(()));
}

#[test]
fn an_id_is_hexadecimal_digits_and_nothing_else() {
    assert!(CommitId::read(&[b'a'; 40]).is_some());
    assert!(CommitId::read(&[b'0'; 64]).is_some());
    for bad in [&b"--output=x"[..], b"HEAD", &[b'g'; 40], &[b'a'; 39], b""] {
        assert_eq!(CommitId::read(bad), None);
    }
}

#[test]
fn a_name_that_was_cut_is_not_taken_for_a_name() {
    let read: Vec<String> = names(b"a.rs\0\0b\xff.rs\0half").collect();
    assert_eq!(read, ["a.rs", "b\\xff.rs"]);
    let read: Vec<String> = status(b" M a b.rs\0?? new\0 M cu").collect();
    assert_eq!(read, ["a b.rs", "new"]);
}

#[test]
fn a_commit_is_counted_once_however_many_ways_lead_to_it() {
    let id = |c: char| c.to_string().repeat(40);
    let line = |ids: &str| ids.chars().map(id).collect::<Vec<_>>().join(" ") + "\n";
    // a merges b and c, both derived from d; e is separate; 0 is in the base.
    let printed = ["abc", "bd", "cd", "d0", "e0"].map(line).concat();
    let graph = Graph::read(printed.as_bytes());
    for (tip, count) in [('a', 4), ('b', 2), ('d', 1), ('e', 1), ('0', 0)] {
        let tip = CommitId::read(id(tip).as_bytes()).unwrap();
        assert_eq!(graph.reachable(&tip), count, "{tip:?}");
    }
}

proptest! {
    #[test]
    fn no_output_of_git_makes_a_reader_panic(bytes in any::<Vec<u8>>()) {
        let _counts = (names(&bytes).count(), status(&bytes).count(), time(&bytes));
        drop(Graph::read(&bytes));
        drop((shields(&bytes), lines(&bytes), CommitId::read(&bytes)));
    }
}
