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
    let long = format!("{}{}\n", good.trim_end(), " ".repeat(1 << 20));
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
        (with("schema_version", json!("1")), "schema_version: it must be a number"),
        (with("action", json!("revise")), "action: unknown variant"),
        (with("session_id", json!(7)), "session_id: invalid type"),
        (with("severity", json!("dire")), "severity: unknown variant"),
        (without("artifact"), "missing field `artifact`"),
        (good.replacen("{\"", "{\"artifact\":\"b\",\"", 1), "artifact"),
        (long, "over the limit of 1048576"),
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

/// A crash during a write leaves any beginning of a line, without its end.
#[test]
fn an_unfinished_last_line_does_not_count_and_is_moved_away() {
    let place = Place::new();
    let good = line(&place);
    let second = good.replace("0199a3c2-1", "0199a3c2-2");
    for cut in [1, 2, 20, 100, second.len() - 2] {
        let place = Place::new();
        fs::create_dir(place.dir()).unwrap();
        let path = place.path("policy.jsonl");
        fs::write(&path, format!("{good}{}", &second[..cut])).unwrap();
        assert_eq!(revisions(&RealFs::default(), &place.dir(), "docs/a.md").unwrap(), 1, "{cut}");
        let left = fs::read_to_string(&path).unwrap();
        assert!(left.ends_with(&second[..cut]), "reading changes nothing");
        assert_eq!(place.does(&high(2, "docs/a.md")), FollowUpAction::Escalate);
        let lines = place.lines();
        assert_eq!((lines.len(), &lines[1]["action"]), (2, &json!("escalate")));
        let names = place.names();
        assert_eq!(names.len(), 3, "{names:?}");
        assert!(names[1].starts_with("policy.jsonl.torn-"), "{names:?}");
        assert_eq!(fs::read_to_string(place.path(&names[1])).unwrap(), second[..cut]);
    }
    // Not even UTF-8: a character that was cut.
    let place = Place::new();
    fs::create_dir(place.dir()).unwrap();
    fs::write(place.path("policy.jsonl"), b"{\"a\":\"\xc3").unwrap();
    assert_eq!(place.does(&high(1, "docs/a.md")), FollowUpAction::RevisionTask);
    assert_eq!(place.lines().len(), 1);
}

#[test]
fn a_last_line_that_lacks_only_its_line_feed_counts() {
    let place = Place::new();
    let good = line(&place);
    let path = place.path("policy.jsonl");
    fs::write(&path, good.trim_end()).unwrap();
    assert_eq!(revisions(&RealFs::default(), &place.dir(), "docs/a.md").unwrap(), 1);
    assert_eq!(place.does(&high(2, "docs/a.md")), FollowUpAction::Escalate);
    assert_eq!(place.lines().len(), 2);
    assert_eq!(place.names(), ["policy.jsonl", "policy.lock"]);
    // Empty lines and another system's line endings are not damage.
    fs::write(&path, format!("\r\n\n{}\r\n  \n", good.trim_end())).unwrap();
    assert_eq!(revisions(&RealFs::default(), &place.dir(), "docs/a.md").unwrap(), 1);
}

#[test]
fn what_is_too_large_is_refused_before_it_is_written() {
    let place = Place::new();
    line(&place);
    let path = place.path("policy.jsonl");
    let file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.set_len((64 << 20) + 1).unwrap();
    for error in [
        revisions(&RealFs::default(), &place.dir(), "x").unwrap_err(),
        record(&RealFs::default(), &place.dir(), &high(2, "x").entry()).unwrap_err(),
    ] {
        assert!(error.text(false).contains("more than 67108864 bytes"), "{}", error.text(false));
    }
    // A name of one MiB is refused, since the line could never be read again.
    let place = Place::new();
    let error = record(&RealFs::default(), &place.dir(), &high(1, &"x".repeat(1 << 20)).entry())
        .unwrap_err();
    assert!(error.text(false).contains("over the limit of 1048576"));
    assert!(!place.path("policy.jsonl").exists());
}

#[test]
fn long_lists_are_cut_and_counted() {
    let place = Place::new();
    let long = |number: usize| format!("{number} {}", "\u{1f980}\"\\".repeat(2_000));
    let mut case = high(1, "a");
    case.divergences = (0..51).map(|number| divergence(&long(number))).collect();
    case.items = (0..53).map(|number| item(&long(number))).collect();
    record(&RealFs::default(), &place.dir(), &case.entry()).unwrap();
    let line = &place.lines()[0];
    assert_eq!(line["left_out"], 4);
    for list in ["divergences", "action_items"] {
        let list = line[list].as_array().unwrap();
        assert_eq!(list.len(), 50);
        let text = list[49]["text"].as_str().unwrap();
        assert!(text.starts_with("49 ") && text.ends_with('…'));
        assert_eq!(text.chars().count(), 1_000);
    }
    case.severity = Some(Severity::Medium);
    record(&RealFs::default(), &place.dir(), &case.entry()).unwrap();
    let page = fs::read_to_string(place.path("wisdom/issues.md")).unwrap();
    assert!(page.contains("\n* and 1 more, in the record of the discussion\n"));
    assert!(page.contains("\n* and 3 more, in the record of the discussion\n"));
}

#[test]
fn a_warning_is_a_section_for_people_and_agents() {
    let place = Place::new();
    let case = case(1, "docs/a.md", Severity::Medium);
    let made = record(&RealFs::default(), &place.dir(), &case.entry()).unwrap();
    assert_eq!((made.action, made.stops, made.recorded), (FollowUpAction::Warning, false, true));
    let path = place.path("wisdom/issues.md");
    assert_eq!(made.file, Some(path.display().to_string()));
    let page = fs::read_to_string(&path).unwrap();
    insta::assert_snapshot!(page.replace(&"ab".repeat(32), "[sha256]"), @r"
    # Issues

    ## DISCUSS-002: docs/a.md

    * Time: 2026-09-21T14:13:20Z
    * Artifact: docs/a.md
    * SHA-256: [sha256]
    * Severity: medium; it proceeds with caution
    * Mean rating: 2.50

    ### Divergences

    * high\_risk (medium), risk, quality: The vendor may leave.

    ### Action items

    * medium, risk: Name a second vendor.

    Session: `0199a3c2-1`
    ");
    for (name, mode) in [("wisdom", 0o700), ("wisdom/issues.md", 0o600)] {
        let found = fs::metadata(place.path(name)).unwrap().permissions().mode();
        assert_eq!(found & 0o777, mode, "{name}");
    }
    assert!(!place.path("policy.jsonl").exists());
}

#[test]
fn what_others_wrote_into_the_issues_stays() {
    for (before, between) in
        [("", ""), ("# Mine\n", "\n"), ("# Mine\r\nno end", "\n\n"), ("\u{fffd} \n\n\n", "\n")]
    {
        let place = Place::new();
        fs::create_dir_all(place.path("wisdom")).unwrap();
        let path = place.path("wisdom/issues.md");
        fs::write(&path, before).unwrap();
        place.does(&case(1, "a", Severity::Medium));
        let page = fs::read_to_string(&path).unwrap();
        assert!(page.starts_with(&format!("{before}{between}## DISCUSS-002: a\n")), "{page}");
        // A section cut by a crash has no last line: it stays, and the section is written again below.
        let cut = page.len() - 3;
        fs::write(&path, &page[..cut]).unwrap();
        place.does(&case(1, "a", Severity::Medium));
        let again = fs::read_to_string(&path).unwrap();
        assert!(again.starts_with(&page[..cut]) && again.ends_with("\nSession: `0199a3c2-1`\n"));
        assert_eq!(again.matches("## DISCUSS-002").count(), 2);
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
