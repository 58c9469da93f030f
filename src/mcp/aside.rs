//! Work that reads files, away from the thread that answers.

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Jobs at the same time. The others wait where a cancelled request can give up: in the runtime's own queue they would pile
/// up behind a client that asks and cancels.
pub(super) const SEATS: usize = 8;

static FREE: Semaphore = Semaphore::const_new(SEATS);

/// Does it. `None`: it panicked, and said so on standard error.
pub(super) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    // Nobody closes it.
    let seat = FREE.acquire().await.ok()?;
    let done = spawn_blocking(move || {
        let done = work();
        drop(seat);
        done
    });
    done.await.ok()
}

#[cfg(test)]
mod tests;
