//! `--dry-run`: the calls that would be made, for people.

use serde_json::Value;

use super::Look;
use super::table::Table;
use super::words;

/// Returns the plan as text, with a newline at the end.
pub fn render(plan: &Value, look: Look) -> String {
    if let Some(note) = plan["note"].as_str() {
        return format!("{note}\n");
    }
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let usd = |value: &Value| format!("${:.2}", value.as_f64().unwrap_or_default());
    let calls = plan["calls"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let rows = calls.iter().map(|call| {
        let size = words::bytes(
            call["prompt_bytes"].as_u64().unwrap_or_default()
                + call["skill_bytes"].as_u64().unwrap_or_default(),
        );
        let model = text(&call["model"]);
        vec![
            text(&call["turn"]),
            format!("{} ({})", text(&call["agent"]), text(&call["vendor"])),
            if model.is_empty() {
                "its default".to_owned()
            } else {
                model
            },
            if call["prompt_is_at_least"] == Value::Bool(true) {
                format!("{size} and up")
            } else {
                size
            },
            format!("{} s", call["timeout_seconds"]),
            usd(&call["reserve_usd"]),
            text(&call["program"]),
        ]
    });
    let table = Table::new(
        &[
            "call", "agent", "model", "prompt", "limit", "reserves", "program",
        ],
        rows,
    )
    .unbroken(&[0]);
    format!(
        "DRY RUN: nobody is asked, nothing is written\n\n{}\n{} opportunities, at most {} rounds: about {} a round, {} in all, of a budget of {}\n",
        table.render(look.width),
        plan["opportunities"],
        plan["max_rounds"],
        usd(&plan["estimated_usd_per_round"]),
        usd(&plan["estimated_usd_at_most"]),
        usd(&plan["budget_usd"]),
    )
}
