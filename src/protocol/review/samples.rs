//! The material of the rules' tests: a small change, findings, groups.

use std::collections::BTreeMap;

use super::model::{
    AuthoredFinding, Distance, Finding, Group, LocatedFinding, Location, SeatJudgement, Severity,
    Stance,
};
use crate::change::{Change, ChangeKind, ChangedFile, Hunk};

/// Returns a file with one hunk, `(old_start, new_start, heading, body)`.
pub(super) fn file(path: &str, kind: ChangeKind, hunk: (u32, u32, &str, &str)) -> ChangedFile {
    let (old_start, new_start, heading, body) = hunk;
    let count = |marks: [char; 2]| {
        let lines = body.lines().filter(|line| line.starts_with(marks));
        u32::try_from(lines.count()).unwrap()
    };
    ChangedFile {
        path: path.to_owned(),
        old_path: None,
        kind,
        modes: None,
        hunks: vec![Hunk {
            old_start,
            old_lines: count([' ', '-']),
            new_start,
            new_lines: count([' ', '+']),
            heading: heading.to_owned(),
            body: body.to_owned(),
        }],
        lines: None,
        text: None,
    }
}

pub(super) fn change(files: Vec<ChangedFile>) -> Change {
    Change { files, ..Change::default() }
}

/// Returns the change that most tests use; see the bodies for its lines.
pub(super) fn sample() -> Change {
    let pool = "     // comment\n fn take(&mut self) -> Option<Conn> {\n-    self.idle.pop()\n+    let conn = self.idle.pop()?;\n+    self.busy += 1;\n     self.log(\"take\");\n }\n";
    // Lines 9 to 14 belong to the hunk; line 30 repeats the statement of line 12.
    let text: Vec<String> = (1..=40)
        .map(|line| match line {
            3 => "use std::sync::Mutex;".to_owned(),
            9 => "    // comment".to_owned(),
            10 => "fn take(&mut self) -> Option<Conn> {".to_owned(),
            11 => "    let conn = self.idle.pop()?;".to_owned(),
            12 | 30 => "    self.busy += 1;".to_owned(),
            13 => "    self.log(\"take\");".to_owned(),
            14 | 31 => "}".to_owned(),
            line => format!("// line {line}"),
        })
        .collect();
    let twin = " fn twin() {\n+    retry(forever);\n }\n";
    let patch = " func Handle(w http.ResponseWriter) {\n+\tw.WriteHeader(200)\n }\n";
    let gone = "-fn gone() -> u32 {\n-    old_total + 1\n-}\n";
    change(vec![
        ChangedFile {
            lines: Some(40),
            text: Some(text.join("\n") + "\n"),
            ..file("src/db/pool.rs", ChangeKind::Modified, (9, 9, "impl Pool", pool))
        },
        ChangedFile {
            lines: Some(12),
            ..file("lib/db/pool.rs", ChangeKind::Modified, (5, 5, "", twin))
        },
        ChangedFile {
            old_path: Some("src/old_name.rs".to_owned()),
            lines: Some(2),
            text: Some("pub fn renamed() {\n}\n".to_owned()),
            hunks: Vec::new(),
            ..file("src/new_name.rs", ChangeKind::Renamed, (0, 0, "", ""))
        },
        ChangedFile {
            lines: Some(0),
            ..file("src/gone.rs", ChangeKind::Deleted, (7, 0, "", gone))
        },
        file("pkg/patch.go", ChangeKind::Modified, (100, 100, "func Handle", patch)),
        ChangedFile { lines: Some(3), ..file("a/real.rs", ChangeKind::Modified, (1, 1, "", twin)) },
    ])
}

pub(super) fn finding(severity: Severity, file: &str, line: Option<u32>, title: &str) -> Finding {
    Finding {
        severity,
        title: title.to_owned(),
        file: file.to_owned(),
        line,
        trigger: Some(format!("{title}, with 0")),
        detail: format!("{title}, in full"),
        fix: "use `try_into()?`".to_owned(),
        ..Finding::default()
    }
}

pub(super) fn raised(seat: usize, vendor: &str, finding: Finding) -> AuthoredFinding {
    AuthoredFinding {
        seat,
        vendor: vendor.to_owned(),
        batch: 0,
        round: 1,
        placed: LocatedFinding {
            finding,
            location: Location::Located,
            nearness: Some(Distance::Exact),
            written_line: None,
        },
    }
}

/// Returns a group of these authors `(seat, vendor)` and judgements `(seat, vendor, stance)`.
pub(super) fn group(
    id: &str,
    severity: Severity,
    authors: &[(usize, &str)],
    judged: &[(usize, &str, Stance)],
) -> Group {
    let finding = finding(severity, "src/db/pool.rs", Some(12), id);
    Group {
        proof: None,
        id: id.to_owned(),
        members: authors
            .iter()
            .map(|(seat, vendor)| raised(*seat, vendor, finding.clone()))
            .collect(),
        judged: judged
            .iter()
            .map(|(seat, vendor, stance)| (*seat, judgement(vendor, *stance)))
            .collect::<BTreeMap<_, _>>(),
        rebuttals: BTreeMap::new(),
        fingerprint: String::new(),
    }
}

/// Returns the group with another location: outside the change, or mislocated.
pub(super) fn at(mut group: Group, location: Location) -> Group {
    for member in &mut group.members {
        member.placed.location = location;
        member.placed.nearness = None;
    }
    group
}

/// Returns a judgement of the second round.
pub(super) fn judgement(vendor: &str, stance: Stance) -> SeatJudgement {
    SeatJudgement {
        vendor: vendor.to_owned(),
        round: 2,
        stance,
        said: stance,
        reason: String::new(),
        evidence: None,
        only: None,
        severity: None,
        same_as: None,
        lines: None,
    }
}
