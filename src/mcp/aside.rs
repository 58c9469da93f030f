//! File-reading work, off the thread that answers.

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Maximum number of concurrent jobs. The others wait where a cancelled request can give up: in the runtime's own
/// queue they would pile up behind a client that asks and cancels.
pub(super) const SEATS: usize = 8;

static FREE: Semaphore = Semaphore::const_new(SEATS);

/// Runs the job on the blocking pool. `None`: it panicked, and the message went to standard error.
pub(super) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    // The semaphore is never closed.
    let seat = FREE.acquire().await.ok()?;
    let done = spawn_blocking(move || {
        let done = work();
        drop(seat);
        done
    });
    done.await.ok()
}

#[cfg(test)]
mod tests {
    //! Tests of the pool: a panic does not hang the caller, and an abandoned job is not run.

    use std::future::Future as _;
    use std::pin::pin;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;
    use std::task::{Context, Waker};

    use super::*;

    #[tokio::test]
    async fn a_panic_is_told_and_work_goes_on() {
        assert_eq!(aside(|| panic!("a test")).await, None::<()>);
        // The panicking job's seat is free again, however often this happens.
        for _ in 0..SEATS {
            assert_eq!(aside(|| panic!("a test")).await, None::<()>);
        }
        assert_eq!(aside(|| 5).await, Some(5));
    }

    #[tokio::test]
    async fn what_is_given_up_while_it_waits_is_never_done() {
        let (go, gate) = channel::<()>();
        let gate = Arc::new(std::sync::Mutex::new(gate));
        let busy: Vec<_> = (0..SEATS)
            .map(|_| {
                let gate = Arc::clone(&gate);
                tokio::spawn(aside(move || gate.lock().unwrap().recv().ok()))
            })
            .collect();
        while FREE.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        let done = Arc::new(AtomicUsize::new(0));
        for _ in 0..1_000 {
            let done = Arc::clone(&done);
            let mut waiting = pin!(aside(move || done.fetch_add(1, Ordering::SeqCst)));
            let polled = waiting.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert!(polled.is_pending());
        }
        drop(go);
        for job in busy {
            assert_eq!(job.await.unwrap(), Some(None));
        }
        assert_eq!(aside(|| 5).await, Some(5));
        assert_eq!(done.load(Ordering::SeqCst), 0);
    }
}
