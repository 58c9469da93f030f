//! The switch that pauses and stops a run.

use std::cell::Cell;

use tokio::sync::watch;

use crate::kernel::Stop;
use crate::process::Control;

/// The one switch that pauses and stops a run; every live process listens to it.
#[derive(Debug)]
pub struct Switch {
    control: watch::Sender<Control>,
    why: Cell<Option<Stop>>,
    /// Why it stops before the next step.
    next: Cell<Option<Stop>>,
}

impl Default for Switch {
    fn default() -> Self {
        Self {
            control: watch::Sender::new(Control::Run),
            why: Cell::new(None),
            next: Cell::new(None),
        }
    }
}

impl Switch {
    /// Stops the run: TERM, grace, KILL for live processes, no further call. A second stop kills at
    /// once.
    pub fn stop(&self, why: Stop) {
        if self.why.get().is_none() {
            self.why.set(Some(why));
            self.control.send_replace(Control::Stop);
        } else {
            self.control.send_replace(Control::Kill);
        }
    }

    /// Lets the running calls end, and stops the run before the next step.
    pub fn stop_after_step(&self, why: Stop) {
        self.next.set(Some(why));
    }

    /// Returns why no further step begins, if none does.
    pub fn ends_here(&self) -> Option<Stop> {
        self.why.get().or(self.next.get())
    }

    /// Pauses the processes and their timers, or lets them continue. Does nothing once the run is
    /// stopped.
    pub fn pause(&self, paused: bool) {
        if self.why.get().is_none() {
            self.control.send_replace(if paused { Control::Pause } else { Control::Run });
        }
    }

    /// Returns why the run was stopped, if it was.
    pub fn stopped(&self) -> Option<Stop> {
        self.why.get()
    }

    /// Returns a function that tells another thread whether the run was stopped.
    pub fn watch(&self) -> impl Fn() -> bool + Send + 'static {
        let control = self.listen();
        move || matches!(*control.borrow(), Control::Stop | Control::Kill)
    }

    /// Returns a receiver for one process or wait.
    pub fn listen(&self) -> watch::Receiver<Control> {
        self.control.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_stop_kills_and_the_first_reason_stays() {
        let switch = Switch::default();
        let listener = switch.listen();
        switch.pause(true);
        assert_eq!(*listener.borrow(), Control::Pause);
        switch.stop(Stop::Cancelled(2));
        switch.pause(false);
        assert_eq!(*listener.borrow(), Control::Stop, "a stop is not taken back");
        switch.stop(Stop::Cancelled(15));
        assert_eq!(*listener.borrow(), Control::Kill);
        assert_eq!(switch.stopped(), Some(Stop::Cancelled(2)));
    }
}
