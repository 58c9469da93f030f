//! Judges the `mcp` section.

use super::{CheckResult, fault};
use crate::config::key::KeyPath;
use crate::config::schema::Config;

pub(super) fn values(config: &Config) -> CheckResult {
    for (index, root) in config.mcp.roots.iter().enumerate() {
        let at = KeyPath::of(["mcp", "roots"]).index(index);
        if root.contains('\0') {
            return Err(fault(at, "contains a NUL byte"));
        }
        // A relative path would mean another folder depending on where a client starts the server.
        if !(root.starts_with('/') || root.starts_with("~/") || root == "~") {
            let found = root.escape_debug();
            return Err(fault(at, format!("must begin with `/` or `~/`, `{found}` found")));
        }
    }
    Ok(())
}
