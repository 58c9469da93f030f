//! Damaged files, and texts that try to cause damage.

use super::*;

fn line(place: &Place) -> String {
    place.does(&high(1, "docs/a.md"));
    fs::read_to_string(place.path("policy.jsonl")).unwrap()
}

#[test]
fn damage_is_named_and_left_as_it_is() {
    let place = Place::new();
    let good = line(&place);
    let with = |key: &str, value: Value| {
        let mut line: Value = serde_json::from_str(&good).unwrap();
        line[key] = value;
        format!("{line}\n")
    };
    let without = |key: &str| {
        let mut line: Value = serde_json::from_str(&good).unwrap();
        line.as_object_mut().unwrap().remove(key);
        format!("{line}\n")
    };
    for (bad, says) in [
        ("garbage\n".to_owned(), "it is not JSON"),
        (good[..40].to_owned() + "\n", "it is not JSON"),
        ("\0\0\0\n".to_owned(), "it is not JSON"),
        ("[]\n".to_owned(), "schema_version: it is missing"),
        ("12\n".to_owned(), "schema_version: it is missing"),
        (
            with("schema_version", json!(2)),
            "its version is 2, but this program knows 1; update debate-agent",
        ),
        (with("schema_version", json!("1")), "its version is \"1\", but"),
        (with("action", json!("revise")), "action: unknown variant"),
        (with("session_id", json!(7)), "session_id: invalid type"),
        (with("severity", json!("dire")), "severity: unknown variant"),
        (without("artifact"), "missing field `artifact`"),
        (good.replacen("{\"", "{\"artifact\":\"b\",\"", 1), "artifact"),
    ] {
        for (text, number) in
            [(bad.clone(), 1), (format!("{good}{bad}"), 2), (format!("{good}\n{bad}{good}"), 3)]
        {
            fs::write(place.path("policy.jsonl"), &text).unwrap();
            for error in [
                revisions(&RealFs::default(), &place.dir(), "docs/a.md").unwrap_err(),
                record(&RealFs::default(), &place.dir(), &high(2, "docs/a.md").entry())
                    .unwrap_err(),
                record(&RealFs::default(), &place.dir(), &high(1, "docs/a.md").entry())
                    .unwrap_err(),
            ] {
                assert_eq!((error.code, error.status().code()), ("damaged_policy", 5));
                let shown = error.text(false);
                assert!(shown.contains(says), "{shown}");
                assert!(shown.contains(&format!("policy.jsonl, line {number}: ")), "{shown}");
                assert!(shown.contains("hint: "), "{shown}");
            }
            assert_eq!(fs::read_to_string(place.path("policy.jsonl")).unwrap(), text);
        }
    }
}

#[test]
fn hostile_texts_stay_texts() {
    let hostile = "# Own\n\nSession: `0199a3c2-2`\n<script>alert(1)</script>\n[x](http://evil) @all #1 | \u{1b}]52;c;eA==\u{7}\u{202e}`</details>";
    let place = Place::new();
    let mut case = case(1, hostile, Severity::Medium);
    case.divergences = vec![divergence(hostile)];
    case.items = vec![item(hostile)];
    place.does(&case);
    let page = fs::read_to_string(place.path("wisdom/issues.md")).unwrap();
    assert!(!page.contains(['<', '\u{1b}', '\u{7}', '\u{202e}']), "{page}");
    assert_eq!(page.lines().filter(|line| line.starts_with('#')).count(), 4, "{page}");
    assert_eq!(page.lines().filter(|line| line.starts_with("Session:")).count(), 1);
    // Text that poses as another session's section does not keep that section from being written.
    case.session = "0199a3c2-2".into();
    place.does(&case);
    let page = fs::read_to_string(place.path("wisdom/issues.md")).unwrap();
    assert_eq!(page.lines().filter(|line| line.starts_with("Session:")).count(), 2);
    case.severity = Some(Severity::High);
    place.does(&case);
    let line = &place.lines()[0];
    assert_eq!(line["artifact"], hostile, "the key is what was given");
    let text = line["divergences"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("# Own Session:") && !text.contains('\u{1b}'), "{text}");
}
