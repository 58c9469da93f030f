//! `debate --style panel`, end to end: blind votes, what counts, who judges, how it ends.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::debates::TOPIC;
use crate::support::replies::warned;
use crate::support::{Run, Sandbox};

const DEAD: &str = r#"{"error": "not_logged_in"}"#;
/// Three answers that are not the same.
const THREE: [&str; 3] = ["Redis", "Files", "Memcached"];

fn run(sandbox: &Sandbox, more: &[&str]) -> Run {
    sandbox.run(&[&["debate", TOPIC, "--style", "panel"], more].concat())
}

/// Holds a panel and returns its document, which fits the schema.
fn panel(sandbox: &Sandbox, more: &[&str], code: i32) -> Value {
    let document = run(sandbox, &[more, &["--json"]].concat())
        .exits(code)
        .json();
    fits(sandbox, &document);
    document
}

fn fits(sandbox: &Sandbox, document: &Value) {
    let schema = sandbox.run(&["schema", "debate"]).exits(0).json();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = (schema.iter_errors(document))
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

/// Three seats of three vendors that answer so and vote so at first.
fn three(votes: [&str; 3]) -> Sandbox {
    let sandbox = Sandbox::new().panel(&THREE);
    votes.iter().enumerate().fold(sandbox, |sandbox, (at, to)| {
        sandbox.casts(&format!("r2/vote/s{}", at + 1), to, None, &[])
    })
}

/// Three seats that vote for their own answers in every round.
fn stubborn() -> Sandbox {
    let sandbox = three(THREE);
    THREE.iter().enumerate().fold(sandbox, |sandbox, (at, to)| {
        sandbox.casts(&format!("r3/cross/s{}", at + 1), to, None, &[])
    })
}

/// The letter under which an answer stands in a document.
fn letter(document: &Value, answer: &str) -> String {
    let choices = document["choices"].as_array().unwrap();
    let at = |choice: &Value| {
        let said = choice["said"].as_array().unwrap();
        let at = said.iter().position(|said| said["answer"] == answer)?;
        Some(choice["answers"][at].as_str().unwrap().to_owned())
    };
    choices.iter().find_map(at).unwrap()
}

/// What the seats chose, as answers.
fn chosen(document: &Value, votes: &str) -> Vec<String> {
    let answer = |vote: &Value| {
        let choices = document["choices"].as_array().unwrap();
        let choice = choices
            .iter()
            .find(|choice| choice["id"] == vote["choice"])
            .unwrap();
        choice["text"].as_str().unwrap().to_owned()
    };
    let votes = document[votes].as_array().unwrap();
    votes.iter().map(answer).collect()
}

/// The answers of a prompt, in the order shown, each with its letter.
fn shown(prompt: &str) -> Vec<(String, String)> {
    let mut id = String::new();
    let mut all = Vec::new();
    for line in prompt.lines() {
        let field = |name: &str| {
            let rest = line.trim().strip_prefix(&format!("\"{name}\": \""))?;
            Some(rest.trim_end_matches(',').trim_end_matches('"').to_owned())
        };
        if let Some(letter) = field("id") {
            id = letter;
        } else if let Some(answer) = field("answer") {
            all.push((id.clone(), answer));
        }
    }
    all
}

#[test]
fn one_choice_of_all_settles_it_at_once() {
    let sandbox = three(["Redis", "Redis", "Redis"]);
    let document = panel(&sandbox, &[], 0);
    assert_eq!(document["outcome"], "settled");
    assert_eq!(document["verdict"], "consensus");
    assert_eq!(document["status"], "consensus_reached");
    assert_eq!(document["consensus"], 1.0);
    assert_eq!(
        document["quorum"],
        json!({"needed": 2, "answered": 3, "vendors": 3})
    );
    assert_eq!(
        (&document["decision"]["text"], &document["decision"]["by"]),
        (&json!("Redis"), &json!("panel"))
    );
    let agents: Vec<&Value> = (document["seats"].as_array().unwrap().iter())
        .map(|seat| &seat["agent"])
        .collect();
    assert_eq!(agents, ["claude", "codex", "gemini"]);
    assert_eq!(
        sandbox.turns(),
        [
            "r1/answer/s1",
            "r1/answer/s2",
            "r1/answer/s3",
            "r2/vote/s1",
            "r2/vote/s2",
            "r2/vote/s3"
        ]
    );
    // A vote for one's own answer counts, and is shown as such.
    let own: Vec<&Value> = (document["last_votes"].as_array().unwrap().iter())
        .map(|vote| &vote["own"])
        .collect();
    assert_eq!(own, [true, false, false]);
    assert_eq!(document["first_votes"], document["last_votes"]);
    assert_eq!(document["dissent"], json!([]));
    assert_eq!(document["open_points"], json!([]));
    assert!(document.get("expert").is_none());
}

#[test]
fn people_read_who_voted_how_and_what_the_debate_changed() {
    let sandbox = three(["Redis", "Files", "Files"])
        .casts("r3/cross/s1", "Files", Some("The restart of May"), &[])
        .casts("r3/cross/s2", "Files", None, &[])
        .casts("r3/cross/s3", "Files", None, &[])
        .env("COLUMNS", "80");
    let text = run(&sandbox, &[]);
    let text = &text.exits(0).stdout;
    let widest = text.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{text}");
    for part in [
        "SETTLED",
        "Decision (by the panel)",
        "The restart of May",
        "The debate changed 1 of 3 votes.",
    ] {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
    let still = three(["Redis", "Files", "Files"])
        .casts("r3/cross/s1", "Redis", None, &[])
        .casts("r3/cross/s2", "Files", None, &[])
        .casts("r3/cross/s3", "Files", None, &[]);
    let text = run(&still, &[]).exits(0).stdout.clone();
    assert!(
        text.contains("The debate changed none of 3 votes."),
        "{text}"
    );
}

#[test]
fn a_majority_of_two_vendors_settles_it_after_the_cross_round_and_dissent_stays() {
    let sandbox = three(["Redis", "Files", "Files"])
        .casts("r3/cross/s1", "Redis", None, &[])
        .casts("r3/cross/s2", "Files", None, &[])
        .casts("r3/cross/s3", "Files", None, &[]);
    let document = panel(&sandbox, &[], 0);
    assert_eq!(document["outcome"], "settled");
    assert_eq!(document["decision"]["text"], "Files");
    assert_eq!(document["consensus"], 0.666);
    assert_eq!(chosen(&document, "last_votes"), ["Redis", "Files", "Files"]);
    let dissent = document["dissent"].as_array().unwrap();
    assert_eq!(dissent.len(), 1, "{dissent:?}");
    assert_eq!(dissent[0]["seat"], "s1");
    assert!(
        dissent[0]["reason"]
            .as_str()
            .unwrap()
            .contains("says who votes for Redis")
    );
    // Two seats of one vendor are no two vendors: nothing is settled, and nobody may judge.
    let sandbox = three(["Redis", "Redis", "Files"])
        .casts("r3/cross/s1", "Redis", None, &[])
        .casts("r3/cross/s2", "Redis", None, &[])
        .casts("r3/cross/s3", "Files", None, &[]);
    let args = ["--participants", "claude,claude,codex", "--expert", "none"];
    let document = panel(&sandbox, &args, 1);
    assert_eq!(document["outcome"], "split");
    assert_eq!(document["decision"], Value::Null);
    assert!(warned(&document, "").contains(&"shared_vendor".to_owned()));
    let positions: Vec<&String> = (document["final_positions"].as_object().unwrap())
        .keys()
        .collect();
    assert_eq!(positions, ["claude/s1", "claude/s2", "codex"]);
}

#[test]
fn a_change_counts_only_with_the_evidence_that_moved_it() {
    let sandbox = stubborn().casts("r3/cross/s1", "Files", None, &[]);
    let document = panel(&sandbox, &["--expert", "none"], 1);
    assert_eq!(document["outcome"], "split");
    assert_eq!(document["verdict"], "no_consensus");
    assert_eq!(document["decision"], Value::Null);
    assert_eq!(chosen(&document, "last_votes"), THREE);
    let vote = &document["last_votes"][0];
    assert_eq!(vote["not_counted"], letter(&document, "Files"));
    assert_eq!(
        warned(&document, "r3/cross/s1"),
        ["changed_contradicts", "change_not_counted"]
    );
    let dissent = document["dissent"].to_string();
    assert!(
        dissent.contains("would have changed to"),
        "what was not counted is not hidden: {dissent}"
    );
    assert_eq!(document["open_points"].as_array().map(Vec::len), Some(3));
    // With evidence it counts.
    let sandbox = stubborn().casts("r3/cross/s1", "Files", Some("The restart of May"), &[]);
    let document = panel(&sandbox, &["--expert", "none"], 0);
    assert_eq!(document["outcome"], "settled");
    assert_eq!(
        chosen(&document, "last_votes"),
        ["Files", "Files", "Memcached"]
    );
    assert_eq!(document["last_votes"][0]["moved_by"], "The restart of May");
    assert_eq!(chosen(&document, "first_votes"), THREE);
}

#[test]
fn what_most_seats_hold_to_be_the_same_is_one_choice() {
    let both = ["Redis", "Memcached"];
    let said_by = |seats: &[&str]| {
        let sandbox = stubborn();
        ["s1", "s2", "s3"]
            .iter()
            .zip(THREE)
            .fold(sandbox, |sandbox, (seat, own)| {
                let same: &[&str] = if seats.contains(seat) { &both } else { &[] };
                sandbox
                    .casts(&format!("r2/vote/{seat}"), own, None, same)
                    .casts(&format!("r3/cross/{seat}"), own, None, same)
            })
    };
    let document = panel(&said_by(&["s1", "s2"]), &["--expert", "none"], 0);
    assert_eq!(document["outcome"], "settled");
    let choices = document["choices"].as_array().unwrap();
    assert_eq!(choices.len(), 2, "{choices:#?}");
    let one = choices
        .iter()
        .find(|choice| choice["answers"].as_array().unwrap().len() == 2)
        .unwrap();
    assert_eq!((&one["votes"], &one["vendors"]), (&json!(2), &json!(2)));
    let seats: BTreeSet<&str> = (one["seats"].as_array().unwrap().iter())
        .map(|seat| seat.as_str().unwrap())
        .collect();
    assert_eq!(seats, BTreeSet::from(["s1", "s3"]));
    assert_eq!(document["dissent"][0]["seat"], "s2");
    // What one seat alone holds brings nothing together.
    let document = panel(&said_by(&["s1"]), &["--expert", "none"], 1);
    assert_eq!(document["outcome"], "split");
    assert_eq!(document["choices"].as_array().map(Vec::len), Some(3));
}

/// Two vendors sit, and the third judges.
const TWO_VENDORS: [&str; 2] = ["--participants", "claude,claude,codex"];

#[test]
fn the_same_ruling_in_both_orders_is_judged_and_a_flip_is_not() {
    let sandbox = stubborn().rules_twice(4, &THREE, ["Files", "Files"]);
    let document = panel(&sandbox, &TWO_VENDORS, 0);
    assert_eq!(document["outcome"], "judged");
    assert_eq!(document["verdict"], "ruled");
    assert_eq!(
        (&document["decision"]["text"], &document["decision"]["by"]),
        (&json!("Files"), &json!("judge"))
    );
    assert_eq!(document["code_change_required"], true);
    let expert = &document["expert"];
    assert_eq!(
        (&expert["agent"], &expert["of_a_participant"]),
        (&json!("gemini"), &json!(false))
    );
    assert_eq!(expert["own_answer"], "Ask again in a year.");
    let files = letter(&document, "Files");
    assert_eq!(expert["choices"], json!([files, files]));
    // Two seats voted otherwise, and that is not hidden by a ruling.
    assert_eq!(document["dissent"].as_array().map(Vec::len), Some(2));
    // It answers before it sees anything; then the orders are each other's reverse, and no vote is shown.
    let own = sandbox.prompts("r4/judge/own").remove(0);
    assert!(
        shown(&own)
            .iter()
            .all(|(_, text)| !THREE.contains(&&**text))
    );
    let order = |turn: &str| {
        let prompt = sandbox.prompts(turn).remove(0);
        assert!(prompt.contains("Ask again in a year."), "{prompt}");
        assert!(!prompt.contains("says who votes for"), "{prompt}");
        let mut all = shown(&prompt);
        all.retain(|(_, text)| THREE.contains(&&**text));
        all
    };
    let mut second = order("r4/judge/second");
    second.reverse();
    assert_eq!(order("r4/judge/first"), second);

    let sandbox = stubborn().rules_twice(4, &THREE, ["Files", "Redis"]);
    let document = panel(&sandbox, &TWO_VENDORS, 1);
    assert_eq!(document["outcome"], "unstable");
    assert_eq!(document["verdict"], "no_consensus");
    assert_eq!(document["decision"], Value::Null);
    let (files, redis) = (letter(&document, "Files"), letter(&document, "Redis"));
    assert_eq!(document["expert"]["choices"], json!([files, redis]));
    let text = sandbox.run(&["sessions", "show", document["session_id"].as_str().unwrap()]);
    assert!(text.stdout.contains("UNSTABLE"), "{}", text.stdout);
}

#[test]
fn a_judge_that_fails_has_not_ruled() {
    for (turn, asked) in [("own", 1), ("first", 3), ("second", 3)] {
        let sandbox = stubborn()
            .rules_twice(4, &THREE, ["Files", "Files"])
            .fake(&format!("r4_judge_{turn}.json"), DEAD);
        let document = panel(&sandbox, &TWO_VENDORS, 1);
        assert_eq!(document["outcome"], "split", "{turn}");
        assert_eq!(document["decision"], Value::Null, "{turn}");
        assert_eq!(document["expert"]["judgement"], Value::Null, "{turn}");
        assert!(document["expert"]["failure"].is_string(), "{turn}");
        let turns = sandbox.turns();
        let judge = turns.iter().filter(|turn| turn.contains("judge"));
        assert_eq!(judge.count(), asked, "{turn}");
    }
    // Nobody judges where nobody is to.
    let sandbox = stubborn();
    let document = panel(&sandbox, &["--expert", "none"], 1);
    assert_eq!(document["outcome"], "split");
    assert!(document.get("expert").is_none());
    assert_eq!(sandbox.turns().len(), 9);
}

#[test]
fn where_no_vendor_is_left_the_one_with_the_fewest_votes_judges_and_that_is_said() {
    let five = ["Redis", "Files", "Memcached", "Nothing", "Both"];
    let sandbox =
        five.iter()
            .enumerate()
            .fold(Sandbox::new().panel(&five), |sandbox, (at, own)| {
                let seat = at + 1;
                sandbox
                    .casts(&format!("r2/vote/s{seat}"), own, None, &[])
                    .casts(&format!("r3/cross/s{seat}"), own, None, &[])
            });
    let sandbox = sandbox.rules_twice(4, &five, ["Both", "Both"]);
    let seats = ["--participants", "gemini,claude,claude,codex,codex"];
    let document = panel(&sandbox, &seats, 0);
    assert_eq!(document["outcome"], "judged");
    assert_eq!(document["decision"]["text"], "Both");
    assert_eq!(document["expert"]["agent"], "gemini");
    assert_eq!(document["expert"]["of_a_participant"], true);
    let ledger = sandbox.ledger();
    for turn in ["own", "first", "second"] {
        assert!(
            ledger.contains(&format!("gemini r4/judge/{turn}")),
            "{ledger:?}"
        );
    }
    let said = document["warnings"].to_string();
    assert!(said.contains("judge"), "{said}");
}

#[test]
fn a_panel_of_one_vendor_is_refused_before_anything_is_spent() {
    let sandbox = three(["Redis", "Redis", "Redis"]);
    for named in ["claude", "claude,claude,claude"] {
        let refused = run(&sandbox, &["--participants", named]);
        refused.exits(2).says("one vendor").says("anthropic");
    }
    sandbox.write(
        "debate-agent.config.json",
        r#"{"panel": {"participants": ["codex", "codex", "codex"]}}"#,
    );
    let refused = run(&sandbox, &["--json"]);
    assert_eq!(refused.exits(2).json()["error"]["code"], "one_vendor");
    assert!(sandbox.calls().is_empty() && sandbox.sessions().is_empty());
    // A rehearsal asks nobody, and may show even that.
    let rehearsed = panel(
        &sandbox,
        &["--rehearse", "--participants", "claude,claude,claude"],
        4,
    );
    assert_eq!(rehearsed["outcome"], "failed");
    assert_eq!(rehearsed["verdict"], "undecided");
}

#[test]
fn a_dead_seat_agrees_with_nobody() {
    let seats = [
        "--participants",
        "claude,codex,gemini,claude",
        "--expert",
        "none",
    ];
    let four = ["Redis", "Files", "Memcached", "Nothing"];
    let voting = |votes: [&str; 3]| {
        let sandbox = Sandbox::new().panel(&four);
        let sandbox = (votes.iter().enumerate()).fold(sandbox, |sandbox, (at, to)| {
            sandbox
                .casts(&format!("r2/vote/s{}", at + 1), to, None, &[])
                .casts(&format!("r3/cross/s{}", at + 1), to, None, &[])
        });
        ["r1_answer_s4", "r2_vote_s4", "r3_cross_s4"]
            .iter()
            .fold(sandbox, |sandbox, turn| {
                sandbox.fake(&format!("{turn}.json"), DEAD)
            })
    };
    // All who voted agree; the share is one of all seats.
    let document = panel(&voting(["Redis", "Redis", "Redis"]), &seats, 0);
    assert_eq!(document["outcome"], "settled");
    assert_eq!(document["consensus"], 0.75);
    assert_eq!(document["seats"][3]["status"], "failed");
    assert_eq!(
        document["quorum"],
        json!({"needed": 3, "answered": 3, "vendors": 3})
    );
    // Two of four are no majority, though they are two of the three that voted.
    let document = panel(&voting(["Redis", "Redis", "Files"]), &seats, 1);
    assert_eq!(document["outcome"], "split");
    assert_eq!(document["decision"], Value::Null);
    assert_eq!(document["last_votes"].as_array().map(Vec::len), Some(3));
}

#[test]
fn without_a_quorum_nothing_is_decided_and_a_resume_shows_the_same_to_who_is_asked_again() {
    let sandbox = three(["Redis", "Redis", "Redis"])
        .fake("r1_answer_s2.json", DEAD)
        .fake("r1_answer_s3.json", DEAD);
    let document = panel(&sandbox, &[], 4);
    assert_eq!(document["outcome"], "failed");
    assert_eq!(document["verdict"], "undecided");
    assert_eq!(document["consensus"], Value::Null);
    assert_eq!(sandbox.turns().len(), 3, "nobody votes");
    // Of one vendor alone, too: two seats of claude answer, codex does not.
    let sandbox = three(["Redis", "Redis", "Redis"]).fake("r1_answer_s3.json", DEAD);
    let document = panel(&sandbox, &["--participants", "claude,claude,codex"], 4);
    assert_eq!(document["outcome"], "failed");

    let sandbox = three(["Redis", "Redis", "Redis"])
        .fake("r2_vote_s2.json", DEAD)
        .fake("r2_vote_s3.json", DEAD);
    let document = panel(&sandbox, &[], 4);
    assert_eq!(document["outcome"], "failed");
    assert_eq!(document["decision"], Value::Null);
    sandbox.mend("r2_vote_s2.json");
    sandbox.mend("r2_vote_s3.json");
    let id = document["session_id"].as_str().unwrap();
    let resumed = sandbox.run(&["sessions", "resume", id, "--json"]);
    let resumed = resumed.exits(0).json();
    fits(&sandbox, &resumed);
    assert_eq!(resumed["outcome"], "settled");
    assert_eq!(sandbox.prompts("r2/vote/s1").len(), 1, "answered before");
    for turn in ["r2/vote/s2", "r2/vote/s3"] {
        let prompts = sandbox.prompts(turn);
        assert_eq!(prompts.len(), 2, "{turn}");
        assert_eq!(prompts[0], prompts[1], "{turn}: the seed is the session's");
    }
}

#[test]
fn nobody_who_votes_sees_whose_an_answer_is_or_how_sure_its_author_was() {
    let six = ["Redis", "Files", "Memcached", "Nothing", "Both", "Neither"];
    let mut sandbox = Sandbox::new();
    for (at, own) in six.iter().enumerate() {
        let seat = at + 1;
        let answer = json!({
            "answer": own, "reasons": ["It was measured."], "evidence": [], "confidence": 0.611 + f64::from(u32::try_from(at).unwrap()) / 1000.0,
        });
        sandbox = sandbox
            .replies(&format!("r1/answer/s{seat}"), &[("ANSWER", &answer)])
            .casts(&format!("r2/vote/s{seat}"), own, None, &[])
            .casts(&format!("r3/cross/s{seat}"), own, None, &[]);
    }
    let seats = ["--participants", "claude,codex,gemini,claude,codex,gemini"];
    panel(&sandbox, &[&seats[..], &["--expert", "none"]].concat(), 1);
    let mut orders = BTreeSet::new();
    let mut letters = BTreeSet::new();
    for call in sandbox.calls() {
        let prompt = call.read("stdin");
        let low = prompt.to_lowercase();
        for name in [
            "claude",
            "codex",
            "gemini",
            "anthropic",
            "openai",
            "google",
            "0.61",
        ] {
            assert!(!low.contains(name), "{name} in {}:\n{prompt}", call.turn);
        }
        let mut all = shown(&prompt);
        all.retain(|(_, text)| six.contains(&&**text));
        if call.turn.starts_with("r1/") {
            assert!(all.is_empty(), "an answer is given alone");
            continue;
        }
        assert_eq!(all.len(), 6, "{prompt}");
        orders.insert(all.clone());
        all.sort();
        letters.insert(all);
    }
    assert_eq!(
        letters.len(),
        1,
        "a letter is the same answer for everybody"
    );
    assert!(orders.len() > 6, "each turn has an order of its own");
}

#[test]
fn what_is_laid_out_is_held_by_those_who_were_named() {
    let sandbox = three(["Redis", "Files", "Files"])
        .casts("r3/cross/s1", "Redis", None, &[])
        .casts("r3/cross/s2", "Files", None, &[])
        .casts("r3/cross/s3", "Files", None, &[]);
    let args = [
        "outline",
        TOPIC,
        "--agents",
        "gemini,codex,claude",
        "--rounds",
        "1",
        "--run",
        "--json",
    ];
    let held = sandbox.run(&args).exits(0).json();
    fits(&sandbox, &held);
    assert_eq!(
        (&held["style"], &held["outcome"]),
        (&json!("panel"), &json!("settled"))
    );
    let ledger = sandbox.ledger();
    for call in [
        "gemini r1/answer/s1",
        "codex r1/answer/s2",
        "claude r3/cross/s3",
    ] {
        assert!(ledger.contains(&call.to_owned()), "{ledger:?}");
    }
    // One vendor is no panel, by this way neither.
    let args = ["outline", TOPIC, "--agents", "claude,twin", "--run"];
    let sandbox =
        Sandbox::new().config(r#"{"agents": {"twin": {"path": "claude", "profile": "claude"}}}"#);
    sandbox.run(&args).exits(2).says("one vendor");
    assert!(sandbox.calls().is_empty() && sandbox.sessions().is_empty());
}

#[test]
fn a_remark_between_the_ballots_is_read_by_every_seat() {
    let sandbox = three(["Redis", "Files", "Files"])
        .casts("r3/cross/s1", "Redis", None, &[])
        .casts("r3/cross/s2", "Files", None, &[])
        .casts("r3/cross/s3", "Files", None, &[]);
    sandbox.write("words.jsonl", r#"{"remark": "Mind the price."}"#);
    let pause = ["--pause-between-rounds", "--arguments", "words.jsonl"];
    let document = panel(&sandbox, &pause, 0);
    assert_eq!(document["rounds"][2]["remark"], "Mind the price.");
    for call in sandbox.calls() {
        let reads = call.read("stdin").contains("Mind the price.");
        assert_eq!(reads, call.turn.starts_with("r3/"), "{}", call.turn);
    }
    // Who settles it at once is not interrupted, and the line that nobody asked for is reported.
    let sandbox = three(["Redis", "Redis", "Redis"]);
    sandbox.write("words.jsonl", r#"{"remark": "Mind the price."}"#);
    let at_once = run(&sandbox, &pause);
    at_once.exits(0).says("1 line");
}
