//! The agreement matrix of the report: for any two agents, how their findings and judgements relate.

use super::model::{Agreement, Group, Stance};

/// Returns one entry per pair of the seats that answered, in their order, each with its agent's name.
///
/// A group that both wrote is shared; one that either wrote alone is agreed, disagreed or open, depending on the
/// other's judgement; a group that neither wrote does not count for the pair.
pub fn matrix(groups: &[Group], answered: &[(usize, &str)]) -> Vec<Agreement> {
    let mut matrix = Vec::new();
    for (at, (one, name)) in answered.iter().enumerate() {
        for (other, other_name) in answered.iter().skip(at + 1) {
            let mut entry = Agreement {
                one: (*name).to_owned(),
                other: (*other_name).to_owned(),
                shared: 0,
                agreed: 0,
                disagreed: 0,
                open: 0,
            };
            for group in groups {
                let authors = group.authors();
                let judge = match (authors.contains(one), authors.contains(other)) {
                    (true, true) => {
                        entry.shared += 1;
                        continue;
                    }
                    (true, false) => other,
                    (false, true) => one,
                    (false, false) => continue,
                };
                match group.judged.get(judge).map(|judged| judged.stance) {
                    Some(Stance::Agree) => entry.agreed += 1,
                    Some(Stance::Disagree) => entry.disagreed += 1,
                    Some(Stance::Unsure) | None => entry.open += 1,
                }
            }
            matrix.push(entry);
        }
    }
    matrix
}

#[cfg(test)]
mod tests {
    //! Tests of [`super`].

    use super::*;
    use crate::protocol::review::model::Severity;
    use crate::protocol::review::samples::group;

    #[test]
    fn each_pair_has_its_shared_agreed_disagreed_and_open_groups() {
        let of = |authors: &[(usize, &str)], judged: &[(usize, &str, Stance)]| {
            group("F1", Severity::P1, authors, judged)
        };
        let (zero, one, two) = ((0, "red"), (1, "blue"), (2, "red"));
        let groups = [
            of(&[zero, one], &[(2, "red", Stance::Agree)]),
            of(&[zero], &[(1, "blue", Stance::Disagree)]),
            of(&[one], &[(0, "red", Stance::Agree), (2, "red", Stance::Unsure)]),
            of(&[two], &[]),
            // An author's judgement does not count.
            of(&[zero], &[(0, "red", Stance::Disagree)]),
        ];
        let matrix = matrix(&groups, &[(0, "ada"), (1, "bob"), (2, "cyd")]);
        let counts: Vec<_> = matrix
            .iter()
            .map(|pair| {
                let names = (pair.one.as_str(), pair.other.as_str());
                (names, [pair.shared, pair.agreed, pair.disagreed, pair.open])
            })
            .collect();
        let expected = [
            (("ada", "bob"), [1, 1, 1, 1]),
            (("ada", "cyd"), [0, 1, 0, 3]),
            (("bob", "cyd"), [0, 1, 0, 2]),
        ];
        assert_eq!(counts, expected);
        assert!(super::matrix(&groups, &[(0, "ada")]).is_empty());
    }
}
