//! What is asked before anything is paid: does the budget cover what comes first, and are the agents logged in?
//!
//! A refusal costs nothing, opens no session and changes none.

use std::collections::BTreeMap;

use super::drive::spent;
use super::logins;
use super::replay;
use super::setup::Setup;
use crate::engine::limits::{Account, Purse};
use crate::error::{Error, Kind};
use crate::protocol::backlog::model::RoundWarning;
use crate::protocol::{Protocol, Shortfall, Step, Turn, Usd};
use crate::report::short_id;
use crate::session::{Ledger, Stored};

/// Looks before a new session is opened.
///
/// # Errors
/// The budget does not cover the first step, or an agent that would be asked is logged out.
pub(crate) async fn before_first<P: Protocol>(
    setup: &Setup<'_>,
    machine: &P,
    budget: Usd,
) -> Result<(), Error> {
    let Step::Ask { turns, .. } = machine.next() else {
        return Ok(());
    };
    if let Some(short) = lacking(setup, &turns, machine.quorum(), budget, (Usd::ZERO, None)) {
        return Err(refusal(short, budget, Usd::ZERO, None));
    }
    Box::pin(logins::check(
        setup.workspace,
        setup.roster.casts(),
        setup.switch,
    ))
    .await
}

/// Looks before a stored session goes on: `machine` is the session's, as it was opened. `budget`: that of the resume, if it
/// names one.
///
/// # Errors
/// As [`before_first`].
pub(crate) async fn before_next<P: Protocol>(
    setup: &Setup<'_>,
    stored: &Stored,
    mut machine: P,
    budget: Option<Usd>,
) -> Result<(), Error> {
    let ledger = &stored.ledger;
    Box::pin(replay::replay(stored, &setup.calls, &mut machine)).await?;
    // What a crash left may be whole, and is then adopted for nothing.
    let in_flight = ledger.reserved() > Usd::ZERO;
    if let Step::Ask { turns, .. } = machine.next()
        && let Some(budget) = budget.or(ledger.budget())
        && !in_flight
    {
        let answered = |turn: &Turn| ledger.turns().contains_key(&turn.id);
        let (there, open): (Vec<Turn>, Vec<Turn>) = turns.into_iter().partition(answered);
        let quorum = machine.quorum().saturating_sub(there.len());
        if let Some(short) = lacking(setup, &open, quorum, budget, (spent(ledger), Some(ledger))) {
            return Err(refusal(short, budget, spent(ledger), Some(&stored.id)));
        }
    }
    Box::pin(logins::check(
        setup.workspace,
        setup.roster.casts(),
        setup.switch,
    ))
    .await
}

/// Looks before a stored session is asked again from a round on, in a new session that has spent nothing yet. `keep`: the
/// turns whose answers are kept.
///
/// # Errors
/// As [`before_first`].
pub(crate) async fn before_again<P: Protocol>(
    setup: &Setup<'_>,
    stored: &Stored,
    mut machine: P,
    keep: &dyn Fn(&str) -> bool,
    budget: Option<Usd>,
) -> Result<(), Error> {
    Box::pin(replay::replay_of(stored, &setup.calls, &mut machine, keep)).await?;
    if let (Step::Ask { turns, .. }, Some(budget)) = (machine.next(), budget) {
        // What calls cost is known from the parent.
        let known = (Usd::ZERO, Some(&stored.ledger));
        if let Some(short) = lacking(setup, &turns, machine.quorum(), budget, known) {
            return Err(refusal(short, budget, Usd::ZERO, None));
        }
    }
    Box::pin(logins::check(
        setup.workspace,
        setup.roster.casts(),
        setup.switch,
    ))
    .await
}

/// The rules of this run's money.
pub(crate) fn purse(setup: &Setup<'_>, budget: Option<Usd>) -> Purse {
    Purse {
        budget,
        first: setup.first_reserve.clone(),
        max_calls: Some(setup.most_calls),
    }
}

/// Returns what the budget lacks for the cheapest `quorum` roles of a step, each asked once. `ledger`: what calls of them
/// cost before.
fn lacking(
    setup: &Setup<'_>,
    turns: &[Turn],
    quorum: usize,
    budget: Usd,
    (spent, ledger): (Usd, Option<&Ledger>),
) -> Option<Shortfall> {
    let purse = purse(setup, Some(budget));
    let reserve = |role: &str| {
        let cast = setup.roster.cast(role);
        let declared = cast.and_then(|cast| cast.agent.declared_cost);
        let largest = ledger.and_then(|ledger| ledger.largest(role));
        purse.amount(role, largest, declared)
    };
    let roles: BTreeMap<&str, Usd> = (turns.iter())
        .map(|turn| (turn.role.as_str(), reserve(&turn.role)))
        .collect();
    let mut reserves: Vec<Usd> = roles.into_values().collect();
    reserves.sort_unstable();
    let account = Account {
        spent,
        ..Account::default()
    };
    purse.shortfall(&account, reserves.into_iter().take(quorum).sum())
}

/// Looks before a call without a session.
///
/// # Errors
/// The budget does not cover the call.
pub(crate) fn one_call(purse: &Purse, reserve: Usd) -> Result<(), Error> {
    match (purse.shortfall(&Account::default(), reserve), purse.budget) {
        (Some(short), Some(budget)) => Err(refusal(short, budget, Usd::ZERO, None)),
        (_, _) => Ok(()),
    }
}

/// Refuses a run whose budget is too small, with the sum that is needed. `session`: the one that would go on.
pub(crate) fn refusal(short: Shortfall, budget: Usd, spent: Usd, session: Option<&str>) -> Error {
    let reserve = short.reserve_usd;
    let what = match session {
        None => format!(
            "the budget of {budget} does not cover what is needed from the start: {reserve}"
        ),
        Some(_) => format!(
            "the budget of {budget} does not cover what comes next: {spent} is spent, and {reserve} is needed"
        ),
    };
    let raise = short.option();
    let hint = match session.map(short_id) {
        None => format!("give `{raise}` or more; nothing was paid"),
        Some(id) => {
            format!("`debate-agent sessions resume {id} {raise}` goes on; nothing more was paid")
        }
    };
    Error::new(Kind::Undecided, what).named("budget").hint(hint)
}

/// Says what the budget lacks, where that ended the last run.
pub(crate) fn ended(ledger: &Ledger) -> Option<RoundWarning> {
    let Shortfall {
        reserve_usd,
        budget_usd,
    } = ledger.short()?;
    Some(RoundWarning {
        code: "budget_short".to_owned(),
        turn: None,
        message: format!(
            "what comes next reserves {reserve_usd}, after {} that is spent: a budget of {budget_usd} covers it",
            spent(ledger)
        ),
    })
}
