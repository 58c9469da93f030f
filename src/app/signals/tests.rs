//! Orders from elsewhere. Signals themselves are tried on the program: `tests/it/signals.rs`.

use std::cell::RefCell;
use std::io;
use std::pin::pin;
use std::rc::Rc;

use futures_util::FutureExt as _;

use super::*;
use crate::engine::events::{Event, Reporter};
use crate::env::Env;

/// Polls `serve` once with these orders given.
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

/// Keeps the codes of facts.
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
