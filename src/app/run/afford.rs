//! What is asked before anything is paid: does the budget cover what comes first, and are the agents logged in?
//!
//! A refusal costs nothing, opens no session and changes none.

use std::collections::BTreeMap;

use super::setup::Setup;
use super::standing::spent;
use super::{logins, replay};
use crate::agent::attempts::Extent;
use crate::agent::pace::Pace;
use crate::engine::budget::{Balance, Budget};
use crate::error::{Error, Kind};
use crate::kernel::{Driver, Protocol, Shortfall, Step, Turn, Usd, Warning};
use crate::report::short_id;
use crate::session::{Ledger, StoredSession};

/// What a command may spend, and did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowance {
    /// The command's budget.
    pub(crate) of: Usd,
    /// What its other sessions spent of it.
    pub(crate) spent: Usd,
}

impl Allowance {
    /// A budget of which nothing is spent.
    pub(crate) const fn all(of: Usd) -> Self {
        let spent = Usd::ZERO;
        Self { of, spent }
    }

    /// What a new session may spend.
    pub(crate) const fn budget(self) -> Usd {
        self.of.saturating_sub(self.spent)
    }
}

/// Looks before a new session is opened.
///
/// # Errors
/// The budget does not cover the first step, or an agent that would be asked is logged out.
pub(crate) async fn before_first<P: Protocol>(
    setup: &Setup<'_>,
    machine: &Driver<P>,
    left: Allowance,
) -> Result<(), Error> {
    let money = Money { budget: Some(left.of), spent: left.spent, ..Money::default() };
    before(setup, machine, &|_| false, &money).await
}

/// Looks before a stored session goes on: `machine` is the session's, as it was opened. `budget`: that of the resume, if it
/// names one.
///
/// # Errors
/// As [`before_first`].
pub(crate) async fn before_next<P: Protocol>(
    setup: &Setup<'_>,
    stored: &StoredSession,
    mut machine: Driver<P>,
    budget: Option<Usd>,
) -> Result<(), Error> {
    let ledger = &stored.ledger;
    let again = ledger.ask_again();
    let keep = |turn: &str| !again.iter().any(|asked| asked == turn);
    Box::pin(replay::replay_of(stored, &setup.calls, &mut machine, &keep)).await?;
    // What a crash left may be whole, and is then adopted for nothing.
    let in_flight = ledger.reserved() > Usd::ZERO;
    let money = Money {
        budget: budget.or(ledger.budget()).filter(|_| !in_flight),
        spent: spent(ledger),
        known: Some(ledger),
        session: Some(&stored.id),
    };
    let answered = |turn: &str| keep(turn) && ledger.turns().contains_key(turn);
    before(setup, &machine, &answered, &money).await
}

/// Looks before a stored session is asked again from a round on, in a new session that has spent nothing yet. `keep`: the
/// turns whose answers are kept.
///
/// # Errors
/// As [`before_first`].
pub(crate) async fn before_again<P: Protocol>(
    setup: &Setup<'_>,
    stored: &StoredSession,
    mut machine: Driver<P>,
    keep: &dyn Fn(&str) -> bool,
    budget: Option<Usd>,
) -> Result<(), Error> {
    Box::pin(replay::replay_of(stored, &setup.calls, &mut machine, keep)).await?;
    let money = Money { budget, known: Some(&stored.ledger), ..Money::default() };
    before(setup, &machine, &|_| false, &money).await
}

/// What there is for the next step.
#[derive(Default)]
struct Money<'a> {
    /// None: it is not looked at.
    budget: Option<Usd>,
    spent: Usd,
    /// Where it stands what calls cost before.
    known: Option<&'a Ledger>,
    /// The session that would go on.
    session: Option<&'a str>,
}

/// Looks before a protocol's next step. Where it asks nobody, neither sum nor login is looked at.
async fn before<P: Protocol>(
    setup: &Setup<'_>,
    machine: &Driver<P>,
    answered: &dyn Fn(&str) -> bool,
    money: &Money<'_>,
) -> Result<(), Error> {
    let Step::Ask { turns, .. } = machine.next() else {
        return Ok(());
    };
    if let Some(budget) = money.budget {
        let (there, open): (Vec<Turn>, Vec<Turn>) =
            turns.into_iter().partition(|turn| answered(&turn.id));
        let quorum = machine.quorum().saturating_sub(there.len());
        if let Some(short) = lacking(setup, &open, quorum, budget, (money.spent, money.known)) {
            return Err(refusal(short, budget, money.spent, money.session));
        }
    }
    Box::pin(logins::check(setup.workspace, setup.roster.casts(), setup.switch)).await
}

/// Returns the budget of this run.
pub(crate) fn budget(setup: &Setup<'_>, limit: Option<Usd>) -> Budget {
    Budget { limit, first: setup.first_reserve.clone(), max_calls: Some(setup.most_calls) }
}

/// Returns what the budget lacks for the cheapest `quorum` roles of a step, each asked once. `ledger`: what calls of them
/// cost before.
fn lacking(
    setup: &Setup<'_>,
    turns: &[Turn],
    quorum: usize,
    limit: Usd,
    (spent, ledger): (Usd, Option<&Ledger>),
) -> Option<Shortfall> {
    let budget = budget(setup, Some(limit));
    let reserve = |turn: &Turn| {
        let role = &*turn.role;
        let cast = setup.roster.cast(role);
        let declared = cast.and_then(|cast| cast.agent.declared_cost);
        let largest = ledger.and_then(|ledger| ledger.largest(role));
        let roles = &setup.workspace.effective.config.roles;
        let pace = Pace::of(&turn.plays, roles.get(&*turn.plays));
        let extent = Extent {
            bytes: u64::try_from(turn.prompt.text().len()).unwrap_or(u64::MAX),
            effort_above: cast.map_or(0, |cast| pace.above(&pace.applied(&cast.agent))),
        };
        budget.amount(role, largest, declared, extent)
    };
    let roles: BTreeMap<&str, Usd> =
        (turns.iter()).map(|turn| (turn.role.as_str(), reserve(turn))).collect();
    let mut reserves: Vec<Usd> = roles.into_values().collect();
    reserves.sort_unstable();
    let balance = Balance { spent, ..Balance::default() };
    budget.shortfall(&balance, reserves.into_iter().take(quorum).sum())
}

/// Looks before a call without a session.
///
/// # Errors
/// The budget does not cover the call.
pub(crate) fn one_call(budget: &Budget, reserve: Usd) -> Result<(), Error> {
    match (budget.shortfall(&Balance::default(), reserve), budget.limit) {
        (Some(short), Some(budget)) => Err(refusal(short, budget, Usd::ZERO, None)),
        (_, _) => Ok(()),
    }
}

/// Refuses a run whose budget is too small, with the sum that is needed. `session`: the one that would go on.
pub(crate) fn refusal(short: Shortfall, budget: Usd, spent: Usd, session: Option<&str>) -> Error {
    let reserve = short.reserve_usd;
    let begun = session.is_some() || spent > Usd::ZERO;
    let what = if begun {
        format!(
            "the budget of {budget} does not cover what comes next: {spent} is spent, and {reserve} is needed"
        )
    } else {
        format!("the budget of {budget} does not cover what is needed from the start: {reserve}")
    };
    let raise = short.option();
    let hint = match session.map(short_id) {
        None if begun => format!("give `{raise}` or more; nothing more was paid"),
        None => format!("give `{raise}` or more; nothing was paid"),
        Some(id) => {
            format!("`debate-agent sessions resume {id} {raise}` goes on; nothing more was paid")
        }
    };
    Error::new(Kind::Undecided, what).named("budget").hint(hint)
}

/// Says what the budget lacks, where that ended the last run.
pub(crate) fn ended(ledger: &Ledger) -> Option<Warning> {
    let Shortfall { reserve_usd, budget_usd } = ledger.short()?;
    Some(Warning {
        code: "budget_short".to_owned(),
        turn: None,
        message: format!(
            "what comes next reserves {reserve_usd}, after {} that is spent: a budget of {budget_usd} covers it",
            spent(ledger)
        ),
    })
}
