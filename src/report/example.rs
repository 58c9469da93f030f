//! Example debates for the tests of all reports.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::rc::Rc;

use chrono::{DateTime, Utc};
use serde_json::json;

use super::document::{PrioritizeDocument, SessionFacts, SkillUsed};
use crate::kernel::{Basis, Cost, Ended, Halt, Limit, Seat, SeatStatus, Usd, Warning};
use crate::protocol::backlog::model::{
    BacklogOutcome, DebateRound, DebateSession, Disposition, ModeratorReason, Opportunity,
};
use crate::session::store::{SessionListing, Status, Summary};

mod run;

pub(crate) use run::{event, eventful_debate, finished, started};

pub(crate) const SESSION: &str = "0199a3c2-7f11-7abc-8def-0123456789ab";

/// A writer whose bytes the test can read.
#[derive(Clone, Default)]
pub(crate) struct Buffer(Rc<RefCell<Vec<u8>>>);

impl Buffer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.borrow().clone()).unwrap()
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Refusing(pub(crate) io::ErrorKind);

impl Write for Refusing {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }
    fn flush(&mut self) -> io::Result<()> {
        Err(self.0.into())
    }
}

pub(crate) fn at(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_212_000 + second, 0).unwrap()
}

pub(crate) fn usd(micros: u64) -> Usd {
    Usd::from_micros(micros)
}

pub(crate) fn opportunity(id: &str, title: &str, rank: Option<u32>) -> Opportunity {
    serde_json::from_value(json!({
        "opportunity_id": id,
        "opportunity_type": "feature_opportunity",
        "status": "discovered",
        "title": title,
        "created_at": at(0),
        "updated_at": at(0),
        "priority_rank": rank,
    }))
    .unwrap()
}

const ITEMS: [(&str, &str, Disposition, &str); 4] = [
    (
        "opp-sw-0a1b2c3d4e5f",
        "Resume a killed debate without paying twice",
        Disposition::Prioritize,
        "The journal's format must be settled first; changing it later breaks stored sessions.",
    ),
    ("opp-fo-1b2c3d4e5f60", "Live progress in a terminal", Disposition::Prioritize, ""),
    (
        "opp-cq-2c3d4e5f6071",
        "Split the configuration loader into layers with provenance so that `config show` can say where a value came from",
        Disposition::Investigate,
        "Nobody measured how often people ask for this; effort L for an unknown gain.",
    ),
    (
        "opp-fo-3d4e5f607182",
        "Windows support (日本語のタイトル)",
        Disposition::Reject,
        "Process groups and job objects differ; XL, should be split.",
    ),
];

fn seat(role: &str, agent: &str, vendor: &str, status: SeatStatus) -> Seat {
    Seat {
        role: role.into(),
        agent: agent.into(),
        vendor: vendor.into(),
        status,
        failure: None,
        fell_back_to: None,
    }
}

pub(crate) fn round(number: u32) -> DebateRound {
    let ids: Vec<String> = ITEMS.iter().map(|item| item.0.to_owned()).collect();
    let reason = ModeratorReason {
        reason: Some("Everybody is hit.".into()),
        condition: Some("The format is settled.".into()),
        start_with: Some("A test that kills it.".into()),
    };
    DebateRound {
        round_number: number,
        champion_argument:
            "Killed debates are paid for twice today.\n\n- reach: every user\n- confidence: 80%"
                .into(),
        champion_rankings: ids.clone(),
        champion_cost_usd: usd(110_000),
        critic_concerns: ITEMS
            .iter()
            .filter(|item| !item.3.is_empty())
            .map(|item| (item.0.to_owned(), vec![item.3.to_owned()]))
            .collect(),
        critic_met: BTreeSet::new(),
        critic_counter_rankings: ids.iter().rev().cloned().collect(),
        critic_cost_usd: usd(83_100),
        moderator_dispositions: ITEMS.iter().map(|item| (item.0.to_owned(), item.2)).collect(),
        moderator_reasons: BTreeMap::from([(ids[0].clone(), reason)]),
        moderator_final_rankings: ids,
        moderator_cost_usd: usd(120_000),
        continue_debate: number < 2,
        consensus_reached: number == 2,
        warnings: (1..=2)
            .map(|id| Warning {
                code: "unknown_id".into(),
                turn: Some(format!("r{number}/critic")),
                message: format!("`opp-{id}` is none of the ids; it was dropped"),
            })
            .collect(),
        rank_stability: Some(if number == 1 { 0.47 } else { 0.93 }),
        consensus_claimed: number == 2,
    }
}

fn session(outcome: impl Into<Ended<BacklogOutcome>>, rounds: u32) -> DebateSession {
    let outcome = outcome.into();
    let ids: Vec<String> = ITEMS.iter().map(|item| item.0.to_owned()).collect();
    DebateSession {
        session_id: SESSION.into(),
        started_at: at(0),
        completed_at: Some(at(185)),
        opportunity_ids: ids.clone(),
        max_rounds: 3,
        budget_usd: usd(2_500_000),
        rounds: (1..=rounds).map(round).collect(),
        final_rankings: if rounds == 0 { Vec::new() } else { ids },
        consensus_reached: outcome == BacklogOutcome::Consensus,
        stalemate: false,
        total_cost_usd: usd(313_100 * u64::from(rounds)),
        outcome: Some(outcome),
        cost_basis: Some(Basis::Mixed),
        seats: vec![
            seat("champion", "claude", "anthropic", SeatStatus::Answered),
            seat("critic", "codex", "openai", SeatStatus::Answered),
            seat("moderator", "claude", "anthropic", SeatStatus::Answered),
        ],
    }
}

fn ranked(decided: bool) -> Vec<Opportunity> {
    (1..)
        .zip(ITEMS)
        .map(|(rank, item)| {
            let mut opportunity = opportunity(item.0, item.1, decided.then_some(rank));
            opportunity.disposition = decided.then_some(item.2);
            opportunity
        })
        .collect()
}

fn skills() -> Vec<SkillUsed> {
    vec![SkillUsed {
        name: "backlog-critic".into(),
        origin: "embedded".into(),
        sha256: "9f".repeat(32),
        note: None,
    }]
}

pub(crate) fn consensus() -> PrioritizeDocument {
    let about = SessionFacts { skills: skills(), ..SessionFacts::default() };
    PrioritizeDocument::new(session(BacklogOutcome::Consensus, 2), ranked(true), about)
}

pub(crate) fn agent_failure() -> PrioritizeDocument {
    let mut session = session(BacklogOutcome::AgentFailure, 0);
    session.completed_at = None;
    session.total_cost_usd = usd(260_000);
    session.seats[1].status = SeatStatus::Failed;
    session.seats[1].failure = Some("not_logged_in: codex says: please run `codex login`".into());
    session.seats[2].status = SeatStatus::Skipped;
    PrioritizeDocument::new(session, ranked(false), SessionFacts::default())
}

pub(crate) fn budget() -> PrioritizeDocument {
    let mut session = session(Halt::Budget, 1);
    session.completed_at = None;
    session.stalemate = true;
    session.budget_usd = usd(400_000);
    session.seats[2].status = SeatStatus::FellBack;
    session.seats[2].fell_back_to = Some("gemini".into());
    PrioritizeDocument::new(session, ranked(true), SessionFacts::default())
}

pub(crate) fn rehearsal() -> PrioritizeDocument {
    let mut session = session(BacklogOutcome::MaxRounds, 3);
    session.total_cost_usd = Usd::ZERO;
    session.cost_basis = None;
    let about = SessionFacts { rehearsal: true, ..SessionFacts::default() };
    PrioritizeDocument::new(session, ranked(true), about)
}

pub(crate) fn nothing() -> PrioritizeDocument {
    let mut session = session(BacklogOutcome::NothingToRank, 0);
    session.total_cost_usd = Usd::ZERO;
    session.cost_basis = None;
    for seat in &mut session.seats {
        seat.status = SeatStatus::Skipped;
    }
    PrioritizeDocument::new(session, ranked(false)[..1].to_vec(), SessionFacts::default())
}

pub(crate) fn all() -> Vec<PrioritizeDocument> {
    vec![consensus(), agent_failure(), budget(), rehearsal(), nothing()]
}

pub(crate) fn listed() -> Vec<SessionListing> {
    let summary = |title: &str, micros| Summary {
        protocol: "backlog".into(),
        title: title.into(),
        rehearsal: false,
        started_at: at(0),
        last_at: at(185),
        spent: Some(Cost { usd: usd(micros), basis: Basis::Reported }),
        calls: 6,
        rounds: 2,
        parent: None,
    };
    let session = |last: u32, status, summary| SessionListing {
        id: format!("0199a3c2-7f1{last}-7abc-8def-0123456789ab"),
        status,
        summary,
    };
    let closed = Status::Closed { outcome: "consensus".into(), verdict: "decided".into() };
    vec![
        session(5, Status::Live(None), Some(summary("12 opportunities to rank", 0))),
        session(
            4,
            Status::Suspended { outcome: "budget".into(), limit: Some(Limit::Budget) },
            Some(summary("4 opportunities to rank", 313_100)),
        ),
        session(3, Status::Interrupted, Some(summary("4 opportunities to rank", 110_000))),
        session(2, closed, Some(summary("6 opportunities to rank", 626_200))),
        session(1, Status::Unreadable("journal.jsonl:7: not JSON".into()), None),
    ]
}

/// Generates any text, often with attacks on terminals and reports in it.
pub(crate) fn evil_text() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let part = prop_oneof![
        any::<String>(),
        proptest::sample::select(vec![
            "\u{1b}[2J",
            "\u{1b}]52;c;eA==\u{7}",
            "\u{9b}31m",
            "\u{7f}",
            "\u{202e}",
            "\u{2066}",
            "\u{e0041}",
            "\u{200f}",
            "\r",
            "\n",
            "\t",
            "![x](http://e/?",
            "[a](javascript:x)",
            "[a]: http://e",
            "<img src=x>",
            "<http://e>",
            "http://e.example",
            "|",
            "`",
            "```",
            "~~~",
            "# ",
            "---",
            "===",
            "- ",
            "1. ",
            "> ",
            "\\",
            "*",
            "_",
            "&lt;",
            "]]>",
            "<!--",
            "    x",
        ])
        .prop_map(str::to_owned),
    ];
    proptest::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
}

/// Whether a text contains only visible characters, newlines and tabs.
pub(crate) fn is_inert(text: &str) -> bool {
    !text.chars().any(|character| {
        (character.is_control() && character != '\n' && character != '\t')
            || matches!(character, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
    })
}

/// A debate with this text in every field written by others.
pub(crate) fn poisoned(evil: &str) -> PrioritizeDocument {
    let mut document = budget();
    let text = || evil.to_owned();
    document.header.session_id = text();
    document.header.report_path = Some(text());
    document.header.warnings = vec![Warning { code: text(), turn: Some(text()), message: text() }];
    document.header.skills =
        vec![SkillUsed { name: text(), origin: text(), sha256: text(), note: None }];
    for seat in &mut document.header.seats {
        *seat = Seat {
            role: text(),
            agent: text(),
            vendor: text(),
            status: SeatStatus::Failed,
            failure: Some(text()),
            fell_back_to: Some(text()),
        };
    }
    for item in &mut document.ranked_opportunities {
        (item.opportunity_id, item.title, item.description) = (text(), text(), text());
    }
    for round in &mut document.session.rounds {
        round.champion_argument = text();
        round.champion_rankings = vec![text()];
        round.critic_counter_rankings = vec![text()];
        round.moderator_final_rankings = vec![text()];
        round.critic_concerns = [(text(), vec![text(), text()])].into();
        round.moderator_dispositions = [(text(), Disposition::Defer)].into();
        round.warnings = document.header.warnings.clone();
    }
    document
}
