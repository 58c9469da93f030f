//! Entries about ids that were shown.

use super::super::some_of;
use super::*;

declare! {
    #[derive(Debug, Clone, PartialEq)]
    struct Verdict as "verdict" {
        id: String = id(60),
        size: Size = word(),
    }
}

declare! {
    struct Verdicts {
        all: Vec<Verdict> = entries(100),
    }
}

const VERDICTS: Block<Verdicts> = object("VERDICTS");

/// Reads verdicts on `F1` to `F4`: those that count, and the codes of notes or problems.
fn verdicts(given: &str, chance: Chance) -> Result<(String, Vec<String>), Vec<String>> {
    let shown = ["F1", "F2", "F3", "F4"].map(str::to_owned);
    let each = given.split(", ").map(|each| each.split_once(' ').unwrap());
    let all = each.map(|(id, size)| json!({"id": id, "size": size}));
    let body = json!({ "all": all.collect::<Vec<_>>() }).to_string();
    let reply = RawReply { bytes: template::block("VERDICTS", &body).into_bytes(), cut: false };
    let mut reading = ReplyReader::of(&reply, &[&VERDICTS.outline], terms(&shown, chance)).unwrap();
    let said = reading.read(&VERDICTS, |judge, said| {
        let kept = judge.by_id("verdict", said.all, |each| &mut each.id);
        let kept = kept.iter().map(|each| format!("{} {}", each.id, each.size.word()));
        Some(kept.collect::<Vec<_>>().join(", "))
    });
    match reading.close(said) {
        Ok((said, notes)) => Ok((said, notes.into_iter().map(|note| note.code).collect())),
        Err(defect) => {
            assert_eq!(defect.expected_ids, shown);
            Err(defect.problems.into_iter().map(|problem| problem.code).collect())
        }
    }
}

/// Rows 18 to 22 of the decision table: (given, first chance, last chance)
#[test]
fn entries_about_ids_that_were_shown() {
    type Read<'a> = Result<(&'a str, &'a [&'a str]), &'a [&'a str]>;
    let whole = "F1 small, F2 large, F3 small, F4 small";
    let three: Read<'_> = Ok(("F1 small, F2 large, F3 small", &["ids_missing"]));
    let noted: Read<'_> = Ok((whole, &["id_normalised", "unknown_id", "duplicate_equal"]));
    let rows: [(&str, Read<'_>, Read<'_>); 6] = [
        // In any order; returned in the order shown.
        ("F3 small, F1 small, F4 small, F2 large", Ok((whole, &[])), Ok((whole, &[]))),
        // A different spelling, a duplicate, and an unknown id.
        ("f1 small, F2 large, F2 large, F3 small, F4 small, F9 small", noted, noted),
        // A third or less may be missing.
        ("F1 small, F2 large, F3 small", three, three),
        // More are worth a re-ask.
        ("F1 small, F2 large", Err(&["ids_missing"]), Ok(("F1 small, F2 large", &["ids_missing"]))),
        // Two conflicting answers do not count.
        (
            "F1 small, F1 large, F2 large, F3 small, F4 small",
            Err(&["conflicting_entries"]),
            Ok(("F2 large, F3 small, F4 small", &["conflicting_entries", "ids_missing"])),
        ),
        // No answers at all are not an answer.
        ("F9 small", Err(&["ids_missing"]), Err(&["ids_missing"])),
    ];
    for (given, at_first, at_last) in rows {
        for (chance, expected) in [(Chance::First, at_first), (Chance::Last, at_last)] {
            match (verdicts(given, chance), expected) {
                (Ok((said, codes)), Ok((kept, noted))) => {
                    assert_eq!(
                        (&*said, &codes[..]),
                        (kept, &noted.iter().map(|&code| code.to_owned()).collect::<Vec<_>>()[..])
                    );
                }
                (Err(codes), Err(expected)) => assert_eq!(codes, expected, "{given:?}"),
                (read, _) => panic!("{given:?}: {read:?}"),
            }
        }
    }
}

/// Up to ten are listed, each cut to the length of an id.
#[test]
fn many_names_are_counted() {
    let names: Vec<String> = (1..=12).map(|n| format!("F{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(some_of(&names[..2]), "F1, F2");
    assert!(some_of(&names[..10]).ends_with("F10"));
    assert!(some_of(&names).ends_with("F10, and 2 more"));
}
