//! Rows 16 to 36 of the decision table, as far as they concern this protocol, and the round trip of render and parse.

use proptest::prelude::*;

use super::super::testing::*;
use super::*;
use crate::contract::template::block;
use crate::protocol::testing::by_the_first_rules;

struct Ids {
    ids: Vec<String>,
}

impl Ids {
    fn new(ids: &[&str]) -> Self {
        Self { ids: ids.iter().map(|id| (*id).to_owned()).collect() }
    }

    fn terms(&self) -> ReplyContext<'_> {
        ReplyContext {
            ids: &self.ids,
            order: &self.ids,
            max_missing_share: 0.34,
            strict: false,
            reasons: true,
            limits: BlockLimits::default(),
        }
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
    let terms = ReplyContext { order: &before, max_missing_share: 0.5, ..ids.terms() };
    let reply = parse(Role::Champion, &raw(&ranking(r#"["opp-c","opp-a"]"#)), Chance::First, terms)
        .unwrap();
    let Content::Champion(said) = reply.content else { panic!("champion") };
    assert_eq!(said.rankings, ["opp-c", "opp-a", "opp-d", "opp-b"]);
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
        (r#"["opp-a","opp-b","opp-c""#, "bad_json"),
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

#[test]
fn the_re_ask_says_which_ids_are_missing_and_which_unknown() {
    let defect =
        abcd().parse(Role::Champion, &ranking(r#"["opp-a","opp-z"]"#), Chance::First).unwrap_err();
    let message = &defect.problems[0].message;
    assert!(
        message.contains("missing: opp-b, opp-c, opp-d") && message.contains("unknown: opp-z"),
        "{message}"
    );
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

/// Sessions without reasons read as they always did: an object is unwrapped with a note, and its reason is lost.
#[test]
fn older_sessions_have_no_reasons() {
    let ids = abcd();
    let terms = ReplyContext { reasons: false, ..ids.terms() };
    let body = r#"{"opp-a":{"reason":"Why.","disposition":"defer","start_with":"Run it."},"opp-b":"defer","opp-c":"reject","opp-d":"defer"}"#;
    let text = decision(body, STATUS);
    let reply = parse(Role::Moderator, &raw(&text), Chance::First, terms).unwrap();
    assert_eq!(codes(&reply), ["unwrapped"]);
    let Content::Moderator(said) = reply.content else { panic!("moderator") };
    assert!(said.reasons.is_empty() && said.dispositions["opp-a"] == Disposition::Defer);
    let text = block(CRITIC_CONCERNS.name(), r#"{"opp-a":["met"]}"#)
        + &block(CRITIC_RANKINGS.name(), r#"["opp-a","opp-b","opp-c","opp-d"]"#);
    let reply = parse(Role::Critic, &raw(&text), Chance::First, terms).unwrap();
    let Content::Critic(said) = reply.content else { panic!("critic") };
    assert_eq!((said.met.len(), said.concerns["opp-a"].len()), (0, 1));
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

/// Rows 27 and 28: (status block, accepted at first, on the last chance, values).
#[test]
fn status() {
    by_the_first_rules();
    for (body, first, last, expected) in [
        (STATUS, true, true, (true, false)),
        (r#"{"continue_debate": "False", "consensus_reached": "true"}"#, true, true, (false, true)),
        ("", true, true, (true, false)),
        (r#"{"consensus_reached": true}"#, false, true, (true, true)),
        (r#"{"continue_debate": 0, "consensus_reached": 1}"#, false, false, (true, false)),
        (r#"{"continue_debate": "no", "consensus_reached": "yes"}"#, false, false, (true, false)),
        ("{}", false, false, (true, false)),
        ("true", false, false, (true, false)),
    ] {
        let text = decision(ALL, body);
        assert_eq!(abcd().parse(Role::Moderator, &text, Chance::First).is_ok(), first, "{body}");
        let reply = abcd().parse(Role::Moderator, &text, Chance::Last);
        assert_eq!(reply.is_ok(), last, "{body}: {reply:?}");
        if let Ok(Reply { content: Content::Moderator(said), .. }) = reply {
            assert_eq!((said.continue_debate, said.consensus_claimed), expected, "{body}");
        }
    }
}

#[test]
fn concerns() {
    by_the_first_rules();
    let with = |body: &str| {
        block(CRITIC_CONCERNS.name(), body)
            + &block(CRITIC_RANKINGS.name(), r#"["opp-a","opp-b","opp-c","opp-d"]"#)
    };
    for (body, ok) in [
        (r#"{"opp-a":["Large."],"opp-b":[]}"#, true),
        (r#"{"opp-a":"Large."}"#, true),
        (r#"{"opp-a":["Large."],"opp-z":["?"]}"#, true),
        (r#"{"opp-z":["?"]}"#, false),
        (r#"{"opp-a":[1]}"#, false),
        (r#"{"opp-a":{"text":"Large."}}"#, false),
        ("{}", false),
        (r#"["Large."]"#, false),
    ] {
        let reply = abcd().parse(Role::Critic, &with(body), Chance::Last);
        assert_eq!(reply.is_ok(), ok, "{body}: {reply:?}");
        if let Ok(Reply { content: Content::Critic(said), .. }) = reply {
            assert_eq!(said.concerns["opp-a"], ["Large."], "{body}");
            assert!(!said.concerns.contains_key("opp-z"));
        }
    }
}

/// Rows 33 and 36: a refusal does not satisfy the contract; prose in any language around good blocks is fine.
#[test]
fn prose_does_not_matter() {
    let good = ranking(r#"["opp-a","opp-b","opp-c","opp-d"]"#);
    let reply = abcd().parse(
        Role::Champion,
        &format!("Voilà ma réponse, 以下です。\n{good}\nMerci."),
        Chance::First,
    );
    assert!(reply.unwrap().notes.is_empty());
    let refusal =
        abcd().parse(Role::Champion, "I am sorry, I cannot help with that.", Chance::Last);
    assert_eq!(refusal.unwrap_err().problems[0].code, "missing_block");
}

#[test]
fn strict_turns_notes_into_defects() {
    let ids = abcd();
    let terms = ReplyContext { strict: true, ..ids.terms() };
    let text = ranking(r#"["opp-a","opp-b","opp-c","opp-d","opp-d"]"#);
    let defect = parse(Role::Champion, &raw(&text), Chance::Last, terms).unwrap_err();
    assert_eq!(defect.problems[0].code, "duplicate_id");
    assert!(parse(Role::Champion, &raw(&text), Chance::Last, ids.terms()).is_ok());
}

fn asked() -> contract::Terms {
    contract::Terms { opportunities: 4, reasons: true, again: true }
}

/// A model that only repeats its instructions has not answered, on either chance.
#[test]
fn contracts_and_skills_never_parse_as_answers() {
    let skills = [
        (Role::Champion, include_str!("../../../../skills/backlog-champion/SKILL.md")),
        (Role::Critic, include_str!("../../../../skills/backlog-critic/SKILL.md")),
        (Role::Moderator, include_str!("../../../../skills/backlog-moderator/SKILL.md")),
    ];
    for (role, skill) in skills {
        let asked = contract::text(role, asked());
        for text in [skill, &asked, &format!("{skill}\n{asked}")] {
            for chance in [Chance::First, Chance::Last] {
                let parsed = abcd().parse(role, text, chance);
                assert!(parsed.is_err(), "{role}: {parsed:?}");
            }
        }
        let front =
            skill.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).unwrap().0;
        assert!(
            front.starts_with(&format!("name: backlog-{role}\n"))
                && front.contains("\ndescription: "),
            "{front}"
        );
    }
}

/// The answer that a role gives after repeating its template is judged, without the echo.
#[test]
fn an_echo_beside_an_answer_is_left_out() {
    let answer = ranking(r#"["opp-d","opp-c","opp-b","opp-a"]"#);
    let text = contract::text(Role::Champion, asked()) + "\n" + &answer;
    let reply = abcd().parse(Role::Champion, &text, Chance::First).unwrap();
    assert!(codes(&reply).contains(&"echo"), "{:?}", reply.notes);
}

fn order() -> impl Strategy<Value = Vec<String>> {
    let ids = ["opp-a", "opp-b", "opp-c", "opp-d"].map(str::to_owned).to_vec();
    Just(ids).prop_shuffle()
}

fn text() -> impl Strategy<Value = String> {
    "[A-Za-zäß中 0-9.,:'\"{}\\[\\]\\\\/`#*-]{0,60}x".prop_map(|text| text.trim().to_owned())
}

fn reason() -> impl Strategy<Value = ModeratorReason> {
    let some = || proptest::option::of("[A-Z][a-z ]{8,20}[a-z]");
    (some(), some(), some()).prop_map(|(reason, condition, start_with)| ModeratorReason {
        reason,
        condition,
        start_with,
    })
}

fn said() -> impl Strategy<Value = Content> {
    let id = "opp-[abcd]";
    let word = prop_oneof![
        Just(Disposition::Prioritize),
        Just(Disposition::Investigate),
        Just(Disposition::Defer),
        Just(Disposition::Reject)
    ];
    prop_oneof![
        (text(), order()).prop_map(|(argument, rankings)| Content::Champion(ChampionReply {
            argument,
            rankings
        })),
        (
            proptest::collection::btree_map(id, proptest::collection::vec(text(), 0..3), 1..4),
            order(),
            any::<bool>()
        )
            .prop_map(|(concerns, rankings, met)| {
                let met = concerns.iter().filter(|(_, texts)| met && texts.is_empty());
                let met = met.map(|(id, _)| id.clone()).collect();
                Content::Critic(CriticReply { concerns, met, rankings })
            }),
        (
            proptest::collection::vec(word, 4),
            proptest::collection::btree_map(id, reason(), 0..4),
            order(),
            any::<bool>(),
            any::<bool>()
        )
            .prop_map(|(words, reasons, rankings, continue_debate, consensus_claimed)| {
                let mut ids = rankings.clone();
                ids.sort();
                let dispositions = ids.into_iter().zip(words).collect();
                Content::Moderator(ModeratorReply {
                    dispositions,
                    reasons: reasons.into_iter().filter(|(_, said)| !said.is_empty()).collect(),
                    rankings,
                    continue_debate,
                    consensus_claimed,
                })
            }),
    ]
}

proptest! {
    /// P12: a rendered answer is read back without a note.
    #[test]
    fn parse_of_render_is_the_same(said in said(), noise in "[a-z .\n]{0,40}") {
        let text = format!("{noise}\n{}{noise}", said.render());
        let reply = abcd().parse(said.role(), &text, Chance::First);
        prop_assert_eq!(reply, Ok(Reply { content: said, notes: Vec::new() }));
    }

    /// P11 for this layer: any bytes lead to a reply, or to a defect with a problem.
    #[test]
    fn any_bytes_end_in_a_reply_or_a_problem(bytes in proptest::collection::vec(any::<u8>(), 0..200), cut in any::<bool>()) {
        let ids = abcd();
        for role in Role::ALL {
            let reply = RawReply { bytes: bytes.clone(), cut, ..RawReply::default() };
            if let Err(defect) = parse(role, &reply, Chance::Last, ids.terms()) {
                prop_assert!(!defect.problems.is_empty());
            }
        }
    }
}
