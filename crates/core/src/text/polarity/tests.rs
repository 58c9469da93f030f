//! Denials, sentence by sentence. The rates over the pairs are measured in `similarity/pairs/tests.rs`.

use proptest::prelude::*;

use super::*;

const CLASH: [(&str, &str); 24] = [
    ("We should cache reads.", "We should not cache reads."),
    ("We should cache reads.", "We shouldn't cache reads."),
    ("We should cache reads.", "We shouldn\u{2019}t cache reads."),
    ("WE SHOULD CACHE READS", "we cannot cache reads"),
    ("Merge it.", "Do not merge it."),
    ("Cache the reads.", "Never cache the reads."),
    ("Cache the reads.", "Avoid caching the reads."),
    ("We should not avoid caches for reads.", "Caches for reads should be avoided."),
    ("Approve the proposal for the new office.", "Reject the proposal for the new office."),
    ("Keep the old endpoint.", "Remove the old endpoint."),
    ("The old endpoint should be kept.", "The old endpoint should be removed."),
    ("Deleted rows should be kept.", "Deleted rows should not be kept."),
    ("Enable compression of backups.", "Disable compression of backups."),
    ("Write the tool in Go rather than in Python.", "Write the tool in Python rather than in Go."),
    ("Prefer Go over Python.", "Prefer Python over Go."),
    ("Prefer composition to inheritance.", "Prefer inheritance to composition."),
    ("Replace REST with gRPC.", "Replace gRPC with REST."),
    ("REST should be replaced by gRPC.", "gRPC should be replaced by REST."),
    ("Move from Oracle to Postgres.", "Move from Postgres to Oracle."),
    ("Deploy with tests.", "Deploy without tests."),
    ("Make the cluster private.", "Make the cluster public."),
    ("Calls should be synchronous.", "Calls should be asynchronous."),
    (
        "It costs little. We should cache reads in Redis, because they dominate. Writes stay.",
        "Having looked at the load: we should not cache reads in Redis. Writes are rare.",
    ),
    ("We should not, however, cache reads.", "We should cache reads."),
];

const AGREE: [(&str, &str); 17] = [
    ("We should cache reads.", "We should cache reads."),
    ("We should not cache reads.", "We should not cache reads."),
    ("We should not cache reads.", "Never cache reads."),
    ("Do not deploy on Fridays.", "Avoid deploying on Fridays."),
    ("We should not avoid caches for reads.", "We should use caches for reads."),
    ("Never deploy without tests.", "Deploy with tests."),
    ("We should not disable compression.", "We should enable compression."),
    ("Keep no more than ten backups.", "Keep ten backups."),
    ("Cache not only reads.", "Cache reads."),
    ("We should cache reads, not writes.", "We should cache reads. We should not cache writes."),
    ("Replace Oracle with Postgres.", "Move from Oracle to Postgres."),
    ("Use Go instead of Python.", "Prefer Go over Python."),
    ("Drop Python in favour of Go.", "Replace Python with Go."),
    ("Remove the tour.", "Drop the tour."),
    ("We should cache reads.", "Nurses should not work at night."),
    ("", "We should not cache reads."),
    ("Not.", "Never."),
];

#[test]
fn a_denial_is_seen_either_way_round() {
    for (one, other) in CLASH {
        assert!(negates(one, other), "{one} | {other}");
        assert!(negates(other, one), "{other} | {one}");
    }
}

#[test]
fn what_says_the_same_or_something_else_denies_nothing() {
    for (one, other) in AGREE {
        assert!(!negates(one, other), "{one} | {other}: {:?} {:?}", clauses(one), clauses(other));
        assert!(!negates(other, one), "{other} | {one}");
    }
}

#[test]
fn much_text_is_read_in_part() {
    let long = "We should cache reads. ".repeat(1000);
    let read = clauses(&long);
    assert_eq!(read.len(), CLAUSES);
    // An endless clause is cut, so that no word is compared with all before it.
    let endless = clauses(&"prefer this over cache ".repeat(1000));
    assert!(endless.len() > 40 && endless.iter().all(|clause| clause.signs.len() <= 64));
    assert!(negates(&long, "We should not cache reads."));
}

proptest! {
    #[test]
    fn no_text_denies_itself(text in any::<String>(), words in "((not|no|from|to|replace|with|over|prefer|cache|up|down|without|unsafe|safe)[ ,.]){0,12}") {
        let sentence = format!("We should keep this: {text}");
        for text in [&text, &sentence] {
            let _ = negates(text, &words);
            prop_assert_eq!(negates(text, &words), negates(&words, text));
        }
        // Single clauses, as two sentences of a text may well contradict each other.
        for clause in clauses(&words) {
            prop_assert!(!clause.clashes_with(&clause, 1));
        }
    }

    #[test]
    fn should_and_should_not_always_clash(words in prop::collection::vec("[b-dj-z][aeou][lmprt][aeou][b-dj-r]", 1..6)) {
        let words = words.join(" ");
        let (one, other) = (format!("We should {words}."), format!("We should not {words}."));
        prop_assert!(negates(&one, &other));
    }
}
