//! The arms of a case, read from its stored session: nobody is asked.
//!
//! Each arm is what the protocol's own rules make of a part of the answers: of one seat's first, of all first, of all.

use crate::app::review::Review;
use crate::app::run::stored::outcome_of;
use crate::app::topic::Panel;
use crate::error::Error;
use crate::eval::Part;
use crate::eval::case::{Case, Defect};
use crate::eval::matching::{Place, matched};
use crate::eval::score::{ArmResult, CaseResult, Kind, PIPELINE, Price};
use crate::kernel::share::Share;
use crate::kernel::{Cost, Seat, SeatStatus, count, round_of, seat_name};
use crate::ordered::{BTreeMap, Gather as _};
use crate::protocol::debate::outcome::at_the_table;
use crate::protocol::review::{ReportedFinding, ReviewFindings, Stance, Status};
use crate::session::{Body, State, StoredSession};

/// Reads the arms of a case from its session; `None` if it has not ended, or a seat did not answer at first. One that ended
/// undecided counts: leaving it out would favour the pipeline.
pub(super) async fn read(
    name: &str,
    case: &Case,
    stored: &StoredSession,
) -> Result<Option<CaseResult>, Error> {
    let (stratum, found) = match case {
        Case::Review { stratum, defects, .. } => (stratum, of_review(defects, stored).await?),
        Case::Question { stratum, options, answer, .. } => {
            (stratum, of_question(options, answer, stored).await?)
        }
        Case::Ranking { .. } | Case::Document { .. } => return Ok(None),
    };
    Ok(found.map(|(kind, seats, arms, minds)| CaseResult {
        name: name.to_owned(),
        kind,
        part: Part::of(name),
        stratum: stratum.clone(),
        session_id: stored.id.clone(),
        agents: seats.into_iter().map(|seat| seat.agent).collect(),
        arms,
        minds,
    }))
}

type Found = Option<(Kind, Vec<Seat>, Vec<ArmResult>, Vec<(bool, bool)>)>;

async fn of_review(defects: &[Defect], stored: &StoredSession) -> Result<Found, Error> {
    let whole = outcome_of::<Review>(stored, &|_| true).await?;
    if !all_answered(&whole.seats, stored) {
        return Ok(None);
    }
    let arm = |arm: String, reported: &[&ReportedFinding], price| {
        let findings: Vec<Place> = reported.iter().map(|each| place(each)).collect();
        let found = matched(defects, &findings);
        ArmResult {
            arm,
            right: count(found.iter().flatten().count()),
            given: count(reported.len()),
            wanted: count(defects.len()),
            findings,
            found,
            answer: None,
            confidence: None,
            price,
        }
    };
    let mut arms = Vec::new();
    for (at, seat) in whole.seats.iter().enumerate() {
        let own = |turn: &str| is_first_of(turn, at);
        let alone = outcome_of::<Review>(stored, &own).await?.result;
        arms.push(arm(format!("{} alone", seat.agent), &raised(&alone), price(stored, &own)));
    }
    let united = outcome_of::<Review>(stored, &is_first).await?.result;
    let (mut raised_by_any, together) = (raised(&united), price(stored, &is_first));
    arms.push(arm("union".to_owned(), &raised_by_any, together));
    raised_by_any.retain(|each| 2 * each.found_by.len() > whole.seats.len());
    arms.push(arm("majority".to_owned(), &raised_by_any, together));
    let (kept, all) = (&whole.result.findings, price(stored, &|_| true));
    let kept = |keeps: fn(Status) -> bool| -> Vec<&ReportedFinding> {
        kept.iter().filter(|each| keeps(each.status)).map(|each| &each.reported).collect()
    };
    arms.push(arm(PIPELINE.to_owned(), &kept(|status| status != Status::Disputed), all));
    let confirmed = kept(|status| matches!(status, Status::Confirmed | Status::Reproduced));
    arms.push(arm(format!("{PIPELINE}, confirmed"), &confirmed, all));
    let early = |turn: &str| round_of(turn).is_some_and(|round| round < 3);
    let early = outcome_of::<Review>(stored, &early).await?.result;
    let minds = judgements(defects, &early, &whole.result);
    Ok(Some((Kind::Review, whole.seats, arms, minds)))
}

/// Returns, for each judgement of a finding, whether it was right at first and at last.
fn judgements(
    defects: &[Defect],
    early: &ReviewFindings,
    whole: &ReviewFindings,
) -> Vec<(bool, bool)> {
    let stances = |of: &ReviewFindings| -> BTreeMap<(String, String), Stance> {
        let all = raised(of).into_iter();
        all.flat_map(|each| each.judgements.iter().chain(&each.rebuttals))
            .map(|said| ((said.finding.clone(), said.agent.clone()), said.stance))
            .gather()
    };
    let (before, after) = (stances(early), stances(whole));
    let mut changes = Vec::new();
    for each in raised(whole) {
        let is_true = matched(defects, &[place(each)]).iter().any(Option::is_some);
        let is_right = |stance: Stance| match stance {
            Stance::Agree => is_true,
            Stance::Disagree => !is_true,
            Stance::Unsure => false,
        };
        for (by, last) in after.iter().filter(|((finding, _), _)| *finding == each.id) {
            // Authors agree with their own.
            let own = each.found_by.contains(&by.1).then_some(Stance::Agree);
            if let Some(first) = own.or_else(|| before.get(by).copied()) {
                changes.push((is_right(first), is_right(*last)));
            }
        }
    }
    changes
}

async fn of_question(
    options: &[String],
    right: &str,
    stored: &StoredSession,
) -> Result<Found, Error> {
    let whole = outcome_of::<Panel>(stored, &|_| true).await?.inner;
    let result = &whole.result;
    let seats: Vec<Seat> = whole.seats.iter().filter(at_the_table).cloned().collect();
    if !all_answered(&seats, stored) {
        return Ok(None);
    }
    let arm = |arm: String, answer: Option<&String>, confidence, price| {
        let answer = answer.filter(|option| options.contains(option)).cloned();
        ArmResult {
            arm,
            right: u32::from(answer.as_deref() == Some(right)),
            given: u32::from(answer.is_some()),
            wanted: 1,
            findings: Vec::new(),
            found: Vec::new(),
            answer,
            confidence,
            price,
        }
    };
    let given = || result.choices.iter().flat_map(|choice| choice.seats.iter().zip(&choice.said));
    let mut arms = Vec::new();
    for (at, seat) in seats.iter().enumerate() {
        let said = given().find(|(by, _)| **by == seat.role).map(|(_, said)| said);
        let option = said.and_then(|said| said.option.as_ref());
        let confidence = said.and_then(|said| said.confidence).map(Share::number);
        let price = price(stored, &|turn| is_first_of(turn, at));
        arms.push(arm(format!("{} alone", seat.agent), option, confidence, price));
    }
    let last = |seat: &Seat| {
        let vote = result.last_votes.iter().find(|vote| vote.seat == seat.role)?;
        result.choices.iter().find(|choice| choice.id == vote.choice)?.option.as_ref()
    };
    let votes = seats.iter().zip(&arms).map(|(seat, first)| {
        (first.right == 1, last(seat).or(first.answer.as_ref()).is_some_and(|last| last == right))
    });
    let minds = votes.collect();
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    for answer in arms.iter().filter_map(|arm| arm.answer.clone()) {
        *taken.entry(answer).or_default() += 1;
    }
    let most = taken.values().max().copied();
    let mut leading = taken.iter().filter(|(_, votes)| Some(**votes) == most);
    // Where several lead, there is no answer.
    let plurality = leading.next().filter(|_| leading.next().is_none()).map(|(option, _)| option);
    arms.push(arm("plurality".to_owned(), plurality, None, price(stored, &is_first)));
    let decided = result.decision.as_ref().and_then(|decision| {
        let same = result.choices.iter().filter(|choice| choice.text == decision.text);
        same.max_by_key(|choice| choice.votes)?.option.as_ref()
    });
    arms.push(arm(PIPELINE.to_owned(), decided, None, price(stored, &|_| true)));
    Ok(Some((Kind::Question, seats, arms, minds)))
}

/// Returns all that was raised, as the review's own rules group it.
fn raised(result: &ReviewFindings) -> Vec<&ReportedFinding> {
    let kept = result.findings.iter().map(|each| &each.reported);
    kept.chain(result.eliminated.iter().map(|each| &each.reported)).collect()
}

fn place(reported: &ReportedFinding) -> Place {
    let finding = &reported.finding;
    Place { file: finding.file.clone(), line: finding.line, title: finding.title.clone() }
}

fn is_first(turn: &str) -> bool {
    round_of(turn) == Some(1)
}

fn is_first_of(turn: &str, seat: usize) -> bool {
    is_first(turn) && turn.split('/').any(|part| part == seat_name(seat))
}

/// Whether the session has ended, and every seat's own agent gave its first answer.
fn all_answered(seats: &[Seat], stored: &StoredSession) -> bool {
    let mut firsts = stored.ledger.turns().values().filter(|turn| is_first(&turn.turn));
    matches!(stored.ledger.state(), State::Closed { .. })
        && seats.iter().all(|seat| seat.status != SeatStatus::FellBack)
        && firsts.all(|turn| turn.failure.is_none())
}

/// Returns what the calls of some turns cost.
fn price(stored: &StoredSession, keep: &dyn Fn(&str) -> bool) -> Price {
    let mut turns: BTreeMap<&str, &str> = BTreeMap::new();
    let price = |cost: Cost, milliseconds| Price { cost: Some(cost), calls: 1, milliseconds };
    Price::sum(stored.records.iter().filter_map(|record| {
        let of = |key: &str| turns.get(key).is_some_and(|turn| keep(turn));
        match &record.body {
            Body::Intent(call) => {
                turns.insert(&call.key, &call.intent.turn);
                None
            }
            Body::Result(it) if of(&it.key) => Some(price(it.cost, it.took_ms)),
            Body::Ambiguous(it) if of(&it.key) => Some(price(it.charged, 0)),
            _ => None,
        }
    }))
}
