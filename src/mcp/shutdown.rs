//! The end of a server: asked for once by the client or a signal, obeyed by its runs at once.

use tokio::sync::watch;

use super::runs::Runs;
use crate::app::Order;

/// The order that the server got; never taken back.
#[derive(Debug)]
pub(crate) struct Shutdown {
    order: watch::Sender<Order>,
    runs: Runs,
}

impl Shutdown {
    pub(crate) fn new(runs: Runs) -> Self {
        Self { order: watch::Sender::default(), runs }
    }

    /// Ends the server: its runs are ordered before anything else.
    pub(crate) fn order(&self, order: Order) {
        self.runs.order_all(order);
        order.raise(&self.order);
    }

    pub(crate) fn ordered(&self) -> Order {
        *self.order.borrow()
    }

    /// Waits until the order is at least this one.
    pub(crate) async fn at_least(&self, least: Order) {
        // The sender is a field of this struct.
        let mut order = self.order.subscribe();
        order.wait_for(|order| *order >= least).await.ok();
    }
}
