//! A simulation of reviews whose truth is known: scripted reviewers, the real rules.
//!
//! # Theory of operation
//!
//! `fixtures/review-bench` contains small changes as unified diffs and, for each, the planted faults. A scripted
//! reviewer finds each fault at a fixed rate and raises false alarms at another; a scripted critic is right, unsure
//! or wrong at fixed rates. Their replies go through the unmodified rules of a review: place, cluster, judge with
//! evidence, status, score, compose by rule. Then two shares are counted: of the findings that a method reports,
//! those that are true (precision), and of the planted faults, those that it reports (recall).
//!
//! None of this measures the quality of any model: the rates are assumptions. It measures the effect of the rules on
//! reviewers with such rates, compared with simpler rules. Everything is drawn from fixed seeds.

use std::path::Path;

use debate_agent::change::{Change, ChangedFile, parse};
use debate_agent::protocol::review::locate::{evidence, place};
use debate_agent::protocol::review::{
    AuthoredFinding, Finding, Group, ReviewBlock, SeatJudgement, Severity, Stance, Status,
};
use debate_agent::protocol::review::{compose, group, score, status};
use serde::Deserialize;

/// The frequency of each event, in thousandths.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct Rates {
    /// A reviewer finds a fault.
    pub(crate) hit: u64,
    /// False alarms of a reviewer in a change; 1,500 are one or two.
    pub(crate) alarm: u64,
    /// A critic judges correctly.
    pub(crate) critic_right: u64,
    /// A critic is unsure; otherwise it judges wrongly.
    pub(crate) critic_unsure: u64,
    /// A false alarm is the one shared by all reviewers.
    pub(crate) shared_alarm: u64,
    /// A finding quotes its line.
    pub(crate) quote: u64,
    /// A finding names a line that is up to three off.
    pub(crate) line_off: u64,
    /// A finding has another severity than the fault.
    pub(crate) other_severity: u64,
}

/// The changes and the truth about them.
#[derive(Debug)]
pub(crate) struct Bench {
    /// The rates, fixed beforehand.
    pub(crate) rates: Rates,
    alarms: Vec<Telling>,
    /// Every change of the fixture.
    pub(crate) cases: Vec<Case>,
}

/// One change.
#[derive(Debug)]
pub(crate) struct Case {
    /// Its name; begins with its language.
    pub(crate) name: String,
    /// The parsed diff.
    pub(crate) change: Change,
    /// The planted faults; empty for a clean change.
    pub(crate) bugs: Vec<Bug>,
}

/// A planted fault.
#[derive(Debug, Deserialize)]
pub(crate) struct Bug {
    /// The path of its file.
    pub(crate) file: String,
    /// Its line in the new file.
    pub(crate) line: u32,
    /// The text of that line.
    pub(crate) quote: String,
    /// Its true severity.
    pub(crate) severity: Severity,
    /// Two ways to describe it.
    pub(crate) tellings: Vec<Telling>,
    /// The way to fix it.
    pub(crate) fix: String,
}

/// One description of a finding.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Telling {
    /// One line.
    pub(crate) title: String,
    /// The consequence of the fault.
    pub(crate) detail: String,
}

#[derive(Deserialize)]
struct Truths {
    rates: Rates,
    alarms: Vec<Telling>,
    changes: Vec<Truth>,
}

#[derive(Deserialize)]
struct Truth {
    change: String,
    bugs: Vec<Bug>,
}

impl Bench {
    /// Reads the fixture.
    ///
    /// # Errors
    /// A file is missing or malformed.
    pub(crate) fn load(folder: &Path) -> Result<Self, Box<dyn std::error::Error>> {
        let text = std::fs::read_to_string(folder.join("truths.json"))?;
        let truths: Truths = serde_json::from_str(&text)?;
        let mut cases = Vec::new();
        for Truth { change, bugs } in truths.changes {
            let diff = folder.join("changes").join(format!("{change}.diff"));
            cases.push(Case { change: read(&std::fs::read(diff)?)?, name: change, bugs });
        }
        Ok(Self { rates: truths.rates, alarms: truths.alarms, cases })
    }
}

fn read(diff: &[u8]) -> Result<Change, parse::ParseError> {
    let files = parse::patch(diff)?.into_iter().map(|section| ChangedFile {
        path: parse::path_text(&section.path),
        old_path: None,
        kind: section.kind,
        modes: section.modes,
        hunks: section.hunks,
        lines: None,
        text: None,
    });
    Ok(Change { files: files.collect(), ..Change::default() })
}

/// `SplitMix64` (Steele, Lea and Flood 2014): small, and the same everywhere.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`, 0 if that is 0.
    fn below(&mut self, end: usize) -> usize {
        let drawn = self.next() >> 32;
        usize::try_from(drawn).unwrap_or(0) % end.max(1)
    }

    /// Whether an event of this rate, in thousandths, happens.
    fn happens(&mut self, rate: u64) -> bool {
        (self.next() >> 32) % 1000 < rate
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }
}

/// Returns the lines that a change adds, with their numbers, without those that contain no word.
fn added(change: &Change) -> Vec<(String, u32, String)> {
    let mut added = Vec::new();
    for file in &change.files {
        for hunk in &file.hunks {
            let new = hunk.body.lines().filter(|line| !line.starts_with('-'));
            for (number, line) in (hunk.new_start..).zip(new) {
                if line.starts_with('+') && line.contains(char::is_alphanumeric) {
                    added.push((file.path.clone(), number, line[1..].trim().to_owned()));
                }
            }
        }
    }
    added
}

/// One reviewer's findings.
fn review(bench: &Bench, case: &Case, rates: Rates, trap: u64, draw: &mut Draw) -> ReviewBlock {
    let mut findings = Vec::new();
    for bug in &case.bugs {
        if !draw.happens(rates.hit) {
            continue;
        }
        let Some(telling) = draw.pick(&bug.tellings) else {
            continue;
        };
        let place = (bug.file.clone(), bug.line, bug.quote.clone());
        let severity = if draw.happens(rates.other_severity) {
            *draw.pick(&Severity::ALL).unwrap_or(&bug.severity)
        } else {
            bug.severity
        };
        findings.push(told(place, telling, severity, &bug.fix, rates, draw));
    }
    let lines = added(&case.change);
    let alarms = rates.alarm / 1000 + u64::from(draw.happens(rates.alarm % 1000));
    for _ in 0..alarms {
        // The trap is the same for all reviewers of a trial: place, words and severity.
        let mut own = Draw(draw.next());
        let mut common = Draw(trap);
        let source = if draw.happens(rates.shared_alarm) { &mut common } else { &mut own };
        let (place, telling) = (source.pick(&lines), source.pick(&bench.alarms));
        let severity = *source.pick(&Severity::ALL).unwrap_or(&Severity::P2);
        if let (Some(place), Some(telling)) = (place, telling) {
            findings.push(told(place.clone(), telling, severity, "", rates, draw));
        }
    }
    ReviewBlock { findings, ..ReviewBlock::default() }
}

fn told(
    (file, line, quote): (String, u32, String),
    telling: &Telling,
    severity: Severity,
    fix: &str,
    rates: Rates,
    draw: &mut Draw,
) -> Finding {
    let off =
        if draw.happens(rates.line_off) { u32::try_from(draw.below(7)).unwrap_or(3) } else { 3 };
    Finding {
        severity,
        title: telling.title.clone(),
        file,
        line: Some((line + off).saturating_sub(3).max(1)),
        end_line: None,
        quote: draw.happens(rates.quote).then_some(quote),
        detail: telling.detail.clone(),
        fix: fix.to_owned(),
    }
}

/// Returns the planted fault that a group is about: that of its displayed finding.
fn bug_of(case: &Case, group: &Group) -> Option<usize> {
    let shown = &group.members.first()?.placed.finding.title;
    let tells = |bug: &Bug| bug.tellings.iter().any(|telling| telling.title == *shown);
    case.bugs.iter().position(tells)
}

/// The judgement of one critic.
fn judge(case: &Case, group: &Group, vendor: &str, rates: Rates, draw: &mut Draw) -> SeatJudgement {
    let drawn = (draw.next() >> 32) % 1000;
    let real = bug_of(case, group).is_some();
    let said = if drawn < rates.critic_unsure {
        Stance::Unsure
    } else if (drawn < rates.critic_unsure + rates.critic_right) == real {
        Stance::Agree
    } else {
        Stance::Disagree
    };
    // It quotes the longest line that was added, whether or not that proves anything.
    let lines = added(&case.change);
    let longest = lines.iter().max_by_key(|(_, _, text)| text.len());
    let quote = longest.map_or("", |(_, _, text)| text);
    let file = group.members.first();
    let file = file.map_or("", |shown| &shown.placed.finding.file);
    let proven = evidence(&case.change, file, quote);
    SeatJudgement {
        vendor: vendor.to_owned(),
        round: 2,
        stance: if said == Stance::Disagree && !proven { Stance::Unsure } else { said },
        said,
        reason: String::new(),
        evidence: proven.then(|| quote.to_owned()),
    }
}

/// The methods: the findings that each reports, and the rule behind it.
pub(crate) const METHODS: [&str; 5] = [
    "union: all that anybody raised",
    "majority: raised by more than half",
    "pipeline: remains",
    "pipeline: remains or disputed",
    "pipeline: confirmed alone",
];

/// The counts of one method over all changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Findings that it reports.
    pub(crate) reported: u64,
    /// Reported findings that are about a planted fault.
    pub(crate) right: u64,
    /// Planted faults that it reports.
    pub(crate) found: u64,
    /// Changes with a fault for which it reports nothing.
    pub(crate) silent: u64,
    /// Clean changes for which it reports something.
    pub(crate) noisy: u64,
}

/// All methods over all trials.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// In the order of [`METHODS`].
    pub(crate) methods: [Counts; 5],
    /// Number of planted faults.
    pub(crate) bugs: u64,
    /// Number of changes with a fault.
    pub(crate) faulty: u64,
    /// Number of changes without one.
    pub(crate) clean: u64,
    /// Reviews of faulty changes in which the winner found as many faults as any other seat.
    pub(crate) best_wins: u64,
}

/// Runs this many trials over all changes with a panel of these vendors.
pub(crate) fn run(bench: &Bench, rates: Rates, vendors: &[&str], trials: u64) -> Totals {
    let mut totals = Totals::default();
    for trial in 0..trials {
        for (at, case) in (0_u64..).zip(&bench.cases) {
            let mut draw = Draw(trial << 32 | at);
            one(bench, case, rates, vendors, &mut draw, &mut totals);
        }
    }
    totals
}

/// One review of one change.
fn one(
    bench: &Bench,
    case: &Case,
    rates: Rates,
    vendors: &[&str],
    draw: &mut Draw,
    totals: &mut Totals,
) {
    let trap = draw.next();
    let said: Vec<ReviewBlock> =
        vendors.iter().map(|_| review(bench, case, rates, trap, draw)).collect();
    let mut raised = Vec::new();
    for (seat, (said, vendor)) in said.iter().zip(vendors).enumerate() {
        raised.extend(said.findings.iter().map(|finding| AuthoredFinding {
            seat,
            vendor: (*vendor).to_owned(),
            batch: 0,
            round: 1,
            placed: place(&case.change, finding.clone()),
        }));
    }
    let mut groups = group::cluster(raised, &case.change);
    for group in &mut groups {
        let authors = group.authors();
        for (seat, vendor) in vendors.iter().enumerate() {
            if !authors.contains(&seat) {
                let judged = judge(case, group, vendor, rates, draw);
                group.judged.insert(seat, judged);
            }
        }
    }
    count(case, &groups, &said, vendors.len(), totals);
}

fn count(case: &Case, groups: &[Group], said: &[ReviewBlock], seats: usize, totals: &mut Totals) {
    let kept = compose::by_rule(groups);
    totals.bugs += case.bugs.len() as u64;
    let clean = case.bugs.is_empty();
    totals.clean += u64::from(clean);
    totals.faulty += u64::from(!clean);
    for (method, counts) in totals.methods.iter_mut().enumerate() {
        let reports = |group: &&Group| {
            let is_kept = kept.iter().any(|decision| decision.id == group.id);
            let status = status::status(group);
            match method {
                0 => true,
                1 => 2 * group.authors().len() > seats,
                2 => is_kept && status != Status::Disputed,
                3 => is_kept,
                _ => is_kept && status == Status::Confirmed,
            }
        };
        let reported: Vec<Option<usize>> =
            groups.iter().filter(reports).map(|group| bug_of(case, group)).collect();
        counts.reported += reported.len() as u64;
        counts.right += reported.iter().flatten().count() as u64;
        let found = (0..case.bugs.len()).filter(|bug| reported.contains(&Some(*bug)));
        counts.found += found.count() as u64;
        counts.silent += u64::from(!clean && reported.is_empty());
        counts.noisy += u64::from(clean && !reported.is_empty());
    }
    if !clean {
        let scores: Vec<_> = said
            .iter()
            .enumerate()
            .map(|(seat, said)| (seat, score::score(seat, groups, &[said])))
            .collect();
        let found = |seat: usize| {
            let own = groups.iter().filter(|group| group.authors().contains(&seat));
            own.filter(|group| bug_of(case, group).is_some()).count()
        };
        let most = (0..seats).map(found).max();
        let winner = score::ranking(&scores, groups).first().map(|seat| found(*seat));
        totals.best_wins += u64::from(winner == most);
    }
}
