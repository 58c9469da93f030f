//! The built-in stand-in for every role: answers without a model, a login, a network or costs.
//!
//! The binary starts itself as this agent, so everything around the answer is the real path. Before the prompt it
//! gets one line that no other agent gets: the turn's subject, as data
//! ([`Protocol::data`](crate::kernel::Protocol::data)). The answer is a pure function of it: valid by the contract,
//! the same each time, the plainest that leads to an end, and its texts state that it is a rehearsal. Nothing in it
//! is advice.

use serde_json::{Value, json};

use crate::contract::template::block;
use crate::text::sanitize;

pub(crate) const BANNER: &str = "REHEARSAL: no model was asked.";

const REASON: &str = "It is what the rehearsal always says (rehearsal).";

/// Maximum characters of the user's words that an answer repeats.
const SHORT: usize = 80;

/// Answers a stand-in's input: a line of JSON with the turn's data, then the prompt that an agent would get. Input
/// that is not one of our turns gets a sentence that says so, and no blocks.
pub(crate) fn answer(input: &str) -> String {
    let line = input.lines().next().unwrap_or_default();
    let data: Value = serde_json::from_str(line).unwrap_or_default();
    let turn = data.as_object().and_then(|data| data.iter().next());
    let blocks = turn.and_then(|(protocol, data)| match &**protocol {
        "backlog" => backlog(data),
        "review" => review(data),
        "plan" => plan(data),
        "argument" => argument(data),
        "dialogue" => dialogue(data),
        "panel" => panel(data),
        "discuss" => discuss(data),
        "inquiry" => inquiry(data),
        "clarify" => (data["ask"] == "questions").then(questions),
        _ => None,
    });
    match blocks {
        Some(blocks) => format!("{BANNER} These blocks follow fixed rules.\n\n{blocks}"),
        None => format!("{BANNER} The prompt holds no turn that the rehearsal knows.\n"),
    }
}

/// Returns a stand-in's input for a turn, as the program passes it.
#[cfg(test)]
pub(crate) fn given<P: crate::kernel::Protocol>(
    driver: &crate::kernel::Driver<P>,
    turn: &crate::kernel::Turn,
) -> String {
    format!("{}\n{}", driver.data(turn), turn.prompt.text())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn short(text: &str) -> String {
    sanitize::line(text, SHORT)
}

fn ids(values: &[Value]) -> Vec<&str> {
    values.iter().filter_map(|value| value["id"].as_str()).collect()
}

fn json_block(name: &str, body: &Value) -> String {
    block(name, &body.to_string())
}

/// The champion ranks in the input's order and the critic in the opposite one; the moderator has one doubt in round 1
/// and none in round 2.
fn backlog(data: &Value) -> Option<String> {
    let all = list(&data["opportunities"]).iter();
    let ids: Vec<&str> = all.filter_map(|item| item["opportunity_id"].as_str()).collect();
    let last = *ids.last()?;
    Some(match text(data, "role") {
        "champion" => {
            let argument =
                format!("{BANNER} The order is that of the input; `{}` comes first.", ids[0]);
            block("CHAMPION_ARGUMENT", &argument) + &json_block("CHAMPION_RANKINGS", &json!(ids))
        }
        "critic" => {
            let concern = "Nobody has said how it is taken back (rehearsal).";
            let ranking: Vec<&str> = ids.iter().rev().copied().collect();
            json_block("CRITIC_CONCERNS", &json!({ ids[0]: [concern] }))
                + &json_block("CRITIC_RANKINGS", &json!(ranking))
        }
        "moderator" => {
            let first = data["round"] == 1;
            let half = ids.len().div_ceil(2);
            let ruling = |(at, id): (usize, &&str)| {
                let word = match at {
                    _ if first && *id == last => "investigate",
                    _ if at < half => "prioritize",
                    _ => "defer",
                };
                ((*id).to_owned(), json!({ "reason": REASON, "disposition": word }))
            };
            let rulings: Value = ids.iter().enumerate().map(ruling).collect();
            let status = json!({ "continue_debate": first, "consensus_reached": !first });
            json_block("DISPOSITIONS", &rulings)
                + &json_block("FINAL_RANKINGS", &json!(ids))
                + &json_block("DEBATE_STATUS", &status)
        }
        _ => return None,
    })
}

/// Reviewers point at lines that the change adds, each seat at two of three places, so that neighbours share one. Judges
/// agree or disagree with what they find again, by its place; every second seat reports the first line as missed. A
/// finding says nothing of the line.
fn review(data: &Value) -> Option<String> {
    let (added, shown) = (list(&data["added"]), list(&data["shown"]));
    let seat = usize::try_from(data["seat"].as_u64()?).ok()?;
    let place = |at: usize| added.get(at).or(added.last());
    let finding = |line: &Value, severity: &str| {
        let quote = short(text(line, "quote"));
        json!({
            "severity": severity, "title": format!("Look at `{quote}`"), "file": line["file"], "line": line["line"],
            "quote": line["quote"], "trigger": format!("The line runs: {quote}"),
            "detail": format!("{BANNER} The line is new, and nobody has read `{quote}`."),
            "fix": "Read it once more (rehearsal).",
        })
    };
    Some(match text(data, "ask") {
        "review" => {
            let mut places = vec![place(1 + seat % 3), place(1 + (seat + 1) % 3)];
            places.dedup();
            let findings: Vec<Value> =
                places.into_iter().flatten().map(|line| finding(line, "P2")).collect();
            let risks = [format!("{BANNER} What a reviewer would find, it does not see.")];
            let body =
                json!({ "findings": findings, "residual_risks": risks, "open_questions": [] });
            json_block("REVIEW", &body)
        }
        "cross" => {
            let judgement = |group: &Value| {
                let same =
                    |line: &Value| line["file"] == group["file"] && line["line"] == group["line"];
                let mut said = json!({ "id": group["id"], "stance": "unsure", "reason": REASON });
                if let Some(at) = added.iter().position(same) {
                    let against = (at + seat).is_multiple_of(3);
                    said["stance"] = json!(if against { "disagree" } else { "agree" });
                    said["evidence"] = added[at]["quote"].clone();
                }
                said
            };
            let judgements: Vec<Value> = shown.iter().map(judgement).collect();
            let notices = data["round"] == 2 && seat.is_multiple_of(2) && added.len() == 4;
            let missed: Vec<Value> = added
                .first()
                .filter(|_| notices)
                .map(|line| finding(line, "P1"))
                .into_iter()
                .collect();
            let body = json!({ "judgements": judgements, "missed_issues": missed });
            json_block("CROSS_REVIEW", &body)
        }
        "compose" => {
            let against = |group: &&Value| {
                list(&group["reasons"]).iter().any(|reason| reason["stance"] == "disagree")
            };
            let (out, kept): (Vec<&Value>, Vec<&Value>) = shown.iter().partition(against);
            let keep: Vec<Value> = kept.iter().map(|group| json!({ "id": group["id"] })).collect();
            let out: Vec<Value> =
                out.iter().map(|group| json!({ "id": group["id"], "reason": REASON })).collect();
            json_block("COMPOSITION", &json!({ "keep": keep, "merge": [], "eliminate": out }))
        }
        "validate" => votes(&ids(shown)),
        "prove" => json_block("REPRODUCTION", &json!({ "files": [], "cannot": REASON })),
        _ => return None,
    })
}

fn votes(ids: &[&str]) -> String {
    let vote = |id: &&str| json!({ "id": id, "vote": "approve", "reason": REASON });
    let votes: Vec<Value> = ids.iter().map(vote).collect();
    json_block("VALIDATION", &json!({ "votes": votes }))
}

/// All seats share two steps, word for word, and each has one of its own, so that there is something to group, to
/// judge and to add.
fn plan(data: &Value) -> Option<String> {
    let task = short(data["task"].as_str()?);
    let seat = data["seat"].as_u64()?;
    let shown = &data["shown"];
    Some(match text(data, "ask") {
        "plan" => {
            let step = |id: &str, title: &str, what: &str, needs: &[&str]| {
                json!({
                    "id": id, "phase": "Work", "title": title, "description": format!("{what}: {task} (rehearsal)"),
                    "files": [], "depends_on": needs, "acceptance": "Somebody else has looked at it and agrees.",
                })
            };
            let own = [
                ("measure", "Measure before and after", "Write both figures down"),
                ("document", "Describe the change for users", "Tell them what is different"),
                ("agree", "Agree on what must not break", "Ask those who depend on it"),
            ];
            let (id, title, what) = own[usize::try_from(seat).unwrap_or(0) % own.len()];
            let steps = [
                step("read", "Read what is there", "List what exists today", &[]),
                step("build", "Make the smallest change that works", "Do it at once", &["read"]),
                step(id, title, what, &["build"]),
            ];
            let body = json!({
                "steps": steps, "summary": format!("{BANNER} Read, change one thing: {task}"),
                "risks": ["What depends on it may break (rehearsal)."], "open_questions": [],
            });
            json_block("PLAN", &body)
        }
        "cross" => {
            let judgement = |id: &str| json!({ "id": id, "stance": "agree", "reason": REASON });
            let judgements: Vec<Value> =
                ids(list(&shown["steps"])).into_iter().map(judgement).collect();
            json_block("PLAN_REVIEW", &json!({ "judgements": judgements, "missing_steps": [] }))
        }
        "validate" => {
            let ids: Vec<&str> = list(&shown["vote_on"]).iter().filter_map(Value::as_str).collect();
            votes(&ids)
        }
        _ => return None,
    })
}

fn stances(points: &[Value], agrees: impl Fn(&Value) -> bool) -> String {
    let stance = |point: &Value| {
        let stance = if agrees(point) { "agree" } else { "disagree" };
        json!({ "point": point["id"], "stance": stance, "reason": REASON })
    };
    let stances: Vec<Value> = points.iter().map(stance).collect();
    json_block("STANCES", &json!({ "stances": stances, "missing": [] }))
}

/// Returns the first line of a brief's topic; `None` if it has none.
fn topic(brief: &Value) -> Option<String> {
    let line = text(brief, "topic").lines().find(|line| !line.trim().is_empty())?;
    Some(short(line).trim_end_matches(['?', '.', '!']).to_owned())
}

/// One concern is raised at first and answered in each round; in round 3 the adversary accepts, and all agree.
fn argument(data: &Value) -> Option<String> {
    let (shown, topic) = (&data["shown"], topic(&data["brief"])?);
    let round = shown["round"].as_u64()?;
    let accepts = round >= 3;
    let kind = match text(data, "ask") {
        "stances" => return Some(stances(list(&shown["judge"]), |_| accepts)),
        "reply" if !accepts => "counter",
        "reply" | "resolution" => "resolution",
        ask @ ("proposal" | "challenge" | "defense") => ask,
        _ => return None,
    };
    let mut content = json!({ "text": format!("{BANNER} On \"{topic}\": begin with a small part ({kind} of round {round}).") });
    let arguments = list(&shown["arguments"]);
    if kind == "proposal" || kind == "resolution" {
        let proposed =
            arguments.iter().find_map(|argument| argument["content"]["points"].as_array());
        let kept = proposed.map(|points| ids(points)).unwrap_or_default();
        content["points"] = match &kept[..] {
            [] => json!([
                { "claim": format!("On \"{topic}\": begin with a small part (rehearsal)."), "importance": 3 },
                { "claim": "Whoever begins also owns the way back (rehearsal).", "importance": 1 },
            ]),
            kept => kept.iter().map(|id| json!({ "keep": id })).collect(),
        };
    }
    if kind == "resolution" {
        content["code_change_required"] = json!(false);
    }
    let concerns = ids(list(&shown["concerns"]));
    let met = |id: &&str| json!({ "id": id, "how": "The small part shows it (rehearsal)." });
    let answers = kind == "defense" || kind == "resolution";
    let addresses: Vec<Value> = concerns.iter().filter(|_| answers).map(met).collect();
    let concern = json!({ "text": "Nobody has measured how it is today (rehearsal)." });
    let raised = if kind == "challenge" && round == 1 { vec![concern] } else { Vec::new() };
    let references: Vec<&str> = ids(arguments).last().copied().into_iter().collect();
    let body = json!({
        "type": kind, "content": content, "references": references,
        "evidence": [{ "type": "source", "data": "the question as it was put (rehearsal)" }],
        "confidence_score": 0.6, "impact_areas": ["operations"],
        "concerns": raised, "addresses": addresses, "feasibility": 0.75, "risks": [],
    });
    Some(json_block("ARGUMENT", &body))
}

/// Each side takes another of the first two options; both agree to begin small, and sign a joint draft.
fn dialogue(data: &Value) -> Option<String> {
    const SMALL: &str = "Begin with one small part, and keep a way back.";
    let (shown, brief) = (&data["shown"], &data["brief"]);
    let topic = topic(brief)?;
    let options: Vec<String> =
        list(&brief["options"]).iter().filter_map(Value::as_str).map(short).collect();
    let answer = |side: usize| match (&options[..], side) {
        ([_, _, ..], _) => options[side].clone(),
        (_, 0) => "doing it now".to_owned(),
        _ => "leaving it as it is".to_owned(),
    };
    let position = |claims: &[String]| {
        let point = |claim: &String| json!({ "claim": claim, "reasoning": REASON, "evidence": [], "importance": 2 });
        let points: Vec<Value> = claims.iter().map(point).collect();
        let body = json!({
            "summary": format!("{BANNER} On \"{topic}\": {}", claims[0]), "points": points,
            "concedes": [], "changes": [], "risks": ["It may turn out otherwise (rehearsal)."],
            "confidence": 0.6, "code_change_required": false,
        });
        json_block("POSITION", &body)
    };
    let own = |side: usize| position(&[format!("Choose {}.", answer(side)), SMALL.to_owned()]);
    let points = list(&shown["position"]["points"]);
    let judged = |all: bool| stances(points, |point| all || point["claim"] == SMALL);
    Some(match text(data, "ask") {
        "propose" | "position/proposer" => own(0),
        "position/reviewer" => own(1),
        "stances/proposer" | "stances/reviewer" => judged(false),
        "review" => judged(false) + &own(1),
        "rebuttal" => judged(false) + &own(0),
        "compromise" => {
            let both =
                format!("Try {} in a small part, and compare it with {}.", answer(0), answer(1));
            position(&[both])
        }
        "answer" => judged(true),
        "expert" => {
            let ruling = |id: &str| json!({ "id": id, "ruling": SMALL, "reason": REASON });
            let points: Vec<Value> =
                ids(list(&shown["open_points"])).into_iter().map(ruling).collect();
            judgement(&points, &format!("{BANNER} {SMALL}"))
        }
        _ => return None,
    })
}

fn judgement(points: &[Value], position: &str) -> String {
    let body = json!({
        "points": points, "position": position, "confidence": 0.6, "code_change_required": false,
    });
    json_block("JUDGEMENT", &body)
}

/// Each seat has another answer, or another of the options, and votes for it; the second is then moved to the first.
fn panel(data: &Value) -> Option<String> {
    let seat = usize::try_from(data["seat"].as_u64()?).ok()?;
    let topic = short(data["topic"].as_str()?);
    let options: Vec<&str> = list(&data["options"]).iter().filter_map(Value::as_str).collect();
    let answer = |seat: usize| match options.get(seat % options.len().max(1)) {
        Some(option) => format!("Take this one: {} (rehearsal).", short(option)),
        None => format!("Way {} of answering \"{topic}\" (rehearsal).", seat + 1),
    };
    let shown = &data["shown"];
    Some(match text(data, "ask") {
        "answer" | "own" => {
            let mut body = json!({
                "reasons": [BANNER], "evidence": ["the question as it was put (rehearsal)"],
                "answer": answer(seat), "confidence": 0.6,
            });
            if !options.is_empty() {
                body["option"] = json!(options[seat % options.len()]);
            }
            json_block("ANSWER", &body)
        }
        ask @ ("vote" | "cross") => {
            let answers = list(&shown["answers"]);
            let of = |seat: usize| answers.iter().find(|each| text(each, "answer") == answer(seat));
            let moved = ask == "cross" && seat == 1;
            let choice = &of(if moved { 0 } else { seat }).or(answers.first())?["id"];
            let mut body = json!({ "reason": REASON, "choice": choice, "same_as": [] });
            if ask == "cross" {
                let changed = shown["your_vote"]["choice"] != *choice;
                body["changed"] = json!(changed);
                if changed {
                    let why = format!("Mine has nothing to set against [{}].", choice.as_str()?);
                    body["moved_by"] = json!(why);
                }
            }
            json_block("VOTE", &body)
        }
        "ruling" => {
            let choices = list(&shown["choices"]);
            let first = |choice: &&Value| {
                let texts = list(&choice["answers"]).iter().map(|answer| text(answer, "answer"));
                texts.min().unwrap_or_default().to_owned()
            };
            let position = choices.iter().min_by_key(first)?;
            let ruling = |id: &str| json!({ "id": id, "ruling": "It can be done (rehearsal).", "reason": REASON });
            let points: Vec<Value> = ids(choices).into_iter().map(ruling).collect();
            judgement(&points, position["id"].as_str()?)
        }
        _ => return None,
    })
}

/// Every perspective cites the artifact's first line and gives four of five.
fn discuss(data: &Value) -> Option<String> {
    let perspective = data["perspective"].as_object()?;
    let artifact = data["artifact"].as_str()?;
    let first = artifact.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let name = perspective.get("name").and_then(Value::as_str)?;
    let mut body = json!({
        "strengths": [format!("It begins with `{}` (rehearsal).", short(first))],
        "weaknesses": [format!("{BANNER} Seen from {name}, nobody has read it.")],
        "suggestions": ["Have it read (rehearsal)."], "rating": 4,
    });
    let owes = |key: &str| perspective.get(key).is_some_and(|owes| *owes == true);
    if owes("rates_risk") {
        body["risk_level"] = json!("low");
        body["risks"] = json!(["What is written may not be what is done (rehearsal)."]);
    }
    if owes("needs_context") {
        body["covered"] = json!(["It was not compared with the context (rehearsal)."]);
        body["missing_requirements"] = json!([]);
    }
    Some(json_block("CRITIQUE", &body))
}

fn inquiry(data: &Value) -> Option<String> {
    const IDEAS: [&str; 2] = ["Document the installation in the README", "Show worked examples"];
    match text(data, "question") {
        "features" => {
            let limit = usize::try_from(data["limit"].as_u64()?).ok()?;
            let known = list(&data["existing"]);
            let idea = |title: &&str| {
                json!({
                    "title": title, "description": format!("{title}, so that it works as written (rehearsal)."),
                    "user_value": "Users get to a first result without asking.",
                    "impact": 5, "effort": 2, "leverage": 5, "risk": 1, "existing_code": [],
                })
            };
            let new = IDEAS.iter().filter(|title| !known.iter().any(|known| known == **title));
            let ideas: Vec<Value> = new.take(limit).map(idea).collect();
            let body = json!({
                "product_type": "software (rehearsal)", "target_users": ["its users (rehearsal)"], "opportunities": ideas,
            });
            Some(json_block("FEATURE_OPPORTUNITIES", &body))
        }
        "fix" => {
            let title = short(data["opportunity"]["title"].as_str()?);
            let suggestion = format!("{BANNER} Begin with the smallest change that helps: {title}");
            Some(block("FIX_SUGGESTION", &suggestion))
        }
        _ => None,
    }
}

fn questions() -> String {
    let body = json!({ "questions": [{
        "question": "Who has to live with the result? (rehearsal)",
        "why": "Those who do know what it must not break.", "assume": "The team that asks.",
    }] });
    json_block("CLARIFY", &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_of_another_kind_gets_no_blocks() {
        for prompt in [
            "",
            "hello",
            "turn: r1/champion",
            "[\n]\nturn: r1/review/s1",
            r#"{"discuss": {"perspective": {}}}"#,
            r#"{"plan": {"ask": "plan"}}"#,
            r#"{"panel": {"seat": 0, "topic": "x", "options": [], "ask": "sing"}}"#,
        ] {
            let reply = answer(prompt);
            assert!(reply.starts_with(BANNER) && !reply.contains("<<<"), "{reply}");
        }
    }
}
