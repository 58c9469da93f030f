//! Which names and contents are left out, by hand.

use proptest::prelude::*;

use super::*;

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn policy() -> Policy {
    Policy::new(
        &strings(&["Cargo.lock", "/gen/", "*.snap", "!keep.snap"]),
        &strings(&["vault/", "*.token"]),
        &strings(&[".debate", ".swarm", "notes/debates/"]),
        &[],
    )
    .unwrap()
}

#[test]
fn names_of_secrets_are_known_and_code_about_them_is_code() {
    for secret in [
        ".env",
        ".env.local",
        "a/.env.production",
        ".envrc",
        "prod.env",
        ".ENV",
        "tls/server.pem",
        "server.key",
        "id_rsa",
        ".ssh/id_ed25519",
        "id_rsa.bak",
        "a.p12",
        "a.pfx",
        "release.keystore",
        "a.jks",
        ".npmrc",
        "home/.pypirc",
        ".netrc",
        ".git-credentials",
        "credentials",
        "credentials.json",
        "Credentials.yml.enc",
        "credentials-prod.yaml",
        "secrets.yml",
        "config/secrets.json",
        "secret.toml",
        "secrets",
        ".docker/config.json",
        "home/.ssh/config",
        ".aws/config",
    ] {
        assert!(secret_name(secret).is_some(), "{secret}");
    }
    for open in [
        ".env.example",
        ".env.sample",
        "a/.env.template",
        "id_rsa.pub",
        "id_ed25519.pub",
        "credentials.rs",
        "credentials_test.go",
        "CredentialsProvider.java",
        "secrets.py",
        "secrets/mod.rs",
        "credentials.example.json.example",
        "environment.ts",
        "src/env.rs",
        "keyboard.rs",
        "monkey.txt",
        "pemmican.md",
        "",
    ] {
        assert_eq!(secret_name(open), None, "{open}");
    }
}

#[test]
fn the_first_rule_that_holds_says_why() {
    let policy = policy();
    let why = |path: &str, old: Option<&str>| policy.by_name(path, old);
    let secret = |rule: &str| Some((LeftOut::Secret, rule.to_owned()));
    let excluded = |pattern: &str| {
        Some((
            LeftOut::Excluded,
            format!("review.exclude holds `{pattern}`"),
        ))
    };
    assert_eq!(why("src/a.rs", None), None);
    assert_eq!(why("sub/Cargo.lock", None), excluded("Cargo.lock"));
    assert_eq!(why("gen/a/b.rs", None), excluded("/gen/"));
    assert_eq!(why("sub/gen/a.rs", None), None);
    assert_eq!(why("a.snap", None), excluded("*.snap"));
    assert_eq!(why("keep.snap", None), None);
    assert_eq!(
        why("vault/a.rs", None),
        secret("`vault/a.rs`: review.secrets holds `vault/`")
    );
    assert_eq!(
        why("config.rs", Some(".env")),
        secret("it was `.env`: environment files hold secrets")
    );
    assert_eq!(
        why(".debate/sessions/.env", None),
        Some((
            LeftOut::Own,
            "`.debate` holds debate-agent's own files".to_owned()
        ))
    );
    assert_eq!(why("notes/debates", None).unwrap().0, LeftOut::Own);
    assert_eq!(why(".debated/a.rs", None), None);
    assert_eq!(why("api/a.pb.go", None).unwrap().0, LeftOut::Generated);
    // A hostile patch names anything.
    assert_eq!(why("/etc/Cargo.lock", None), excluded("Cargo.lock"));
    assert_eq!(why("/", None), None);
    assert_eq!(why("../../x", None), None);
}

#[test]
fn own_folders_are_reviewed_if_they_are_named() {
    let named = |paths: &[&str]| {
        let own = strings(&[".debate", ".swarm"]);
        let policy = Policy::new(&[], &[], &own, &strings(paths)).unwrap();
        [".debate/a.md", ".swarm/b.json"].map(|path| policy.by_name(path, None).is_none())
    };
    assert_eq!(named(&[]), [false, false]);
    assert_eq!(named(&["src"]), [false, false]);
    assert_eq!(named(&[".debate"]), [true, false]);
    assert_eq!(named(&[".swarm/b.json"]), [false, true]);
}

#[test]
fn a_pattern_that_is_none_is_an_error() {
    let error = Policy::new(&[], &strings(&["a{b"]), &[], &[]).unwrap_err();
    assert_eq!(
        (error.key, error.pattern.as_str()),
        ("review.secrets", "a{b")
    );
}

fn hunk(body: &str) -> Hunk {
    Hunk {
        old_start: 1,
        old_lines: 1,
        new_start: 1,
        new_lines: 1,
        heading: String::new(),
        body: body.to_owned(),
    }
}

/// The opening line of a key, put together so that no scanner takes this file for one.
fn opening(kind: &str) -> String {
    format!("-----BEGIN {kind}-----")
}

#[test]
fn a_private_key_is_found_wherever_it_is_and_talk_of_one_is_not() {
    let key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";
    for kind in [
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ] {
        let text = format!("a\n{}\n{key}\n", opening(kind));
        assert!(holds_private_key(&text), "{kind}");
        let code = format!("const K: &str = \"{}\\n{key}\\n\";", opening(kind));
        assert!(holds_private_key(&code), "{kind}");
    }
    let encrypted = format!(
        "{}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0011\n\n{key}\n",
        opening("RSA PRIVATE KEY")
    );
    assert!(holds_private_key(&encrypted));
    let removed = format!("-{}\n-{key}\n", opening("PRIVATE KEY"));
    let found = by_content(ChangeKind::Modified, &[hunk(&removed)], None);
    assert_eq!(found.unwrap().0, LeftOut::Secret);
    for open in [
        opening("PRIVATE KEY"),
        format!(
            "if line.contains(\"{}\") {{ return true; }}",
            opening("PRIVATE KEY")
        ),
        format!("{}\n{key}\n", opening("PUBLIC KEY")),
        format!("{}\n{key}\n", opening("CERTIFICATE")),
        "-----BEGIN ".to_owned(),
        "-----BEGIN -----BEGIN -----".to_owned(),
    ] {
        assert!(!holds_private_key(&open), "{open}");
    }
}

#[test]
fn a_generators_mark_counts_unless_the_change_brings_it_in() {
    let marked = "// Code generated by x. DO NOT EDIT.\npackage a\n";
    let kind = |kind, body: &str, text| by_content(kind, &[hunk(body)], text).map(|found| found.0);
    let plain = " package a\n+x\n";
    assert_eq!(
        kind(ChangeKind::Modified, plain, Some(marked)),
        Some(LeftOut::Generated)
    );
    assert_eq!(
        kind(ChangeKind::Added, "+x\n", Some(marked)),
        Some(LeftOut::Generated)
    );
    assert_eq!(kind(ChangeKind::Modified, plain, Some("package a\n")), None);
    assert_eq!(kind(ChangeKind::Modified, plain, None), None);
    let brings = "+// Code generated by x. DO NOT EDIT.\n package a\n+evil\n";
    assert_eq!(kind(ChangeKind::Modified, brings, Some(marked)), None);
    assert_eq!(kind(ChangeKind::Renamed, brings, Some(marked)), None);
}

proptest! {
    #[test]
    fn no_name_and_no_text_makes_a_rule_panic(name in any::<String>(), old in any::<Option<String>>(), text in any::<String>()) {
        drop(policy().by_name(&name, old.as_deref()));
        drop(by_content(ChangeKind::Modified, &[hunk(&text)], Some(&text)));
        let armoured = format!("{}{text}", opening("PRIVATE KEY"));
        let _found = holds_private_key(&armoured);
    }
}
