//! The typed contents of the blocks that agents write in a review.
//!
//! Nothing is verified at this point: paths, lines and quotes are as written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::field::{code, entries, id, line, line_number, text, texts, word};
use crate::protocol::council::ValidationBlock;
use crate::protocol::review::contract::{
    DETAIL_CHARS, ID_CHARS, LINE_CHARS, MAX_LINES, MAX_READ, PATH_CHARS, QUOTE_CHARS, REASON_CHARS,
    TITLE_CHARS,
};
use crate::protocol::review::proof::{Reproduction, TestReport};
use crate::protocol::review::reply::{alone, decided, placed, reasoned};
use crate::{declare, words};

/// No limit: the entries are about ids that were shown, and each id counts once.
const ANY: usize = usize::MAX;

/// The placeholder of a trigger, which is no trigger.
pub(in crate::protocol::review) const TRIGGER: &str =
    "<the input or order of events that makes it fail>";
/// The placeholder of the lines that an unsure judge asks for.
pub(in crate::protocol::review) const LINES: &str =
    "<path:first-last of lines you would have to see, if unsure>";
pub(in crate::protocol::review) const ONLY: &str = "<the part that holds, if not all of it>";

const DETAIL: &[&str] = &["description", "explanation"];
const FIX: &[&str] = &["suggestion", "suggested_fix", "recommendation"];

words! {
    // Synonyms come from other scales, matched by urgency: fix at once, fix before the change ships, fix some day.
    /// How bad a finding is.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Severity, usually P2 {
        /// A breaking defect on an ordinary path: crash, wrong result, data loss, a hole, a build that fails.
        P0 = "P0" | "critical" | "blocker",
        /// Wrong on a path that will be taken some day; an error that is swallowed; a regression.
        P1 = "P1" | "high" | "major",
        /// A rare edge with small harm, a small gap.
        P2 = "P2" | "medium" | "moderate" | "minor" | "low" | "p3",
    }
}

impl Severity {
    /// Returns the weight of a group of this severity in the confidence (`docs/review.md`: 5, 3, 1).
    pub const fn weight(self) -> u32 {
        match self {
            Self::P0 => 5,
            Self::P1 => 3,
            Self::P2 => 1,
        }
    }
}

declare! {
    /// A finding as a reviewer wrote it.
    #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
    pub struct Finding as "finding", then placed {
        /// The path that it names, as written.
        pub file: String = line(PATH_CHARS).shown("<path>").also(&["path"]),
        /// The first line, from 1, if it names one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub line: Option<u32> =
            line_number().optional().extra().also(&["line_number", "start_line"]),
        /// The last line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub end_line: Option<u32> = line_number().optional().extra(),
        /// The code that it is about, copied from the change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub quote: Option<String> =
            code(QUOTE_CHARS).optional().counts().shown("<the code in question, copied>").below().also(&["code", "snippet"]),
        /// What makes it fail; without it a P0 or P1 is not confirmed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub trigger: Option<String> =
            text(REASON_CHARS).optional().extra().shown(TRIGGER).below(),
        /// What is wrong and what happens; a finding that does not say so still counts.
        pub detail: String =
            text(DETAIL_CHARS).counts().shown("<what is wrong, and what then happens>").below().also(DETAIL),
        /// How bad it is.
        pub severity: Severity = word(),
        /// One line.
        pub title: String = line(TITLE_CHARS).shown("<one line>"),
        /// How to fix it; may be empty.
        pub fix: String = text(DETAIL_CHARS).counts().may_miss().shown("<how to mend it>").also(FIX),
    }
}

declare! {
    /// A `REVIEW` block.
    #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
    pub struct ReviewBlock {
        /// What it found; none is a legal answer.
        pub findings: Vec<Finding> = entries(MAX_READ).apart().also(&["issues"]),
        /// What stays risky.
        pub residual_risks: Vec<String> =
            texts(MAX_LINES, LINE_CHARS).shown("<what stays risky>").below(),
        /// What it could not find out.
        pub open_questions: Vec<String> =
            texts(MAX_LINES, LINE_CHARS).shown("<what you could not find out>"),
    }
}

words! {
    /// What a seat thinks of another's finding.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Stance {
        /// It is right.
        Agree = "agree" | "agrees" | "agreed" | "confirm" | "confirms" | "confirmed",
        /// It is wrong, and here is the evidence.
        Disagree = "disagree" | "disagrees" | "disagreed" | "refute" | "refutes" | "refuted",
        /// It cannot be determined.
        Unsure = "unsure" | "uncertain" | "unknown" | "partly" | "partial" | "partially" | "partly agree" | "partially agree" | "mostly" | "mostly agree",
    }
}

declare! {
    /// One judgement of a `CROSS_REVIEW` block.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct Judgement as "judgement", then reasoned {
        /// The group's neutral id, `F3`.
        pub id: String = id(ID_CHARS).shown("F1").also(&["finding_id"]),
        /// Why.
        pub reason: String = text(REASON_CHARS).shown("<why>").aside(),
        /// Code that shows it; a judgement without any that is found counts as unsure.
        pub evidence: Option<String> =
            code(QUOTE_CHARS).optional().counts().shown("<code that shows it, copied>"),
        /// What it thinks.
        pub stance: Stance = word(),
        /// The part of the finding that holds, if it agrees with a part alone.
        pub only: Option<String> =
            text(REASON_CHARS).optional().extra().shown(ONLY).below(),
        /// The severity that it gives the defect, if it agrees.
        pub severity: Option<Severity> = word().optional().extra(),
        /// The id of another finding about the same defect.
        pub same_as: Option<String> =
            id(ID_CHARS).optional().extra().shown("<id of the finding that tells the same defect>"),
        /// The lines that it would have to see, if it is unsure.
        pub lines: Option<String> =
            line(PATH_CHARS).optional().extra().shown(LINES),
    }
}

declare! {
    /// A `CROSS_REVIEW` block.
    #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
    pub struct CrossReviewBlock {
        /// One entry per group that was shown; missing entries do not count as votes.
        pub judgements: Vec<Judgement> = entries(ANY).apart().also(&["judgments"]),
        /// What all others overlooked.
        pub missed_issues: Vec<Finding> =
            entries(MAX_READ).called("missed issue").may_miss().aside().apart().below(),
    }
}

declare! {
    /// A group that the composer keeps, with what it words anew.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct KeptGroup as "kept finding" {
        /// The group's id.
        pub id: String = id(ID_CHARS).shown("F1").also(&["finding_id"]),
        /// A better title.
        pub title: Option<String> =
            line(TITLE_CHARS).optional().counts().shown("<a better title>"),
        /// A better description.
        pub detail: Option<String> =
            text(DETAIL_CHARS).optional().counts().shown("<a better description>").also(DETAIL),
        /// A better fix.
        pub fix: Option<String> =
            text(DETAIL_CHARS).optional().counts().shown("<a better fix>").also(FIX),
    }
}

declare! {
    /// Groups that the composer treats as one.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct Merge as "merge" {
        /// The group that stays.
        pub into: String = id(ID_CHARS).shown("F2"),
        /// Those that go into it.
        pub ids: Vec<String> = texts(ANY, ANY).shown("F3").owed(),
        /// Why they are one.
        pub reason: Option<String> =
            text(REASON_CHARS).optional().extra().shown("<the cause and the fix that they share>"),
    }
}

declare! {
    /// A group that the composer throws out.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct Eliminate as "eliminated finding" {
        /// The group's id.
        pub id: String = id(ID_CHARS).shown("F4").also(&["finding_id"]),
        /// Why; never empty.
        pub reason: String =
            text(REASON_CHARS).shown("<why it does not belong in the result>"),
    }
}

declare! {
    /// A `COMPOSITION` block.
    #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
    pub struct CompositionBlock, then decided {
        /// Kept as they are or worded anew.
        pub keep: Vec<KeptGroup> = entries(ANY).may_miss().read_by(alone),
        /// Put together.
        pub merge: Vec<Merge> = entries(ANY).may_miss().below(),
        /// Thrown out.
        pub eliminate: Vec<Eliminate> = entries(ANY).may_miss().below(),
        /// What stays risky.
        pub residual_risks: Vec<String> =
            texts(MAX_LINES, LINE_CHARS).shown("<what stays risky>").below(),
        /// What could not be found out.
        pub open_questions: Vec<String> =
            texts(MAX_LINES, LINE_CHARS).shown("<what could not be found out>"),
    }
}

/// The content of an answered turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    Review(ReviewBlock),
    /// Judgements on the others' findings.
    Cross(CrossReviewBlock),
    /// The winner's selection.
    Composition(CompositionBlock),
    /// Votes on that selection.
    Validation(ValidationBlock),
    /// A test that shows a finding.
    Reproduction(Reproduction),
    /// What running it showed.
    Test(TestReport),
}
