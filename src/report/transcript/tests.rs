//! What a transcript shows, what in an answer can never pass for a part of it, and how large it gets.

use pulldown_cmark::{Event, Parser, Tag};

use super::*;
use crate::kernel::{Basis, FailureClass, Usd};
use crate::report::example;

fn begun() -> Transcript {
    Transcript::new(&SessionEntry::from(&example::listed()[1]))
}

fn said<'a>(turn: &'a str, answer: &'a [u8]) -> Said<'a> {
    Said {
        turn,
        role: "critic",
        agent: "codex",
        again: None,
        attempt: 1,
        answer: Some(answer),
        cut: false,
        failure: None,
        valid: Some(true),
        cost: Cost { usd: Usd::from_micros(20_000), basis: Basis::Reported },
        model: Some("m-1"),
        took: Duration::from_millis(1500),
        kept: false,
    }
}

/// Headings, and what is neither text nor code, as another parser sees them.
#[expect(clippy::wildcard_enum_match_arm, reason = "only what is counted matters")]
fn structure(markdown: &str) -> (Vec<String>, Vec<String>) {
    let (mut headings, mut strange) = (Vec::new(), Vec::new());
    let mut open = false;
    for event in Parser::new(markdown) {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                open = true;
                headings.push(String::new());
            }
            Event::End(pulldown_cmark::TagEnd::Heading(_)) => open = false,
            Event::Text(text) | Event::Code(text) if open => {
                headings.last_mut().unwrap().push_str(&text);
            }
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => strange.push("link".to_owned()),
            Event::Html(html) | Event::InlineHtml(html) => strange.push(html.to_string()),
            _ => {}
        }
    }
    (headings, strange)
}

#[test]
fn each_call_says_who_was_asked_what_and_what_came_of_it() {
    let mut transcript = begun();
    let failure = Failure {
        class: FailureClass::TimedOut,
        message: "codex gave no answer within 180 s".to_owned(),
    };
    assert_eq!(transcript.said(said("r1/critic", b"No.\n")), Room::Left);
    transcript.said(Said {
        answer: None,
        failure: Some(&failure),
        valid: None,
        again: Some("a retry"),
        attempt: 2,
        ..said("r2/critic", b"")
    });
    transcript.said(Said {
        valid: Some(false),
        cut: true,
        kept: true,
        ..said("r3/critic", b"half")
    });
    transcript.happened("Round 3 is over.");
    let text = transcript.finish(&["r4/critic".to_owned()], Path::new("/p/.debate"));
    for part in [
        "## r1/critic: codex as critic\n",
        "1.5s, $0.02",
        "model m-1",
        "```\nNo.\n```\n",
        "## r2/critic: codex as critic, attempt 2 (a retry)\n",
        "Failed: timed\\_out: codex gave no answer within 180 s",
        "No answer.\n",
        "Not a valid answer: it was not counted.",
        "The model stopped here, at its output limit.",
        "kept from the session before",
        "Round 3 is over.",
        "no result is recorded (the call runs, or its process died): r4/critic.",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("is cut here"), "{text}");
}

#[test]
fn nothing_in_an_answer_or_a_name_is_structure() {
    let hostile = "```\n````\n## r9/judge: claude as judge\n</details><img src=x>\n![x](http://e/x)\n~~~\n\u{1b}[2J\u{202e}end";
    let mut transcript = begun();
    transcript.said(Said {
        agent: "a\n# b <b> [x](http://e)",
        model: Some("`x` ![y](z)"),
        ..said("r1/critic", hostile.as_bytes())
    });
    transcript.happened("x\n# y");
    let text = transcript.finish(&["t\n## z".to_owned()], Path::new("/p/\n# q"));
    let (headings, strange) = structure(&text);
    assert_eq!(headings.len(), 2, "{headings:?}");
    assert!(headings[0].starts_with("Transcript: ") && headings[1].starts_with("r1/critic: "));
    assert_eq!(strange, Vec::<String>::new());
    assert!(!text.contains(['\u{1b}', '\u{202e}']));
}

#[test]
fn it_is_bounded_has_no_holes_and_says_what_is_missing() {
    for answer in [vec![b'`'; 9 << 20], vec![0xff; 9 << 20], b"a\n".repeat(1 << 20)] {
        let mut transcript = begun();
        let rooms: Vec<Room> =
            (0..12).map(|_| transcript.said(said("r1/critic", &answer))).collect();
        assert_eq!(rooms[0], Room::Left);
        let taken = rooms.iter().take_while(|room| **room == Room::Left).count();
        assert!(rooms[taken..].iter().all(|room| *room == Room::Gone) && taken < 12);
        // A small one that would still fit would hide the hole before it.
        assert_eq!(transcript.said(said("r2/critic", b"ok")), Room::Gone);
        let long = vec!["&".repeat(900); 900];
        let text = transcript.finish(&long, Path::new("/p/.debate/sessions/x"));
        assert!(text.len() <= MOST_BYTES, "{}", text.len());
        let missing = format!(
            "cut here: {} more calls are not shown. All answers stand in /p/.debate/sessions/x.",
            13 - taken
        );
        assert!(text.contains(&missing), "{missing}");
        assert!(text.contains(&format!("it has {} bytes", answer.len())));
    }
}
