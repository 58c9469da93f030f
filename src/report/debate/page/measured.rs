//! The evidence of a debate: every measurement with its inputs, votes, rulings.

use super::{given, lines, listed, or_dash};
use crate::protocol::debate::ballot::{AnswerBlock, Choice, VoteRecord};
use crate::protocol::debate::consensus::{Basis, Check, Conflict};
use crate::protocol::debate::model::{Judgement, Ruling};
use crate::protocol::debate::outcome::{ExpertRecord, RoundRecord};
use crate::protocol::debate::typed::Resolution;
use crate::report::debate::{DebateDocument, headline};
use crate::report::page::{
    Blocks, Item, Table, Text, agent_text, count, name, names, session, text,
};

pub(super) fn add(blocks: &mut Blocks, document: &DebateDocument) {
    blocks.section("Consensus", |below| consensus(below, document));
    blocks.section("Metrics", |below| metrics(below, &document.result.rounds)).record_only();
    blocks.section("Answers", |below| answers(below, document));
    blocks.section("Votes", |below| votes(below, document));
    if let Some(expert) = &document.result.expert {
        let who = session::agent(&expert.agent, &expert.vendor);
        blocks.section(text!["Asked to rule: ", who], |below| ruling(below, expert));
    }
    if let Some(resolution) = &document.result.resolution {
        blocks.section("Resolution", |below| self::resolution(below, resolution));
    }
}

/// The course of consensus, round by round, with both signals side by side.
fn consensus(blocks: &mut Blocks, document: &DebateDocument) {
    let thresholds = &document.thresholds;
    if let Some(wanted) = thresholds.consensus {
        let what = match thresholds.basis {
            Basis::Stance => "The stances decide",
            Basis::Text => "Only the texts decide",
        };
        let expert =
            thresholds.expert.map(|expert| text!["; below ", expert, " an expert is asked"]);
        let rule = text![what, "; at or above ", wanted, " it is consensus", expert, "."];
        blocks.para(rule).record_only();
    }
    let told = |round: &&RoundRecord| round.consensus.is_some() || !round.forced.is_empty();
    let rows = document.result.rounds.iter().filter(told).flat_map(moved);
    let headers = ["Round", "Decides", "Reached", "Stances", "Judged", "Texts", "Note"];
    blocks.table(Table::new(headers, rows).unbroken(&[0, 1, 2, 3, 4, 5]));
    let checks = || {
        document.result.rounds.iter().flat_map(|round| {
            checks(round).into_iter().map(|(of, check)| (text![round.round, of], check))
        })
    };
    let parts: Vec<Vec<Text>> = checks().filter_map(parts).collect();
    let note = match (checks().next(), parts.is_empty()) {
        (None, _) if document.is_settled_without_vote() => {
            "All answers take the same option; no vote was held."
        }
        (None, _) if document.result.last_votes.is_empty() => "Nothing was measured.",
        (None, _) => "Votes decide; they are listed below.",
        (Some(_), true) => "The texts were not compared, or could not be read.",
        (Some(_), false) => "How the score of the texts is made up:",
    };
    blocks.para(note).record_only();
    let headers = ["Round", "Keywords", "Weight", "Meaning", "Weight", "Embedding"];
    blocks.table(Table::new(headers, parts)).record_only();
}

/// The checks of a round, each with whose position it measures where both sides' were measured.
fn checks(round: &RoundRecord) -> Vec<(Option<Text>, &Check)> {
    if round.checks.is_empty() {
        return round.consensus.iter().map(|check| (None, check)).collect();
    }
    let of = |seat: &str| text![", position of the ", name(seat)];
    round.checks.iter().map(|(seat, check)| (Some(of(seat)), check)).collect()
}

/// The rows of a round in the consensus table.
fn moved(round: &RoundRecord) -> Vec<Vec<Text>> {
    let checks = checks(round);
    if checks.is_empty() {
        return vec![row(round, None, None)];
    }
    checks.into_iter().map(|(of, check)| row(round, of, Some(check))).collect()
}

fn row(round: &RoundRecord, of: Option<Text>, check: Option<&Check>) -> Vec<Text> {
    let forced = (!round.forced.is_empty()).then(|| text!["no answer from ", names(&round.forced)]);
    let conflict = check.and_then(|check| check.conflict).map(conflict);
    let note = Text::join(forced.into_iter().chain(conflict.map(Text::from)), "; ");
    vec![
        text![round.round, of],
        or_dash(check.and_then(|check| check.decisive)),
        or_dash(check.map(|check| if check.reached { "yes" } else { "no" })),
        or_dash(check.and_then(|check| check.stance_score)),
        or_dash(check.map(|check| check.covered)),
        or_dash(check.and_then(|check| check.text_score)),
        note,
    ]
}

const fn conflict(conflict: Conflict) -> &'static str {
    match conflict {
        Conflict::AlikeButOpposed => "similar wording, opposite positions",
        Conflict::AgreedButUnlike => "stances agree, texts differ",
    }
}

fn parts((round, check): (Text, &Check)) -> Option<Vec<Text>> {
    let text = check.text.as_ref()?;
    Some(vec![
        round,
        text.keywords.into(),
        text.keyword_weight.number().into(),
        text.semantic.into(),
        text.semantic_weight.number().into(),
        name(&text.embedding),
    ])
}

/// The measurements of rounds of typed arguments.
fn metrics(blocks: &mut Blocks, rounds: &[RoundRecord]) {
    let measured =
        || rounds.iter().filter_map(|round| Some((round.round, round.metrics.as_ref()?)));
    let rows = measured().map(|(round, metrics)| {
        vec![
            round.into(),
            metrics.agreement_score.into(),
            metrics.resolution_quality.into(),
            metrics.evidence_strength.into(),
            or_dash(metrics.implementation_feasibility),
            if metrics.complete { "yes" } else { "no" }.into(),
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
    blocks.table(Table::new(headers, rows));
    let risks = measured().flat_map(|(round, metrics)| {
        let of = metrics.risk_assessment.iter();
        of.map(move |(risk, weight)| vec![round.into(), agent_text(risk), (*weight).into()])
    });
    blocks.table(Table::new(["Round", "Risk", "Likelihood times impact"], risks));
}

/// A panel's choices, then each answer in full.
fn answers(blocks: &mut Blocks, document: &DebateDocument) {
    let counted = if document.is_settled_without_vote() { "seat" } else { "vote" };
    blocks.list(document.result.choices.iter().map(|each| choice(each, counted)));
    for choice in &document.result.choices {
        let whose = choice.answers.iter().zip(&choice.seats).zip(&choice.said);
        for ((id, seat), said) in whose {
            let heading = text!["Answer ", name(id), " of ", name(seat)];
            blocks.section(heading, |below| answer(below, said)).record_only();
        }
    }
}

/// `A by s1, s4 (4 votes, 2 vendors, treated as one: A, D): gRPC.`; with the option first, if there is one.
fn choice(choice: &Choice, counted: &'static str) -> Text {
    let (votes, vendors) = (count(choice.votes, counted), count(choice.vendors, "vendor"));
    let same =
        (choice.answers.len() > 1).then(|| text![", treated as one: ", names(&choice.answers)]);
    let by = text![name(&choice.id), " by ", names(&choice.seats)];
    let option = choice.option.as_ref().map(|option| text!["\"", agent_text(option), "\": "]);
    text![by, " (", votes, ", ", vendors, same, "): ", option, agent_text(&choice.text)]
}

fn answer(blocks: &mut Blocks, said: &AnswerBlock) {
    blocks.quote(&said.answer);
    blocks.facts([
        ("Option", said.option.as_deref().map(agent_text).into_iter().collect()),
        ("With", said.with.as_deref().map(agent_text).into_iter().collect()),
        ("Stated confidence", said.confidence.map(Text::from).into_iter().collect()),
        ("Reasons", lines(&said.reasons)),
        ("Evidence", lines(&said.evidence)),
    ]);
}

/// A panel's first votes beside its last.
fn votes(blocks: &mut Blocks, document: &DebateDocument) {
    let ballots = ballots(&document.result.first_votes, &document.result.last_votes);
    let headers = ["Seat", "Agent", "First", "Last", "Moved by"];
    blocks.table(Table::new(headers, ballots.iter().map(ballot)).unbroken(&[0, 2, 3]));
    if ballots.is_empty() {
        return;
    }
    let short = |choice: &Choice| text![name(&choice.id), ": ", agent_text(&choice.short())];
    blocks.para(Text::join(document.result.choices.iter().map(short), "; ")).screen_only();
    blocks.para(changed(document));
    let why = ballots.iter().filter_map(|(seat, before, after)| {
        let vote = after.or(*before)?;
        let who = session::agent(&vote.agent, &vote.vendor);
        Some(text![name(seat), ", ", who, ": ", agent_text(&vote.reason)])
    });
    blocks.facts([("Why", why.collect())]).record_only();
}

/// A seat with its first and its last vote.
type Ballots<'a> = (&'a str, Option<&'a VoteRecord>, Option<&'a VoteRecord>);

/// Returns every seat that voted, in the order of the ballots.
fn ballots<'a>(first: &'a [VoteRecord], last: &'a [VoteRecord]) -> Vec<Ballots<'a>> {
    let of = |votes: &'a [VoteRecord], seat: &str| votes.iter().find(|vote| vote.seat == seat);
    let mut rows: Vec<Ballots<'a>> = Vec::new();
    for vote in first.iter().chain(last) {
        if rows.iter().all(|(seat, ..)| *seat != vote.seat) {
            rows.push((&vote.seat, of(first, &vote.seat), of(last, &vote.seat)));
        }
    }
    rows
}

fn ballot((seat, before, after): &Ballots<'_>) -> Vec<Text> {
    vec![
        name(seat),
        or_dash(after.or(*before).map(|vote| name(&vote.agent))),
        or_dash(before.map(own)),
        or_dash(after.map(own)),
        after.map(moved_by).unwrap_or_default(),
    ]
}

/// `A`, `A (own)`.
pub(super) fn own(vote: &VoteRecord) -> Text {
    text![name(&vote.choice), vote.own.then_some(" (own)")]
}

/// The seat's reason for its change of vote, or the change that was not counted.
fn moved_by(vote: &VoteRecord) -> Text {
    match (&vote.not_counted, &vote.moved_by) {
        (Some(choice), _) => text![name(choice), " was not counted: no evidence given"],
        (None, evidence) => evidence.as_deref().map(agent_text).into(),
    }
}

/// Returns the changes from the first to the last ballot; `None` unless there are two.
fn changed(document: &DebateDocument) -> Option<Text> {
    let (first, last) = (&document.result.first_votes, &document.result.last_votes);
    if first.is_empty() || last.is_empty() {
        return None;
    }
    let before = |seat: &str| first.iter().find(|vote| vote.seat == seat);
    let changed =
        |vote: &&VoteRecord| before(&vote.seat).is_none_or(|before| before.choice != vote.choice);
    let changed = match last.iter().filter(changed).count() {
        0 => "none".into(),
        changed => Text::from(changed),
    };
    Some(text!["The debate changed ", changed, " of ", count(last.len(), "vote"), "."])
}

/// The expert's or judge's ruling, or why there is none.
fn ruling(blocks: &mut Blocks, expert: &ExpertRecord) {
    if expert.of_a_participant {
        blocks.para("Its vendor also has a participant: this is not a third opinion.");
    }
    if let Some(failure) = &expert.failure {
        let without = "It gave no ruling, so it approved nothing: ";
        blocks.para(text![without, agent_text(failure)]);
    }
    if let Some(own) = &expert.own_answer {
        blocks.para("Its own answer, before it saw the others:").record_only();
        blocks.quote(own).record_only();
    }
    if !expert.choices.is_empty() {
        let choices = Text::join(expert.choices.iter().map(|choice| name(choice)), ", then ");
        blocks.para(text!["Its choice, in one order and then in the other: ", choices, "."]);
    }
    if let Some(Judgement { points, position, confidence, .. }) = &expert.judgement {
        let sure = confidence.map(|sure| text![", stated confidence ", sure]);
        blocks.para(text!["Its position", sure, ":"]).record_only();
        blocks.quote(position).record_only();
        blocks.list(points.iter().map(ruled));
    }
}

/// `P2: REST at the edge alone.`
fn ruled(ruling: &Ruling) -> Item {
    Item::new(text![name(&ruling.id), ": ", agent_text(&ruling.ruling)])
        .with(|below| _ = below.facts([("Why", given(&ruling.reason))]))
}

/// The resolution of a debate of typed arguments, with the facts that a person needs to decide.
fn resolution(blocks: &mut Blocks, resolution: &Resolution) {
    blocks.para(text!["Kind: ", headline::kind(resolution.kind), "."]);
    listed(blocks, "Conditions", &resolution.conditions);
    for (heading, texts) in [
        ("Decided so far", &resolution.key_decisions),
        ("Not resolved", &resolution.unresolved_points),
        ("Recommended by the sides", &resolution.recommendations),
        ("What happened", &resolution.history),
    ] {
        blocks.section(heading, |below| _ = below.list(lines(texts))).record_only();
    }
    listed(blocks, "Asked of a person", &resolution.asked);
}
