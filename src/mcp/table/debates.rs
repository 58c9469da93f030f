//! The tools that run a debate: each costs money, keeps a session, and can be waited for.

use serde_json::{Map, Value};

use super::fields::{self, AGENTS, PATH, WAIT};
use crate::config::review::PlatformChoice;
use crate::contract::exact::{flag, names, objects, path, text, whole, word};
use crate::contract::field::Field;
use crate::mcp::tool::{Effect, Output, Tool, input};
use crate::protocol::debate::Mode;
use crate::protocol::debate::Style;
use crate::protocol::facts::{FACT_CHARS, MAX_FACTS};
use crate::protocol::opening::Opening;
use crate::{declare, words};

words! {
    /// What `debate_360` makes.
    pub(crate) enum FullMode {
        /// A review of a change.
        Review = "review",
        /// A plan of a task.
        Plan = "plan",
    }
}

const PLATFORM: Field<PlatformChoice> = word().usual_word("general").about("Whose rules apply.");

/// Facts, as `--facts`.
const FACTS: Field<Vec<String>> =
    names(1, MAX_FACTS, FACT_CHARS).about("What the user says of it.");

/// Whether the questions are kept as assumptions, as `--clarify=list`.
const CLARIFY: Field<bool> =
    flag().usually(false).about("First list missing facts as assumptions: one more call.");

declare! {
    /// The arguments of `debate_review`.
    #[derive(Debug)]
    pub(crate) struct ReviewArguments {
        pub(crate) question: String = text(fields::TEXT).about("What to look at in particular."),
        pub(crate) agents: Vec<String> = AGENTS,
        pub(crate) include_critique: bool = flag()
            .usually(true)
            .also(&["includeCritique"])
            .about("Judge each other's findings."),
        pub(crate) path: Option<String> = PATH,
        pub(crate) platform: PlatformChoice = PLATFORM,
        pub(crate) wait_seconds: u32 = WAIT,
    }
}

pub(super) const REVIEW: Tool = Tool {
    name: "debate_review",
    title: "Review a change",
    description: "AI agents review the uncommitted change, each alone, then judge each other's findings blind: one round. Costs real money, takes minutes. Returns findings, and who did not answer. `decided: false` means no approval. To see the change for free: read_diff. For a validated result: debate_360.",
    input: input!(Review(ReviewArguments)),
    output: Output::Session,
    effect: Effect::Asks,
};

declare! {
    /// The arguments of `debate_360`.
    #[derive(Debug)]
    pub(crate) struct FullArguments {
        pub(crate) question: String = text(fields::TEXT)
            .about("What to look at, or the task to plan."),
        pub(crate) mode: FullMode = word().usual_word("review").about("What to make."),
        pub(crate) agents: Vec<String> = AGENTS,
        pub(crate) path: Option<String> = path().optional().about(
            "File or folder; default: the whole change (plan: none).",
        ),
        pub(crate) context: Option<String> =
            path().optional().about("Plan: a file shown to all."),
        pub(crate) platform: PlatformChoice = PLATFORM,
        /// Else the configuration's.
        pub(crate) max_rounds: Option<u32> = whole(0, 5)
            .optional()
            .also(&["maxRounds"])
            .about("Maximum cross-examinations."),
        /// Else the configuration's.
        pub(crate) confidence_threshold: Option<u32> = whole(50, 100)
            .optional()
            .also(&["confidenceThreshold"])
            .about("Confidence in percent that ends it."),
        pub(crate) facts: Vec<String> = FACTS,
        pub(crate) clarify: bool = CLARIFY,
        pub(crate) wait_seconds: u32 = WAIT,
    }
}

pub(super) const FULL: Tool = Tool {
    name: "debate_360",
    title: "Full review or plan",
    description: "AI agents review the uncommitted change, or plan a task, each alone; then blind cross-examination, one merged result, its validation. The most expensive tool: costs real money, takes many minutes. Returns findings or steps, and who did not answer. `decided: false` means no approval. For a quick look: debate_review.",
    input: input!(Full(FullArguments)),
    output: Output::Session,
    effect: Effect::Asks,
};

declare! {
    /// The arguments of `debate_topic`.
    #[derive(Debug)]
    pub(crate) struct TopicArguments {
        pub(crate) topic: String = text(fields::TOPIC).about("What to settle."),
        pub(crate) description: Option<String> = text(fields::TEXT)
            .optional()
            .about("Facts, constraints."),
        pub(crate) options: Vec<String> = names(2, 20, 200).about("The choices."),
        pub(crate) style: Style = word().usual_word("dialogue").about(
            "dialogue: two and an expert; argument: two; panel: three or more vote.",
        ),
        /// Else the configuration's.
        pub(crate) mode: Option<Mode> = word().optional().about("The tone."),
        /// Else the configuration's.
        pub(crate) opening: Option<Opening> = word()
            .optional()
            .about("Dialogue; blind: both open unseen."),
        pub(crate) participants: Vec<String> = AGENTS,
        pub(crate) expert: Option<String> = text(fields::NAME)
            .optional()
            .about("Rules where they disagree."),
        pub(crate) context: Option<String> = path().optional().about("A file for all."),
        pub(crate) facts: Vec<String> = FACTS,
        pub(crate) clarify: bool = CLARIFY,
        /// Else the configuration's.
        pub(crate) max_rounds: Option<u32> = whole(0, 10)
            .optional()
            .also(&["maxRounds"])
            .about("Most rounds; panel 0-5, else 1-10."),
        pub(crate) wait_seconds: u32 = WAIT,
    }
}

pub(super) const TOPIC: Tool = Tool {
    name: "debate_topic",
    title: "Debate a topic",
    description: "AI agents debate one open question; rules in code say whether they agree. Costs real money, takes minutes. Returns decision, open points, dissent. `decided: false` means no agreement. Not for code changes: debate_review.",
    input: input!(Topic(TopicArguments)),
    output: Output::Session,
    effect: Effect::Asks,
};

declare! {
    /// The arguments of `prioritize_backlog`.
    #[derive(Debug)]
    pub(crate) struct BacklogArguments {
        pub(crate) opportunities: Option<Vec<Map<String, Value>>> = objects(100, 512 << 10)
            .optional()
            .about("Items with a title; default: stored backlog."),
        /// Else the configuration's.
        pub(crate) opening: Option<Opening> = word()
            .optional()
            .about("blind: rank apart."),
        pub(crate) wait_seconds: u32 = WAIT,
    }
}

pub(super) const BACKLOG: Tool = Tool {
    name: "prioritize_backlog",
    title: "Prioritize a backlog",
    description: "Ranks items: one AI agent argues, another challenges. Costs real money, takes minutes. Returns the ranking. `decided: false`: do not rely on it. One question: debate_topic.",
    input: input!(Backlog(BacklogArguments)),
    output: Output::Session,
    effect: Effect::Asks,
};

declare! {
    /// The arguments of `discuss_artifact`.
    #[derive(Debug)]
    pub(crate) struct DiscussArguments {
        pub(crate) artifact: Option<String> = path().optional().about("The file; default: the preset's."),
        pub(crate) context: Option<String> = path()
            .optional()
            .about("JSON that coverage checks against."),
        pub(crate) perspectives: Vec<String> = names(1, 9, fields::NAME)
            .about("product, technical, quality, risk, coverage, or others."),
        pub(crate) preset: Option<String> = text(fields::NAME)
            .optional()
            .about("A configured round: DISCUSS-002."),
        pub(crate) round_id: Option<String> = text(56)
            .optional()
            .also(&["roundId"])
            .about("Names the record."),
        pub(crate) session: Option<String> = path().optional().about("Folder for records."),
        pub(crate) role: Option<String> = text(fields::NAME).optional().about("Who asks."),
        pub(crate) task_id: Option<String> = text(fields::NAME)
            .optional()
            .also(&["taskId"])
            .about("Its task."),
        pub(crate) apply_policy: bool = flag()
            .usually(false)
            .also(&["applyPolicy"])
            .about("Write what the verdict requires into the session folder."),
        pub(crate) wait_seconds: u32 = WAIT,
    }
}

pub(super) const DISCUSS: Tool = Tool {
    name: "discuss_artifact",
    title: "Discuss a document",
    description: "AI agents criticise one document from several perspectives, each alone; rules decide whether it can proceed. Costs real money, takes minutes. Returns severity, action items, differing views. `decided: false` means no approval. Not for code changes: debate_review.",
    input: input!(Discuss(DiscussArguments)),
    output: Output::Session,
    effect: Effect::Asks,
};
