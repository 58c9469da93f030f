//! Rows 16 to 36 of the decision table, as far as they concern this protocol, and the round trip of render and parse.

use super::super::testing::*;
use super::*;
use crate::contract::template::block;

struct Ids {
    ids: Vec<String>,
}

impl Ids {
    fn new(ids: &[&str]) -> Self {
        Self { ids: ids.iter().map(|id| (*id).to_owned()).collect() }
    }

    fn terms(&self) -> ReplyContext<'_> {
        ReplyContext { ids: &self.ids, order: &self.ids }
    }

    fn parse(&self, role: Role, text: &str, chance: Chance) -> Result<Reply<Content>, Defect> {
        parse(role, &raw(text), chance, self.terms())
    }
}

fn abcd() -> Ids {
    Ids::new(&["opp-a", "opp-b", "opp-c", "opp-d"])
}

fn ranking(body: &str) -> String {
    block(CHAMPION_ARGUMENT.name(), "Because.") + &block(CHAMPION_RANKINGS.name(), body)
}

fn decision(dispositions: &str, status: &str) -> String {
    block(DISPOSITIONS.name(), dispositions)
        + &block(FINAL_RANKINGS.name(), r#"["opp-a","opp-b","opp-c","opp-d"]"#)
        + &if status.is_empty() { String::new() } else { block(DEBATE_STATUS.name(), status) }
}

const ALL: &str =
    r#"{"opp-a":"prioritize","opp-b":"defer","opp-c":"reject","opp-d":"investigate"}"#;
const STATUS: &str = r#"{"continue_debate": true, "consensus_reached": false}"#;

fn codes(reply: &Reply<Content>) -> Vec<&str> {
    reply.notes.iter().map(|note| note.code.as_str()).collect()
}

/// Rows 16 to 23: (ranking block, resulting order, note), the same on both chances.
#[test]
fn rankings_that_are_accepted() {
    for (body, order, note) in [
        (r#"["opp-d","opp-c","opp-b","opp-a"]"#, "dcba", None),
        (
            r#"[{"id":"opp-b"},{"id":"opp-a"},{"id":"opp-c"},{"id":"opp-d"}]"#,
            "bacd",
            Some("unwrapped"),
        ),
        (
            r#"[{"rank":1,"opportunity_id":"opp-b"},{"rank":2,"opportunity_id":"opp-a"},{"rank":3,"opportunity_id":"opp-c"},{"rank":4,"opportunity_id":"opp-d"}]"#,
            "bacd",
            Some("unwrapped"),
        ),
        (r#"{"rankings":["opp-d","opp-c","opp-b","opp-a"]}"#, "dcba", Some("unwrapped")),
        (r#"["OPP-D"," opp–c ","opp-b","opp-a"]"#, "dcba", Some("id_normalised")),
        (r#"["opp-d","opp-x","opp-c","opp-b","opp-a"]"#, "dcba", Some("unknown_id")),
        (r#"["opp-d","opp-c","opp-d","opp-b","opp-a"]"#, "dcba", Some("duplicate_id")),
        (r#"["opp-d","opp-c","opp-b"]"#, "dcba", Some("completed_by_rule")),
        (r#"["opp-d","opp-c","opp-b",]"#, "dcba", Some("completed_by_rule")),
    ] {
        for chance in [Chance::First, Chance::Last] {
            let reply = abcd().parse(Role::Champion, &ranking(body), chance).expect(body);
            let Content::Champion(said) = &reply.content else { panic!("champion") };
            let got: String = said.rankings.iter().map(|id| &id[4..]).collect();
            assert_eq!(got, order, "{body}");
            match note {
                Some(note) => assert!(codes(&reply).contains(&note), "{body}: {:?}", reply.notes),
                None => assert!(reply.notes.is_empty(), "{body}: {:?}", reply.notes),
            }
        }
    }
}

#[test]
fn missing_ids_follow_in_the_order_before() {
    let ids = abcd();
    let before: Vec<String> = ["opp-d", "opp-c", "opp-b", "opp-a"].map(str::to_owned).to_vec();
    let terms = ReplyContext { order: &before, ..ids.terms() };
    let text = ranking(r#"["opp-c","opp-a","opp-b"]"#);
    let reply = parse(Role::Champion, &raw(&text), Chance::First, terms).unwrap();
    let Content::Champion(said) = reply.content else { panic!("champion") };
    assert_eq!(said.rankings, ["opp-c", "opp-a", "opp-b", "opp-d"]);
}

/// A ranking that cannot be read without guessing earns a re-ask, and then fails the turn.
#[test]
fn rankings_that_are_refused_on_both_chances() {
    for (body, code) in [
        (r#"["opp-a","opp-b"]"#, "ids_missing"),
        (r#"["opp-a","opp-b","opp-c","opp-d","x","y"]"#, "ids_missing"),
        ("[1,2,3,4]", "wrong_type"),
        ("[]", "empty_block"),
        ("null", "empty_block"),
        (r#""opp-a, opp-b, opp-c, opp-d""#, "wrong_shape"),
        (r#"["<id>", "<id>", ...]"#, "bad_json"),
        (
            r#"[{"rank":2,"id":"opp-a"},{"rank":1,"id":"opp-b"},{"rank":3,"id":"opp-c"},{"rank":4,"id":"opp-d"}]"#,
            "wrong_order",
        ),
        // A homoglyph is another letter: Cyrillic `о`; three of four are then unknown.
        (r#"["оpp-a","оpp-b","оpp-c","opp-d"]"#, "ids_missing"),
    ] {
        for chance in [Chance::First, Chance::Last] {
            let defect = abcd().parse(Role::Champion, &ranking(body), chance).expect_err(body);
            assert_eq!(defect.problems[0].code, code, "{body}: {defect}");
            assert_eq!(defect.expected_ids.len(), 4);
        }
    }
}

/// Rows 24 to 26: an open id is a problem at first and `investigate` by rule on the last chance.
#[test]
fn dispositions() {
    use Disposition::{Defer, Investigate, Prioritize, Reject};
    for (body, first, expected) in [
        (ALL, true, [Prioritize, Defer, Reject, Investigate]),
        (
            r#"{"opp-a":"Prioritise","opp-b":" DEFERRED ","opp-c":"rejected","OPP-D":"prioritized"}"#,
            true,
            [Prioritize, Defer, Reject, Prioritize],
        ),
        (
            r#"{"opp-a":"approve","opp-b":"defer","opp-c":"reject","opp-d":"defer"}"#,
            false,
            [Investigate, Defer, Reject, Defer],
        ),
        (
            r#"{"opp-a":"prioritize","opp-b":"defer","opp-c":"reject"}"#,
            false,
            [Prioritize, Defer, Reject, Investigate],
        ),
        (
            r#"{"opp-a":"prioritize","OPP-A":"reject","opp-b":"defer","opp-c":"reject","opp-d":"defer"}"#,
            false,
            [Investigate, Defer, Reject, Defer],
        ),
        (
            r#"{"opp-a":"defer","opp-b":"defer","opp-c":"defer","opp-d":"defer","opp-e":"reject"}"#,
            true,
            [Defer, Defer, Defer, Defer],
        ),
    ] {
        let text = decision(body, STATUS);
        let at_first = abcd().parse(Role::Moderator, &text, Chance::First);
        assert_eq!(at_first.is_ok(), first, "{body}: {at_first:?}");
        let reply = abcd().parse(Role::Moderator, &text, Chance::Last).expect(body);
        assert_eq!(codes(&reply).contains(&"completed_by_rule"), !first, "{body}");
        let Content::Moderator(said) = reply.content else { panic!("moderator") };
        assert_eq!(said.dispositions.into_values().collect::<Vec<_>>(), expected, "{body}");
    }
    for none in ["{}", "null", r#"{"x":"defer"}"#, r#"["opp-a"]"#] {
        assert!(
            abcd().parse(Role::Moderator, &decision(none, STATUS), Chance::Last).is_err(),
            "{none}"
        );
    }
}

/// The word, or an object with what is said beside it; nothing beside it ever costs a second call.
#[test]
fn reasons_are_kept_and_never_owed() {
    let rest = r#""opp-b":"defer","opp-c":"reject","opp-d":"defer""#;
    let said = |reason: &str, condition: &str, start_with: &str| {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let [reason, condition, start_with] = [reason, condition, start_with].map(some);
        ModeratorReason { reason, condition, start_with }
    };
    for (body, expected) in [
        (r#""investigate""#, said("", "", "")),
        (r#"{"disposition":"investigate"}"#, said("", "", "")),
        (r#"{"reason":"Unproven.","disposition":"investigate"}"#, said("Unproven.", "", "")),
        (
            r#"{"reason":"Unproven.","disposition":"investigate","condition":"Not in May.","start_with":"Run it."}"#,
            said("Unproven.", "Not in May.", "Run it."),
        ),
        (
            r#"{"reason":"Unproven.","disposition":"**Investigate**","startWith":"Run it."}"#,
            said("Unproven.", "", "Run it."),
        ),
        // What says that there is nothing is nothing, and so is the template.
        (
            r#"{"reason":"None.","disposition":"investigate","condition":"n/a","start_with":"none"}"#,
            said("", "", ""),
        ),
        (r#"{"disposition":"investigate","start_with":"<the first step>"}"#, said("", "", "")),
        (
            r#"{"disposition":"investigate","start_with":["a","b"],"reason":7}"#,
            said("7", "", "a\nb"),
        ),
        (r#"{"disposition":"investigate","start_with":true,"other":1}"#, said("", "", "")),
        (r#"{"verdict":"investigate"}"#, said("", "", "")),
    ] {
        let text = decision(&format!("{{\"opp-a\":{body},{rest}}}"), STATUS);
        let reply = abcd().parse(Role::Moderator, &text, Chance::First).expect(body);
        let Content::Moderator(reply) = reply.content else { panic!("moderator") };
        assert_eq!(reply.dispositions["opp-a"], Disposition::Investigate, "{body}");
        let reason = reply.reasons.get("opp-a").cloned().unwrap_or_default();
        assert_eq!(reason, expected, "{body}");
        assert!(reply.reasons.len() <= 1, "{body}");
    }
}

/// What an agent said beside a word that it did not say clearly belongs to no word, least of all a first step.
#[test]
fn a_disposition_by_rule_has_no_reason() {
    let rest = r#""opp-b":"defer","opp-c":"reject","opp-d":"defer""#;
    for body in [
        r#""opp-a":{"disposition":"later","start_with":"Run it."}"#,
        r#""opp-a":{"reason":"Why.","start_with":"Run it."}"#,
        r#""opp-a":{"disposition":"defer","start_with":"Run it."},"OPP-A":"reject""#,
        r#""opp-a":["defer"]"#,
    ] {
        let text = decision(&format!("{{{body},{rest}}}"), STATUS);
        assert!(abcd().parse(Role::Moderator, &text, Chance::First).is_err(), "{body}");
        let reply = abcd().parse(Role::Moderator, &text, Chance::Last).expect(body);
        assert!(codes(&reply).contains(&"completed_by_rule"), "{body}");
        let Content::Moderator(reply) = reply.content else { panic!("moderator") };
        assert_eq!(reply.dispositions["opp-a"], Disposition::Investigate, "{body}");
        assert_eq!(reply.reasons.get("opp-a"), None, "{body}");
    }
}

/// An empty list says that there is no concern, the word that there was one.
#[test]
fn concerns_that_are_met_have_a_word() {
    for (body, met, concerns) in [
        (r#"["met"]"#, true, 0),
        (r#"[" Met. "]"#, true, 0),
        (r#""met""#, true, 0),
        ("[]", false, 0),
        (r#"["Met with silence."]"#, false, 1),
        (r#"["met", "Large."]"#, false, 2),
    ] {
        let text = block(CRITIC_CONCERNS.name(), &format!("{{\"opp-a\":{body}}}"))
            + &block(CRITIC_RANKINGS.name(), r#"["opp-a","opp-b","opp-c","opp-d"]"#);
        let reply = abcd().parse(Role::Critic, &text, Chance::First).expect(body);
        let Content::Critic(said) = reply.content else { panic!("critic") };
        assert_eq!(said.met.contains("opp-a"), met, "{body}");
        assert_eq!(said.concerns["opp-a"].len(), concerns, "{body}");
    }
}
