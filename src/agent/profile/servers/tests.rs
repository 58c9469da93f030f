//! Which servers are found in which files, and what happens to files that nobody should write.

use std::fs;

use super::*;

fn env(home: &Path) -> BTreeMap<String, String> {
    BTreeMap::from([("CODEX_HOME".to_owned(), home.display().to_string())])
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn names(home: &Path, args: &str) -> Vec<String> {
    find(ProfileName::Codex, &env(home), &words(args)).names
}

#[test]
fn every_way_to_write_a_server_down_is_found_and_the_profiles_file_only_if_it_is_named() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(
        dir.path().join("config.toml"),
        "model = \"m\"\nmcp_servers.dotted.command = \"x\"\n[mcp_servers.\"na.me\"]\ncommand = \"x\"\n[mcp_servers.off]\ncommand = \"x\"\nenabled = false\n[mcp_servers.'q\"uo te']\nurl = \"u\"\n[other.mcp_servers.not]\n",
    )
    .unwrap();
    fs::write(dir.path().join("work.config.toml"), "mcp_servers = { mine = { command = \"x\" } }")
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
    assert_eq!(find(ProfileName::Claude, &env(dir.path()), &[]), Servers::default());
}

#[test]
fn the_home_is_looked_in_where_codex_has_none_of_its_own_and_a_relative_one_is_none() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join(".codex")).unwrap();
    fs::write(dir.path().join(".codex/config.toml"), "[mcp_servers.a]").unwrap();
    let home = dir.path().display().to_string();
    let of = |pairs: &[(&str, &str)]| {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        find(ProfileName::Codex, &pairs.collect(), &[]).names
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
    let servers = || find(ProfileName::Codex, &env(dir.path()), &[]);
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
