//! The limits that no single process has: the memory and the number of all processes of a sandbox.

use std::time::Duration;

use tokio::sync::watch;

use crate::process::{self, Control};

/// Maximum number of processes and threads' leaders of a sandbox.
const PROCESSES: usize = 256;
/// Time between two looks. What is taken in between is bounded by the limits of each process.
const EVERY: Duration = Duration::from_millis(100);

/// Kills what `stop` controls when it exceeds a limit, and returns which; ends only then.
pub(super) async fn limits(memory_mb: u64, stop: &watch::Sender<Control>) -> String {
    loop {
        tokio::time::sleep(EVERY).await;
        let used = process::used_below();
        let what = if used.processes > PROCESSES {
            format!("it ran more than {PROCESSES} processes")
        } else if used.memory_bytes >> 20 > memory_mb {
            format!("it took more than {memory_mb} MiB of memory")
        } else if used.is_machine_full {
            "it left the machine without memory".to_owned()
        } else {
            continue;
        };
        stop.send_replace(Control::Kill);
        return what;
    }
}
