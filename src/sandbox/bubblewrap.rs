//! The arguments of bubblewrap: what a test sees, and what it may do.

use std::path::Path;

use super::view::{DEPTH, SYSTEM, View, WORK, credentials, text};
use super::{INNER, Place};

/// The folder that is copied to [`WORK`].
pub(super) const SOURCE: &str = "/source";
/// This program.
const PROGRAM: &str = "/debate-agent";

/// Namespaces of its own, no rights, one user, and an end with whoever started it.
const OPTIONS: &str = "--unshare-all --unshare-user --disable-userns --die-with-parent --new-session \
    --cap-drop ALL --uid 1000 --gid 1000 --hostname sandbox --clearenv";

/// Returns the arguments of bubblewrap. `source`: the folder of the side under test; `program`: this program.
pub(super) fn arguments(place: &Place, view: &View, source: &Path, program: &Path) -> Vec<String> {
    let mut line: Vec<String> = OPTIONS.split_whitespace().map(str::to_owned).collect();
    let mut push = |parts: &[&str]| line.extend(parts.iter().map(|part| (*part).to_owned()));
    let bytes = (place.permitted.memory_mb << 20).to_string();
    for path in SYSTEM.lines() {
        push(&["--ro-bind-try", path, path]);
    }
    push(&["--proc", "/proc", "--dev", "/dev", "--size", &bytes, "--tmpfs", "/dev/shm"]);
    push(&["--size", &bytes, "--tmpfs", "/tmp", "--size", &bytes, "--tmpfs", WORK]);
    for (from, to) in &view.read {
        push(&["--ro-bind-try", &text(from), &text(to)]);
        for hidden in credentials(from, DEPTH) {
            let below = hidden.strip_prefix(from).unwrap_or(&hidden);
            let to = if below.as_os_str().is_empty() { to.clone() } else { to.join(below) };
            push(&["--ro-bind", "/dev/null", &text(&to)]);
        }
    }
    push(&["--ro-bind", &text(source), SOURCE, "--ro-bind", &text(program), PROGRAM]);
    push(&["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", WORK]);
    for (name, value) in &view.vars {
        push(&["--setenv", name, value]);
    }
    push(&["--", PROGRAM, INNER]);
    line
}
