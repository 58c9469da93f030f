//! The outline of a debate, for people.

use std::fmt::Write as _;

use super::Look;
use super::table::push_wrapped;
use super::words::{self, HEAD, paint};
use crate::protocol::outline::{JUDGE, Outline, Phase};
use crate::text::counted;

/// Returns the outline as text, with a newline at the end.
pub fn render(outline: &Outline, look: Look) -> String {
    let mut text = String::new();
    let topic = format!("Debate: {}", words::sentence(&outline.topic));
    push_wrapped(&mut text, &topic, "", "        ", look.width);
    let agents: Vec<String> = outline.agents.iter().map(|agent| words::name(agent)).collect();
    let rounds = counted(outline.rounds, "round");
    let how = format!("{}, {rounds}, {}", outline.mode.name(), agents.join(", "));
    push_wrapped(&mut text, &how, "", "", look.width);
    for phase in &outline.phases {
        self::phase(phase, &outline.agents, &mut text, look);
    }
    let points = outline.scoring_criteria;
    let scoring = format!(
        "Where code is debated, a finding scores: P0 {}, P1 {}, P2 {}, a false one {}, a concrete fix {}, the right place {}, \
         clarity up to {}.",
        points.p0_finding,
        points.p1_finding,
        points.p2_finding,
        points.false_positive,
        points.concrete_fix,
        points.file_accuracy,
        points.clarity
    );
    text.push('\n');
    push_wrapped(&mut text, &scoring, "", "", look.width);
    let id = words::name(&outline.plan_id);
    // Writing to a String cannot fail.
    writeln!(text, "Nobody was asked. Plan {id}.").ok();
    text
}

fn phase(phase: &Phase, agents: &[String], text: &mut String, look: Look) {
    let head = format!("{}. {}", phase.phase, words::sentence(&phase.name));
    text.push('\n');
    text.push_str(&paint(&head, HEAD, look.colour));
    text.push('\n');
    let description = words::sentence(&phase.description);
    push_wrapped(text, &description, "   ", "   ", look.width);
    // In the order in which they were named; the judge is not one of them.
    let judge = JUDGE.to_owned();
    for agent in agents.iter().chain([&judge]) {
        if let Some(action) = phase.agent_actions.get(agent) {
            let line = format!("{}: {}", words::name(agent), words::sentence(action));
            push_wrapped(text, &line, "   - ", "     ", look.width);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::protocol::debate::Mode;
    use crate::protocol::outline::outline;
    use crate::report::example;

    fn laid_out(topic: &str, agents: [&str; 2]) -> Outline {
        let agents = agents.map(str::to_owned).to_vec();
        let id = "0199a3c2-7f11-7abc-8def-0123456789ab".to_owned();
        outline(id, topic, Mode::Adversarial, 2, agents).unwrap()
    }

    proptest! {
        #[test]
        fn no_field_brings_a_control_to_the_screen(evil in example::evil_text(), width in 20_usize..120) {
            let topic = format!("x{evil}");
            let name = format!("a{evil}");
            let text = render(&laid_out(&topic, [&name, "b"]), Look::plain(width));
            prop_assert!(example::is_inert(&text), "{:?}", text);
        }
    }
}
