//! Secrets that are removed, text that is left, and that chunks make no difference (P20).

use proptest::prelude::*;

use super::*;

fn redact(text: &str) -> String {
    Redactor::new(&[]).text(text)
}

/// A known format, assembled here so that no scanner takes this file for a leak.
fn key(prefix: &str, length: usize) -> String {
    let body: String = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zC".chars().cycle().take(length).collect();
    format!("{prefix}{body}")
}

fn keys() -> Vec<String> {
    let mut keys: Vec<String> = [
        ("sk-", 48),
        ("sk-proj-", 60),
        ("sk-ant-api03-", 95),
        ("ghp_", 36),
        ("gho_", 36),
        ("ghs_", 36),
        ("github_pat_", 82),
        ("AIza", 35),
        ("ya29.", 100),
        ("xoxb-", 40),
        ("glpat-", 20),
        ("npm_", 36),
        ("hf_", 34),
        ("gsk_", 52),
        ("sk_live_", 24),
    ]
    .iter()
    .map(|(prefix, length)| key(prefix, *length))
    .collect();
    keys.push(format!("AKIA{}", "IOSFODNN7QWERTYU"));
    keys.push(format!("{}.{}.{}", key("eyJ", 30), key("eyJ", 60), key("", 43)));
    keys.push(format!(
        "-----BEGIN RSA PRIVATE KEY-----\n{}\n{}\n-----END RSA PRIVATE KEY-----",
        key("", 64),
        key("", 20)
    ));
    keys.push(format!(
        "-----BEGIN PRIVATE KEY-----\\n{}\\nab==\\n-----END PRIVATE KEY-----",
        key("", 64)
    ));
    keys
}

#[test]
fn known_shapes_go_wherever_they_stand() {
    for key in keys() {
        assert_eq!(redact(&format!("a {key}, b")), "a [redacted], b");
        assert_eq!(redact(&format!("{{\"k\":\"{key}\"}}")), "{\"k\":\"[redacted]\"}");
        assert_eq!(redact(&key), "[redacted]");
        // The letter of an escaped line break is not part of the word.
        assert_eq!(redact(&format!("\"x\\n{key}\"")), "\"x\\n[redacted]\"");
    }
}

#[test]
fn bearer_values_and_passwords_in_urls() {
    let token = key("", 24);
    assert_eq!(
        redact(&format!("Authorization: Bearer {token}\n")),
        "Authorization: Bearer [redacted]\n"
    );
    assert_eq!(redact("postgres://user:p%40ss@db:5432/x"), "postgres://[redacted]@db:5432/x");
    assert_eq!(redact("redis://:secret@h"), "redis://[redacted]@h");
    let in_user = format!("https://{}:x-oauth-basic@github.com/", key("ghp_", 36));
    assert_eq!(redact(&in_user), "https://[redacted]@github.com/");
}

#[test]
fn ordinary_text_is_left_alone() {
    for text in [
        "task-management-system-overview-for-everyone and sk-learn",
        "a risk-assessment-2024-11-report-of-the-team",
        "Bearer authentication-is-described-below",
        "https://example.org:8080/a@b and git@github.com:a/b http://user@host/",
        "-----BEGIN PRIVATE KEY----- is how it starts, and -----BEGIN CERTIFICATE-----\nMIIB",
        "AKIA is a prefix; eyJ too; npm_config_registry; ghp_short; sk-",
        "://",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn a_key_without_an_end_does_not_take_the_rest_of_the_text() {
    let text = format!("-----BEGIN PRIVATE KEY-----\n{}\n\"}} and so on", key("", 64));
    assert_eq!(redact(&text), "[redacted]\"} and so on");
}

#[test]
fn exact_values_also_inside_json() {
    let secret = "pa\"ss\\wo\nrd!".to_owned();
    let redactor =
        Redactor::new(&[secret.clone(), "short".into(), "abcdefgh".into(), "abcdefghijkl".into()]);
    assert_eq!(redactor.text(&format!("x{secret}y")), "x[redacted]y");
    let json = serde_json::json!({ "k": secret }).to_string();
    assert_eq!(redactor.text(&json), "{\"k\":\"[redacted]\"}");
    assert_eq!(redactor.text("short abcdefghijkl abcdefghij"), "short [redacted] [redacted]ij");
    assert_eq!(redactor.text("Bearer abcdefghijklmnopQ1!"), "Bearer [redacted]!");
}

#[test]
fn debug_output_shows_no_secret() {
    let redactor = Redactor::new(&["canary-value-1".to_owned()]);
    let mut stream = redactor.stream();
    stream.push(b"canary-val");
    let shown = format!("{redactor:?} {stream:?}");
    assert!(!shown.contains("canary") && !shown.contains("99, 97, 110"), "{shown}");
}

#[test]
fn what_is_held_back_is_bounded() {
    let redactor = Redactor::new(&["0123456789abcdef".to_owned()]);
    for unit in [
        "-----BEGIN PRIVATE KEY-----\n",
        "://a",
        "eyJ",
        "a",
        "ghp_",
        "0123456789",
        "\\",
        "-",
        "Bearer ",
        "://:",
        "password = ",
        "api_key",
        "Cookie: a=b; ",
        "machine a login b password ",
    ] {
        let mut stream = redactor.stream();
        for _ in 0..3000 {
            stream.push(unit.as_bytes());
            assert!(stream.held_back() < 2048, "{unit}");
            assert!(stream.state.buffer.len() < 4096, "{unit}");
        }
    }
    let mut stream = redactor.stream();
    stream.push(key("ghp_", 36).as_bytes());
    for _ in 0..1000 {
        stream.push("a".repeat(1000).as_bytes());
        assert!(stream.held_back() < 2048);
    }
    assert_eq!(stream.finish(), b"");
}

#[test]
fn every_rule_can_be_searched_for_and_compiles() {
    let mut used = 0;
    for (id, pattern, compiles) in Rules::get().patterns() {
        assert!(compiles, "{id}: {pattern}");
        used += 1;
    }
    assert!(used > 250, "{used}");
}

#[test]
fn only_the_secret_of_a_rule_goes_and_json_stays_json() {
    let (long, short) = (key("", 40), key("", 14));
    for (text, left) in [
        (format!("client_secret = \"{long}\";"), "client_secret = \"[redacted]\";"),
        (format!("Cookie: a=b; sid={long}; x=1"), "Cookie: a=b; sid=[redacted]; x=1"),
        (format!("Password={short};Encrypt=true"), "Password=[redacted];Encrypt=true"),
        (
            format!("{{\\\"password\\\": \\\"{short}\\\"}}"),
            "{\\\"password\\\": \\\"[redacted]\\\"}",
        ),
        (format!("token:\\n{long}\\n"), "token:\\n[redacted]\\n"),
    ] {
        assert_eq!(redact(&text), left);
    }
}

#[test]
fn a_value_that_a_rule_takes_in_part_goes_as_a_whole() {
    let value = format!("{} and more", key("ghp_", 36));
    let redactor = Redactor::new(std::slice::from_ref(&value));
    assert_eq!(redactor.text(&format!("a {value} b")), "a [redacted] b");
}

/// An agent that has answered may live on or be killed: its answer is in the spool by then.
#[test]
fn what_ends_a_line_is_not_held_back() {
    let redactor = Redactor::new(&["0123456789abcdef".to_owned()]);
    for line in [
        "{\"type\":\"result\",\"result\":\"the key, the token and sk-\",\"usage\":{\"input_tokens\":12}}\n",
        "a plain line about an api key and a password.\n",
        "see https://example.org/a?b=c and task-12 at 01234567\n",
        "}\n",
    ] {
        let mut stream = redactor.stream();
        assert_eq!(stream.push(line.as_bytes()), line.as_bytes(), "{line}");
        assert_eq!(stream.push(line.as_bytes()), line.as_bytes(), "{line}");
        assert_eq!(stream.finish(), b"");
    }
}

fn pieces() -> impl Strategy<Value = Vec<String>> {
    let piece = prop_oneof![
        prop::sample::select(keys()),
        prop::sample::select(keys())
            .prop_flat_map(|key| (0..key.len()).prop_map(move |end| key[..end].to_owned())),
        prop::sample::select(vec![
            "canary-one-is-long",
            "canary-one",
            "canary-\"two\"",
            "canary-\\\"two\\\""
        ])
        .prop_map(str::to_owned),
        prop::sample::select(vec![
            "Bearer ",
            "://",
            ":",
            "@",
            "sk-",
            "eyJ",
            ".",
            "-----BEGIN ",
            "PRIVATE KEY-----",
            "\n",
            "\\n",
            "-----END ",
            "-----",
            "canary-",
            "password = \"",
            "\"api_key\": \"",
            "aws_secret_access_key=",
            "Cookie: sid=",
            "Authorization: Basic ",
            "_mmk",
            ":AA",
            "8Q~",
            ".atlasv1.",
            "0123456789",
            "\"",
            "\\",
            " ",
        ])
        .prop_map(str::to_owned),
        "[a-zA-Z0-9]{0,24}",
        ".{0,6}",
    ];
    prop::collection::vec(piece, 0..16)
}

proptest! {
    /// A stream gives the same output as the whole text, whatever the chunks; and no exact value is
    /// left (P20).
    #[test]
    fn chunks_make_no_difference(pieces in pieces(), cuts in prop::collection::vec(1..40_usize, 1..20)) {
        let secrets = ["canary-one-is-long", "canary-one", "canary-\"two\""].map(str::to_owned);
        let redactor = Redactor::new(&secrets);
        let text = pieces.concat();
        let whole = redactor.bytes(text.as_bytes());
        let mut stream = redactor.stream();
        let mut written = Vec::new();
        let mut rest = text.as_bytes();
        for cut in cuts.iter().cycle() {
            let (chunk, after) = rest.split_at((*cut).min(rest.len()));
            written.extend(stream.push(chunk));
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        written.extend(stream.finish());
        prop_assert_eq!(String::from_utf8_lossy(&written), String::from_utf8_lossy(&whole));
        let whole = String::from_utf8(whole).unwrap();
        for secret in &secrets {
            prop_assert!(!whole.contains(secret.as_str()));
        }
        prop_assert!(!whole.contains("canary-\\\"two\\\""));
    }

    /// Whatever is removed, JSON stays JSON with the same keys, also inside JSON.
    #[test]
    fn json_stays_json(texts in prop::collection::vec(pieces(), 1..4)) {
        let texts: Vec<String> = texts.iter().map(|pieces| pieces.concat()).collect();
        let inner = serde_json::json!({ "key": texts, "token": 1_234_567_890_123_u64, "n": 0.123_456_789 }).to_string();
        let outer = serde_json::json!({ "text": inner, "auth": null }).to_string();
        let redactor = Redactor::new(&[]);
        for document in [&inner, &outer] {
            let read: serde_json::Value = serde_json::from_str(&redactor.text(document)).unwrap();
            let nested = read["text"].as_str().map(serde_json::from_str::<serde_json::Value>);
            prop_assert!(nested.is_none_or(|nested| nested.is_ok()));
            let keys: Vec<&String> = read.as_object().unwrap().keys().collect();
            prop_assert!(keys.iter().all(|key| ["key", "token", "n", "text", "auth"].contains(&key.as_str())));
        }
    }

    #[test]
    fn never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let redactor = Redactor::new(&[]);
        prop_assert!(redactor.bytes(&bytes).len() <= bytes.len() + 300);
    }
}

/// A placeholder is left alone only as a whole: a password may contain or begin with its signs.
#[test]
fn a_placeholder_is_no_password_and_a_password_with_its_signs_is_one() {
    for placeholder in [
        "{pw}",
        "{prefix}-{pw!r}",
        "${DB_PASS}",
        "$DB_PASS",
        "$dbPassword",
        "%s",
        "%(pw)s",
        "{{pw}}",
        "{$pw}",
        "****",
        "YOUR_PASSWORD",
    ] {
        let url = format!("postgres://{{user}}:{placeholder}@db");
        assert_eq!(redact(&url), url);
        let line = format!("password = \"{placeholder}\"");
        assert_eq!(redact(&line), line);
    }
    for password in ["Xy{z9!aQ7", "$ecretPa55", "%40dm1nPa55", "${A}hUnt77er", "Sup3r$3cret"] {
        let url = format!("postgres://$USER:{password}@db");
        assert_eq!(redact(&url), "postgres://[redacted]@db");
        let line = format!("password = \"{password}\"");
        assert_eq!(redact(&line), "password = \"[redacted]\"");
    }
}
