//! Runs under control: stop, kill and pause, guards that die or hang, many at once.
#![cfg(target_os = "linux")]

use std::time::{Duration, Instant};

use debate_agent::process::{Control, Ending};
use rustix::process::{Signal, kill_process};
use tokio::sync::watch;

use crate::support::process::{Printed, Stage};

const MS: fn(u64) -> Duration = Duration::from_millis;

/// Slack for a shared machine.
const SLACK: Duration = Duration::from_secs(1);

#[tokio::test]
async fn f45_stop_gives_the_grace_and_f46_kill_does_not() {
    for (wanted, least, most) in
        [(Control::Stop, MS(300), MS(1300)), (Control::Kill, MS(0), MS(300))]
    {
        let stage = Stage::new("ignore TERM\nmark up\nhang");
        let (control, listener) = watch::channel(Control::Run);
        let order = async {
            stage.until_marked("up").await;
            control.send(wanted).unwrap();
            Instant::now()
        };
        let ((ran, ..), ordered) = tokio::join!(stage.run_under(listener), order);
        let took = ordered.elapsed();
        assert_eq!(ran.ending, Ending::Cancelled);
        assert!(took >= least && took < most, "{wanted:?}: {took:?}");
    }
}

#[tokio::test]
async fn f46_kill_after_stop_cuts_the_grace() {
    let stage = Stage::new("ignore TERM\nmark up\nhang").limits(|limits| limits.grace = MS(8000));
    let (control, listener) = watch::channel(Control::Run);
    let order = async {
        stage.until_marked("up").await;
        control.send(Control::Stop).unwrap();
        tokio::time::sleep(MS(100)).await;
        control.send(Control::Kill).unwrap();
    };
    let ((ran, _, took), ()) = tokio::join!(stage.run_under(listener), order);
    assert_eq!(ran.ending, Ending::Cancelled);
    assert!(took < MS(4000), "{took:?}");
}

#[tokio::test]
async fn a_run_that_is_stopped_before_it_begins_never_begins() {
    let stage = Stage::new("mark up");
    let (_control, listener) = watch::channel(Control::Stop);
    assert_eq!(stage.run_under(listener).await.0.ending, Ending::Cancelled);
    assert_eq!(stage.ledger("marks"), "");
}

#[tokio::test]
async fn f48_a_pause_stops_everybody_and_is_charged_to_nobody() {
    let stage = Stage::new("session ticker\nmark up\nsleep 0.4\nsay answer")
        .script("ticker", "while :; do mark tick; sleep 0.02; done")
        .limits(|limits| {
            limits.timeout = MS(1500);
            limits.idle = Some(MS(1500));
        });
    let (control, listener) = watch::channel(Control::Run);
    let order = async {
        stage.until_marked("tick").await;
        stage.until_marked("up").await;
        control.send(Control::Pause).unwrap();
        tokio::time::sleep(MS(200)).await;
        let ticks = stage.ledger("marks").len();
        tokio::time::sleep(MS(1800)).await;
        assert_eq!(stage.ledger("marks").len(), ticks, "it went on ticking");
        control.send(Control::Run).unwrap();
    };
    let ((ran, printed, took), ()) = tokio::join!(stage.run_under(listener), order);
    assert_eq!(ran.ending, Ending::Exited { code: 0 });
    assert_eq!(printed.stdout, b"answer\n");
    assert!(took > MS(2000) && ran.took + MS(1800) < took, "{took:?} {ran:?}");
}

#[tokio::test]
async fn f48_a_paused_run_can_be_stopped() {
    let stage = Stage::new("mark up\nhang");
    let (control, listener) = watch::channel(Control::Run);
    let order = async {
        stage.until_marked("up").await;
        control.send(Control::Pause).unwrap();
        tokio::time::sleep(MS(100)).await;
        control.send(Control::Stop).unwrap();
    };
    let ((ran, _, took), ()) = tokio::join!(stage.run_under(listener), order);
    assert_eq!(ran.ending, Ending::Cancelled);
    assert!(took < MS(400) + SLACK, "{took:?}");
}

#[tokio::test]
async fn the_guard_killed_by_9_leaves_leader_session_and_tagged_dead() {
    let stage = Stage::new(
        "session stubborn\nbare stubborn\norphan stubborn\nignore TERM\nmark up\nsay half\nhang",
    )
    .script("stubborn", "ignore TERM\nmark up\nhang");
    let murder = async {
        stage.until("all four", |stage| stage.ledger("marks") == "up\nup\nup\nup\n").await;
        kill_process(stage.guard().unwrap(), Signal::KILL).unwrap();
    };
    let ((ran, printed, took), ()) = tokio::join!(stage.run(), murder);
    assert_eq!(ran.ending, Ending::GuardLost);
    assert_eq!(printed.stdout, b"half\n");
    assert!(ran.survivors_killed >= 4, "{ran:?}");
    assert!(took < MS(4000), "{took:?}");
}

#[tokio::test]
async fn a_guard_that_hangs_is_killed_by_the_second_clock() {
    let stage = Stage::new("mark up\nhang").limits(|limits| {
        limits.timeout = MS(200);
        limits.grace = MS(100);
        limits.drain = MS(100);
    });
    let freeze = async {
        stage.until_marked("up").await;
        kill_process(stage.guard().unwrap(), Signal::STOP).unwrap();
    };
    let ((ran, _, took), ()) = tokio::join!(stage.run(), freeze);
    assert_eq!(ran.ending, Ending::TimedOut);
    assert!(took < MS(2400) + SLACK, "{took:?}");
}

#[tokio::test]
async fn a_guard_that_is_told_to_end_ends_the_program() {
    let stage = Stage::new("mark up\nhang");
    let tell = async {
        stage.until_marked("up").await;
        kill_process(stage.guard().unwrap(), Signal::TERM).unwrap();
    };
    let ((ran, ..), ()) = tokio::join!(stage.run(), tell);
    assert_eq!(ran.ending, Ending::Cancelled);
}

#[tokio::test]
async fn a_guard_that_is_none_is_an_ending() {
    for guard in ["/no/such/guard", "/bin/true", "/bin/cat"] {
        let mut stage = Stage::new("");
        stage.spec.guard = guard.into();
        let (ran, ..) = stage.run().await;
        let fine = matches!(ran.ending, Ending::SpawnFailed { .. } | Ending::GuardLost);
        assert!(fine, "{guard}: {ran:?}");
    }
}

#[tokio::test]
async fn two_calls_at_once_do_not_sweep_each_other() {
    let long =
        Stage::new("session quiet\nmark up\nsleep 0.6\nsay long").script("quiet", "mark up\nhang");
    let short = async {
        long.until("both", |stage| stage.ledger("marks") == "up\nup\n").await;
        let (ran, ..) = Stage::new("session quiet").script("quiet", "hang").run().await;
        assert_eq!(ran.ending, Ending::Exited { code: 0 });
    };
    let ((ran, printed, _), ()) = tokio::join!(long.run(), short);
    assert_eq!(
        (ran.ending, printed.stdout.as_slice()),
        (Ending::Exited { code: 0 }, &b"long\n"[..])
    );
}

#[tokio::test]
async fn a_hundred_runs_at_once_all_end_as_they_should() {
    let stages: Vec<Stage> = (0..100)
        .map(|at| Stage::new(&format!("say {at}\nexit {at}")).limits(|it| it.timeout = MS(20_000)))
        .collect();
    let runs = stages.iter().map(|stage| async {
        let (_control, listener) = watch::channel(Control::Run);
        let mut printed = Printed::default();
        let ran = debate_agent::process::run(&stage.spec, listener, &mut printed).await;
        (ran, printed)
    });
    let ended = futures_util::future::join_all(runs).await;
    for (at, (ran, printed)) in ended.iter().enumerate() {
        assert_eq!(ran.ending, Ending::Exited { code: i32::try_from(at).unwrap() });
        assert_eq!(printed.stdout, format!("{at}\n").into_bytes());
    }
    assert!(stages.iter().all(|stage| stage.alive().is_empty()));
}
