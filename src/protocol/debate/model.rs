//! Statements of agents in every style: positions, stances on points, judgements (`docs/answers.md`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::Entry;
use crate::contract::field::{entries, flag, id, ours, share, text, texts, whole, word};
use crate::kernel::share::Share;
use crate::{declare, words};

/// Maximum number of points of one position, each of which must be judged.
pub const MAX_POINTS: usize = 20;
/// Maximum number of entries in a list of stances or rulings; a list of more than were ever shown is not an answer.
pub const MAX_ENTRIES: usize = 100;
/// Maximum length of a summary, a reasoning or a ruling, in characters.
pub const TEXT_CHARS: usize = 4_000;
/// Maximum length of a claim, a reason or an amendment, in characters.
pub const REASON_CHARS: usize = 1_500;
/// Maximum number of reasons, pieces of evidence, risks and the like in one answer or point.
pub const MAX_LINES: usize = 20;
/// Maximum length of a piece of evidence, a concession, a risk or something missing, in characters.
pub const LINE_CHARS: usize = 500;
/// Maximum length of an id as an agent writes it, in characters.
pub const ID_CHARS: usize = 60;

/// The importance of a point that states none (`docs/answers.md`: 1 to 3).
pub const USUAL_IMPORTANCE: u8 = 2;

/// Words that agents write for an empty field.
const NOTHING: [&str; 8] = ["", "-", "—", "none", "n/a", "no", "nothing", "no amendment"];

/// Beginnings of "agree, but", in lower case and without commas.
const BUT: [&str; 8] = [
    "agree but ",
    "agreed but ",
    "i agree but ",
    "we agree but ",
    "yes but ",
    "agree except ",
    "agree with the exception ",
    "agree only if ",
];

declare! {
    /// A side's position: the block `POSITION`.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub struct Position {
        /// What it rests on; never empty.
        pub points: Vec<Point> = entries(MAX_POINTS).apart().or_refused(),
        /// What it concedes to the other side.
        #[serde(default)]
        pub concedes: Vec<String> =
            texts(MAX_LINES, LINE_CHARS).shown("<what of the other side's you grant, and why>").below(),
        /// What it changes against its author's last position, or the last draft.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub changes: Vec<String> =
            texts(MAX_LINES, LINE_CHARS).shown("<what changed since your last position, and why>").below(),
        /// What can go wrong with it.
        #[serde(default)]
        pub risks: Vec<String> = texts(MAX_LINES, LINE_CHARS).shown("<what can go wrong>").below(),
        /// What is to be done, in a few sentences.
        pub summary: String =
            text(TEXT_CHARS).shown("<what is to be done, in a few sentences>").below(),
        /// Whether code would have to change; `None`: not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub code_change_required: Option<bool> = flag().optional().below().extra(),
        /// How sure its author is; `null`: not stated. No longer asked for; recorded, never decisive.
        #[serde(default)]
        pub confidence: Option<Share> = share().optional().extra().unlisted(),
    }
}

declare! {
    /// One point of a position.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub struct Point as "point" {
        /// Given by the program, whatever the author wrote: `A1`, `B1`, `J1`, ... by who wrote it, the same for the whole
        /// dialogue; in typed arguments `P1`, `P2`, ... in the order written.
        pub id: String = id(ID_CHARS).extra().may_miss().unlisted(),
        /// The id of a point that is kept as it stands, as an answer names it; until it is resolved, the rest is empty.
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        #[schemars(skip)]
        pub keep: Option<String> = id(ID_CHARS).optional().extra().unlisted(),
        /// What is claimed.
        pub claim: String = text(REASON_CHARS).shown("<one claim>").alone().unless("keep"),
        /// Why.
        #[serde(default)]
        pub reasoning: String = text(TEXT_CHARS).counts().may_miss().shown("<why>"),
        /// What supports it; an entry that begins with `from memory:` was not looked up.
        #[serde(default)]
        pub evidence: Vec<String> = texts(MAX_LINES, LINE_CHARS).shown("<what supports it>"),
        /// 1 to 3: how much depends on it; the weight of its stance.
        pub importance: u8 = whole(1, 3)
            .usually(USUAL_IMPORTANCE)
            .extra()
            .noted()
            .unless("keep"),
        /// Whose point it is, where a position keeps it as it stood: `proposer`, `reviewer`, `joint`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub kept_from: Option<String> = ours(),
    }
}

/// The words that mark a piece of evidence as remembered and not looked up.
pub const FROM_MEMORY: &str = "from memory:";

/// Returns what a piece of evidence says from memory; `None` if it names something that can be looked up.
pub fn from_memory(evidence: &str) -> Option<&str> {
    let around = |c: char| c.is_whitespace() || "[]():,;-–—*_`\"".contains(c);
    let marked = evidence.trim_start_matches(around);
    let mark = FROM_MEMORY.trim_end_matches(':');
    let begins = marked.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark));
    let rest = begins.then(|| marked.get(mark.len()..)).flatten()?;
    // "From memory-mapped files" is about something else.
    let ends = rest.chars().next().is_none_or(|next| next != '-' && around(next));
    ends.then(|| rest.trim_start_matches(around))
}

words! {
    /// What somebody thinks of a point.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Stance {
        /// As it stands.
        Agree = "agree" | "agrees" | "agreed" | "confirm" | "confirms" | "confirmed",
        /// With an amendment: "agree, but".
        Partly = "partly" | "partial" | "partially" | "partly agree" | "partially agree" | "mostly" | "mostly agree",
        /// No.
        Disagree = "disagree" | "disagrees" | "disagreed",
    }

    /// One of the list, or "agree, but".
    fn synonym(word: &str) -> Option<Self> {
        let listed = Self::SYNONYMS.iter().find(|(other, _)| *other == word);
        listed.map(|(_, meant)| *meant).or_else(|| says_but(word).then_some(Self::Partly))
    }
}

impl Stance {
    /// Returns the weight of the stance, in halves (`docs/debate.md`: agree 1, partly 0.5, disagree 0).
    pub const fn halves(self) -> u64 {
        match self {
            Self::Agree => 2,
            Self::Partly => 1,
            Self::Disagree => 0,
        }
    }
}

words! {
    /// How well a claim is supported by what is given for it.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Support {
        /// The claim follows from what is given.
        Sound = "sound" | "strong" | "solid" | "good",
        /// It may hold, but not for what is given.
        Weak = "weak" | "unsound" | "thin" | "none",
    }
}

declare! {
    /// A stance on one point, with its reason.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub struct StanceEntry as "stance", then qualified {
        /// The point's id, as it was shown.
        pub point: String = id(ID_CHARS).shown("<id>").also(&["id", "point_id"]),
        /// Why.
        pub reason: String = text(REASON_CHARS).shown("<why>").aside(),
        /// What is thought of the claim. "Agree" with an amendment has become `partly` when it gets here.
        pub stance: Stance = word(),
        /// How well the claim is supported; decides nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub support: Option<Support> = word().optional().extra(),
        /// How the point would have to read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub amendment: Option<String> = text(REASON_CHARS)
            .optional()
            .counts()
            .shown("<how it would have to read, with partly>"),
    }
}

declare! {
    /// Stances on the other side's points: the block `STANCES`.
    #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
    pub struct Stances {
        /// At most one per point.
        pub stances: Vec<StanceEntry> = entries(MAX_ENTRIES).apart(),
        /// What the other side left out.
        #[serde(default)]
        pub missing: Vec<String> =
            texts(MAX_LINES, LINE_CHARS).shown("<what the other side left out>").below(),
    }
}

impl Position {
    /// Returns its claims under their ids, for people who watch.
    pub(crate) fn gist(&self) -> Vec<String> {
        let points = self.points.iter().filter(|point| !point.claim.is_empty());
        points.map(|point| format!("{}: {}", point.id, point.claim)).collect()
    }
}

impl Stances {
    /// Returns what is agreed to, and each objection with its reason, for people who watch.
    pub(crate) fn gist(&self) -> Vec<String> {
        let (agreed, others): (Vec<_>, Vec<_>) =
            self.stances.iter().partition(|said| said.stance == Stance::Agree);
        let ids: Vec<&str> = agreed.iter().map(|said| &*said.point).collect();
        let agreed = (!ids.is_empty()).then(|| format!("agrees with {}", ids.join(", ")));
        let objection = |said: &StanceEntry| {
            let verb = match said.stance {
                Stance::Agree => "agrees",
                Stance::Partly => "agrees in part",
                Stance::Disagree => "disagrees",
            };
            format!("{verb} with {}: {}", said.point, said.reason)
        };
        agreed.into_iter().chain(others.into_iter().map(objection)).collect()
    }

    /// Returns the stance on a point, if there is one.
    pub fn on(&self, point: &str) -> Option<&StanceEntry> {
        self.stances.iter().find(|said| said.point == point)
    }
}

declare! {
    /// The ruling of an expert or a judge: the block `JUDGEMENT`.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub struct Judgement {
        /// A ruling on each open point that was put to it.
        pub points: Vec<Ruling> = entries(MAX_ENTRIES).apart(),
        /// The final position; of a panel's judge, the letter of the choice.
        pub position: String = text(TEXT_CHARS).shown("<the final position>").below(),
        /// Whether code would have to change; `None`: not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub code_change_required: Option<bool> = flag().optional().extra(),
        /// How sure the judge is; `null`: not said. No longer asked for; recorded, never decisive.
        #[serde(default)]
        pub confidence: Option<Share> = share().optional().extra().unlisted(),
    }
}

declare! {
    /// A ruling on one open point.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub struct Ruling as "ruling" {
        /// The point's id, as it was shown.
        pub id: String = id(ID_CHARS).shown("<id>").also(&["point", "point_id"]),
        /// Why.
        pub reason: String = text(REASON_CHARS).shown("<why>"),
        /// What should hold.
        pub ruling: String = text(TEXT_CHARS).shown("<what holds>"),
    }
}

/// Turns "agree" with an amendment, and "agree, but", into `partly`.
fn qualified(said: &mut StanceEntry, entry: &mut Entry<'_>) {
    said.amendment = said.amendment.take().filter(|text| !NOTHING.contains(&&*plain(text)));
    if said.stance != Stance::Agree {
        entry.needs("reason", &said.reason);
        return;
    }
    let but = if said.amendment.is_some() {
        "`agree` with an amendment"
    } else if says_but(&said.reason) {
        "\"agree, but\""
    } else {
        return;
    };
    entry.note("agree_but", &format!("{but} counts as `partly`"));
    said.stance = Stance::Partly;
}

/// Whether a reason qualifies its agreement in its first words.
fn says_but(reason: &str) -> bool {
    let plain = plain(reason);
    BUT.iter().any(|words| plain.starts_with(words))
}

/// Returns the text in lower case, with single spaces and without punctuation around words.
fn plain(text: &str) -> String {
    let text = text.to_lowercase().replace([',', ';', ':', '.', '…', '"', '\''], " ");
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}
