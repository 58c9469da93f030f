//! Programs that are run for their output, apart from agents and tests: gh, lizard, the clients of the server.

use tokio::sync::watch;

use crate::process::{self, Control, Ending, OutputBuffer, Spec};
use crate::text::redact::Redactor;
use crate::text::sanitize;

/// Runs a program to its end and returns what it printed, without secrets; `what` names the call.
///
/// # Errors
/// Why there is nothing to read, for people.
pub(crate) async fn run(
    what: &str,
    spec: &Spec,
    control: watch::Receiver<Control>,
    redactor: &Redactor,
) -> Result<Vec<u8>, String> {
    let mut printed = OutputBuffer::default();
    let ran = process::run(spec, control, &mut printed).await;
    Err(match ran.ending {
        Ending::Exited { code: 0 } => return Ok(redactor.bytes(&printed.stdout)),
        Ending::Exited { code } => {
            let words = String::from_utf8_lossy(&printed.stderr).into_owned();
            let words = sanitize::line(&redactor.text(&words), 300);
            format!("`{what}` failed (exit {code}): {words}")
        }
        Ending::Signaled { signal } => format!("`{what}` was ended by signal {signal}"),
        Ending::TimedOut | Ending::Idle | Ending::Lingering => {
            format!("`{what}` took longer than {} s", spec.limits.timeout.as_secs())
        }
        Ending::OutputLimit => format!("`{what}` printed too much"),
        Ending::Cancelled => format!("`{what}` was stopped"),
        Ending::SpawnFailed { message, .. } => format!("`{what}` did not start: {message}"),
        Ending::GuardLost => format!("the guard of `{what}` died"),
    })
}
