//! The end of a server: asked for once by the client or a signal, obeyed by its runs at once.

use tokio::sync::watch;

use super::runs::Runs;
use crate::app::Order;

/// What the server was told; never taken back.
#[derive(Debug)]
pub(crate) struct Shutdown {
    order: watch::Sender<Order>,
    runs: Runs,
}

impl Shutdown {
    pub(crate) fn new(runs: Runs) -> Self {
        Self { order: watch::Sender::default(), runs }
    }

    /// Ends the server: its runs are told before anything else.
    pub(crate) fn order(&self, order: Order) {
        self.runs.order_all(order);
        self.order.send_if_modified(|now| {
            let stronger = order > *now;
            *now = order.max(*now);
            stronger
        });
    }

    /// What it was told so far.
    pub(crate) fn ordered(&self) -> Order {
        *self.order.borrow()
    }

    /// Waits until it was told at least this.
    pub(crate) async fn at_least(&self, least: Order) {
        // The sender lives in here.
        let mut order = self.order.subscribe();
        order.wait_for(|order| *order >= least).await.ok();
    }
}
