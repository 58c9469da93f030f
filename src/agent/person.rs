//! A person as an agent: no program, no price, no time limit, no second attempt.
//!
//! A person's turn takes the same path as any other: permission, launch, reading, settlement. Instead of a
//! program's output, the launcher writes a [`PersonReply`] in a form that marks its own end: a reply typed just
//! before a crash is found complete in the spool, and is not asked for again.

use std::path::Path;
use std::time::Duration;

use super::roster::Agent;
use crate::kernel::HUMAN;

const END: &str = "\nend\n";

/// A person's reply, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PersonReply {
    /// A reply, in the form that the turn asks for.
    Reply(String),
    /// No reply, with the reason: silence is never agreement.
    Nothing(String),
    /// A reply that cannot be accepted, with the reason.
    Refused(String),
}

impl PersonReply {
    /// Encodes it as an attempt's output: a keyword, the text, the end.
    pub fn printed(&self) -> Vec<u8> {
        let (word, text) = match self {
            Self::Reply(text) => ("reply", text),
            Self::Nothing(why) => ("nothing", why),
            Self::Refused(why) => ("refused", why),
        };
        // Redaction may shorten the text later, so its end is marked instead of its length.
        let stuffed: Vec<String> = text.split('\n').map(stuffed).collect();
        format!("{word}\n{}{END}", stuffed.join("\n")).into_bytes()
    }

    /// Parses an attempt's output; `None` if its end is missing.
    pub fn read(printed: &[u8]) -> Option<Self> {
        let rest = std::str::from_utf8(printed).ok()?.strip_suffix(END)?;
        let (word, text) = rest.split_once('\n')?;
        let lines: Vec<&str> =
            (text.split('\n')).map(|line| line.strip_prefix('.').unwrap_or(line)).collect();
        let text = lines.join("\n");
        match word {
            "reply" => Some(Self::Reply(text)),
            "nothing" => Some(Self::Nothing(text)),
            "refused" => Some(Self::Refused(text)),
            _ => None,
        }
    }
}

/// Puts a dot before a line that equals the end marker or begins with a dot.
fn stuffed(line: &str) -> String {
    if line == "end" || line.starts_with('.') { format!(".{line}") } else { line.to_owned() }
}

impl Agent {
    /// Creates the agent that stands for a person.
    pub fn human() -> Self {
        let mut agent = Self {
            name: HUMAN.to_owned(),
            vendor: HUMAN.to_owned(),
            args: Vec::new(),
            // People may think for as long as they like; signals and the run's deadline still
            // apply.
            timeout: Duration::MAX,
            rehearsal: false,
            ..Self::rehearsal("", Path::new(""))
        };
        agent.digest = agent.digested();
        agent
    }

    /// Whether it is a person; no configured agent may have this name.
    pub fn is_person(&self) -> bool {
        self.name == HUMAN
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kernel::Usd;

    #[test]
    fn a_person_has_no_program_no_price_and_no_limit() {
        let agent = Agent::human();
        assert!(agent.is_person());
        assert_eq!((&*agent.name, &*agent.vendor), ("human", "human"));
        assert_eq!(agent.program, Path::new(""));
        assert_eq!(agent.declared_cost, Some(Usd::ZERO));
        assert_eq!((agent.timeout, agent.idle), (Duration::MAX, None));
        assert!(!agent.rehearsal && agent.args.is_empty());
        // A replay builds its roster from names only.
        assert!(Agent::recorded("human", "human").is_person());
        assert!(!Agent::recorded("claude", "anthropic").is_person());
    }

    #[test]
    fn what_is_cut_off_is_nothing_that_was_said() {
        let whole = PersonReply::Reply("a\nend\n.end\n".to_owned()).printed();
        for length in 0..whole.len() {
            assert_eq!(PersonReply::read(&whole[..length]), None, "{length}");
        }
        assert_eq!(PersonReply::read(b"shout\nx\nend\n"), None);
        assert_eq!(PersonReply::read(b""), None);
    }

    proptest! {
        #[test]
        fn what_is_said_is_read_again(text in "(end|\\.|\n|(?s:.)){0,20}", kind in 0..3) {
            let said = match kind {
                0 => PersonReply::Reply(text),
                1 => PersonReply::Nothing(text),
                _ => PersonReply::Refused(text),
            };
            prop_assert_eq!(PersonReply::read(&said.printed()), Some(said));
        }
    }
}
