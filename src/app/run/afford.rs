//! Checks before any agent is paid: whether the budget covers the first step, and whether the agents are logged in.
//!
//! A refusal costs nothing, opens no session and changes none.

use super::quota::Quotas;
use super::session_state::spent;
use super::setup::Setup;
use super::workspace::Workspace;
use super::{logins, replay};
use crate::agent::attempts::Extent;
use crate::agent::pace::Pace;
use crate::engine::budget::{Balance, Budget};
use crate::error::{Error, Kind};
use crate::kernel::{DynDriver, Shortfall, Step, Turn, Usd, Warning};
use crate::ordered::{BTreeMap, Gather};
use crate::report::short_id;
use crate::session::{Ledger, StoredSession};

/// A command's budget, and what was spent of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowance {
    /// The command's whole budget.
    pub(crate) of: Usd,
    /// The amount spent by the command's other sessions.
    pub(crate) spent: Usd,
}

impl Allowance {
    /// Returns a budget of which nothing is spent.
    pub(crate) const fn all(of: Usd) -> Self {
        let spent = Usd::ZERO;
        Self { of, spent }
    }

    /// Returns the amount that a new session may spend.
    pub(crate) const fn budget(self) -> Usd {
        self.of.saturating_sub(self.spent)
    }
}

/// Checks before a new session is opened.
///
/// # Errors
/// The budget does not cover the first step, or an agent that would be asked is logged out.
pub(crate) async fn before_first(
    setup: &Setup<'_>,
    machine: &dyn DynDriver,
    left: Allowance,
) -> Result<(), Error> {
    let money = Money { budget: Some(left.of), spent: left.spent, ..Money::default() };
    before(setup, machine, &|_| false, &money).await
}

/// Checks before a stored session is resumed; `machine` is the session's, as opened. `budget`: the one given with the
/// resume, if any.
///
/// # Errors
/// As [`before_first`].
pub(crate) async fn before_next(
    setup: &Setup<'_>,
    stored: &StoredSession,
    machine: &mut dyn DynDriver,
    budget: Option<Usd>,
) -> Result<(), Error> {
    let ledger = &stored.ledger;
    let again = ledger.ask_again();
    let keep = |turn: &str| !again.iter().any(|asked| asked == turn);
    Box::pin(replay::replay_of(stored, &setup.calls, machine, &keep)).await?;
    // A crash may have left a complete reply, which is then adopted at no cost.
    let in_flight = ledger.reserved() > Usd::ZERO;
    let money = Money {
        budget: budget.or(ledger.budget()).filter(|_| !in_flight),
        spent: spent(ledger),
        known: Some(ledger),
        session: Some(&stored.id),
    };
    let answered = |turn: &str| keep(turn) && ledger.turns().contains_key(turn);
    before(setup, machine, &answered, &money).await
}

/// Checks before a stored session is asked again from a round on, in a new session that has spent nothing yet.
/// `keep`: selects the turns whose answers are kept.
///
/// # Errors
/// As [`before_first`].
pub(crate) async fn before_again(
    setup: &Setup<'_>,
    stored: &StoredSession,
    machine: &mut dyn DynDriver,
    keep: &dyn Fn(&str) -> bool,
    budget: Option<Usd>,
) -> Result<(), Error> {
    Box::pin(replay::replay_of(stored, &setup.calls, machine, keep)).await?;
    let money = Money { budget, known: Some(&stored.ledger), ..Money::default() };
    before(setup, machine, &|_| false, &money).await
}

/// The money available for the next step.
#[derive(Default)]
struct Money<'a> {
    /// `None`: the budget is not checked.
    budget: Option<Usd>,
    spent: Usd,
    /// The ledger that shows what calls cost before.
    known: Option<&'a Ledger>,
    session: Option<&'a str>,
}

/// Checks before a protocol's next step. If the step asks nobody, neither budget nor login is checked.
async fn before(
    setup: &Setup<'_>,
    machine: &dyn DynDriver,
    answered: &dyn Fn(&str) -> bool,
    money: &Money<'_>,
) -> Result<(), Error> {
    let Step::Ask { turns, .. } = machine.step() else {
        return Ok(());
    };
    let open = turns.iter().filter(|turn| !answered(&turn.id));
    let casts = open.filter_map(|turn| setup.roster.cast(&turn.role));
    quota(setup.workspace, casts.map(|cast| &*cast.agent.name))?;
    if let Some(budget) = money.budget {
        let (there, open): (Vec<&Turn>, Vec<&Turn>) =
            turns.into_iter().partition(|turn| answered(&turn.id));
        let quorum = machine.quorum().saturating_sub(there.len());
        if let Some(short) = lacking(setup, &open, quorum, budget, (money.spent, money.known)) {
            return Err(refusal(short, budget, money.spent, money.session));
        }
    }
    Box::pin(logins::check(setup.workspace, setup.roster.casts(), setup.switch)).await
}

pub(crate) fn budget(setup: &Setup<'_>, limit: Option<Usd>) -> Budget {
    let first = setup.calls.seats.keys().map(|seat| (seat.clone(), (setup.first_reserve)(seat)));
    Budget { limit, first: first.gather(), max_calls: Some(setup.most_calls) }
}

/// Returns what the budget lacks for the cheapest `quorum` roles of a step, each asked once. `ledger`: shows what
/// their calls cost before.
fn lacking(
    setup: &Setup<'_>,
    turns: &[&Turn],
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
        (turns.iter()).map(|turn| (turn.role.as_str(), reserve(turn))).gather();
    let mut reserves: Vec<Usd> = roles.into_values().collect();
    reserves.sort_unstable();
    let balance = Balance { spent, ..Balance::default() };
    budget.shortfall(&balance, reserves.into_iter().take(quorum).sum())
}

/// Checks what is left of the quotas of agents that would be asked.
///
/// # Errors
/// It is less than the user keeps.
pub(crate) fn quota<'a>(
    workspace: &Workspace,
    mut agents: impl Iterator<Item = &'a str>,
) -> Result<(), Error> {
    let quotas = Quotas::read(workspace);
    let why = agents.find_map(|agent| quotas.refusal(agent));
    why.map_or(Ok(()), |why| {
        let hint = "wait until then, or keep less: `--set limits.keep_quota_percent=0`; nothing more was paid";
        Err(Error::new(Kind::Undecided, why).named("quota").hint(hint))
    })
}

/// Checks before a call without a session.
///
/// # Errors
/// The budget does not cover the call.
pub(crate) fn one_call(budget: &Budget, reserve: Usd) -> Result<(), Error> {
    match (budget.shortfall(&Balance::default(), reserve), budget.limit) {
        (Some(short), Some(budget)) => Err(refusal(short, budget, Usd::ZERO, None)),
        (_, _) => Ok(()),
    }
}

/// Returns the error for a budget that is too small, with the amount needed. `session`: the one that would be
/// resumed.
pub(crate) fn refusal(short: Shortfall, budget: Usd, spent: Usd, session: Option<&str>) -> Error {
    let reserve = short.reserve_usd;
    let begun = session.is_some() || spent > Usd::ZERO;
    let what = if begun {
        format!(
            "the budget of {budget} does not cover what comes next: {spent} is spent, and {reserve} more is needed"
        )
    } else {
        format!("the budget of {budget} does not cover what is needed from the start: {reserve}")
    };
    let raise = short.option();
    let hint = match session.map(short_id) {
        None if begun => format!("give `{raise}` or more; nothing more was paid"),
        None => format!("give `{raise}` or more; nothing was paid"),
        Some(id) => {
            format!(
                "`debate-agent sessions resume {id} {raise}` continues it; nothing more was paid"
            )
        }
    };
    Error::new(Kind::Undecided, what).named("budget").hint(hint)
}

/// Returns a warning with what the budget lacks, if that ended the last run.
pub(crate) fn ended(ledger: &Ledger) -> Option<Warning> {
    let Shortfall { reserve_usd, budget_usd } = ledger.short()?;
    Some(Warning {
        code: "budget_short".to_owned(),
        turn: None,
        message: format!(
            "what comes next reserves {reserve_usd}, after {} already spent: a budget of {budget_usd} covers it",
            spent(ledger)
        ),
    })
}
