//! Replies of the three roles over `fixtures/opportunities/six.json`, whole or with one block replaced.

use super::{Run, Sandbox};

/// The ids of `six.json`, in input order.
pub(crate) const SIX: [&str; 6] = [
    "opp-tf-login-timeout",
    "opp-sw-csv-export",
    "opp-cx-invoice-total",
    "opp-cg-invoice",
    "opp-fo-sso",
    "opp-fo-dark-mode",
];

/// Wraps a body in a block's markers.
pub(crate) fn block(name: &str, body: &str) -> String {
    format!("<<<{name}_START>>>\n{body}\n<<<{name}_END>>>\n")
}

/// A ranking as JSON.
pub(crate) fn list(ids: &[&str]) -> String {
    serde_json::to_string(ids).unwrap()
}

/// The ranking in input order.
pub(crate) fn six() -> String {
    list(&SIX)
}

/// Ranks the six, as JSON.
pub(crate) fn prioritize(sandbox: &Sandbox, more: &[&str]) -> Run {
    sandbox.six();
    sandbox.run(&[&["prioritize", "backlog.json", "--json"], more].concat())
}

/// One value for each of the six ids, as JSON.
pub(crate) fn each(value: &str) -> String {
    let entries: Vec<String> = SIX.iter().map(|id| format!("\"{id}\": {value}")).collect();
    format!("{{{}}}", entries.join(", "))
}

/// `DEBATE_STATUS` as JSON.
pub(crate) fn status(continue_debate: bool, consensus: bool) -> String {
    format!("{{\"continue_debate\": {continue_debate}, \"consensus_reached\": {consensus}}}")
}

/// A champion's reply with this ranking.
pub(crate) fn champion(ranking: &str) -> String {
    block("CHAMPION_ARGUMENT", "Value before effort.") + &block("CHAMPION_RANKINGS", ranking)
}

/// A critic's reply with this ranking.
pub(crate) fn critic(ranking: &str) -> String {
    block("CRITIC_CONCERNS", &each("[\"The evidence is thin.\"]"))
        + &block("CRITIC_RANKINGS", ranking)
}

/// A moderator's reply.
pub(crate) fn moderator(dispositions: &str, ranking: &str, status: &str) -> String {
    block("DISPOSITIONS", dispositions)
        + &block("FINAL_RANKINGS", ranking)
        + &block("DEBATE_STATUS", status)
}

impl Sandbox {
    /// Writes the user's own configuration, which needs no trust.
    pub(crate) fn config(self, json: &str) -> Self {
        let dir = self.home().join(".config/debate-agent");
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("config.json"), json).unwrap();
        self
    }

    /// Removes every scenario file, so that the fakes answer sensibly from now on.
    pub(crate) fn heal(&self) {
        let dir = self.home().join(".fake/scenario");
        std::fs::remove_dir_all(&dir).unwrap();
        std::fs::create_dir_all(&dir).unwrap();
    }

    /// Returns the raw answers that the newest session keeps.
    pub(crate) fn answers(&self) -> Vec<String> {
        let Some(session) = self.sessions().pop() else {
            return Vec::new();
        };
        std::fs::read_dir(session.join("answers"))
            .map(|entries| {
                entries
                    .map(|entry| std::fs::read(entry.unwrap().path()).unwrap())
                    .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                    .collect()
            })
            .unwrap_or_default()
    }

    /// Returns the records of the newest session's journal.
    pub(crate) fn journal(&self) -> Vec<serde_json::Value> {
        let path = self.sessions().pop().unwrap().join("journal.jsonl");
        std::fs::read_to_string(path)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

/// Returns the messages of the warnings with this code.
pub(crate) fn messages(document: &serde_json::Value, code: &str) -> Vec<String> {
    let warnings = document["warnings"].as_array().unwrap().iter();
    warnings
        .filter(|each| each["code"] == code)
        .map(|each| each["message"].as_str().unwrap().to_owned())
        .collect()
}

/// Returns the codes of a result's warnings that concern a turn (`""`: no turn), without the one on codex's price
/// that every run has.
pub(crate) fn warned(document: &serde_json::Value, turn: &str) -> Vec<String> {
    document["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|warning| warning["turn"].as_str().unwrap_or_default() == turn)
        .map(|warning| warning["code"].as_str().unwrap().to_owned())
        .filter(|code| code != "cost_estimated")
        .collect()
}

/// Returns the ids of a result in the decided order.
pub(crate) fn ranking(document: &serde_json::Value) -> Vec<String> {
    document["ranked_opportunities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["opportunity_id"].as_str().unwrap().to_owned())
        .collect()
}
