//! How this program came here, told by where its file lies: for `--version --verbose`.

use std::fs;
use std::path::Path;

use crate::text::sanitize;

/// Returns the line after the version: the way in which this program came here, and its file.
pub(super) fn line() -> String {
    match std::env::current_exe() {
        Ok(program) => {
            sanitize::terminal(&format!("from {}: {}\n", way(&program), program.display()))
        }
        Err(error) => format!("this program's file cannot be found: {error}\n"),
    }
}

/// Names the way by the traces that each installer leaves around a program.
fn way(program: &Path) -> &'static str {
    let prefix = program.parent().and_then(Path::parent).unwrap_or(program);
    if program.components().any(|part| part.as_os_str() == "node_modules") {
        "npm"
    } else if holds_wheel(prefix) {
        "PyPI"
    } else if prefix.join("share/doc/debate-agent/copyright").is_file() {
        "a deb package"
    } else if prefix.join(".crates.toml").is_file() {
        "cargo install"
    } else {
        "a build"
    }
}

/// Whether a Python environment has the wheel of this version.
fn holds_wheel(prefix: &Path) -> bool {
    let wheel = concat!("debate_agent-", env!("CARGO_PKG_VERSION"), ".dist-info");
    // One folder a Python; `dist-packages` is Debian's.
    let pythons = fs::read_dir(prefix.join("lib")).into_iter().flatten().flatten();
    let mut folders = pythons.flat_map(|python| {
        ["site-packages", "dist-packages"].map(|folder| python.path().join(folder).join(wheel))
    });
    folders.any(|folder| folder.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_is_told_by_what_lies_around_the_program() {
        let wheel = concat!(
            "lib/python3.11/site-packages/debate_agent-",
            env!("CARGO_PKG_VERSION"),
            ".dist-info/RECORD"
        );
        for (trace, program, told) in [
            ("lib/node_modules/x", "lib/node_modules/@debate-agent/linux-x64/bin/it", "npm"),
            (wheel, "bin/it", "PyPI"),
            (
                "lib/python3.11/site-packages/debate_agent-0.0.1.dist-info/RECORD",
                "bin/it",
                "a build",
            ),
            ("share/doc/debate-agent/copyright", "bin/it", "a deb package"),
            ("share/doc/another/copyright", "bin/it", "a build"),
            (".crates.toml", "bin/it", "cargo install"),
            ("Cargo.toml", "target/release/it", "a build"),
        ] {
            let root = tempfile::tempdir().unwrap();
            let trace = root.path().join(trace);
            fs::create_dir_all(trace.parent().unwrap()).unwrap();
            fs::write(&trace, "").unwrap();
            assert_eq!(way(&root.path().join(program)), told, "{}", trace.display());
        }
    }
}
