//! How any two agents' findings and judgements meet: the agreement matrix of the report.

use super::model::{Agreement, Group, Stance};

#[cfg(test)]
mod tests;

/// Returns one entry a pair of the seats that answered, in their order, each with its agent's name.
///
/// A group that both wrote is shared; one that either wrote alone is agreed, disagreed or open, as
/// the other judged it; a group of neither is no part of the pair.
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
