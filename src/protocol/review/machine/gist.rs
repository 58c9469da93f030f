//! What an answer of a review says, for people who watch.

use crate::protocol::council::gist::{on, votes};
use crate::protocol::review::model::{Content, Finding, Group, Stance};
use crate::protocol::review::proof;
use crate::protocol::review::reply::Statement;

pub(super) fn of(groups: &[Group], said: &Statement) -> Vec<String> {
    let unread =
        (said.left_out > 0).then(|| format!("left out, unread or too many: {}", said.left_out));
    unread.into_iter().chain(content(groups, &said.said)).collect()
}

fn content(groups: &[Group], said: &Content) -> Vec<String> {
    match said {
        Content::Review(said) if said.findings.is_empty() => vec!["finds nothing".to_owned()],
        Content::Review(said) => findings(&said.findings),
        Content::Cross(said) => {
            let title = |id: &str| {
                let group = groups.iter().find(|group| group.id == id);
                group.and_then(|group| Some(&*group.members.first()?.placed.finding.title))
            };
            let judgements = said.judgements.iter().map(|judgement| {
                let verb = match judgement.stance {
                    Stance::Agree => "agrees with",
                    Stance::Disagree => "refutes",
                    Stance::Unsure => "cannot tell about",
                };
                on(verb, &judgement.id, title(&judgement.id))
            });
            judgements.chain(findings(&said.missed_issues)).collect()
        }
        Content::Composition(said) => {
            let (kept, merged) = (said.keep.len(), said.merge.len());
            vec![format!("keeps {kept}, merges {merged}, leaves out {}", said.eliminate.len())]
        }
        Content::Validation(said) => votes(said),
        Content::Reproduction(said) => match said.declined() {
            Some(why) => vec![format!("no test can show it: {why}")],
            None => vec![format!("writes the test {} in {}", said.test, said.file)],
        },
        Content::Test(report) => {
            let (status, why) = proof::judge(report);
            vec![format!("{}: {why}", status.name())]
        }
    }
}

/// Returns a line for each finding, the worst first: `P1 src/a.rs:12 the lock stays held`.
fn findings(found: &[Finding]) -> Vec<String> {
    let mut worst: Vec<&Finding> = found.iter().collect();
    worst.sort_by_key(|finding| finding.severity);
    let line = |finding: &Finding| {
        let at = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
        format!("{} {}{at} {}", finding.severity.name(), finding.file, finding.title)
    };
    worst.into_iter().map(line).collect()
}
