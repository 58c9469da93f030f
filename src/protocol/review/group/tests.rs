//! Tests of [`super`]: which findings are the same, how later ones join, and the properties of grouping.

use proptest::prelude::*;

use super::pair_tests::{APART, SAME};
use super::*;
use crate::protocol::review::locate::place;
use crate::protocol::review::model::{Finding, Stance};
use crate::protocol::review::samples::{judgement, sample};

const POOL: &str = "src/db/pool.rs";

pub(super) fn of(title: &str, detail: &str, line: Option<u32>, quote: Option<&str>) -> Finding {
    Finding {
        severity: Severity::P1,
        title: title.to_owned(),
        file: POOL.to_owned(),
        line,
        quote: quote.map(str::to_owned),
        detail: detail.to_owned(),
        ..Finding::default()
    }
}

pub(super) fn by(seat: usize, finding: Finding) -> AuthoredFinding {
    AuthoredFinding {
        seat,
        vendor: if seat == 0 { "red" } else { "blue" }.to_owned(),
        batch: 0,
        round: 1,
        placed: place(&sample(), finding),
    }
}

pub(super) fn grouped(findings: &[Finding]) -> Vec<Group> {
    let raised = findings.iter().enumerate();
    let raised = raised.map(|(seat, finding)| by(seat, finding.clone()));
    cluster(raised.collect(), &sample())
}

/// One line, one defect: told in other words, and one quotes a part of what the other does.
#[test]
fn overlapping_lines_are_one_where_a_quote_contains_the_other() {
    let conn = "    let conn = self.idle.pop()?;";
    let both = "    let conn = self.idle.pop()?;\n    self.busy += 1;";
    let at = |line, quote, words| of(words, words, Some(line), Some(quote));
    let (one, other) = ("An empty pool counts", "Nobody lowers it again");
    for (first, second, groups) in [
        (at(11, conn, one), at(11, "conn = self.idle.pop()", other), 1),
        (Finding { end_line: Some(12), ..at(11, both, one) }, at(12, "self.busy += 1;", other), 1),
        // On other lines it is another place, and another quote on the same line another matter.
        (at(11, both, one), at(30, "self.busy += 1;", other), 2),
        (at(11, "let conn = self", one), at(11, "self.idle.pop()?", other), 2),
    ] {
        assert_eq!(grouped(&[first, second]).len(), groups);
    }
}

#[test]
fn findings_are_the_same_by_place_and_text() {
    let [(one, first), (other, second)] = SAME[0];
    for (name, first, second, groups) in [
        ("five lines apart", of(one, first, Some(10), None), of(other, second, Some(15), None), 1),
        ("six lines apart", of(one, first, Some(10), None), of(other, second, Some(16), None), 2),
        (
            "a span that reaches the other",
            Finding { end_line: Some(20), ..of(one, first, Some(3), None) },
            of(other, second, Some(25), None),
            1,
        ),
        (
            "a title alone, far apart",
            of(one, first, Some(10), None),
            of(one, second, Some(40), None),
            2,
        ),
        (
            "one with a line, one without",
            of(one, first, Some(10), None),
            of(other, second, None, None),
            2,
        ),
        ("both about the file", of(one, first, None, None), of(other, second, None, None), 1),
    ] {
        assert_eq!(grouped(&[first, second]).len(), groups, "{name}");
    }
}

#[test]
fn findings_are_the_same_by_their_quote_unless_it_stands_at_two_places() {
    let [(one, first), _] = SAME[0];
    let (far, apart) = (APART[0][1], Some("self.log(\"take\");"));
    let busy = Some("self.busy += 1;");
    for (name, first, second, groups) in [
        ("one quote, other words", of(one, first, None, busy), of(far.0, far.1, None, busy), 1),
        (
            "one quote, written with its mark",
            of(one, first, None, busy),
            of(far.0, far.1, None, Some("+  self.busy +=   1;")),
            1,
        ),
        (
            "one quote at two places",
            of(one, first, Some(12), busy),
            of(one, first, Some(30), busy),
            2,
        ),
        (
            "other quotes, other words",
            of(one, first, Some(12), busy),
            of(far.0, far.1, Some(13), apart),
            2,
        ),
        (
            "a brace is no quote",
            of(one, first, Some(14), Some("}")),
            of(far.0, far.1, Some(14), Some("}")),
            2,
        ),
        (
            "one text, other severity",
            of(one, first, Some(12), None),
            Finding { severity: Severity::P2, ..of(one, first, Some(12), None) },
            1,
        ),
        (
            "another file",
            of(one, first, Some(5), None),
            Finding { file: "lib/db/pool.rs".to_owned(), ..of(one, first, Some(5), None) },
            2,
        ),
        ("no words at all", of("!", "?", Some(12), None), of("!", "?", Some(12), None), 1),
        ("no words, other signs", of("!", "?", Some(12), None), of("!", "!", Some(12), None), 2),
    ] {
        assert_eq!(grouped(&[first, second]).len(), groups, "{name}");
    }
}

#[test]
fn a_group_keeps_each_severity_and_shows_the_best_member() {
    let [(one, first), (other, second)] = SAME[0];
    let lost = by(
        0,
        Finding { severity: Severity::P0, ..of(one, first, Some(14), Some("not there at all")) },
    );
    let found = by(1, of(other, second, Some(12), None));
    let again = by(1, Finding { severity: Severity::P2, ..of(other, second, Some(13), None) });
    let groups = cluster(vec![lost, again, found.clone()], &sample());
    assert_eq!(groups.len(), 1);
    assert_eq!(groups[0].members[0], found);
    assert_eq!(groups[0].highest(), Severity::P0);
    assert_eq!(groups[0].authors().len(), 2);
    assert_eq!(groups[0].id, "F1");
}

#[test]
fn ids_go_by_file_line_and_severity_and_what_is_outside_comes_last() {
    let ghost = Finding { file: "a.rs".to_owned(), ..of("ghost", "ghost", Some(1), None) };
    let whole = of("no test of the pool", "nothing covers it", None, None);
    let [late, early] = [APART[0][0], APART[0][1]];
    let groups = grouped(&[
        ghost,
        of(late.0, late.1, Some(30), None),
        of(early.0, early.1, Some(9), None),
        whole,
    ]);
    let order: Vec<(&str, Option<u32>)> = groups
        .iter()
        .map(|group| (group.id.as_str(), group.members[0].placed.finding.line))
        .collect();
    assert_eq!(order, [("F1", None), ("F2", Some(9)), ("F3", Some(30)), ("F4", Some(1))]);
    assert_eq!(groups[3].location(), Location::Outside);
}

#[test]
fn later_findings_join_what_fits_best_or_open_groups_and_their_author_no_longer_judges() {
    let [(one, first), (other, second)] = SAME[0];
    let [(apart, third), _] = APART[1];
    let mut groups = grouped(&[of(one, first, Some(12), None), of(apart, third, Some(13), None)]);
    for group in &mut groups {
        for seat in [1, 2] {
            group.judged.insert(seat, judgement("blue", Stance::Agree));
        }
    }
    let before = groups.clone();
    let mut late = by(2, of(other, second, Some(14), None));
    late.round = 2;
    let new = by(1, of("Log line prints the password", "at info level", Some(40), None));
    join(&mut groups, vec![new.clone(), late.clone()], &sample());
    assert_eq!(groups.len(), 3);
    assert_eq!(groups[0].members, [before[0].members[0].clone(), late]);
    assert_eq!(groups[0].judged.keys().collect::<Vec<_>>(), [&1]);
    assert_eq!(groups[0].fingerprint, before[0].fingerprint);
    assert_eq!(groups[1], before[1]);
    assert_eq!((groups[2].id.as_str(), &groups[2].members), ("F3", &vec![new]));
    // Joining nothing changes nothing.
    let after = groups.clone();
    join(&mut groups, Vec::new(), &sample());
    assert_eq!(groups, after);
}

#[test]
fn a_finding_between_two_groups_joins_one_and_merges_none() {
    let text = SAME[0][0];
    let quote = "self.busy += 1;";
    let mut groups =
        grouped(&[of(text.0, text.1, Some(12), Some(quote)), of(text.0, text.1, Some(20), None)]);
    assert_eq!(groups.len(), 2);
    // Alike to both; the second is nearer, but the first has its quote.
    join(&mut groups, vec![by(1, of(text.0, text.1, Some(16), None))], &sample());
    assert_eq!(groups.iter().map(|group| group.members.len()).collect::<Vec<_>>(), [2, 1]);
    join(&mut groups, vec![by(1, of(text.0, text.1, Some(22), None))], &sample());
    assert_eq!(groups.iter().map(|group| group.members.len()).collect::<Vec<_>>(), [2, 2]);
    assert_eq!(groups.len(), 2);
}

/// Returns a finding of few words, so that some are alike.
fn any_finding() -> impl Strategy<Value = AuthoredFinding> {
    let words = prop::collection::vec("(leak|lock|null|race|token|query)", 1..4);
    let quotes =
        [None, Some("self.busy += 1;"), Some("self.log(\"take\");"), Some("gone for good")];
    let files = [POOL, "lib/db/pool.rs", "ghost.rs"];
    let parts = (0_usize..3, words, 0_usize..3, prop::option::of(1_u32..40), 0_usize..4);
    parts.prop_map(move |(seat, words, file, line, quote)| {
        let words = words.join(" ");
        let finding = of(&words, &words, line, quotes[quote]);
        by(seat, Finding { file: files[file].to_owned(), severity: Severity::ALL[seat], ..finding })
    })
}

/// Returns groups without anything that depends on the seats.
fn bare(groups: &[Group]) -> Vec<(String, String, Vec<Finding>)> {
    let findings = |group: &Group| {
        let members = group.members.iter();
        members.map(|one| one.placed.finding.clone()).collect()
    };
    let bare = groups.iter();
    bare.map(|group| (group.id.clone(), group.fingerprint.clone(), findings(group))).collect()
}

proptest! {
    #[test]
    fn groups_do_not_depend_on_order_or_seats_and_grouping_again_changes_nothing(
        raised in prop::collection::vec(any_finding(), 0..14),
        order in any::<prop::sample::Index>(),
    ) {
        let change = sample();
        let groups = cluster(raised.clone(), &change);
        let members: usize = groups.iter().map(|group| group.members.len()).sum();
        prop_assert_eq!(members, raised.len());
        let mut turned = raised.clone();
        turned.rotate_left(order.index(raised.len().max(1)));
        prop_assert_eq!(&cluster(turned.clone(), &change), &groups);
        turned.reverse();
        prop_assert_eq!(&cluster(turned, &change), &groups);
        let seats: Vec<AuthoredFinding> = raised.iter().map(|one| AuthoredFinding { seat: 2 - one.seat, ..one.clone() }).collect();
        prop_assert_eq!(bare(&cluster(seats, &change)), bare(&groups));
        let again = groups.iter().flat_map(|group| group.members.clone()).collect();
        prop_assert_eq!(&cluster(again, &change), &groups);
    }

    #[test]
    fn joining_never_loses_a_finding_renames_or_merges(
        first in prop::collection::vec(any_finding(), 0..8),
        second in prop::collection::vec(any_finding(), 0..8),
    ) {
        let change = sample();
        let before = cluster(first.clone(), &change);
        let mut groups = before.clone();
        join(&mut groups, second.clone(), &change);
        let members: usize = groups.iter().map(|group| group.members.len()).sum();
        prop_assert_eq!(members, first.len() + second.len());
        for (at, group) in groups.iter().enumerate() {
            prop_assert_eq!(&group.id, &format!("F{}", at + 1));
        }
        for (old, new) in before.iter().zip(&groups) {
            prop_assert_eq!(&new.members[..old.members.len()], &old.members[..]);
            prop_assert_eq!(&new.fingerprint, &old.fingerprint);
        }
        let mut turned = before.clone();
        join(&mut turned, second.into_iter().rev().collect(), &change);
        prop_assert_eq!(turned, groups);
    }
}
