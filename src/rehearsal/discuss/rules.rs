//! The rules of each perspective.

use super::sheet::{ArtifactText, Line};
use super::{Notes, counted};
use crate::protocol::discuss::RiskLevel;
use crate::text::similarity;

/// A subject that a perspective expects the artifact to mention.
struct Topic {
    /// Prefixes of its words, in lower case.
    stems: &'static [&'static str],
    /// The strength of a line with such a word.
    there: &'static str,
    /// The weakness if no line has one. Each is worded differently: like texts would look like one point.
    missing: &'static str,
    /// The suggestion for that case.
    change: &'static str,
}

const PRODUCT: [Topic; 4] = [
    Topic {
        stems: &["user", "customer", "audience", "buyer", "visitor"],
        there: "says who it is for",
        missing: "Nobody is named who would use it, so nobody can be asked whether they want it.",
        change: "Name one kind of user, and the situation in which they need it.",
    },
    Topic {
        stems: &["problem", "pain", "trouble", "complain", "today", "cost"],
        there: "tells of the trouble that goes away",
        missing: "What people do without it, and what that takes from them, stands nowhere.",
        change: "Describe one working day without it, with a figure.",
    },
    Topic {
        stems: &["metric", "measur", "kpi", "success", "goal", "baseline"],
        there: "gives something to count",
        missing: "Success has no metric: nothing could ever show a failure.",
        change: "Put a baseline, a target and the way of counting beside the goal.",
    },
    Topic {
        stems: &["instead", "alternative", "competitor", "unlike", "rival"],
        there: "sets it against a rival",
        missing: "It is compared with no alternative, not even with doing nothing.",
        change: "Say in one sentence why the present way is not good enough.",
    },
];

const TECHNICAL: [Topic; 4] = [
    Topic {
        stems: &["performan", "latenc", "throughput", "memory", "second", "load", "scal"],
        there: "speaks of speed or size",
        missing: "Latency and load have no figure: what breaks first under many requests cannot be calculated.",
        change: "Give the requests a second and the milliseconds that each may take.",
    },
    Topic {
        stems: &[
            "secur",
            "secret",
            "permission",
            "authent",
            "authoris",
            "authoriz",
            "trust",
            "encrypt",
            "login",
        ],
        there: "speaks of who may do what",
        missing: "Security is left out: permissions, secrets and hostile input are not spoken of.",
        change: "List who may call it, and who checks that.",
    },
    Topic {
        stems: &["interface", "api", "endpoint", "schema", "format", "json", "http", "command"],
        there: "describes an interface",
        missing: "The interfaces to other systems are not described, so nobody else can build against them.",
        change: "Show one message of each interface, with its version.",
    },
    Topic {
        stems: &["migrat", "version", "compatib", "upgrade", "deprecat"],
        there: "thinks of older versions",
        missing: "Existing data and older versions are forgotten: how one migrates stands nowhere.",
        change: "Describe the upgrade from what runs now, and the way back.",
    },
];

const TESTED: Topic = Topic {
    stems: &["test", "accept", "verif", "criteri"],
    there: "says how it is tested",
    missing: "Acceptance criteria are missing: no tester could say that it is finished.",
    change: "Write one acceptance criterion under each goal.",
};

/// Searched for by two perspectives, whose like points make a theme.
const WAY_OUT: Topic = Topic {
    stems: &[
        "fail", "retry", "retri", "fallback", "recover", "resume", "rollback", "restore", "backup",
        "mitigat", "timeout",
    ],
    there: "says what happens when something fails",
    missing: "What happens when a part fails is not described anywhere.",
    change: "Say for each part what happens when it fails, and who notices.",
};

/// Kinds of exposure: prefixes of their words, and the possible harm.
const EXPOSED: [(&[&str], &str); 4] = [
    (&["depend", "relies", "rely"], "What it depends on may be late or gone"),
    (&["single", "sole"], "What is single may be lost, and with it all that is behind it"),
    (&["only"], "Where there is only one way, it may be closed"),
    (&["assum", "hopefully", "presumabl"], "What is assumed may be wrong"),
];

/// More words than this count as long.
const MANY_WORDS: usize = 1_500;

/// Fewer words than this count as short.
const FEW_WORDS: usize = 200;

/// Maximum vague lines that are named.
const NAMED: usize = 3;

impl Notes {
    /// Adds a strength if a line mentions the topic, else a weakness that costs a point.
    fn topic(&mut self, sheet: &ArtifactText<'_>, topic: &Topic) {
        match sheet.first(topic.stems) {
            Some(line) => self.place(line, topic.there),
            None => self.fault(1, topic.missing, topic.change),
        }
    }

    fn place(&mut self, line: &Line<'_>, does: &str) {
        let text = format!("Line {} {does}: `{}`", line.number, line.quote());
        self.praise(&text);
    }

    /// Faults a missing date; raised by two perspectives in the same words.
    fn undated(&mut self, sheet: &ArtifactText<'_>) {
        if sheet.dated().is_none() {
            let (text, change) = (
                "No date is named: nobody can say whether it is late.",
                "Name the day on which it is to be done.",
            );
            self.fault(1, text, change);
        }
    }

    /// Faults unfinished lines; raised by two perspectives in the same words.
    fn unfinished(&mut self, sheet: &ArtifactText<'_>, points: usize) {
        let lines = sheet.unfinished();
        if let Some(first) = lines.first() {
            let text = format!(
                "{} unfinished, the first is {}",
                counted(lines.len(), "place"),
                first.shown()
            );
            let change =
                format!("Finish line {}, or take it out and say what is left open.", first.number);
            self.fault(points, &text, &change);
        }
    }
}

/// A length that is remarked on.
enum Length {
    Short,
    Long,
}

/// Returns the length and its text, the same words for the perspective that finds it too long and the one that finds
/// it thorough: opinions differ, the count does not.
fn length(sheet: &ArtifactText<'_>) -> Option<(Length, String)> {
    let count = sheet.word_count();
    if count > MANY_WORDS {
        Some((Length::Long, format!("The artifact is long: {count} words.")))
    } else if count < FEW_WORDS {
        Some((Length::Short, format!("The artifact is short: {count} words.")))
    } else {
        None
    }
}

/// Checks that a beneficiary is named, and something that can be counted.
pub(super) fn product(sheet: &ArtifactText<'_>, notes: &mut Notes) {
    notes.unfinished(sheet, usize::from(sheet.unfinished().len() > 2));
    for topic in &PRODUCT {
        notes.topic(sheet, topic);
    }
    notes.undated(sheet);
    match length(sheet) {
        Some((Length::Short, text)) => notes.praise(&text),
        Some((Length::Long, text)) => notes.remark(&text),
        None => {}
    }
}

/// Checks that load, security, interfaces, versions and failures are mentioned.
pub(super) fn technical(sheet: &ArtifactText<'_>, notes: &mut Notes) {
    for topic in &TECHNICAL {
        notes.topic(sheet, topic);
    }
    notes.topic(sheet, &WAY_OUT);
}

/// Checks that the text is finished, and that each sentence has one meaning.
pub(super) fn quality(sheet: &ArtifactText<'_>, notes: &mut Notes) {
    let unfinished = match sheet.unfinished().len() {
        0 => 0,
        1..=2 => 1,
        3..=5 => 2,
        6..=9 => 3,
        _ => 4,
    };
    notes.unfinished(sheet, unfinished);
    let vague = sheet.vague();
    if let Some((first, word)) = vague.first() {
        let named: Vec<String> = (vague.iter().take(NAMED))
            .map(|(line, word)| format!("`{word}` in line {}", line.number))
            .collect();
        let text = format!(
            "Vague words leave {} open to several readings: {}",
            counted(vague.len(), "line"),
            named.join(", ")
        );
        let change =
            format!("Put a figure or a case in the place of `{word}` in line {}.", first.number);
        notes.fault(usize::from(vague.len() > NAMED), &text, &change);
    }
    let empty = sheet.empty_headings();
    if let Some(first) = empty.first() {
        let text = format!(
            "{} with nothing below, the first is {}",
            counted(empty.len(), "heading"),
            first.shown()
        );
        notes.fault(1, &text, "Fill each section, or remove its heading.");
    }
    notes.topic(sheet, &TESTED);
    match length(sheet) {
        Some((Length::Long, text)) => notes.praise(&text),
        Some((Length::Short, text)) => notes.remark(&text),
        None => {}
    }
}

/// Checks the dependencies, and that there is a way out. The level determines the rating, except that a missing way
/// out and a missing date also cost points.
pub(super) fn risk(sheet: &ArtifactText<'_>, notes: &mut Notes) {
    let level = risks(sheet, notes);
    let change = "Say for each dependency what is done when it is late or gone.";
    notes.lost += match level {
        RiskLevel::Low => 0,
        RiskLevel::Medium => 1,
        RiskLevel::High => 2,
        RiskLevel::Critical => 4,
    };
    if level >= RiskLevel::Medium {
        notes.said.suggestions.push(super::marked(change));
    }
    notes.topic(sheet, &WAY_OUT);
    notes.undated(sheet);
}

/// Names the exposures, and sets the level by weight: one for each kind of exposure, one more for unfinished places,
/// two more from five of them, three more from ten; one less if a way out is mentioned, two less if three lines
/// mention one.
pub(super) fn risks(sheet: &ArtifactText<'_>, notes: &mut Notes) -> RiskLevel {
    let mut weight = 0_usize;
    for (stems, harm) in EXPOSED {
        let lines = sheet.all(stems);
        if let Some(first) = lines.first() {
            weight += 1;
            // Without its words: two points that quote one line would look alike, whatever they say about it.
            let (count, line) = (counted(lines.len(), "line"), first.number);
            notes.risk(&format!("{harm}: {count}, the first is line {line}."));
        }
    }
    let unfinished = sheet.unfinished();
    if let Some(first) = unfinished.first() {
        weight += match unfinished.len() {
            0..=4 => 1,
            5..=9 => 2,
            _ => 3,
        };
        let (count, shown) = (counted(unfinished.len(), "line"), first.shown());
        notes.risk(&format!(
            "What is unfinished is decided later, by whoever is in a hurry: {count}, the first is {shown}"
        ));
    }
    let level = match weight.saturating_sub(sheet.all(WAY_OUT.stems).len().div_ceil(2).min(2)) {
        0..=1 => RiskLevel::Low,
        2 => RiskLevel::Medium,
        3 => RiskLevel::High,
        _ => RiskLevel::Critical,
    };
    notes.said.risk_level = Some(level);
    level
}

/// Checks that some line has a word of each aspect examined. Of four points, the share lost is that of the missing
/// aspects.
pub(super) fn own(sheet: &ArtifactText<'_>, things: &[String], notes: &mut Notes) {
    if things.is_empty() {
        let text = "Nothing is named that this perspective looks at, so it looked at nothing.";
        notes.fault(2, text, "Name in the configuration what it looks at.");
    }
    let lines = sheet.keywords();
    let mut missing = 0_usize;
    for thing in things {
        let wanted = similarity::keywords([thing.as_str()]);
        let found = lines.iter().find(|(_, words)| !words.is_disjoint(&wanted));
        if let Some((line, _)) = found {
            notes.place(line, &format!("speaks of {thing}"));
        } else {
            missing += 1;
            let text = format!("No line has a word of {thing}.");
            let change = format!("Say what holds for {thing}, or that it does not matter here.");
            notes.fault(0, &text, &change);
        }
    }
    notes.lost += (missing * 4).div_ceil(things.len().max(1));
    notes.unfinished(sheet, 0);
}
