//! The gate on a scratch project; what its errors say is told by those who use it.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use super::*;
use crate::app::workspace::Surroundings;
use crate::config::tests::World;

fn gate(world: &World) -> Gate {
    let around = Surroundings {
        dir: world.path("repo"),
        config: None,
        vars: world.vars.clone(),
        group: 0,
        groups: String::new(),
        nested: false,
        env: crate::env::Env::system(),
    };
    Gate::new(&Workspace::open(around, Vec::new()).unwrap()).unwrap()
}

#[test]
fn what_is_opened_is_the_file_behind_the_links() {
    let world = World::new();
    world.write("repo/inner/a.md", "text");
    symlink("inner", world.path("repo/docs")).unwrap();
    symlink(world.path("repo"), world.path("mine")).unwrap();
    for path in ["repo/docs/a.md", "mine/docs/a.md"] {
        let mut opened = gate(&world).open(&world.path(path), None).unwrap();
        let mut text = String::new();
        opened.file.read_to_string(&mut text).unwrap();
        assert_eq!(
            (text.as_str(), opened.real, opened.bytes),
            ("text", world.path("repo/inner/a.md"), 4)
        );
    }
}

#[test]
fn a_link_of_the_project_that_leads_out_of_it_is_refused_by_whatever_way() {
    let world = World::new();
    world.write("elsewhere/a.md", "text");
    world.write("repo/inner/b.md", "text");
    symlink(world.path("elsewhere"), world.path("repo/docs")).unwrap();
    symlink("../docs/a.md", world.path("repo/inner/c.md")).unwrap();
    symlink(world.path("repo"), world.path("elsewhere/back")).unwrap();
    symlink(world.path("repo/docs"), world.path("around")).unwrap();
    let gate = gate(&world);
    for path in [
        "repo/docs/a.md",
        "repo/docs/back/inner/b.md",
        "repo/docs/../a.md",
        "repo/inner/c.md",
        "elsewhere/back/docs/a.md",
    ] {
        let refused = gate.open(&world.path(path), None).unwrap_err();
        let Refused::LeadsOut { to, .. } = refused else {
            panic!("{path}: {refused:?}");
        };
        assert!(to.starts_with(world.path("elsewhere")), "{}", to.display());
    }
    // A link of the user's own, outside of the project, leads where the user put it.
    assert!(gate.open(&world.path("around/a.md"), None).is_ok());
    assert!(gate.open(&world.path("elsewhere/a.md"), None).is_ok());
}

#[test]
fn only_plain_files_are_opened() {
    let world = World::new();
    let gate = gate(&world);
    fs::create_dir(world.path("repo/folder")).unwrap();
    drop(UnixListener::bind(world.path("repo/socket")).unwrap());
    rustix::fs::mknodat(
        rustix::fs::CWD,
        world.path("repo/pipe"),
        FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    symlink("pipe", world.path("repo/link")).unwrap();
    for (path, is) in [
        (world.path("repo/folder"), "a folder"),
        (world.path("repo/socket"), "a socket"),
        (world.path("repo/pipe"), "a pipe"),
        (world.path("repo/link"), "a pipe"),
        ("/dev/null".into(), "a device"),
        ("/dev/zero".into(), "a device"),
    ] {
        let refused = gate.open(&path, None).unwrap_err();
        assert!(matches!(refused, Refused::NotPlain(what) if what == is), "{refused:?}");
    }
    symlink("nowhere", world.path("repo/dangling")).unwrap();
    for missing in ["repo/none", "repo/dangling"] {
        let refused = gate.open(&world.path(missing), None).unwrap_err();
        assert!(matches!(refused, Refused::Missing(_)), "{refused:?}");
    }
    world.write("repo/file", "x");
    let refused = gate.open(&world.path("repo/file/below"), None).unwrap_err();
    assert!(matches!(refused, Refused::Unreadable(_)), "{refused:?}");
}

#[test]
fn a_folder_that_must_not_be_left_is_not_left_by_links_either() {
    let world = World::new();
    world.write("repo/spec/a.md", "x");
    world.write("repo/b.md", "x");
    world.write("repo-2/c.md", "x");
    symlink("../b.md", world.path("repo/spec/out.md")).unwrap();
    symlink("spec/a.md", world.path("repo/in.md")).unwrap();
    symlink("spec", world.path("repo/alias")).unwrap();
    let gate = gate(&world);
    for (file, below, inside) in [
        ("repo/spec/a.md", "repo", true),
        ("repo/spec/a.md", "repo/alias", true),
        ("repo/in.md", "repo/spec", true),
        ("repo/spec/../b.md", "repo/spec", false),
        ("repo/spec/out.md", "repo/spec", false),
        ("repo-2/c.md", "repo", false),
    ] {
        let opened = gate.open(&world.path(file), Some(&world.path(below)));
        match opened {
            Ok(_) => assert!(inside, "{file}"),
            Err(Refused::Outside) => assert!(!inside, "{file}"),
            Err(other) => panic!("{file}: {other:?}"),
        }
    }
}

#[test]
fn files_of_secrets_are_known_by_their_names_from_the_projects_root_on() {
    let world = World::new();
    world.user(r#"{"review": {"secrets": ["/private/*.md", "*.vault"]}}"#);
    for file in [
        "repo/.env",
        "repo/private/a.md",
        "repo/docs/private/a.md",
        "repo/x.vault",
        "elsewhere/y.vault",
    ] {
        world.write(file, "x");
    }
    symlink("private/a.md", world.path("repo/harmless.md")).unwrap();
    let gate = gate(&world);
    for (file, secret) in [
        ("repo/.env", true),
        ("repo/private/a.md", true),
        ("repo/harmless.md", true),
        ("repo/x.vault", true),
        ("elsewhere/y.vault", true),
        ("repo/docs/private/a.md", false),
    ] {
        let opened = gate.open(&world.path(file), None);
        assert_eq!(matches!(opened, Err(Refused::Secret(_))), secret, "{file}: {opened:?}");
    }
}

#[test]
fn text_is_utf8_without_nul() {
    assert_eq!(text(b"caf\xc3\xa9".to_vec(), false), Ok("café".to_owned()));
    assert_eq!(text(b"ab\0c\xff".to_vec(), true), Err(NoText::Nul(2)));
    assert_eq!(text(b"caf\xe9 x".to_vec(), true), Err(NoText::Encoding(3)));
    assert_eq!(text(b"caf\xc3".to_vec(), false), Err(NoText::Encoding(3)));
    assert_eq!(text(b"caf\xc3".to_vec(), true), Ok("caf".to_owned()));
}

#[test]
fn what_shows_nothing_is_empty() {
    for blank in ["", " \r\n\t", "\u{200b}\u{feff}\n", "\u{a0}\u{1b}"] {
        assert!(is_empty(blank), "{blank:?}");
    }
    assert!(!is_empty(" .\n"));
}

#[test]
fn labels_are_one_line_whatever_a_path_holds() {
    use std::os::unix::ffi::OsStrExt as _;
    let evil = std::ffi::OsStr::from_bytes(b"a\x1b[31m\xff\nb\xe2\x80\xae.md");
    assert_eq!(label(Path::new(evil)), "a\\xff b.md");
    assert!(label(Path::new(&"x".repeat(5_000))).chars().count() <= 1_000);
}

#[test]
fn m6_a_folder_that_changes_into_a_link_meanwhile_never_leads_out() {
    let world = World::new();
    world.write("repo/docs/a.md", "inside");
    world.write("elsewhere/a.md", "outside");
    symlink(world.path("elsewhere"), world.path("repo/link")).unwrap();
    let gate = gate(&world);
    let stop = std::sync::atomic::AtomicBool::new(false);
    let (docs, link, aside) =
        (world.path("repo/docs"), world.path("repo/link"), world.path("repo/aside"));
    let mut read = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                fs::rename(&docs, &aside).unwrap();
                fs::rename(&link, &docs).unwrap();
                fs::rename(&docs, &link).unwrap();
                fs::rename(&aside, &docs).unwrap();
            }
        });
        for _ in 0..5_000 {
            if let Ok(mut opened) = gate.open(&world.path("repo/docs/a.md"), None) {
                let mut text = String::new();
                opened.file.read_to_string(&mut text).unwrap();
                read += usize::from(text == "inside");
                if text != "inside" {
                    stop.store(true, std::sync::atomic::Ordering::Relaxed);
                    panic!("it read what lies {text}");
                }
            }
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert!(read > 0);
}
