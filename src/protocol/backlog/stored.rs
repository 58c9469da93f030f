//! Reads the record of a partner debate, as written by this program or by the source document's.
//!
//! Missing fields take their defaults; an unknown word of an enum, a wrong type and a missing required field are
//! errors that name the field. A record of the source has no outcome: it is derived from the record's other fields.

use serde_json::Value;

use super::model::{BacklogOutcome, DebateRound, DebateSession};
use crate::kernel::{Basis, Ended, Halt, Usd};
use crate::text::json::typed;

/// Reads a record in either form.
///
/// # Errors
/// A message with the fault and the field.
pub(crate) fn read(bytes: &[u8]) -> Result<DebateSession, String> {
    let json: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let mut session: DebateSession = typed(&json).map_err(|error| match error.place.as_str() {
        "." => error.problem,
        place => format!("`{place}`: {}", error.problem),
    })?;
    if session.outcome.is_none() {
        session.outcome = Some(outcome(&session));
    }
    for round in &mut session.rounds {
        // A consensus that was not claimed cannot be reached.
        round.consensus_claimed |= round.consensus_reached;
    }
    if session.total_cost_usd == Usd::ZERO {
        let costs = session.rounds.iter().map(DebateRound::round_cost_usd);
        session.total_cost_usd = costs.sum();
    }
    if session.total_cost_usd > Usd::ZERO && session.cost_basis.is_none() {
        // The figure's origin is not recorded, so it counts as declared.
        session.cost_basis = Some(Basis::Declared);
    }
    Ok(session)
}

/// Derives the outcome of a debate whose record does not name one.
fn outcome(session: &DebateSession) -> Ended<BacklogOutcome> {
    let rounds = u32::try_from(session.rounds.len()).unwrap_or(u32::MAX);
    let stopped = session.rounds.last().is_some_and(|round| !round.continue_debate);
    if session.consensus_reached {
        Ended::Closed(BacklogOutcome::Consensus)
    } else if rounds >= session.max_rounds && rounds > 0 {
        Ended::Closed(BacklogOutcome::MaxRounds)
    } else if session.stalemate {
        Ended::Stopped(Halt::Budget)
    } else if stopped {
        Ended::Closed(BacklogOutcome::ModeratorStop)
    } else {
        Ended::Stopped(Halt::Interrupted)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Returns the output of the source document's `to_dict` for a debate of one round.
    fn record() -> Value {
        json!({
            "session_id": "debate-1", "started_at": "2025-12-18T10:00:00.123456", "completed_at": null,
            "rounds": [{
                "round_number": 1, "champion_argument": "Now.", "champion_rankings": ["a", "b"],
                "critic_concerns": {}, "critic_counter_rankings": ["b", "a"], "moderator_final_rankings": ["a", "b"],
                "champion_cost_usd": 0.15, "critic_cost_usd": 0.1, "moderator_cost_usd": 0.15,
            }],
        })
    }

    fn of(value: &Value) -> Result<DebateSession, String> {
        read(value.to_string().as_bytes())
    }

    #[test]
    fn what_is_missing_takes_the_defaults_of_the_source() {
        let session = of(&record()).unwrap();
        assert_eq!((session.max_rounds, session.budget_usd.micros()), (3, 2_500_000));
        assert_eq!(session.started_at.to_rfc3339(), "2025-12-18T10:00:00.123456+00:00");
        assert_eq!(session.total_cost_usd.micros(), 400_000, "the sum of the rounds");
        assert!(
            session.rounds[0].continue_debate
                && session.rounds[0].moderator_dispositions.is_empty()
        );
        assert_eq!(session.outcome, Some(Ended::Stopped(Halt::Interrupted)));
        // A record of our own is read back unchanged.
        let own = serde_json::to_vec(&session).unwrap();
        assert_eq!(read(&own).unwrap(), session);
    }

    #[test]
    fn how_it_ended_is_taken_from_what_it_says() {
        let with = |more: Value| {
            let mut record = record();
            for (key, value) in more.as_object().unwrap() {
                record[key] = value.clone();
            }
            of(&record).unwrap().outcome.unwrap()
        };
        assert_eq!(with(json!({"consensus_reached": true})), BacklogOutcome::Consensus);
        assert_eq!(with(json!({"stalemate": true})), Ended::Stopped(Halt::Budget));
        assert_eq!(with(json!({"stalemate": true, "max_rounds": 1})), BacklogOutcome::MaxRounds);
        assert_eq!(with(json!({"outcome": "agent_failure"})), BacklogOutcome::AgentFailure);
    }

    #[test]
    fn what_cannot_be_read_names_its_field() {
        let wrong = |path: &[&str], value: Value| {
            let mut record = record();
            let mut at = &mut record;
            for key in path {
                at = match key.parse::<usize>() {
                    Ok(index) => &mut at[index],
                    Err(_) => &mut at[*key],
                };
            }
            *at = value;
            of(&record).unwrap_err()
        };
        for (path, value, says) in [
            (
                &["rounds", "0", "moderator_dispositions"][..],
                json!({"a": "later"}),
                "`rounds[0].moderator_dispositions.a`: unknown variant `later`, expected one of `prioritize`",
            ),
            (&["outcome"], json!("won"), "`outcome`: unknown variant `won`"),
            (&["started_at"], json!("yesterday"), "`started_at`: `yesterday` is not a time"),
            (
                &["rounds", "0", "critic_concerns"],
                Value::Null,
                "`rounds[0].critic_concerns`: invalid type: null",
            ),
            (&["max_rounds"], json!(-1), "`max_rounds`: invalid value"),
        ] {
            let error = wrong(path, value);
            assert!(error.starts_with(says), "{error}");
        }
        assert!(read(b"{}").unwrap_err().contains("missing field `session_id`"));
        assert!(read(b"{} {}").is_err());
    }
}
