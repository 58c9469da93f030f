//! The table of rooms and ceilings.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use crate::rooms::{self, Kind};

const CEILINGS: &str = "tests/size/ceilings.toml";

/// How far a ceiling may stand above its room before it has to be lowered.
const SLACK: usize = 100;

pub(crate) fn run() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let result = match std::env::args().nth(1).as_deref() {
        Some("--lower") => lower(root),
        _ => measure(root),
    };
    match result {
        Ok(0) => ExitCode::SUCCESS,
        Ok(wrong) => {
            println!("\n{wrong} not in step with tests/size/ceilings.toml");
            println!("`cargo test --test size -- --lower` lowers what may be lowered");
            ExitCode::FAILURE
        }
        Err(error) => {
            println!("size: {error}");
            ExitCode::FAILURE
        }
    }
}

type Ceilings = BTreeMap<String, BTreeMap<String, usize>>;
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn ceilings(root: &Path) -> Result<Ceilings> {
    Ok(toml::from_str(&std::fs::read_to_string(root.join(CEILINGS))?)?)
}

/// Prints the table and returns how many ceilings are not in step with their rooms.
fn measure(root: &Path) -> Result<usize> {
    let counted = rooms::count(root)?;
    let ceilings = ceilings(root)?;
    let mut wrong = 0;
    for kind in Kind::ALL {
        let given = ceilings.get(kind.name()).cloned().unwrap_or_default();
        let rooms = counted.get(&kind).cloned().unwrap_or_default();
        println!("\n{:<36} {:>8} {:>8}", kind.title(), "lines", "ceiling");
        for (room, lines) in &rooms {
            let ceiling = given.get(room).copied().unwrap_or(0);
            let note = if *lines > ceiling {
                format!("  {} above its ceiling", lines - ceiling)
            } else if ceiling - lines > SLACK {
                format!("  its ceiling is {} too high", ceiling - lines)
            } else {
                String::new()
            };
            wrong += usize::from(!note.is_empty());
            println!("{room:<36} {lines:>8} {ceiling:>8}{note}");
        }
        for (room, ceiling) in given.iter().filter(|(room, _)| !rooms.contains_key(*room)) {
            wrong += 1;
            println!("{room:<36} {:>8} {ceiling:>8}  no such room", 0);
        }
        let (lines, ceiling) = (rooms.values().sum::<usize>(), given.values().sum::<usize>());
        println!("{:<36} {lines:>8} {ceiling:>8}", "all");
    }
    Ok(wrong)
}

/// Writes the ceilings anew, each as low as its room is now; none is raised, and a new room gets none.
fn lower(root: &Path) -> Result<usize> {
    let counted = rooms::count(root)?;
    let mut text = std::fs::read_to_string(root.join(CEILINGS))?;
    text.truncate(text.find("\n[").unwrap_or(text.len()));
    for (name, given) in ceilings(root)? {
        let rooms = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        let rooms = rooms.and_then(|kind| counted.get(&kind).cloned()).unwrap_or_default();
        writeln!(text, "\n[{name}]")?;
        for (room, ceiling) in given {
            if let Some(lines) = rooms.get(&room) {
                writeln!(text, "{room:?} = {}", ceiling.min(*lines))?;
            }
        }
    }
    std::fs::write(root.join(CEILINGS), text)?;
    measure(root)
}
