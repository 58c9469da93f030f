//! Maps signals to the switch of a run: stop, stop now, pause, continue.
//!
//! INT, TERM and HUP stop the run and keep the session; a second one kills at once. HUP is left alone if it is
//! ignored already (nohup). TSTP (Ctrl-Z) pauses every live process group and its timers, stops this process like any
//! other, and on CONT lets all continue: the agents lead sessions of their own, so the terminal's signal would not
//! reach them.

use std::io;
use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use super::keys::Keys;
use crate::engine::bus::Bus;
use crate::engine::events::EventKind;
use crate::engine::switch::Switch;
use crate::error::{Error, Kind};
use crate::kernel::{Fact, Stop};
use crate::text::Note;

/// The time that guards get to stop their groups before this process stops itself.
const PAUSE_SETTLES: Duration = Duration::from_millis(50);

/// Minimum number of polls of the calls before the program stops: once to hear of the pause, once to pass it on,
/// twice for what lies between.
const PAUSE_TURNS: usize = 4;

/// The source of stop requests for the runs of a workspace.
#[derive(Debug, Clone, Default)]
pub enum Stops {
    /// The signals of this process, which has a single run.
    #[default]
    Signals,
    /// The same, and the keys of a person who watches at a terminal.
    Terminal,
    /// The sender of these orders: this process has several runs, and handles signals itself.
    Remote(watch::Receiver<Order>),
}

/// An order to a run. Orders are never withdrawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Order {
    /// Continue.
    #[default]
    Run,
    /// End the running agents, and ask no others.
    Stop,
    /// Kill everything at once.
    Kill,
}

impl Order {
    /// Replaces an earlier order if this one is stronger, never the other way round.
    pub(crate) fn raise(self, sender: &watch::Sender<Self>) {
        sender.send_if_modified(|now| std::mem::replace(now, self.max(*now)) < self);
    }
}

/// Handles stop requests for as long as it is polled; returns only with an error.
///
/// Poll it before the run itself: an order given before the run begins then prevents any start.
///
/// # Errors
/// The handlers cannot be installed.
pub(crate) async fn serve(stops: &Stops, switch: &Switch, bus: Option<&Bus>) -> io::Error {
    let served = match stops {
        Stops::Signals => handle(switch, bus, None).await,
        Stops::Terminal => match (bus, Keys::open()) {
            (Some(bus), Some(keys)) => tokio::select! {
                served = handle(switch, Some(bus), Some(&keys)) => served,
                never = keys.obey(switch, bus) => match never {},
            },
            _ => handle(switch, bus, None).await,
        },
        Stops::Remote(orders) => match obey(orders.clone(), switch, bus).await {},
    };
    match served {
        Ok(never) => match never {},
        Err(error) => error,
    }
}

/// Does work that `switch` stops, while handling stop requests.
///
/// # Errors
/// As [`serve`].
pub(crate) async fn during<T>(
    stops: &Stops,
    switch: &Switch,
    bus: Option<&Bus>,
    work: impl Future<Output = T>,
) -> Result<T, Error> {
    tokio::select! {
        biased;
        error = serve(stops, switch, bus) => Err(broken(error)),
        done = work => Ok(done),
    }
}

/// Returns the error of a command that cannot be stopped.
pub(crate) fn broken(error: io::Error) -> Error {
    Error::new(Kind::State, "failed to listen to signals").because(error)
}

/// Obeys orders. If the sender is gone, the run continues to its end.
async fn obey(
    mut orders: watch::Receiver<Order>,
    switch: &Switch,
    bus: Option<&Bus>,
) -> std::convert::Infallible {
    loop {
        let order = *orders.borrow_and_update();
        if order >= Order::Stop && switch.stopped().is_none() {
            stop(switch, bus, Signal::TERM);
        }
        if order == Order::Kill {
            // The second stop of a switch kills.
            stop(switch, bus, Signal::TERM);
        }
        if orders.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

fn stop(switch: &Switch, bus: Option<&Bus>, signal: Signal) {
    // Reported in advance: an agent that takes its time to end must not look like a hang.
    if let (None, Some(bus)) = (switch.stopped(), bus) {
        bus.emit(EventKind::Found(stopping()));
    }
    switch.stop(Stop::Cancelled(signal.as_raw()));
}

async fn handle(
    switch: &Switch,
    bus: Option<&Bus>,
    keys: Option<&Keys>,
) -> io::Result<std::convert::Infallible> {
    let kind = |signal: Signal| SignalKind::from_raw(signal.as_raw());
    // Under nohup the terminal may go away: installing a handler would undo that.
    let mut hangup = if is_ignored(Signal::HUP) { None } else { Some(signal(kind(Signal::HUP))?) };
    let mut interrupt = signal(kind(Signal::INT))?;
    let mut terminate = signal(kind(Signal::TERM))?;
    let mut suspend = signal(kind(Signal::TSTP))?;
    let stop = |signal: Signal| stop(switch, bus, signal);
    loop {
        tokio::select! {
            () = received(&mut hangup) => stop(Signal::HUP),
            _ = interrupt.recv() => stop(Signal::INT),
            _ = terminate.recv() => stop(Signal::TERM),
            _ = suspend.recv() => {
                switch.pause(true);
                tokio::time::sleep(PAUSE_SETTLES).await;
                // On a busy machine the time may be over before any call was polled: each gets a chance to notify its
                // guard.
                for _ in 0..PAUSE_TURNS {
                    tokio::task::yield_now().await;
                }
                // Returns after CONT: SIGSTOP cannot be caught, so the process stops at this line. It is sent to this
                // thread: a signal to the process could reach another thread first, and this one would continue, and
                // the agents with it.
                keys.inspect(|keys| keys.restore());
                nix::sys::signal::raise(nix::sys::signal::Signal::SIGSTOP)?;
                keys.inspect(|keys| keys.listen());
                switch.pause(false);
            }
        }
    }
}

fn stopping() -> Fact {
    let what = "stopping: running agents get a moment to finish; once more kills them at once";
    Fact::warning(&Note::new("stopping", what), None)
}

/// Waits for a signal; for ever without a listener.
async fn received(signals: &mut Option<tokio::signal::unix::Signal>) {
    match signals {
        Some(signals) => {
            signals.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// Stops the run as HUP does: the terminal of a person was closed, which the kernel reports to the shell first, and
/// to this process late or never. Returns only if HUP is ignored (nohup).
pub(crate) async fn hang_up() {
    if !is_ignored(Signal::HUP) && kill_process(getpid(), Signal::HUP).is_ok() {
        std::future::pending::<()>().await;
    }
}

/// Whether this process was started with a signal ignored. If the kernel does not say (no `/proc`), it counts as not
/// ignored.
pub(crate) fn is_ignored(signal: Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask >> (signal.as_raw() - 1) & 1 == 1)
}

#[cfg(test)]
mod tests {
    //! Orders from a sender. Signals themselves are tested on the program: `tests/it/signals.rs`.

    use std::cell::RefCell;
    use std::io;
    use std::pin::pin;
    use std::rc::Rc;

    use futures_util::FutureExt as _;

    use super::*;
    use crate::engine::events::{Event, Reporter};
    use crate::env::Env;
    use crate::process::Control;

    /// Polls `serve` once after the given orders.
    fn served(orders: &watch::Sender<Order>, switch: &Switch, bus: Option<&Bus>) {
        let stops = Stops::Remote(orders.subscribe());
        assert!(serve(&stops, switch, bus).now_or_never().is_none());
    }

    #[test]
    fn an_order_that_was_given_before_anybody_listened_is_obeyed() {
        for (order, control) in
            [(Order::Run, Control::Run), (Order::Stop, Control::Stop), (Order::Kill, Control::Kill)]
        {
            let (orders, switch) = (watch::Sender::new(order), Switch::default());
            served(&orders, &switch, None);
            assert_eq!(*switch.listen().borrow(), control, "{order:?}");
        }
    }

    #[test]
    fn a_stop_is_no_kill_however_often_it_is_served() {
        let (orders, switch) = (watch::Sender::new(Order::Stop), Switch::default());
        served(&orders, &switch, None);
        served(&orders, &switch, None);
        assert_eq!(*switch.listen().borrow(), Control::Stop);
        assert_eq!(switch.stopped(), Some(Stop::Cancelled(Signal::TERM.as_raw())));
    }

    #[test]
    fn a_stronger_order_while_the_agents_have_their_grace_kills() {
        let (orders, switch) = (watch::Sender::default(), Switch::default());
        let stops = Stops::Remote(orders.subscribe());
        let mut serving = pin!(serve(&stops, &switch, None));
        assert!(serving.as_mut().now_or_never().is_none());
        assert_eq!(switch.stopped(), None);
        for (order, control) in [(Order::Stop, Control::Stop), (Order::Kill, Control::Kill)] {
            orders.send_replace(order);
            assert!(serving.as_mut().now_or_never().is_none());
            assert_eq!(*switch.listen().borrow(), control);
        }
    }

    #[test]
    fn a_stop_does_not_shorten_the_grace_of_a_run_that_its_deadline_stopped() {
        let (orders, switch) = (watch::Sender::new(Order::Stop), Switch::default());
        switch.stop(Stop::Deadline);
        served(&orders, &switch, None);
        assert_eq!(*switch.listen().borrow(), Control::Stop);
        assert_eq!(switch.stopped(), Some(Stop::Deadline));
        orders.send_replace(Order::Kill);
        served(&orders, &switch, None);
        assert_eq!(*switch.listen().borrow(), Control::Kill);
    }

    #[test]
    fn without_anybody_to_give_orders_the_last_one_stands_and_the_run_goes_on() {
        let (orders, switch) = (watch::Sender::new(Order::Run), Switch::default());
        let stops = Stops::Remote(orders.subscribe());
        drop(orders);
        assert!(serve(&stops, &switch, None).now_or_never().is_none());
        assert_eq!(switch.stopped(), None);
    }

    #[derive(Clone, Default)]
    struct Codes(Rc<RefCell<Vec<String>>>);

    impl Reporter for Codes {
        fn event(&mut self, event: &Event) -> io::Result<()> {
            if let EventKind::Found(fact) = &event.kind {
                self.0.borrow_mut().push(fact.code.clone());
            }
            Ok(())
        }
    }

    #[test]
    fn that_it_stops_is_said_once() {
        let codes = Codes::default();
        let bus = Bus::new(vec![Box::new(codes.clone())], &Env::system());
        let (orders, switch) = (watch::Sender::new(Order::Kill), Switch::default());
        served(&orders, &switch, Some(&bus));
        assert_eq!(*codes.0.borrow(), ["stopping"]);
    }
}
