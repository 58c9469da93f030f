//! Properties that hold for any bytes: no panic, and rendered answers are read back.

use proptest::prelude::*;

use super::super::model::{Severity, Stance};
use super::super::testing::raw;
use super::super::{Ballot, CompositionBlock, Eliminate, Judgement, KeptGroup, Merge, ReviewBlock};
use super::*;
use crate::contract::template::block;

fn shown() -> Vec<String> {
    ["F1", "F2", "F3"].map(str::to_owned).to_vec()
}

fn terms(shown: &[String]) -> ReplyContext<'_> {
    ReplyContext {
        shown,
        named: &[],
        by_evidence: false,
        strict: false,
        limits: BlockLimits::default(),
    }
}

fn text() -> impl Strategy<Value = String> {
    "[a-zA-Z<>`\"{}]{1,8}( [a-zA-Z0-9<>{}é]{1,8}){0,5}"
        .prop_filter("no placeholder", |text| !text.contains('<') || !text.contains('>'))
}

fn finding() -> impl Strategy<Value = Finding> {
    (
        prop::sample::select(Severity::ALL.to_vec()),
        (text(), text(), text(), prop::option::of(text())),
        prop::option::of((1..9_000_u32, prop::option::of(0..20_u32))),
        any::<bool>(),
    )
        .prop_map(|(severity, (title, file, detail, quote), lines, fix)| Finding {
            severity,
            title,
            file,
            line: lines.map(|(line, _)| line),
            end_line: lines.and_then(|(line, more)| Some(line + more?)),
            quote,
            trigger: fix.then(|| detail.clone()),
            fix: if fix { detail.clone() } else { String::new() },
            detail,
        })
}

fn said() -> impl Strategy<Value = Content> {
    let lines = || prop::collection::vec(text(), 0..3);
    let findings = || prop::collection::vec(finding(), 0..3);
    let review = (findings(), lines(), lines()).prop_map(|(findings, risks, questions)| {
        Content::Review(ReviewBlock { findings, residual_risks: risks, open_questions: questions })
    });
    let stances = prop::collection::vec(
        (prop::sample::select(Stance::ALL.to_vec()), text(), prop::option::of(text())),
        3,
    );
    let cross = (stances, findings()).prop_map(|(stances, missed_issues)| {
        let judgements = stances.into_iter().zip(shown());
        Content::Cross(CrossReviewBlock {
            judgements: judgements
                .map(|((stance, reason, evidence), id)| Judgement {
                    id,
                    stance,
                    reason,
                    evidence,
                    only: None,
                    severity: None,
                    same_as: None,
                })
                .collect(),
            missed_issues,
        })
    });
    let composition =
        (prop::option::of(text()), text(), lines()).prop_map(|(title, reason, risks)| {
            Content::Composition(CompositionBlock {
                keep: vec![KeptGroup { id: "F1".into(), detail: title.clone(), title, fix: None }],
                merge: vec![Merge { into: "F1".into(), ids: vec!["F2".into()], reason: None }],
                eliminate: vec![Eliminate { id: "F3".into(), reason }],
                residual_risks: risks,
                open_questions: Vec::new(),
            })
        });
    let validation = prop::collection::vec((any::<bool>(), text()), 3).prop_map(|votes| {
        let votes = votes.into_iter().zip(shown());
        Content::Validation(ValidationBlock {
            votes: votes.map(|((approve, reason), id)| Ballot { id, reason, approve }).collect(),
        })
    });
    prop_oneof![review, cross, composition, validation]
}

/// Returns JSON that is nearly valid.
fn nearly() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(vec![
            "F1", "f2", "F9", "P0", "p1", "agree", "approve", "42", "7-3", ""
        ])
        .prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(4, 40, 5, |inner| {
        let key = prop::sample::select(vec![
            "findings",
            "severity",
            "title",
            "file",
            "line",
            "end_line",
            "quote",
            "detail",
            "fix",
            "judgements",
            "id",
            "stance",
            "reason",
            "evidence",
            "missed_issues",
            "keep",
            "merge",
            "into",
            "ids",
            "eliminate",
            "votes",
            "vote",
            "residual_risks",
            "open_questions",
        ])
        .prop_map(str::to_owned);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(key, inner, 0..8)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    value.prop_map(|value| value.to_string())
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(said in said()) {
        let ids = shown();
        let reply = parse(said.role(), &raw(&said.render()), Chance::First, terms(&ids));
        prop_assert_eq!(reply.map(|reply| (reply.content.said, reply.content.left_out)), Ok((said, 0)));
    }

    #[test]
    fn no_bytes_are_too_strange(bytes in prop::collection::vec(any::<u8>(), 0..300), cut in any::<bool>()) {
        let ids = shown();
        for role in Role::ALL {
            for chance in [Chance::First, Chance::Last] {
                drop(parse(role, &RawReply { bytes: bytes.clone(), cut, ..RawReply::default() }, chance, terms(&ids)));
            }
        }
    }

    /// An accepted answer contains only ids that were shown and content that was asked for, and the last chance is
    /// never stricter than the first.
    #[test]
    fn what_comes_through_is_what_was_asked_for(body in nearly()) {
        let ids = shown();
        for role in Role::ALL {
            let text = block(contract::outline(role).name, &body);
            let first = parse(role, &raw(&text), Chance::First, terms(&ids));
            let last = parse(role, &raw(&text), Chance::Last, terms(&ids));
            if let Ok(first) = &first {
                prop_assert_eq!(&Ok(first.clone()), &last);
                prop_assert_eq!(first.content.left_out, 0);
            }
            let Ok(reply) = last else { continue };
            let known = |id: &String| ids.contains(id);
            match &reply.content.said {
                Content::Review(said) => {
                    prop_assert!(said.findings.iter().all(|each| !each.title.is_empty() && !each.file.is_empty()));
                }
                Content::Cross(said) => prop_assert!(said.judgements.iter().all(|each| known(&each.id))),
                Content::Composition(said) => {
                    prop_assert!(said.keep.iter().all(|each| known(&each.id)));
                    prop_assert!(said.eliminate.iter().all(|each| known(&each.id) && !each.reason.is_empty()));
                    prop_assert!(said.merge.iter().all(|each| known(&each.into) && each.ids.iter().all(known)));
                }
                Content::Validation(said) => prop_assert!(said.votes.iter().all(|each| known(&each.id))),
            }
        }
    }
}
