//! Which names and contents are left out, worked out by hand.

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
        ".env.sh",
        "deploy.env",
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
        "secret.ps1",
        "secrets.gradle",
        "secrets.tf",
        "credentials.rake",
        "id_rsa_deploy.ps1",
        ".env.py",
        ".aws/deploy.py",
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
fn the_first_rule_that_holds_says_why_and_whose_word_it_is() {
    let policy = policy();
    let why = |path: &str| policy.by_name(path, PLAIN);
    let secret = |rule: &str| Some(Reason::missed(Omission::Secret, rule));
    let excluded = |pattern: &str| {
        let detail = format!("review.exclude contains `{pattern}`");
        Some(Reason::left_out(Omission::Excluded, detail))
    };
    assert_eq!(why("src/a.rs"), None);
    assert_eq!(why("sub/Cargo.lock"), excluded("Cargo.lock"));
    assert_eq!(why("gen/a/b.rs"), excluded("/gen/"));
    assert_eq!(why("sub/gen/a.rs"), None);
    assert_eq!(why("a.snap"), excluded("*.snap"));
    assert_eq!(why("keep.snap"), None);
    let pattern = "`vault/a.rs`: review.secrets contains `vault/`";
    assert_eq!(why("vault/a.rs"), Some(Reason::left_out(Omission::Secret, pattern)));
    assert_eq!(why(".env"), secret("`.env`: environment files hold secrets"));
    // A name that a generator chooses, and one that steers a review, hide nothing.
    assert_eq!(why("api/a.pb.go"), None);
    let all = Policy::new(&strings(&["*"]), &[], &[], &[]).unwrap();
    assert_eq!(all.by_name("debate-agent.config.json", PLAIN), None);
    assert!(!all.by_name("a", PLAIN).unwrap().missed);
    assert!(all.untrusted().by_name("a", PLAIN).unwrap().missed);
    // In our folders, only files that we write, and no code.
    let own = |path: &str| why(path).map(|reason| (reason.why, !reason.missed));
    for ours in [
        ".debate/sessions/x/journal.jsonl",
        ".debate/.gitignore",
        ".swarm/backlog/candidates.json",
        "notes/debates/a.md",
    ] {
        assert_eq!(own(ours), Some((Omission::Own, true)), "{ours}");
    }
    assert_eq!(
        own(&format!(".debate/sessions/x/answers/{}", "0a".repeat(32))),
        Some((Omission::Own, true))
    );
    let digest = "0a".repeat(32);
    for other in ["", "sessions/", "sessions/x/", "sessions/x/y/answers/"] {
        assert_eq!(own(&format!(".debate/{other}{digest}")), None, "{other}");
    }
    // An executable file or a link is not ours.
    for mode in ["100755", "120000"] {
        assert_eq!(policy.by_name(".debate/a.md", mode), None);
    }
    assert_eq!(own(".debate/evil.py"), None);
    assert_eq!(own(".swarm/run"), None);
    assert_eq!(own(".debate/sessions/.env"), Some((Omission::Secret, false)));
    assert_eq!(why(".debated/a.rs"), None);
    // A hostile patch can name any path.
    assert_eq!(why("/etc/Cargo.lock"), excluded("Cargo.lock"));
    assert_eq!(why("/"), None);
    assert_eq!(why("../../x"), None);
}

#[test]
fn a_file_that_was_secret_stays_so_unless_its_new_name_is_one_of_code() {
    let policy = policy();
    let detail = "it was `.env`: environment files hold secrets";
    assert_eq!(
        policy.by_old_name("settings.txt", ".env"),
        Some(Reason::missed(Omission::Secret, detail))
    );
    assert_eq!(policy.by_old_name("src/run.py", ".env"), None);
    assert_eq!(policy.by_old_name("settings.txt", "Cargo.lock"), None);
}

#[test]
fn own_folders_are_reviewed_if_they_are_named() {
    let named = |paths: &[&str]| {
        let own = strings(&[".debate", ".swarm"]);
        let policy = Policy::new(&[], &[], &own, &strings(paths)).unwrap();
        [".debate/a.md", ".swarm/b.json"].map(|path| policy.by_name(path, PLAIN).is_none())
    };
    assert_eq!(named(&[]), [false, false]);
    assert_eq!(named(&["src"]), [false, false]);
    assert_eq!(named(&[".debate"]), [true, false]);
    assert_eq!(named(&[".swarm/b.json"]), [false, true]);
}

#[test]
fn a_pattern_that_is_none_is_an_error() {
    let error = Policy::new(&[], &strings(&["a{b"]), &[], &[]).unwrap_err();
    assert_eq!((error.key, error.pattern.as_str()), ("review.secrets", "a{b"));
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

/// The opening line of a key, assembled so that no scanner takes this file for one.
fn opening(kind: &str) -> String {
    format!("-----BEGIN {kind}-----")
}

#[test]
fn a_private_key_is_found_wherever_it_is_and_talk_of_one_is_not() {
    let key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";
    for kind in ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"] {
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
    let found = by_content(ChangeKind::Modified, false, &[hunk(&removed)], None);
    assert_eq!(found, Some(Reason::missed(Omission::Secret, "it is a private key")));
    for open in [
        opening("PRIVATE KEY"),
        format!("if line.contains(\"{}\") {{ return true; }}", opening("PRIVATE KEY")),
        format!("{}\n{key}\n", opening("PUBLIC KEY")),
        format!("{}\n{key}\n", opening("CERTIFICATE")),
        "-----BEGIN ".to_owned(),
        "-----BEGIN -----BEGIN -----".to_owned(),
    ] {
        assert!(!holds_private_key(&open), "{open}");
    }
}

#[test]
fn keys_are_taken_out_of_code_and_the_code_stays() {
    let key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";
    let armour =
        format!("{}\n{key}\n{key}\nabc=\n-----END PRIVATE KEY-----\n", opening("PRIVATE KEY"));
    assert!(is_private_key(&[], Some(&armour)));
    let code = format!("import os\n{armour}os.system('calculateTotalAmountOfEverything')\n");
    assert!(!is_private_key(&[], Some(&code)));
    let shown = without_keys_of(None, &code);
    assert!(!shown.contains(key), "{shown}");
    assert!(shown.ends_with("\nos.system('calculateTotalAmountOfEverything')\n"), "{shown}");
    // Armour that is never closed hides none of the code after it.
    let open = format!(
        "# {}\n# {key}\nrun(calculateTotalAmountOfEverything)\nexit\n",
        opening("PRIVATE KEY")
    );
    let shown = without_keys_of(None, &open);
    assert!(
        shown.ends_with("\n# [redacted]\nrun(calculateTotalAmountOfEverything)\nexit\n"),
        "{shown}"
    );
    // In one literal, with more code on the line.
    let literal = format!(
        "k = \"{}\\n{key}\\n\"; calculateTotalAmountOfEverything()\n",
        opening("PRIVATE KEY")
    );
    let shown = without_keys_of(None, &literal);
    assert!(!shown.contains(key), "{shown}");
    assert!(shown.ends_with("; calculateTotalAmountOfEverything()\n"), "{shown}");
    // After a line shorter than the others, and next to an `=` that ends none, nothing belongs to a key.
    for code in ["K\nSKIPSIGNATURECHECK=1\n", "SKIPSIGNATURECHECK=\nrun()\n"] {
        let text = format!("{}\n{key}\n{key}\n{code}", opening("PRIVATE KEY"));
        let taken = "-----\n[redacted]\n[redacted]\n";
        assert!(without_keys_of(None, &text).ends_with(&format!("{taken}{code}")));
    }
    let long = format!("{}\n{key}\n{key}a\n{key}aa\n", opening("PRIVATE KEY"));
    assert!(without_keys_of(None, &long).ends_with(&format!("\n{key}aa\n")));
    let beside = format!("// {} ; SKIPSIGNATURECHECK=1\n{key}\n", opening("PRIVATE KEY"));
    assert_eq!(without_keys_of(None, &beside), beside);
    let header = format!("{}\nVersion: {key}\n\n{key}\n", opening("PRIVATE KEY"));
    assert!(without_keys_of(None, &header).ends_with(&format!("{key}\n\n[redacted]\n")));
    // In a diff, the new key follows the old one.
    let both = format!(
        " {}\n-{key}\n-{}==\n+{key}\n+{}==\n -----END PRIVATE KEY-----\n",
        opening("PRIVATE KEY"),
        &key[..20],
        &key[..20]
    );
    let shown = without_keys_of(None, &both);
    assert_eq!(shown.matches("[redacted]").count(), 4, "{shown}");
    assert!(!shown.contains(&key[..16]), "{shown}");
    // In a hunk that begins in the middle of a key.
    let body = format!(" {key}\n+{key}\n+run()\n");
    let shown = without_keys_of(Some(&code), &body);
    assert_eq!(shown, " [redacted]\n+[redacted]\n+run()\n");
}

#[test]
fn a_generators_mark_counts_where_the_base_has_it_and_the_file_keeps_it() {
    let marked = "// Code generated by x. DO NOT EDIT.\npackage a\n";
    let found = |kind, before, body: &str, text| {
        let found = by_content(kind, before, &[hunk(body)], text);
        found.map(|reason| (reason.why, !reason.missed))
    };
    let (kind, plain) = (ChangeKind::Modified, " package a\n+x\n");
    assert_eq!(found(kind, true, plain, Some(marked)), Some((Omission::Generated, true)));
    // For a new file, or one under a new name, there is only its author's word.
    for new in [ChangeKind::Added, ChangeKind::Renamed, ChangeKind::Copied] {
        assert_eq!(found(new, true, "+x\n", Some(marked)), None, "{new:?}");
    }
    // The marker moves up among the first lines because others are removed.
    assert_eq!(found(kind, false, plain, Some(marked)), None);
    assert_eq!(found(kind, true, plain, Some("package a\n")), None);
    assert_eq!(found(kind, true, plain, None), None);
    let brings = "+// Code generated by x. DO NOT EDIT.\n package a\n+evil\n";
    assert_eq!(found(kind, true, brings, Some(marked)), None);
}

#[test]
fn a_key_that_opens_within_the_header_of_another_is_not_left() {
    let begin = opening("PRIVATE KEY");
    let text = format!(
        "{begin}\nVersion: 1{begin}{}\n{}",
        "aA0++Aa00aAaA+0Aaa+AA0aaa0AAaa0A", "aa00AA+++a/00+aA+aA+AaA++AA+AAa+"
    );
    let without = without_keys_of(Some(&text), &text);
    assert!(!holds_private_key(&without), "{without}");
}

/// Parts of keys, and text that poses as one.
fn armoured() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just(opening("PRIVATE KEY")),
        Just("-----END PRIVATE KEY-----".to_owned()),
        prop::sample::select(vec![
            "\n",
            "\n+",
            "\n-",
            "\n ",
            "\\n",
            " ",
            "\"",
            "# ",
            "=",
            "(",
            "\nVersion: 1"
        ])
        .prop_map(str::to_owned),
        "[A-Za-z0-9+/]{0,70}",
        ".{0,6}",
    ];
    prop::collection::vec(part, 0..20).prop_map(|parts| parts.concat())
}

proptest! {
    /// One rule defines a key: the redactor finds none in the text that is left.
    #[test]
    fn no_key_is_left_to_be_found(text in armoured()) {
        let without = without_keys_of(Some(&text), &text);
        prop_assert!(!holds_private_key(&without), "{}", without);
        let redacted = crate::text::redact::Redactor::new(&[]).text(&without);
        prop_assert_eq!(redacted.split('\n').count(), text.split('\n').count());
    }

    #[test]
    fn no_name_and_no_text_makes_a_rule_panic(name in any::<String>(), old in any::<String>(), text in any::<String>()) {
        drop(policy().by_name(&name, PLAIN));
        drop(policy().by_old_name(&name, &old));
        drop(by_content(ChangeKind::Modified, true, &[hunk(&text)], Some(&text)));
        let armoured = format!("{}{text}", opening("PRIVATE KEY"));
        let _found = holds_private_key(&armoured);
    }

    /// Whatever surrounds a key, no line is lost or moved.
    #[test]
    fn a_text_without_its_keys_has_the_same_lines(before in any::<String>(), lines in prop::collection::vec("[A-Za-z0-9+/= é\"]{0,70}", 0..8), after in any::<String>()) {
        let text = format!("{before}{}\n{}\n{}\n{after}", opening("PRIVATE KEY"), "A".repeat(64), lines.join("\n"));
        let without = without_keys_of(Some(&text), &text);
        prop_assert_eq!(without.split('\n').count(), text.split('\n').count());
        let added: Vec<String> = text.split_inclusive('\n').map(|line| format!("+{line}")).collect();
        let added = added.concat();
        let shown = without_keys_of(Some(&text), &added);
        prop_assert_eq!(shown.split('\n').count(), added.split('\n').count());
        prop_assert!(!shown.contains(&"A".repeat(64)));
    }
}
