//! Rows 18 to 22: what an id may look like, and that a ranking is always a permutation.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn index(ids: &[&str]) -> IdIndex {
    IdIndex::new(&ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>())
}

fn strings(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

#[test]
fn row_18_spelling_is_normalised_letters_are_not() {
    let index = index(&["opp-1", "opp-2", "Größe-x"]);
    assert_eq!(index.resolve("opp-1"), Resolved::Exact(0));
    for written in
        ["OPP-1", " opp-1 ", "\"opp-1\"", "`opp-1`", "opp–1", "opp\u{2011}1", "opp - 1", "“Opp−1”"]
    {
        assert_eq!(index.resolve(written), Resolved::Normalised(0), "{written}");
    }
    assert_eq!(index.resolve("GRÖßE-X"), Resolved::Normalised(2));
    for written in ["оpp-1", "opp-3", "opp1", "1", "", "opp-l", "#1"] {
        assert_eq!(index.resolve(written), Resolved::Unknown, "{written}");
    }
}

#[test]
fn row_18_only_if_it_fits_one_id() {
    let index = index(&["A-1", "a-1", "k"]);
    assert_eq!(index.resolve("A-1"), Resolved::Exact(0));
    assert_eq!(index.resolve("a-1"), Resolved::Exact(1));
    assert_eq!(index.resolve("A–1"), Resolved::Unknown);
    assert_eq!(index.resolve("\u{212a}"), Resolved::Unknown, "the Kelvin sign is no k");
}

#[test]
fn rows_19_to_22_unknown_duplicate_and_missing() {
    let index = index(&["a", "b", "c", "d"]);
    let result = permutation(&strings(&["c", "x", "C", "a"]), &index, &[3, 2, 1, 0]);
    assert_eq!(
        result,
        Permutation {
            order: vec![2, 0, 3, 1],
            unknown: strings(&["x"]),
            duplicates: strings(&["C"]),
            missing: vec![3, 1],
            normalised: vec![("C".into(), 2)],
        }
    );
    // Without a prior order, that of the input.
    assert_eq!(permutation(&[], &index, &[]).order, [0, 1, 2, 3]);
}

#[test]
fn row_16_ids_in_objects_and_row_17_ordinals() {
    let read = |value: Value| written_ids(value.as_array().unwrap());
    assert_eq!(read(json!(["a", "b"])), Some((strings(&["a", "b"]), false)));
    assert_eq!(read(json!([{"id": "a", "why": 1}, "b"])), Some((strings(&["a", "b"]), true)));
    assert_eq!(read(json!([1, 2])), None);
    assert_eq!(read(json!([{"name": "a"}])), None);
}

proptest! {
    /// P1, its generic part: any input gives a permutation.
    #[test]
    fn always_a_permutation(
        ids in prop::collection::vec("[aAbB1 -]{0,3}", 0..8),
        written in prop::collection::vec("[aAbB1 –\"-]{0,3}", 0..12),
        prior in prop::collection::vec(0..12_usize, 0..12),
    ) {
        let index = IdIndex::new(&ids);
        let result = permutation(&written, &index, &prior);
        let mut sorted = result.order.clone();
        sorted.sort_unstable();
        prop_assert_eq!(sorted, (0..ids.len()).collect::<Vec<_>>());
        prop_assert_eq!(result, permutation(&written, &index, &prior));
    }

    #[test]
    fn what_exists_is_found(ids in prop::collection::vec(any::<String>(), 1..6)) {
        let index = IdIndex::new(&ids);
        for id in &ids {
            let Resolved::Exact(at) = index.resolve(id) else { panic!("{id:?}") };
            prop_assert_eq!(&ids[at], id);
        }
    }
}
