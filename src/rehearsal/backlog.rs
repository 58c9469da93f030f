//! The stand-ins of a partner debate: a champion by RICE, a critic by proof and effort, a moderator by Borda count.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value;

use super::{BANNER, small, strings};
use crate::protocol::backlog::model::{Disposition, ModeratorReason};
use crate::protocol::backlog::reply::{ChampionReply, Content, CriticReply, ModeratorReply};
use crate::protocol::backlog::{Role, scoring};

/// Minimum tau-b of two successive final rankings that count as settled (`docs/prioritize.md`, `rank_stability`).
const SETTLED: f64 = 0.8;

/// Person-weeks above which work should be split.
const LARGE: f64 = 2.0;

/// Answers a turn; `None` if it does not belong to a partner debate.
pub(super) fn answer(data: &Value) -> Option<Content> {
    let scene = TurnData::read(data)?;
    Some(match scene.role {
        Role::Champion => Content::Champion(scene.champion()),
        Role::Critic => Content::Critic(scene.critic()),
        Role::Moderator => Content::Moderator(scene.moderator()),
    })
}

/// The data of a turn.
struct TurnData {
    role: Role,
    round: u32,
    items: Vec<Item>,
    /// The others' answers, keyed as in the prompt.
    data: Value,
}

/// The properties of an opportunity that the rules use.
struct Item {
    id: String,
    kind: String,
    evidence: usize,
    effort: Option<String>,
    files: usize,
    reversible: bool,
}

impl TurnData {
    fn read(data: &Value) -> Option<Self> {
        Some(Self {
            role: Role::from_name(data["role"].as_str()?)?,
            round: u32::try_from(data["round"].as_u64()?).ok()?,
            items: data["opportunities"].as_array()?.iter().filter_map(Item::read).collect(),
            data: data["shown"].clone(),
        })
    }

    fn ids(&self, name: &str) -> Vec<String> {
        strings(&self.data[name])
    }

    /// Sorts by a score, best first; equal scores keep the input's order.
    fn by(&self, score: impl Fn(&Item) -> f64) -> Vec<String> {
        let mut items: Vec<&Item> = self.items.iter().collect();
        items.sort_by(|a, b| score(b).total_cmp(&score(a)));
        items.into_iter().map(|item| item.id.clone()).collect()
    }

    /// Ranks by value; from round 2 on, opportunities with concerns count less.
    fn champion(&self) -> ChampionReply {
        let concerns = self.data["critic_concerns"].as_object();
        let drawn = |item: &Item| {
            concerns.and_then(|all| all.get(&item.id)).and_then(Value::as_array).map_or(0, Vec::len)
        };
        let rankings = self.by(|item| item.rice() / (1.0 + small(drawn(item)) / 2.0));
        let mut argument = format!(
            "{BANNER} The order follows RICE estimates: reach and impact by type, confidence by evidence."
        );
        for (place, id) in rankings.iter().take(3).enumerate() {
            if let Some(item) = self.item(id) {
                let _ = write!(
                    argument,
                    "\n{}. `{id}`: about {:.0} ({}, {} pieces of evidence, effort {:.1} weeks).",
                    place + 1,
                    item.rice(),
                    item.kind.replace('_', " "),
                    item.evidence,
                    item.weeks()
                );
            }
        }
        if concerns.is_some() {
            argument.push_str("\nThe critic's concerns are taken into account: what drew more of them moved down.");
        }
        ChampionReply { argument, rankings }
    }

    /// Ranks cheap and proven opportunities first.
    fn critic(&self) -> CriticReply {
        let rankings = self.by(|item| item.proof() - item.weeks());
        let mut concerns: BTreeMap<String, Vec<String>> = (self.items.iter())
            .map(|item| (item.id.clone(), item.concerns()))
            .filter(|(_, texts)| !texts.is_empty())
            .collect();
        // A critic that finds nothing at all has not criticised: its block must not be empty.
        if let (true, Some(last)) = (concerns.is_empty(), rankings.last()) {
            let text = "The dearest of all, and the least proven (rehearsal).";
            concerns.insert(last.clone(), vec![text.to_owned()]);
        }
        CriticReply { concerns, met: BTreeSet::new(), rankings }
    }

    /// Merges both rankings by Borda count; undecided in round 1, decided from round 2.
    fn moderator(&self) -> ModeratorReply {
        let (champion, critic) =
            (self.ids("champion_rankings"), self.ids("critic_counter_rankings"));
        let last = self.ids("your_last_ranking");
        let places = |id: &str| {
            // The moderator's last ranking weighs as much as both partners together: it changes only for reasons.
            let last = if last.is_empty() { 0 } else { 2 * place(&last, id) };
            place(&champion, id) + place(&critic, id) + last
        };
        let mut rankings = self.by(|item| -small(places(&item.id)));
        if self.round > 1 && scoring::tau_b(&last, &rankings).is_some_and(|tau| tau < SETTLED) {
            rankings = last;
        }
        let mut dispositions: BTreeMap<String, Disposition> = BTreeMap::new();
        for (place, id) in rankings.iter().enumerate() {
            let word = match self.item(id) {
                Some(item) if item.evidence == 0 && item.weeks() > LARGE => Disposition::Reject,
                Some(_) | None if 2 * place < rankings.len() => Disposition::Prioritize,
                Some(_) | None => Disposition::Defer,
            };
            dispositions.insert(id.clone(), word);
        }
        let gap = |id: &&String| place(&champion, id).abs_diff(place(&critic, id));
        let widest = rankings.iter().rev().max_by_key(gap).filter(|_| self.round == 1);
        if let Some(id) = widest {
            dispositions.insert(id.clone(), Disposition::Investigate);
        }
        let reason = |(id, word): (&String, &Disposition)| (id.clone(), self.reason(id, *word));
        ModeratorReply {
            reasons: dispositions.iter().map(reason).collect(),
            dispositions,
            continue_debate: widest.is_some(),
            consensus_claimed: widest.is_none(),
            rankings,
        }
    }

    /// Returns the reason for a disposition. Large work that should be done begins with a part of it.
    fn reason(&self, id: &str, word: Disposition) -> ModeratorReason {
        let reason = match word {
            Disposition::Prioritize => "In the upper half of both rankings together (rehearsal).",
            Disposition::Investigate => "Here the two rankings are farthest apart (rehearsal).",
            Disposition::Defer => "In the lower half of both rankings together (rehearsal).",
            Disposition::Reject => "Large, and without evidence (rehearsal).",
        };
        let large = self.item(id).is_some_and(|item| item.weeks() > LARGE);
        let starts = large && word == Disposition::Prioritize;
        ModeratorReason {
            reason: Some(reason.to_owned()),
            condition: None,
            start_with: starts
                .then(|| "Split it, and do the smallest part (rehearsal).".to_owned()),
        }
    }

    fn item(&self, id: &str) -> Option<&Item> {
        self.items.iter().find(|item| item.id == id)
    }
}

impl Item {
    fn read(value: &Value) -> Option<Self> {
        let list = |name: &str| value[name].as_array().map_or(0, Vec::len);
        let score = &value["actionability"];
        Some(Self {
            id: value["opportunity_id"].as_str()?.to_owned(),
            kind: value["opportunity_type"].as_str().unwrap_or_default().to_owned(),
            evidence: list("evidence"),
            effort: score["effort"].as_str().map(str::to_owned),
            files: list("affected_files"),
            reversible: score["reversibility"].as_str() != Some("none"),
        })
    }

    /// Returns reach per week times impact times confidence, divided by effort.
    fn rice(&self) -> f64 {
        let (reach, impact) = match &*self.kind {
            "test_failure" => (400.0, 2.0),
            "feature_opportunity" => (300.0, 2.0),
            "stalled_work" => (200.0, 1.0),
            "coverage_gap" => (120.0, 1.0),
            "complexity" => (100.0, 0.5),
            _ => (100.0, 1.0),
        };
        let confidence = match self.evidence {
            0 => 0.5,
            1 => 0.8,
            _ => 1.0,
        };
        reach * impact * confidence / self.weeks()
    }

    /// Returns the effort in person-weeks; without an estimate, more files are more work.
    fn weeks(&self) -> f64 {
        match self.effort.as_deref() {
            Some("small") => 0.2,
            Some("medium") => 0.8,
            Some("large") => 2.5,
            Some(_) | None => 0.5 + 0.2 * small(self.files.min(10)),
        }
    }

    /// Returns the strength of its evidence, 0 to 1.
    fn proof(&self) -> f64 {
        small(self.evidence.min(3)) / 3.0
    }

    fn concerns(&self) -> Vec<String> {
        let mut concerns = Vec::new();
        if self.evidence == 0 {
            concerns.push("Nothing backs it: no evidence is given (rehearsal).".to_owned());
        }
        if self.weeks() > LARGE {
            concerns.push("Size XL: more than a week, it should be split (rehearsal).".to_owned());
        }
        if self.effort.is_none() {
            concerns.push("Nobody has estimated the effort (rehearsal).".to_owned());
        }
        if !self.reversible {
            concerns.push("It cannot be taken back once done (rehearsal).".to_owned());
        }
        concerns
    }
}

/// Returns an id's place in a ranking, from 0; after all others if it is not there.
fn place(ranking: &[String], id: &str) -> usize {
    ranking.iter().position(|ranked| ranked == id).unwrap_or(ranking.len())
}
