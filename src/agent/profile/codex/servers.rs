//! The MCP servers that codex would start by its user's configuration, so that its profile can switch them off by name.
//!
//! Other CLIs have a flag that omits all of them. Codex merges several files and has no such flag, and it refuses to
//! switch off a server that none of its files knows; so the names are read from the files that it reads, right before
//! the call. An unreadable file starts nothing: codex then ends with an error of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Maximum size of a configuration file that is read, in bytes.
const FILE_BYTES: u64 = 1 << 20;

/// Maximum number of servers switched off.
const MOST: usize = 64;

/// Maximum length of a server's name in bytes; one with a longer name is not switched off.
const NAME_BYTES: usize = 200;

/// The administrator's files.
const SYSTEM: [&str; 2] = ["/etc/codex/config.toml", "/etc/codex/managed_config.toml"];

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Servers {
    /// Names to switch off, sorted.
    pub(super) names: Vec<String>,
    /// Why some may stay on, as a sentence.
    pub(super) left: Option<String>,
}

/// Finds the servers that codex would start with this environment and these further arguments.
pub(super) fn find(env: &BTreeMap<String, String>, args: &[String]) -> Servers {
    of_files(&files(env, args))
}

/// The files that codex reads: the administrator's, the user's, and those of profiles named in the arguments.
fn files(env: &BTreeMap<String, String>, args: &[String]) -> Vec<PathBuf> {
    let set = |name: &str| env.get(name).filter(|value| !value.is_empty());
    let own = set("CODEX_HOME")
        .map(PathBuf::from)
        .or_else(|| set("HOME").map(|home| Path::new(home).join(".codex")))
        .filter(|folder| folder.is_absolute());
    let mut files: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
    if let Some(own) = own {
        files.push(own.join("config.toml"));
        let layers = profiles(args).map(|name| own.join(format!("{name}.config.toml")));
        files.extend(layers);
    }
    files
}

/// The profiles named in arguments: `-p work`, `-pwork`, `--profile work`, `--profile=work`.
fn profiles(args: &[String]) -> impl Iterator<Item = &str> {
    let next = args.iter().skip(1).map(Some).chain([None]);
    args.iter().zip(next).filter_map(|(arg, next)| {
        let name = match arg.as_str() {
            "-p" | "--profile" => next?.as_str(),
            arg => arg.strip_prefix("--profile=").or_else(|| {
                let short = arg.strip_prefix("-p")?;
                Some(short.strip_prefix('=').unwrap_or(short))
            })?,
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        (!name.is_empty() && name.chars().all(plain)).then_some(name)
    })
}

fn of_files(files: &[PathBuf]) -> Servers {
    let mut names = BTreeSet::new();
    let mut left = None;
    for file in files {
        match read(file) {
            Ok(text) => names.extend(named(&text)),
            Err(size) => {
                left = Some(format!(
                    "{} has {size} bytes, more than the {FILE_BYTES} that are read",
                    file.display()
                ));
            }
        }
    }
    let found = names.len();
    let names: Vec<String> =
        (names.into_iter()).filter(|name| name.len() <= NAME_BYTES).take(MOST).collect();
    if names.len() < found {
        left = Some(format!(
            "its configuration has {found} of them, of which {} are switched off (at most {MOST}, with names of at most {NAME_BYTES} bytes)",
            names.len()
        ));
    }
    Servers { names, left }
}

/// Returns a file's text; empty if there is none, or none that codex could read. `Err`: its size, which is over the
/// limit.
fn read(path: &Path) -> Result<String, u64> {
    let mut text = String::new();
    // A pipe with that name would never end, and codex itself waits for it.
    let is_file = std::fs::metadata(path).is_ok_and(|found| found.is_file());
    let Ok(file) = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file))) else {
        return Ok(text);
    };
    let (size, file) = file;
    if !is_file {
        return Ok(text);
    }
    if size > FILE_BYTES {
        return Err(size);
    }
    match file.take(FILE_BYTES).read_to_string(&mut text) {
        Ok(_) => Ok(text),
        Err(_) => Ok(String::new()),
    }
}

/// The server names in a configuration; empty if it is malformed, which codex itself reports.
fn named(text: &str) -> Vec<String> {
    let table: toml::Table = toml::from_str(text).unwrap_or_default();
    match table.get("mcp_servers") {
        Some(toml::Value::Table(servers)) => servers.keys().cloned().collect(),
        Some(_) | None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    //! Servers found in various files, and the handling of files that nobody should write.

    use std::fs;

    use super::*;

    fn env(home: &Path) -> BTreeMap<String, String> {
        BTreeMap::from([("CODEX_HOME".to_owned(), home.display().to_string())])
    }

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    fn names(home: &Path, args: &str) -> Vec<String> {
        find(&env(home), &words(args)).names
    }

    #[test]
    fn every_way_to_write_a_server_down_is_found_and_the_profiles_file_only_if_it_is_named() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(
        dir.path().join("config.toml"),
        "model = \"m\"\nmcp_servers.dotted.command = \"x\"\n[mcp_servers.\"na.me\"]\ncommand = \"x\"\n[mcp_servers.off]\ncommand = \"x\"\nenabled = false\n[mcp_servers.'q\"uo te']\nurl = \"u\"\n[other.mcp_servers.not]\n",
    )
    .unwrap();
        fs::write(
            dir.path().join("work.config.toml"),
            "mcp_servers = { mine = { command = \"x\" } }",
        )
        .unwrap();
        let own = ["dotted", "na.me", "off", "q\"uo te"];
        assert_eq!(names(dir.path(), ""), own);
        for args in ["-p work", "-pwork", "-p=work", "--profile work", "--profile=work"] {
            assert_eq!(
                names(dir.path(), args),
                ["dotted", "mine", "na.me", "off", "q\"uo te"],
                "{args}"
            );
        }
        for args in ["-p", "-p ../work", "-p work/", "--profile="] {
            assert_eq!(names(dir.path(), args), own, "{args}");
        }
    }

    #[test]
    fn the_home_is_looked_in_where_codex_has_none_of_its_own_and_a_relative_one_is_none() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(".codex")).unwrap();
        fs::write(dir.path().join(".codex/config.toml"), "[mcp_servers.a]").unwrap();
        let home = dir.path().display().to_string();
        let of = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            find(&pairs.collect(), &[]).names
        };
        assert_eq!(of(&[("HOME", &home)]), ["a"]);
        assert_eq!(of(&[("HOME", &home), ("CODEX_HOME", "")]), ["a"]);
        assert!(of(&[("HOME", &home), ("CODEX_HOME", "relative")]).is_empty());
        assert!(of(&[]).is_empty());
    }

    #[test]
    fn what_is_no_configuration_names_no_server_and_what_is_too_much_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config.toml");
        let servers = || find(&env(dir.path()), &[]);
        for broken in
            ["[mcp_servers.a", "mcp_servers = 3", "mcp_servers = []", "\u{0}", &"[".repeat(100_000)]
        {
            fs::write(&file, broken).unwrap();
            assert_eq!(servers(), Servers::default());
        }
        fs::write(&file, b"\xff[mcp_servers.a]").unwrap();
        assert_eq!(servers(), Servers::default());

        let many: Vec<String> = (0..65).map(|n| format!("[mcp_servers.s{n:02}]\n")).collect();
        let many = many.concat();
        fs::write(&file, &many).unwrap();
        let found = servers();
        assert_eq!((found.names.len(), found.names[63].as_str()), (64, "s63"));
        assert!(found.left.unwrap().contains("has 65 of them, of which 64 are switched off"));

        fs::write(&file, format!("[mcp_servers.a]\n[mcp_servers.{}]", "x".repeat(201))).unwrap();
        let found = servers();
        assert_eq!(found.names, ["a"]);
        assert!(found.left.is_some());

        fs::write(&file, " ".repeat((1 << 20) + 1)).unwrap();
        assert!(servers().left.unwrap().contains("has 1048577 bytes"));
    }
}
