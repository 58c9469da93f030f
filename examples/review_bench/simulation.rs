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
use debate_agent::protocol::review::{compose, group, score, status, validate};
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
    /// A finding about a fault says what makes it fail.
    pub(crate) trigger: u64,
    /// A false alarm says so.
    pub(crate) alarm_trigger: u64,
    /// A critic that rightly agrees quotes the line; otherwise it quotes nothing.
    pub(crate) evidence: u64,
    /// The same of a critic that wrongly agrees.
    pub(crate) wrong_evidence: u64,
    /// A critic that agrees gives the fault its true severity; otherwise any. Of a false alarm it gives any.
    pub(crate) judged_severity: u64,
    /// A critic says of a finding that it is the same as another about the same fault.
    pub(crate) same_as: u64,
    /// A critic says so of one about something else.
    pub(crate) wrong_same_as: u64,
    /// A critic agrees with a part only, which counts as an agreement.
    pub(crate) only: u64,
    /// An author gives up a false alarm that one seat refuted.
    pub(crate) yields: u64,
    /// It gives up a fault.
    pub(crate) wrong_yields: u64,
    /// A critic that was wrong follows the reasons of the others, where it is asked again.
    pub(crate) persuaded: u64,
    /// One that was right does.
    pub(crate) wrong_persuaded: u64,
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
        quote: draw.happens(rates.quote).then_some(quote),
        detail: telling.detail.clone(),
        fix: fix.to_owned(),
        ..Finding::default()
    }
}

/// Returns the planted fault that a finding is about.
fn told_bug(case: &Case, title: &str) -> Option<usize> {
    let tells = |bug: &Bug| bug.tellings.iter().any(|telling| telling.title == *title);
    case.bugs.iter().position(tells)
}

/// Adds the evidence of findings and judgements. It has draws of its own, so that the rest of a trial does not depend
/// on it.
fn say_more(case: &Case, rates: Rates, groups: &mut [Group], draw: &mut Draw) {
    for group in &mut *groups {
        for member in &mut group.members {
            let finding = &mut member.placed.finding;
            let real = told_bug(case, &finding.title).is_some();
            let rate = if real { rates.trigger } else { rates.alarm_trigger };
            finding.trigger = draw.happens(rate).then(|| finding.detail.clone());
        }
    }
    let about: Vec<(String, Option<usize>)> =
        groups.iter().map(|group| (group.id.clone(), bug_of(case, group))).collect();
    for group in groups {
        let bug = bug_of(case, group);
        let Some(shown) = group.members.first().map(|first| first.placed.finding.clone()) else {
            continue;
        };
        for judged in group.judged.values_mut() {
            let rate = if bug.is_some() { rates.evidence } else { rates.wrong_evidence };
            let quotes = draw.happens(rate);
            let line = shown.quote.clone().or_else(|| line_of(&case.change, &shown));
            judged.evidence = match judged.said {
                Stance::Agree => line.filter(|_| quotes),
                Stance::Disagree | Stance::Unsure => judged.evidence.take(),
            }
            .filter(|text| evidence(&case.change, text));
            judged.stance = match judged.said {
                Stance::Agree | Stance::Disagree if judged.evidence.is_none() => Stance::Unsure,
                said @ (Stance::Agree | Stance::Disagree | Stance::Unsure) => said,
            };
            let known = bug.filter(|_| draw.happens(rates.judged_severity));
            let any = *draw.pick(&Severity::ALL).unwrap_or(&Severity::P2);
            let severity = known.map_or(any, |bug| case.bugs[bug].severity);
            judged.severity = (judged.said == Stance::Agree).then_some(severity);
            let part = draw.happens(rates.only) && judged.said == Stance::Agree;
            judged.only = part.then(|| shown.detail.clone());
            for (id, other) in about.iter().filter(|(id, _)| *id != group.id) {
                let same = bug.is_some() && bug == *other;
                let rate = if same { rates.same_as } else { rates.wrong_same_as };
                if draw.happens(rate) {
                    judged.same_as = Some(id.clone());
                }
            }
        }
    }
}

/// The second cross-examination, if the first left the panel less than 80% sure: those whom the rules ask again. Returns
/// the number of calls.
fn look_again(
    case: &Case,
    rates: Rates,
    groups: &mut [Group],
    seats: usize,
    draw: &mut Draw,
) -> u64 {
    let weight = |settled: bool| -> u32 {
        let of = groups.iter().filter(|group| !settled || status::is_settled(group));
        of.map(|group| group.severity().weight()).sum()
    };
    if 100 * weight(true) >= 80 * weight(false) {
        return 0;
    }
    let mut calls = 0;
    let before = groups.to_vec();
    for seat in 0..seats {
        let asked: Vec<usize> =
            (0..before.len()).filter(|at| status::is_asked_again(&before[*at], seat)).collect();
        calls += u64::from(!asked.is_empty());
        for at in asked {
            let group = &mut groups[at];
            let real = bug_of(case, group).is_some();
            if group.authors().contains(&seat) {
                let yields = if real { rates.wrong_yields } else { rates.yields };
                let said = if draw.happens(yields) { Stance::Disagree } else { Stance::Agree };
                let vendor = group.members[0].vendor.clone();
                group.rebuttals.insert(seat, judged(&vendor, said, None));
            } else if let Some(own) = group.judged.get_mut(&seat) {
                let right = if real { Stance::Agree } else { Stance::Disagree };
                let wrong = if real { Stance::Disagree } else { Stance::Agree };
                if own.stance == right && draw.happens(rates.wrong_persuaded) {
                    (own.stance, own.said) = (wrong, wrong);
                } else if own.stance != right && draw.happens(rates.persuaded) {
                    (own.stance, own.said) = (right, right);
                }
            }
        }
    }
    calls
}

/// Returns the line of the new file that a finding names.
fn line_of(change: &Change, finding: &Finding) -> Option<String> {
    let mut lines = added(change).into_iter();
    let named = lines.find(|(file, line, _)| *file == finding.file && Some(*line) == finding.line);
    named.map(|(_, _, text)| text)
}

/// Returns the planted fault that a group is about: that of its displayed finding.
fn bug_of(case: &Case, group: &Group) -> Option<usize> {
    told_bug(case, &group.members.first()?.placed.finding.title)
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
    let proven = evidence(&case.change, quote);
    let counts = if said == Stance::Disagree && !proven { Stance::Unsure } else { said };
    SeatJudgement { said, ..judged(vendor, counts, proven.then(|| quote.to_owned())) }
}

fn judged(vendor: &str, stance: Stance, evidence: Option<String>) -> SeatJudgement {
    SeatJudgement {
        vendor: vendor.to_owned(),
        round: 2,
        stance,
        said: stance,
        reason: String::new(),
        evidence,
        only: None,
        severity: None,
        same_as: None,
        lines: None,
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

/// Of them, what decides the verdict.
pub(crate) const REMAINS: usize = 2;

/// The counts of one method over all changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Findings that it reports.
    pub(crate) reported: u64,
    /// Reported findings that are about a planted fault.
    pub(crate) right: u64,
    /// Planted faults that it reports.
    pub(crate) found: u64,
    /// Planted P0 and P1 that it reports.
    pub(crate) grave: u64,
    /// Planted P0 and P1 that it reports as P0 or P1.
    pub(crate) blocking: u64,
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
    /// Number of planted P0 and P1.
    pub(crate) grave: u64,
    /// Number of calls, where each turn is answered at once.
    pub(crate) calls: u64,
    /// Number of reviews.
    pub(crate) reviews: u64,
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
            let more = Draw(!(trial << 32 | at));
            one((bench, case, rates), vendors, (&mut draw, more), &mut totals);
        }
    }
    totals
}

/// One review of one change; `more` draws what is said since the rules count evidence.
fn one(
    (bench, case, rates): (&Bench, &Case, Rates),
    vendors: &[&str],
    (draw, mut more): (&mut Draw, Draw),
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
    say_more(case, rates, &mut groups, &mut more);
    totals.calls += look_again(case, rates, &mut groups, vendors.len(), &mut more);
    count(case, &groups, &said, vendors.len(), totals);
    let judges = (0..vendors.len())
        .filter(|seat| groups.iter().any(|group| !group.authors().contains(seat)));
    totals.reviews += 1;
    totals.calls += (vendors.len() + judges.count()) as u64;
}

fn count(case: &Case, groups: &[Group], said: &[ReviewBlock], seats: usize, totals: &mut Totals) {
    let kept = validate::settle(&compose::by_rule(groups), &[], groups).kept;
    let is_grave = |bug: usize| case.bugs[bug].severity < Severity::P2;
    totals.grave += (0..case.bugs.len()).filter(|bug| is_grave(*bug)).count() as u64;
    totals.bugs += case.bugs.len() as u64;
    let clean = case.bugs.is_empty();
    totals.clean += u64::from(clean);
    totals.faulty += u64::from(!clean);
    for (method, counts) in totals.methods.iter_mut().enumerate() {
        // An entry of the result: the faults that its texts tell, the first one's in front, and its severity.
        let entry = |ids: &[&str], severity: Severity| {
            let groups = ids.iter().filter_map(|id| groups.iter().find(|group| group.id == *id));
            (groups.map(|group| bug_of(case, group)).collect::<Vec<_>>(), severity)
        };
        let entries: Vec<(Vec<Option<usize>>, Severity)> = if method < 2 {
            let reports = |group: &&Group| method == 0 || 2 * group.authors().len() > seats;
            let groups = groups.iter().filter(reports);
            groups.map(|group| entry(&[&group.id], group.severity())).collect()
        } else {
            let reports = |kept: &&validate::KeptFinding| match method {
                2 => kept.status != Status::Disputed,
                3 => true,
                _ => kept.status == Status::Confirmed,
            };
            let kept = kept.iter().filter(reports);
            kept.map(|kept| {
                let merged = kept.merged.iter().map(String::as_str);
                let ids: Vec<&str> = std::iter::once(kept.id.as_str()).chain(merged).collect();
                entry(&ids, kept.severity)
            })
            .collect()
        };
        let tells =
            |bug: usize| move |(told, _): &&(Vec<Option<usize>>, _)| told.contains(&Some(bug));
        counts.reported += entries.len() as u64;
        counts.right += entries.iter().filter(|(told, _)| told[0].is_some()).count() as u64;
        for bug in 0..case.bugs.len() {
            let mut telling = entries.iter().filter(tells(bug)).peekable();
            let is_found = telling.peek().is_some();
            let blocks = telling.any(|(_, severity)| *severity < Severity::P2);
            counts.found += u64::from(is_found);
            counts.grave += u64::from(is_found && is_grave(bug));
            counts.blocking += u64::from(blocks && is_grave(bug));
        }
        let reported = entries;
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
