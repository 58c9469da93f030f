//! The tools that hold a debate: each costs money, keeps a session, and can be waited for.

use super::fields::{self, AGENTS, PATH, WAIT, agents, choice, flag, text, whole};
use crate::mcp::tool::{Effect, Field, Kind, Output, Tool};

/// Whose rules reviewers are given.
const PLATFORM: Field = choice(
    "platform",
    &["general", "auto", "flutter", "android", "ios", "backend"],
    "general",
    "Whose rules apply.",
);

pub(super) const REVIEW: Tool = Tool {
    name: "debate_review",
    title: "Review a change",
    description: "AI agents review the uncommitted change, each alone, then judge each other's findings blind: one round. Costs real money, takes minutes. Returns findings, and who did not answer. `decided: false` is no approval. To see the change for nothing: read_diff. For a validated result: debate_360.",
    fields: &[
        text("question", fields::TEXT, "What to look at in particular.").required(),
        AGENTS,
        flag("include_critique", true, "Judge each other's findings.").or("includeCritique"),
        PATH,
        PLATFORM,
        WAIT,
    ],
    output: Output::Session,
    effect: Effect::Asks,
};

pub(super) const FULL: Tool = Tool {
    name: "debate_360",
    title: "Full review or plan",
    description: "The whole pipeline: AI agents review the uncommitted change, or plan a task, each alone; then rounds of blind cross-examination, one merged result, its validation. The dearest tool: costs real money, takes many minutes. Returns findings or steps, and who did not answer. `decided: false` is no approval. For a quick look: debate_review.",
    fields: &[
        text("question", fields::TEXT, "What to look at, or the task to plan.").required(),
        choice("mode", &["review", "plan"], "review", "What is made."),
        AGENTS,
        Field::new(
            "path",
            Kind::Path,
            "File or folder, from the start directory; else the whole change (plan: none).",
        ),
        PLATFORM,
        whole("max_rounds", 1, 5, Some(3), "Most cross-examinations.").or("maxRounds"),
        whole("confidence_threshold", 50, 100, Some(80), "Percent that ends the rounds.")
            .or("confidenceThreshold"),
        WAIT,
    ],
    output: Output::Session,
    effect: Effect::Asks,
};

pub(super) const TOPIC: Tool = Tool {
    name: "debate_topic",
    title: "Debate a topic",
    description: "AI agents debate one open question (a design, a choice); rules in code say whether they agree, in part or not. Costs real money, takes minutes. Returns decision, open points, dissent. `decided: false` is no agreement. Not for a change of code: debate_review.",
    fields: &[
        text("topic", fields::TOPIC, "The question to settle.").required(),
        text("description", fields::TEXT, "Facts, constraints."),
        Field::new("options", Kind::Names { least: 2, most: 20, longest: 200 }, "The choices."),
        choice(
            "style",
            &["dialogue", "argument", "panel"],
            "dialogue",
            "dialogue: two and an expert; argument: two sides; panel: three or more vote.",
        ),
        Field::new(
            "mode",
            Kind::Choice { of: &["adversarial", "consensus", "collaborative"], default: None },
            "The tone.",
        ),
        agents("participants", "Else the configured ones."),
        text("expert", fields::NAME, "The agent that rules where they disagree."),
        Field::new("context", Kind::Path, "A file that all are shown."),
        whole("max_rounds", 0, 10, None, "Most rounds; panel 0-5, else 1-10.").or("maxRounds"),
        WAIT,
    ],
    output: Output::Session,
    effect: Effect::Asks,
};

pub(super) const BACKLOG: Tool = Tool {
    name: "prioritize_backlog",
    title: "Prioritize a backlog",
    description: "Ranks work items: one AI agent champions an order, another challenges it, until they agree. Costs real money, takes minutes. Returns the ranking. `decided: false` is none to rely on. Not for one question: debate_topic.",
    fields: &[
        Field::new(
            "opportunities",
            Kind::Objects { most: 100, bytes: 512 << 10 },
            "Items with a title; else the project's stored backlog.",
        ),
        WAIT,
    ],
    output: Output::Session,
    effect: Effect::Asks,
};

pub(super) const DISCUSS: Tool = Tool {
    name: "discuss_artifact",
    title: "Discuss a document",
    description: "AI agents criticise one document from several perspectives, each alone; rules decide whether it can go on. Costs real money, takes minutes. Returns severity, action items, differing views. `decided: false` is no approval. Not for a change of code: debate_review.",
    fields: &[
        Field::new("artifact", Kind::Path, "The file; else the preset's."),
        Field::new("context", Kind::Path, "JSON that coverage checks against."),
        Field::new(
            "perspectives",
            Kind::Names { least: 1, most: 9, longest: fields::NAME },
            "product, technical, quality, risk, coverage, or others.",
        ),
        text("preset", fields::NAME, "A configured round: DISCUSS-002."),
        text("round_id", 56, "Names the record.").or("roundId"),
        Field::new("session", Kind::Path, "Folder for records."),
        text("role", fields::NAME, "Who asks."),
        text("task_id", fields::NAME, "Its task.").or("taskId"),
        flag("apply_policy", false, "Write what the verdict requires into the session folder.")
            .or("applyPolicy"),
        WAIT,
    ],
    output: Output::Session,
    effect: Effect::Asks,
};
