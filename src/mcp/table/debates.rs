//! The tools that hold a debate: each costs money, keeps a session, and can be waited for.

use super::fields::{self, AGENTS, PATH, WAIT, agents, choice, flag, text, whole};
use crate::mcp::tool::{Effect, Field, Kind, Output, Tool};

/// Whose rules reviewers are given.
const PLATFORM: Field = choice(
    "platform",
    &["general", "auto", "flutter", "android", "ios", "backend"],
    "general",
    "Whose rules reviewers are given; `auto`: by the files.",
);

pub(super) const REVIEW: Tool = Tool {
    name: "debate_review",
    title: "Review a change",
    description: "Several AI agents review the uncommitted change independently, then judge each other's findings without knowing whose they are: one round. Costs real money, takes minutes. Returns findings with severity, status, file and line, and who did not answer. `decided: false` is no approval. To see the change for nothing: read_diff. More rounds and a validated result: debate_360.",
    fields: &[
        text("question", fields::TEXT, "What to look at in particular.").required(),
        AGENTS,
        flag(
            "include_critique",
            true,
            "Let them judge each other's findings; else nothing is confirmed.",
        )
        .or("includeCritique"),
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
    description: "The whole pipeline: AI agents review the uncommitted change, or plan a task, each alone; then rounds of blind cross-examination, one merged result, and its validation by the others. The dearest tool: costs real money, takes many minutes. Returns the findings or steps that held, and who did not answer. `decided: false` is no approval. For a quick look: debate_review.",
    fields: &[
        text(
            "question",
            fields::TEXT,
            "What to look at in particular, or the task to plan.",
        )
        .required(),
        choice("mode", &["review", "plan"], "review", "What is made."),
        AGENTS,
        Field::new(
            "path",
            Kind::Path,
            "File or folder to look at, from the start directory; else the whole change (plan: none).",
        ),
        PLATFORM,
        whole("max_rounds", 1, 5, Some(3), "Most cross-examinations.").or("maxRounds"),
        whole(
            "confidence_threshold",
            50,
            100,
            Some(80),
            "Percent at which no further round is held.",
        )
        .or("confidenceThreshold"),
        WAIT,
    ],
    output: Output::Session,
    effect: Effect::Asks,
};

pub(super) const TOPIC: Tool = Tool {
    name: "debate_topic",
    title: "Debate a topic",
    description: "AI agents debate one open question (a design, a choice, a trade-off); rules in code say whether they agree, agree in part or stay apart, and dissent is kept. Costs real money, takes minutes. Returns outcome, decisions, open points. `decided: false` is no agreement. Not for code (debate_review), nor for what can be looked up.",
    fields: &[
        text("topic", fields::TOPIC, "The question to settle.").required(),
        text(
            "description",
            fields::TEXT,
            "More about it: facts, constraints.",
        ),
        Field::new(
            "options",
            Kind::Names {
                least: 2,
                most: 20,
                longest: 200,
            },
            "What there is to choose from.",
        ),
        choice(
            "style",
            &["dialogue", "argument", "panel"],
            "dialogue",
            "dialogue: two and an expert; argument: typed arguments of two sides; panel: three or more, blind votes.",
        ),
        agents(
            "participants",
            "Who debates, by name; else the configuration's.",
        ),
        whole(
            "max_rounds",
            0,
            10,
            None,
            "Most rounds; 0 to 5 for a panel, 1 to 10 else.",
        )
        .or("maxRounds"),
        WAIT,
    ],
    output: Output::Session,
    effect: Effect::Asks,
};

pub(super) const BACKLOG: Tool = Tool {
    name: "prioritize_backlog",
    title: "Prioritize a backlog",
    description: "Ranks work items: one AI agent champions an order, another challenges it, until they agree or rounds run out. Costs real money, takes minutes. Returns the ranking with scores. `decided: false` is no ranking to rely on. Not for one question: debate_topic.",
    fields: &[
        Field::new(
            "opportunities",
            Kind::Objects {
                most: 100,
                bytes: 512 << 10,
            },
            "The items: `title`, better with `description`, `impact`, `effort`; else the project's stored backlog.",
        ),
        WAIT,
    ],
    output: Output::Session,
    effect: Effect::Asks,
};

pub(super) const DISCUSS: Tool = Tool {
    name: "discuss_artifact",
    title: "Discuss a document",
    description: "AI agents criticise one document (a design, a specification, a plan) from several perspectives, each alone; one ladder of rules decides whether it can go on. Costs real money, takes minutes. Returns severity, action items, differing views. `decided: false` is no approval. Changes no file. Not for a change of code: debate_review.",
    fields: &[
        Field::new(
            "artifact",
            Kind::Path,
            "The file, from the start directory; no folder.",
        )
        .required(),
        Field::new(
            "context",
            Kind::Path,
            "JSON file that `coverage` checks it against; else that perspective is skipped.",
        ),
        Field::new(
            "perspectives",
            Kind::Names {
                least: 1,
                most: 9,
                longest: fields::NAME,
            },
            "Who reads it: product, technical, quality, risk, coverage, or the configuration's.",
        ),
        text(
            "preset",
            fields::NAME,
            "A round that the configuration knows, such as DISCUSS-002.",
        ),
        WAIT,
    ],
    output: Output::Session,
    effect: Effect::Asks,
};
