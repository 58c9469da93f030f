//! The id of a turn: its round, its task, the seat and the part, and their spelling.

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

/// Names a turn in prompts, journals and messages: `r2/cross/s1/b2`.
///
/// | part | spelled | example |
/// |---|---|---|
/// | the round, from 1; 0 before the first; none if the turn follows all rounds | `r2` | `r2/critic`, `r0/clarify` |
/// | the task | a word | `validate/s1` |
/// | the seat, if several have the same task | `s1` is the first | `r1/plan/s2` |
/// | the part, if one seat is asked several times | a word | `r1/review/s1/b2`, `fix/opp-tf-1` |
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TurnId(String);

impl TurnId {
    /// Creates the id of a turn that belongs to no round.
    pub fn of(task: &str) -> Self {
        Self(task.to_owned())
    }

    /// Creates the id of a turn in a round, counted from 1; 0 is before the first.
    pub fn in_round(round: u32, task: &str) -> Self {
        Self(format!("r{round}/{task}"))
    }

    /// Adds the seat, counted from 0.
    #[must_use]
    pub fn seat(self, seat: usize) -> Self {
        self.part(&seat_name(seat))
    }

    #[must_use]
    pub fn part(mut self, part: &str) -> Self {
        self.0.push('/');
        self.0.push_str(part);
        self
    }

    pub fn read(id: &str) -> Self {
        Self(id.to_owned())
    }

    /// Returns the id's spelling.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the round: 2 for `r2/critic`, 0 for a turn before the first round (`r0/clarify`), `None` for one after
    /// all rounds (`validate/s1`).
    pub fn round(&self) -> Option<u32> {
        round_of(self)
    }

    /// Returns the task: `cross` for `r2/cross/s1/b2`.
    pub fn task(&self) -> &str {
        task_of(self)
    }
}

/// Returns the round of a turn id from a journal: 2 for `r2/critic`, 0 for a turn before the first round
/// (`r0/clarify`), `None` for one after all rounds (`validate/s1`).
pub fn round_of(id: &str) -> Option<u32> {
    split(id).0
}

/// Returns the task of a turn id: `cross` for `r2/cross/s1/b2`.
pub fn task_of(id: &str) -> &str {
    let (_, rest) = split(id);
    rest.split_once('/').map_or(rest, |(task, _)| task)
}

fn split(id: &str) -> (Option<u32>, &str) {
    let round = |(first, rest): (&str, &'_ str)| {
        let number = first.strip_prefix('r')?.parse().ok()?;
        Some((Some(number), rest.len()))
    };
    match id.split_once('/').and_then(round) {
        Some((round, rest)) => (round, &id[id.len() - rest..]),
        None => (None, id),
    }
}

/// Returns the default name of a seat, counted from 0: `s1` is the first.
pub fn seat_name(seat: usize) -> String {
    format!("s{}", seat.saturating_add(1))
}

impl Deref for TurnId {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<TurnId> for String {
    fn from(id: TurnId) -> Self {
        id.0
    }
}

impl PartialEq<str> for TurnId {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for TurnId {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl PartialEq<TurnId> for String {
    fn eq(&self, other: &TurnId) -> bool {
        *self == other.0
    }
}

impl PartialEq<String> for TurnId {
    fn eq(&self, other: &String) -> bool {
        self.0 == *other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_is_spelled_once_and_read_back() {
        for (id, spelled, round, task) in [
            (TurnId::in_round(2, "critic"), "r2/critic", Some(2), "critic"),
            (TurnId::in_round(1, "plan").seat(1), "r1/plan/s2", Some(1), "plan"),
            (
                TurnId::in_round(1, "review").seat(0).part("b2"),
                "r1/review/s1/b2",
                Some(1),
                "review",
            ),
            (TurnId::in_round(4, "judge").part("own"), "r4/judge/own", Some(4), "judge"),
            (TurnId::in_round(0, "clarify"), "r0/clarify", Some(0), "clarify"),
            (TurnId::of("validate").seat(0), "validate/s1", None, "validate"),
            (TurnId::of("fix").part("opp-tf-1"), "fix/opp-tf-1", None, "fix"),
            (TurnId::of("features"), "features", None, "features"),
        ] {
            assert_eq!(id, spelled);
            assert_eq!((id.round(), id.task()), (round, task), "{spelled}");
            assert_eq!(TurnId::read(spelled), id);
        }
    }

    #[test]
    fn what_only_looks_like_a_round_is_none() {
        for (text, task) in [
            ("r/x", "r"),
            ("rx/y", "rx"),
            ("r2", "r2"),
            ("review/r1", "review"),
            ("r99999999999/x", "r99999999999"),
            ("", ""),
        ] {
            let id = TurnId::read(text);
            assert_eq!((id.round(), id.task()), (None, task), "{text}");
        }
    }

    #[test]
    fn an_id_is_its_spelling_and_no_other_in_whatever_form() {
        let id = TurnId::in_round(2, "critic");
        for (spelled, same) in [("r2/critic", true), ("r3/critic", false)] {
            let owned = spelled.to_owned();
            assert_eq!([id == spelled, id == *spelled, id == owned, owned == id], [same; 4]);
            let (shown, taken) = (format!("{id}"), String::from(id.clone()));
            for form in [id.as_str(), &*id, &shown, &taken] {
                assert_eq!(form == spelled, same);
            }
        }
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"r2/critic\"");
    }
}
