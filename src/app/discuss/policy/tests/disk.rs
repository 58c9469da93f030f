//! Every operation on the disk fails in every way.

use super::*;

const ROOT: &str = "/project/.debate/discuss";
const FAULTS: [Fault; 6] = [
    Fault::AbortBefore,
    Fault::AbortAfter,
    Fault::Torn(TornWrite::Half),
    Fault::NoSpaceOnce,
    Fault::NoSpace,
    Fault::Io,
];

fn on(fs: &MemFs, case: &Case) -> Result<FollowUp, Error> {
    record(fs, Path::new(ROOT), &case.entry())
}

fn lines(fs: &MemFs) -> Vec<(String, FollowUpAction)> {
    let log = Log::read(&shared(fs, Path::new(ROOT))).unwrap();
    ["0199a3c2-1", "0199a3c2-2", "0199a3c2-3"]
        .into_iter()
        .filter_map(|session| log.of_session(session))
        .map(|line| (line.session_id.clone(), line.action))
        .collect()
}

/// Runs `doing` on a disk that `begun` prepared, with every operation failing in every way, and passes on for
/// judgement each possible remaining disk: the one a killed process leaves, and those of a power cut.
fn everywhere(
    begun: impl Fn() -> MemFs,
    doing: impl Fn(&MemFs) -> Result<FollowUp, Error>,
    judge: impl Fn(&MemFs, bool, &str),
) {
    let fs = begun();
    fs.plan(None);
    doing(&fs).unwrap();
    let ops = fs.ops();
    assert!(ops > 8, "{ops}");
    for at in 0..ops {
        for fault in FAULTS {
            let fs = begun();
            fs.plan(Some(Plan { at, fault, under: None }));
            let done = doing(&fs).is_ok();
            let what = format!("op {at} {fault:?} {:?}", fs.trace().last());
            for (left, how) in [
                (fs.kill(), "killed"),
                (fs.crash(|_| false), "power cut"),
                (fs.crash(|_| true), "power cut, all kept"),
            ] {
                left.plan(None);
                judge(&left, done, &format!("{what}, {how}"));
            }
        }
    }
}

#[test]
fn a_crash_leaves_a_line_or_none_and_never_a_second_task() {
    use FollowUpAction::{Escalate, RevisionTask};
    let begun = || {
        let fs = MemFs::new(Path::new("/project"));
        on(&fs, &high(9, "b")).unwrap();
        fs
    };
    everywhere(
        begun,
        |fs| on(fs, &high(1, "a")),
        |fs, done, what| {
            let there = lines(fs);
            assert!(!done || there.len() == 1, "{what}: said done, and lost");
            // Recording it again gives the same answer; the next critique sees that there was one.
            let again = on(fs, &high(1, "a")).unwrap();
            assert_eq!((again.action, again.recorded), (RevisionTask, true), "{what}");
            let fs = fs.crash(|_| false);
            assert_eq!(lines(&fs).len(), 1, "{what}: said recorded, and lost");
            assert_eq!(on(&fs, &high(2, "a")).unwrap().action, Escalate, "{what}");
            let wanted = [("0199a3c2-1", RevisionTask), ("0199a3c2-2", Escalate)];
            let wanted = wanted.map(|(session, action)| (session.to_owned(), action));
            assert_eq!(lines(&fs), wanted, "{what}");
        },
    );
}

#[test]
fn a_warning_that_was_said_to_be_kept_is_kept() {
    let page = |fs: &MemFs| {
        let mut tree = fs.tree(Path::new(ROOT));
        let bytes = tree.remove(&Path::new(ROOT).join("wisdom/issues.md"));
        String::from_utf8(bytes.flatten().unwrap_or_default()).unwrap()
    };
    let of = |session| case(session, "a", Severity::Medium);
    let begun = || {
        let fs = MemFs::new(Path::new("/project"));
        on(&fs, &of(1)).unwrap();
        fs
    };
    let first = page(&begun());
    everywhere(
        begun,
        |fs| on(fs, &of(2)),
        |fs, done, what| {
            let left = page(fs);
            assert!(left.starts_with(&first), "{what}: {left}");
            let whole = left.ends_with("\nSession: `0199a3c2-2`\n");
            assert!(!done || whole, "{what}: said done, and lost");
            assert!(on(fs, &of(2)).unwrap().recorded, "{what}");
            let kept = page(&fs.crash(|_| false));
            assert!(kept.starts_with(&first), "{what}: {kept}");
            assert_eq!(kept.matches("\nSession: `0199a3c2-2`\n").count(), 1, "{what}: {kept}");
        },
    );
}
