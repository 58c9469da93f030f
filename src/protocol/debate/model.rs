//! What agents say in every style: positions, stances on points, judgements (`spec/contracts.md`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::share::Share;

/// A side's position: the block `POSITION`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Position {
    /// What is to be done, in a few sentences.
    pub summary: String,
    /// What it rests on; never empty.
    pub points: Vec<Point>,
    /// What of the other side's it grants.
    #[serde(default)]
    pub concedes: Vec<String>,
    /// What can go wrong with it.
    #[serde(default)]
    pub risks: Vec<String>,
    /// How sure its author is; agents owe it, and of a person `null` means not stated. Recorded, never decisive.
    #[serde(default)]
    pub confidence: Option<Share>,
    /// Whether code would have to change; `None`: not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_change_required: Option<bool>,
}

/// One point of a position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// `P1`, `P2`, ... in the order written: given by the program, whatever the author wrote.
    pub id: String,
    /// What is claimed.
    pub claim: String,
    /// Why.
    #[serde(default)]
    pub reasoning: String,
    /// What supports it.
    #[serde(default)]
    pub evidence: Vec<String>,
    /// 1 to 3: how much hangs on it; weighs its stance.
    pub importance: u8,
}

/// What somebody thinks of a point.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Stance {
    /// As it stands.
    Agree,
    /// With an amendment: "agree, but".
    Partly,
    /// No.
    Disagree,
}

impl Stance {
    /// All.
    pub const ALL: [Self; 3] = [Self::Agree, Self::Partly, Self::Disagree];

    /// Returns the name as it stands in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agree => "agree",
            Self::Partly => "partly",
            Self::Disagree => "disagree",
        }
    }

    /// Returns the name's stance.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stance| stance.name() == name)
    }

    /// Returns what it counts, in halves (`spec/topic-debate.md`: agree 1, partly 0.5, disagree 0).
    pub const fn halves(self) -> u64 {
        match self {
            Self::Agree => 2,
            Self::Partly => 1,
            Self::Disagree => 0,
        }
    }
}

/// A stance on one point, with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StanceSaid {
    /// The point's id, as it was shown.
    pub point: String,
    /// What is thought of it. "Agree" with an amendment has become `partly` when it gets here.
    pub stance: Stance,
    /// Why.
    pub reason: String,
    /// How the point would have to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amendment: Option<String>,
}

/// Stances on the other side's points: the block `STANCES`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Stances {
    /// At most one a point.
    pub stances: Vec<StanceSaid>,
    /// What the other side left out.
    #[serde(default)]
    pub missing: Vec<String>,
}

impl Stances {
    /// Returns the stance on a point.
    pub fn on(&self, point: &str) -> Option<&StanceSaid> {
        self.stances.iter().find(|said| said.point == point)
    }
}

/// The ruling of an expert or a judge: the block `JUDGEMENT`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// A ruling for each open point that was put.
    pub points: Vec<Ruling>,
    /// The final position; of a panel's judge, the letter of the choice.
    pub position: String,
    /// How sure the judge is. Recorded, never decisive.
    pub confidence: Share,
    /// Whether code would have to change; `None`: not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_change_required: Option<bool>,
}

/// A ruling on one open point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ruling {
    /// The point's id, as it was shown.
    pub id: String,
    /// What is to hold.
    pub ruling: String,
    /// Why.
    pub reason: String,
}
