//! What can be argued with: every measurement with what it was computed from, votes, rulings.

use super::{inert, strings};
use crate::kernel::share::Share;
use crate::protocol::debate::ballot::AnswerSaid;
use crate::protocol::debate::consensus::{Basis, Check, Conflict};
use crate::report::debate::people::{ballots, moved_by, own};
use crate::report::debate::{DebateDocument, share};
use crate::report::pieces::Page;

/// Every check with both scores, their parts, weights and the decision.
pub(super) fn consensus(page: &mut Page, document: &DebateDocument) {
    page.heading(2, "Consensus");
    let checks: Vec<(u32, &Check)> = (document.rounds.iter())
        .filter_map(|round| Some((round.round, round.consensus.as_ref()?)))
        .collect();
    let thresholds = &document.thresholds;
    if let Some(wanted) = thresholds.consensus {
        let expert = thresholds
            .expert
            .map_or_else(String::new, |expert| format!("; below {expert} an expert is asked"));
        page.line(&format!(
            "{} decide; at or above {wanted} it is consensus{expert}.",
            match thresholds.basis {
                Basis::Stance => "The stances",
                Basis::Text => "The texts alone",
            }
        ));
        page.gap();
    }
    if checks.is_empty() {
        page.line(if document.last_votes.is_empty() {
            "Nothing was measured."
        } else {
            "Votes decide; they stand below."
        });
        return;
    }
    let rows = checks.iter().map(|(round, check)| {
        vec![
            round.to_string(),
            share(check.decisive),
            share(check.stance_score),
            check.covered.to_string(),
            share(check.text_score),
            check.threshold.to_string(),
            if check.reached { "yes" } else { "no" }.to_owned(),
            (check.polarity_conflict.map_or("none", conflict)).to_owned(),
        ]
    });
    let headers =
        ["Round", "Decides", "Stances", "Points judged", "Texts", "Wanted", "Reached", "Conflict"];
    page.table(&headers, rows);
    let parts: Vec<Vec<String>> = (checks.iter())
        .filter_map(|(round, check)| {
            let text = check.text.as_ref()?;
            Some(vec![
                round.to_string(),
                text.keywords.to_string(),
                weight(text.keyword_weight),
                text.semantic.to_string(),
                weight(text.semantic_weight),
                inert(&text.embedding),
            ])
        })
        .collect();
    page.gap();
    if parts.is_empty() {
        page.line("The texts were not compared, or could not be read.");
        return;
    }
    page.line("What the score of the texts is made of:");
    page.gap();
    let headers = ["Round", "Keywords", "Weight", "Meaning", "Weight", "Embedding"];
    page.table(&headers, parts);
}

fn weight(share: Share) -> String {
    format!("{}", share.number())
}

fn conflict(conflict: Conflict) -> &'static str {
    match conflict {
        Conflict::AlikeButOpposed => "the texts are alike, and the stances opposed",
        Conflict::AgreedButUnlike => "the stances agree, and the texts have nothing in common",
        Conflict::Negation => "one text negates what the other says",
    }
}

/// What rounds of typed arguments measure.
pub(super) fn metrics(page: &mut Page, document: &DebateDocument) {
    let measured: Vec<_> = (document.rounds.iter())
        .filter_map(|round| Some((round.round, round.metrics.as_ref()?)))
        .collect();
    if measured.is_empty() {
        return;
    }
    page.heading(2, "Metrics");
    let rows = measured.iter().map(|(round, metrics)| {
        vec![
            round.to_string(),
            metrics.agreement_score.to_string(),
            metrics.resolution_quality.to_string(),
            metrics.evidence_strength.to_string(),
            share(metrics.implementation_feasibility),
            if metrics.complete { "yes" } else { "no" }.to_owned(),
        ]
    });
    let headers = [
        "Round",
        "Agreement",
        "Quality of the resolution",
        "Strength of the evidence",
        "Feasibility",
        "Complete",
    ];
    page.table(&headers, rows);
    let risks: Vec<Vec<String>> = (measured.iter())
        .flat_map(|(round, metrics)| {
            let of = metrics.risk_assessment.iter();
            of.map(move |(risk, weight)| vec![round.to_string(), inert(risk), weight.to_string()])
        })
        .collect();
    if !risks.is_empty() {
        page.gap();
        page.table(&["Round", "Risk", "Likelihood times impact"], risks);
    }
}

/// A panel's answers, and its first vote beside its last.
pub(super) fn votes(page: &mut Page, document: &DebateDocument) {
    if !document.choices.is_empty() {
        page.heading(2, "Answers");
        let rows = document.choices.iter().map(|choice| {
            vec![
                inert(&choice.id),
                inert(&choice.text),
                inert(&choice.answers.join(", ")),
                inert(&choice.seats.join(", ")),
                choice.votes.to_string(),
                choice.vendors.to_string(),
            ]
        });
        let headers = ["Choice", "Text", "Held to be one", "By", "Votes", "Vendors"];
        page.table(&headers, rows);
        for choice in &document.choices {
            let whose = choice.answers.iter().zip(&choice.seats).zip(&choice.said);
            for ((id, seat), said) in whose {
                answer(page, id, seat, said);
            }
        }
    }
    let (first, last) = (&document.first_votes, &document.last_votes);
    if first.is_empty() && last.is_empty() {
        return;
    }
    page.heading(2, "Votes");
    if let Some(moved) = document.moved() {
        page.line(&moved);
        page.gap();
    }
    let dash = || "-".to_owned();
    let rows = ballots(first, last).into_iter().map(|(seat, before, after)| {
        let either = after.or(before);
        let moved = after.map(moved_by).filter(|moved| !moved.is_empty());
        vec![
            inert(seat),
            either.map_or_else(dash, |vote| inert(&vote.agent)),
            either.map_or_else(dash, |vote| inert(&vote.vendor)),
            before.map_or_else(dash, |vote| inert(&own(vote))),
            after.map_or_else(dash, |vote| inert(&own(vote))),
            either.map_or_else(dash, |vote| inert(&vote.reason)),
            moved.map_or_else(dash, |moved| inert(&moved)),
        ]
    });
    let headers = ["Seat", "Agent", "Vendor", "First", "Last", "Why", "Moved by"];
    page.table(&headers, rows);
}

/// A seat's own answer, whole.
fn answer(page: &mut Page, id: &str, seat: &str, said: &AnswerSaid) {
    page.heading(3, &format!("Answer {} of {}", inert(id), inert(seat)));
    page.quote(&said.answer);
    page.gap();
    if let Some(confidence) = said.confidence {
        page.line(&format!("Stated confidence: {confidence}."));
    }
    strings(page, "Reasons", &said.reasons);
    strings(page, "Evidence", &said.evidence);
}

/// What the expert or the judge said, or why it said nothing.
pub(super) fn rulings(page: &mut Page, document: &DebateDocument) {
    let Some(expert) = &document.expert else {
        return;
    };
    page.heading(2, "Who was asked to rule");
    page.line(&format!("{} (vendor {}).", inert(&expert.agent), inert(&expert.vendor)));
    if expert.of_a_participant {
        page.gap();
        page.line("Its vendor has a participant as well: this is no third opinion.");
    }
    if let Some(failure) = &expert.failure {
        page.gap();
        page.line(&format!(
            "It gave no ruling, and so nothing is approved by it: {}",
            inert(failure)
        ));
    }
    if let Some(own) = &expert.own_answer {
        page.gap();
        page.line("Its own answer, before it saw the others:");
        page.gap();
        page.quote(own);
    }
    if !expert.choices.is_empty() {
        page.gap();
        page.line(&format!(
            "Its choice, in one order and then in the other: {}.",
            inert(&expert.choices.join(", then "))
        ));
    }
    let Some(judgement) = &expert.judgement else {
        return;
    };
    page.gap();
    let sure = judgement.confidence.map(|sure| format!(", stated confidence {sure}"));
    page.line(&format!("Its position{}:", sure.unwrap_or_default()));
    page.gap();
    page.quote(&judgement.position);
    if !judgement.points.is_empty() {
        page.gap();
        let rows = judgement.points.iter().map(|ruling| {
            let cells = [&ruling.id, &ruling.ruling, &ruling.reason];
            cells.map(|cell| inert(cell)).to_vec()
        });
        page.table(&["Point", "Ruling", "Why"], rows);
    }
}

/// How a debate of typed arguments was resolved, with what a person needs who has to decide.
pub(super) fn resolution(page: &mut Page, document: &DebateDocument) {
    let Some(resolution) = &document.resolution else {
        return;
    };
    page.heading(2, "Resolution");
    page.line(&format!("Kind: {}.", resolution.kind.name().replace('_', " ")));
    for (label, texts) in [
        ("Conditions", &resolution.conditions),
        ("Decided so far", &resolution.key_decisions),
        ("Not resolved", &resolution.unresolved_points),
        ("What the sides recommend", &resolution.recommendations),
        ("What happened", &resolution.history),
        ("Asked of a person", &resolution.asked),
    ] {
        strings(page, label, texts);
    }
}
