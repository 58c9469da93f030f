//! Lists the texts that the program embeds by the folders that hold them, so that no module names them again.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    list("skills", "skills", |path| path.strip_suffix("/SKILL.md"))?;
    list("templates", "skills", |path| {
        let name = path.strip_suffix(".md")?;
        let of_role = name.ends_with("/turn") || name.ends_with("/answer");
        (of_role || name.starts_with("session/")).then_some(name)
    })?;
    list("pages", "skills/pages", |path| path.strip_suffix(".md"))?;
    list("schemas", "src/schemas", |path| path.strip_suffix(".json"))
}

/// Writes the names and texts of the files below a folder that `named` gives a name.
#[expect(clippy::disallowed_methods, reason = "cargo tells by a variable where to write")]
fn list(list: &str, folder: &str, named: fn(&str) -> Option<&str>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={folder}");
    let mut files = Vec::new();
    find(Path::new(folder), &mut files)?;
    files.sort();
    let mut texts = "&[\n".to_owned();
    for file in files {
        let file = file.display().to_string();
        if let Some(name) = file.strip_prefix(&format!("{folder}/")).and_then(named) {
            // Writing to a String cannot fail.
            writeln!(
                texts,
                "({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{file}\"))),"
            )
            .ok();
        }
    }
    let out = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    fs::write(Path::new(&out).join(format!("{list}.rs")), texts + "]")
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { find(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
