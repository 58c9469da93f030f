//! The planners' statements, and what the rules derive from them.
//!
//! A *seat* is an agent's place in the panel, counted from 0 in code and from 1 in names (`s1`). Text shown to one
//! seat never names another; the agents' names return in the [`Outcome`], which is defined in `result`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contract::{
    ID_CHARS, LINE_CHARS, MAX_LIST, MAX_MISSING, MAX_STEPS, RISK_CHARS, TEXT_CHARS,
};
use super::group::normal;
use super::reply::objects;
use crate::contract::field::{entries, id, line, name, ours, text, texts, word};
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::protocol::council;
pub(crate) use crate::protocol::council::{Ballots, Status, Tally, ValidationBlock};
use crate::text::folded;
use crate::{declare, words};

mod result;

pub(crate) use result::*;

/// No limit: the entries are about ids that were shown, and each id counts once.
const ANY: usize = usize::MAX;

declare! {
    /// A step as its author wrote it.
    #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
    pub struct PlanStep as "step" {
        /// Its name within the answer: one line.
        pub id: String = name(ID_CHARS).shown("<a short name>"),
        /// The part of the plan that it belongs to.
        pub phase: String = line(LINE_CHARS).shown("<the phase>"),
        /// One line.
        pub title: String = line(LINE_CHARS).shown("<one line>"),
        /// What is to be done.
        pub description: String = text(TEXT_CHARS).shown("<what is done>"),
        /// Files that it touches, as written.
        pub files: Vec<String> = texts(MAX_LIST, LINE_CHARS)
            .extra()
            .noted()
            .shown("<path>, or <path> (new)")
            .below(),
        /// Steps that must be done before, by id.
        pub depends_on: Vec<String> =
            texts(MAX_LIST, LINE_CHARS).owed().noted().shown("<id of another step>"),
        /// How to tell that it is done; may be empty.
        pub acceptance: String = text(TEXT_CHARS)
            .extra()
            .noted()
            .shown("<how to see that it is done>"),
    }
}

declare! {
    /// A `PLAN` block.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct PlanBlock {
        /// The steps in the planner's order; never empty, ids unique, dependencies known and without a cycle.
        pub steps: Vec<PlanStep> = entries(MAX_STEPS).or_refused().apart(),
        /// The plan in a few sentences; may be empty.
        pub summary: String = text(TEXT_CHARS)
            .extra()
            .noted()
            .shown("<the plan in a few sentences>")
            .below(),
        /// What can go wrong.
        pub risks: Vec<String> = texts(MAX_LIST, RISK_CHARS).noted().shown("<risk>"),
        /// What it could not find out.
        pub open_questions: Vec<String> = texts(MAX_LIST, RISK_CHARS).noted().shown("<question>"),
        /// Every dependency was as it should be; `false` if one had to be dropped.
        pub dependencies_valid: bool = ours(),
    }
}

words! {
    /// What a seat thinks of another's step.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Stance {
        /// It is right as it is.
        Agree = "agree" | "agrees" | "agreed" | "confirm" | "confirms" | "confirmed",
        /// It should not be done.
        Disagree = "disagree" | "disagrees" | "disagreed",
        /// It should be done otherwise; a suggestion says how.
        Modify = "modify" | "modifies" | "modified" | "partly" | "partial" | "partially" | "partly agree" | "partially agree" | "mostly" | "mostly agree",
    }
}

declare! {
    /// One judgement of a `PLAN_REVIEW` block.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct Judgement as "judgement", then objects {
        /// The group's neutral id, `S3`.
        pub id: String = id(ID_CHARS).shown("<id>").also(&["step_id"]),
        /// Why; empty only for an agreement.
        pub reason: String = text(TEXT_CHARS).may_miss().shown("<why>").aside(),
        /// What it thinks.
        pub stance: Stance = word(),
        /// What the step should say instead, in full; always there for [`Stance::Modify`].
        pub description: Option<String> = text(TEXT_CHARS)
            .optional()
            .shown("<with modify, the whole new description>")
            .aside()
            .below(),
        /// The neutral id of the step that does the same, if there is one.
        pub same_as: Option<String> = id(ID_CHARS)
            .optional()
            .extra()
            .shown("<id of the step that does the same, else left out>"),
    }
}

declare! {
    /// A `PLAN_REVIEW` block.
    #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
    pub struct PlanReviewBlock {
        /// One entry per step that was shown; missing entries do not count as votes.
        pub judgements: Vec<Judgement> = entries(ANY).apart().also(&["judgments"]),
        /// What all plans lack. Their `depends_on` name neutral ids or each other.
        pub missing_steps: Vec<PlanStep> =
            entries(MAX_MISSING)
            .called("missing step")
            .extra()
            .noted()
            .apart()
            .below(),
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum Content {
    Plan(PlanBlock),
    /// Judgements on the others' steps.
    Cross(PlanReviewBlock),
    /// Votes on the merged plan.
    Validation(ValidationBlock),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AuthoredStep {
    pub seat: usize,
    /// The vendor that answered for the seat at the time.
    pub vendor: String,
    /// 0 for the seat's own plan; otherwise the number of the cross-examination that added it.
    pub round: u32,
    /// Its place in the answer, from 0.
    pub place: usize,
    /// Its unique id within the planning: `s1.setup`, or `s2.r2.rollback` from a cross-examination.
    pub key: String,
    /// The steps that it depends on: keys like the above, or neutral ids (`S4`).
    pub needs: Vec<String>,
    /// The step as it was written; without the marks of new files, if they are read.
    pub step: PlanStep,
    /// Those of its files that it marks as new, normalised.
    pub creates: BTreeSet<String>,
}

/// The mark of a file that a step creates, behind its path.
pub(crate) const NEW_FILE: &str = "(new)";

impl AuthoredStep {
    /// Assigns author and keys to the steps of one answer. `round` is 0 for a plan.
    pub(crate) fn all(steps: &[PlanStep], seat: usize, vendor: &str, round: u32) -> Vec<Self> {
        let local: BTreeSet<&str> = steps.iter().map(|step| &*step.id).gather();
        let key = |id: &str| match round {
            0 => format!("s{}.{id}", seat + 1),
            _ => format!("s{}.r{round}.{id}", seat + 1),
        };
        let need = |id: &String| {
            if local.contains(&**id) { key(id) } else { id.clone() }
        };
        let raised = |(place, step): (usize, &PlanStep)| Self {
            seat,
            vendor: vendor.to_owned(),
            round,
            place,
            key: key(&step.id),
            needs: step.depends_on.iter().map(need).collect(),
            step: step.clone(),
            creates: BTreeSet::new(),
        };
        steps.iter().enumerate().map(raised).collect()
    }

    /// Returns the step with the neutral ids under which it and those it depends on are judged.
    pub(crate) fn judged_as(&self, group: &Group, groups: &[Group]) -> PlanStep {
        let on = |need: &String| groups.iter().find(|group| group.contains(need));
        let needs = self.needs.iter().filter_map(on).map(|group| group.id.clone());
        let needs: BTreeSet<String> = needs.gather();
        PlanStep {
            id: group.id.clone(),
            depends_on: needs.into_iter().collect(),
            ..self.step.clone()
        }
    }

    /// Reads the marks of new files: `src/a.rs (new)` is the file `src/a.rs`, which the step creates.
    pub(crate) fn read_marks(mut self) -> Self {
        for file in &mut self.step.files {
            let end = file.len().saturating_sub(NEW_FILE.len());
            let marked = file.get(end..).is_some_and(|end| end.eq_ignore_ascii_case(NEW_FILE));
            if marked && !file[..end].trim().is_empty() {
                *file = file[..end].trim().to_owned();
                self.creates.insert(normal(file));
            }
        }
        self
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SeatJudgement {
    /// The vendor that answered for the seat at the time.
    pub vendor: String,
    /// The cross-examination in which it was given.
    pub round: u32,
    /// The seat's stance on the step.
    pub stance: Stance,
    /// The seat's reason; empty only for an agreement.
    pub reason: String,
    /// What the step should say instead, in full.
    pub description: Option<String>,
}

/// Steps that are the same. Each plan contributes at most one member, but a missing step can join a step that its
/// critic wrote before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    /// Neutral and stable id: `S1`.
    pub id: String,
    /// The steps, in an order that does not depend on the seats; never empty. The first is the one shown.
    pub members: Vec<AuthoredStep>,
    /// The latest judgements by seat; never an author's.
    pub judged: BTreeMap<usize, SeatJudgement>,
    /// The groups that were joined with it because judges said that they are the same.
    pub joined: Vec<JoinedGroup>,
}

/// A group that is a part of another now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JoinedGroup {
    /// Its neutral id, which means the whole group since.
    pub id: String,
    pub said: Vec<SameClaim>,
}

/// A seat's statement that a step is the same as another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SameClaim {
    /// Who says so.
    pub seat: usize,
    /// The neutral ids of the two steps: the one that was judged, and the one that it is the same as.
    pub ids: [String; 2],
    pub reason: String,
    /// What the judge would have the step say.
    pub description: Option<String>,
}

impl Group {
    pub(crate) fn new(number: usize, members: Vec<AuthoredStep>) -> Self {
        let id = format!("S{number}");
        Self { id, members, judged: BTreeMap::new(), joined: Vec::new() }
    }

    /// Returns its id, and those of the groups that were joined with it.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.id).chain(self.joined.iter().map(|joined| &*joined.id))
    }

    /// Whether an id means this group: its own, or that of a group that was joined with it.
    pub(crate) fn is(&self, id: &str) -> bool {
        self.ids().any(|own| own == id)
    }

    /// Whether a dependency is on this group, by neutral id or by a step's key.
    pub(crate) fn contains(&self, need: &str) -> bool {
        self.is(need) || self.members.iter().any(|raised| raised.key == need)
    }

    /// Returns the seats that wrote one of the steps.
    pub(crate) fn authors(&self) -> BTreeSet<usize> {
        self.members.iter().map(|raised| raised.seat).gather()
    }

    pub(crate) fn wrote(&self, seat: usize) -> bool {
        self.members.iter().any(|raised| raised.seat == seat)
    }

    /// Returns the steps of other authors than that with the key, each wording once.
    pub(crate) fn other_wordings(&self, key: &str) -> impl Iterator<Item = &AuthoredStep> {
        let words = |raised: &AuthoredStep| {
            [&raised.step.title, &raised.step.description].map(|text| folded(text))
        };
        let used = self.members.iter().filter(|raised| raised.key == key).map(words);
        let mut seen: BTreeSet<_> = used.gather();
        self.members.iter().filter(move |raised| seen.insert(words(raised)))
    }

    /// Returns the judgements that count: those of seats that wrote none of the steps.
    pub(crate) fn votes(&self) -> impl Iterator<Item = (usize, &SeatJudgement)> {
        (self.judged.iter())
            .filter(|(seat, _)| !self.wrote(**seat))
            .map(|(seat, judged)| (*seat, judged))
    }

    /// Whether a seat has not judged the step yet, or another seat has spoken about it since: it judged the step too,
    /// or wrote it.
    pub(crate) fn has_news(&self, seat: usize) -> bool {
        let judged = self.judged.iter().map(|(other, judged)| (*other, judged.round));
        let wrote = self.members.iter().map(|raised| (raised.seat, raised.round));
        council::has_news(seat, judged, wrote)
    }

    /// Returns the number of votes with a stance.
    pub(crate) fn count(&self, stance: Stance) -> usize {
        self.votes().filter(|(_, judged)| judged.stance == stance).count()
    }

    /// Returns the change that a seat suggests and nobody opposes: one seat alone wants the step changed, and none
    /// says that it should not be done. What becomes of it is decided by the final vote.
    pub(crate) fn change(&self) -> Option<Change<'_>> {
        let mut others = self.votes().filter(|(_, judged)| judged.stance != Stance::Agree);
        let (seat, judged) = others.next().filter(|_| others.next().is_none())?;
        let description = judged.description.as_deref()?;
        (judged.stance == Stance::Modify).then_some(Change { seat, judged, description })
    }

    /// Returns the status that the votes give; the first rule that applies decides (`docs/review.md`, step 4, with
    /// agree = further authors + agreeing seats): no votes, `unverified`; more disagree than agree, `refuted`; as
    /// many, `contested`, which also covers a step that others only want changed; more agree, `confirmed` if authors
    /// and agreeing seats are of two vendors or more, otherwise `agreed (one vendor)`, which counts as unverified.
    pub(crate) fn status(&self) -> Status {
        let agree = self.authors().len().saturating_sub(1) + self.count(Stance::Agree);
        let disagree = self.count(Stance::Disagree);
        if agree == 0 && disagree == 0 && self.count(Stance::Modify) == 0 {
            return Status::Unverified;
        }
        let authors = self.members.iter().map(|raised| &raised.vendor);
        let agreeing = (self.votes())
            .filter(|(_, judged)| judged.stance == Stance::Agree)
            .map(|(_, judged)| &judged.vendor);
        let vendors: BTreeSet<&String> = authors.chain(agreeing).gather();
        Status::of(agree, disagree, vendors.len())
    }
}

/// A change that one seat suggests and nobody opposes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Change<'a> {
    /// Who suggests it.
    pub seat: usize,
    pub judged: &'a SeatJudgement,
    /// What the step says with it.
    pub description: &'a str,
}
