//! Process faults: real programs that misbehave, under the real guard. Each test bears the number of its fault in the
//! plan, and each run ends with a look for survivors.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use debate_agent::process::{Control, Ending};
use tokio::sync::watch;

use crate::support::process::{DAEMON, Stage};

const MS: fn(u64) -> Duration = Duration::from_millis;

/// Slack for a shared machine.
const SLACK: Duration = Duration::from_secs(1);

#[tokio::test]
async fn f01_a_missing_program_is_not_found() {
    let stage = Stage::new("").program("/no/such/program", &[]);
    let (ran, ..) = stage.run().await;
    let Ending::SpawnFailed { not_found, message } = ran.ending else { panic!("{:?}", ran.ending) };
    assert!(not_found);
    assert!(message.contains("/no/such/program"), "{message}");
}

#[tokio::test]
async fn f02_what_cannot_be_executed_says_why() {
    let stage = Stage::new("");
    let file = stage.path().join("file");
    let shebang = |text: &str, mode: u32| {
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
    };
    let stage = stage.program(&file, &[]);
    for (text, mode, word) in [
        ("#!/bin/sh\n", 0o600, "ermission"),
        ("\x7fELF, not", 0o700, "format"),
        ("#!/no/such/shell\n", 0o700, "interpreter"),
    ] {
        shebang(text, mode);
        let (ran, ..) = stage.run().await;
        let Ending::SpawnFailed { not_found, message } = ran.ending else {
            panic!("{text:?}: {:?}", ran.ending)
        };
        assert!(!not_found, "{text:?}");
        assert!(message.contains(word), "{text:?}: {message}");
    }
}

#[tokio::test]
async fn f02_a_missing_working_directory_is_not_a_missing_program() {
    let mut stage = Stage::new("");
    stage.spec.cwd = "/no/such/folder".into();
    let (ran, ..) = stage.run().await;
    let Ending::SpawnFailed { not_found, message } = ran.ending else { panic!("{:?}", ran.ending) };
    assert!(!not_found && message.contains("/no/such/folder"), "{message}");
}

#[tokio::test]
async fn f03_exit_code_and_both_outputs_arrive() {
    let stage = Stage::new("say out\ncomplain broken\nraw '\\377\\000'\nexit 3");
    let (ran, printed, _) = stage.run().await;
    assert_eq!(ran.ending, Ending::Exited { code: 3 });
    assert_eq!(printed.stdout, b"out\n\xff\0");
    assert_eq!(printed.stderr, b"broken\n");
    assert_eq!((ran.stdout_seen, ran.survivors_killed), (6, 0));
    assert!(!ran.leaked_output);
}

#[tokio::test]
async fn f03_an_exit_code_like_a_signal_is_an_exit_code() {
    let (ran, ..) = Stage::new("exit 139").run().await;
    assert_eq!(ran.ending, Ending::Exited { code: 139 });
}

#[tokio::test]
async fn f04_death_by_signal_is_a_signal() {
    for (name, number) in [("SEGV", 11), ("KILL", 9), ("TERM", 15)] {
        let (ran, ..) = Stage::new(&format!("die_by {name}")).run().await;
        assert_eq!(ran.ending, Ending::Signaled { signal: number }, "{name}");
    }
}

#[tokio::test]
async fn f05_one_that_never_ends_is_timed_out() {
    let stage = Stage::new("hang").limits(|limits| limits.timeout = MS(200));
    let (ran, _, took) = stage.run().await;
    assert_eq!(ran.ending, Ending::TimedOut);
    assert!(took >= MS(200) && took < MS(200) + stage.spec.limits.grace + SLACK, "{took:?}");
    assert!(ran.took >= MS(200) && ran.took <= took, "{ran:?}");
}

#[tokio::test]
async fn f05_a_stalled_owner_extends_no_run() {
    let stage = Stage::new("hang").limits(|limits| limits.timeout = MS(150));
    let (_control, listener) = watch::channel(Control::Run);
    let run = stage.run_under(listener);
    let stall = async {
        stage.until("the program", |stage| !stage.alive().is_empty()).await;
        // The runtime makes no progress in the meantime.
        std::thread::sleep(MS(900));
        assert_eq!(stage.alive(), Vec::<String>::new());
    };
    let ((ran, ..), ()) = tokio::join!(run, stall);
    assert_eq!(ran.ending, Ending::TimedOut);
    assert!(ran.took < MS(850), "{ran:?}");
}

#[tokio::test]
async fn f06_one_that_ignores_term_is_killed_when_the_grace_is_over() {
    let stage = Stage::new("ignore TERM\nhang").limits(|limits| limits.timeout = MS(200));
    let (ran, _, took) = stage.run().await;
    assert_eq!(ran.ending, Ending::TimedOut);
    let kill_at = MS(200) + stage.spec.limits.grace;
    assert!(took >= kill_at && took < kill_at + SLACK, "{took:?}");
}

#[tokio::test]
async fn f07_a_child_in_the_group_does_not_outlive_the_call() {
    let stage = Stage::new("child quiet\nsleep 0.1\nsay done")
        .script("quiet", "close_outputs\nmark up\nhang");
    let (ran, printed, took) = stage.run().await;
    assert_eq!(ran.ending, Ending::Exited { code: 0 });
    assert_eq!(printed.stdout, b"done\n");
    assert!(ran.survivors_killed >= 1, "{ran:?}");
    // If the holder of an output cannot be seen, any survivor may be one.
    assert_eq!(ran.leaked_output, cfg!(portable));
    assert!(took < SLACK, "holds no output, so nobody waits for it: {took:?}");
    assert_eq!(stage.ledger("marks"), "up\n");
}

#[tokio::test]
async fn f08_a_child_that_holds_stdout_is_cut_after_the_drain_window() {
    let stage = Stage::new("child holder\nsay answer").script("holder", "hang");
    let (ran, printed, took) = stage.run().await;
    assert_eq!(ran.ending, Ending::Exited { code: 0 });
    assert_eq!(printed.stdout, b"answer\n");
    assert!(ran.leaked_output && ran.survivors_killed >= 1, "{ran:?}");
    assert!(took >= MS(300) && took < MS(300) + SLACK, "{took:?}");
}

#[tokio::test]
async fn f08_a_launchers_child_may_finish_its_answer_in_the_drain_window() {
    let stage = Stage::new("child writer\nexit 0").script("writer", "sleep 0.1\nsay late");
    let (ran, printed, _) = stage.limits(|limits| limits.drain = MS(5000)).run().await;
    assert_eq!(printed.stdout, b"late\n");
    assert_eq!((ran.survivors_killed, ran.leaked_output), (0, false));
}

#[tokio::test]
async fn f09_a_child_that_ignores_term_dies_after_a_leader_that_obeys() {
    let stage = Stage::new("child stubborn\nsession stubborn\nhang")
        .script("stubborn", "ignore TERM HUP\nmark up\nhang")
        .limits(|limits| limits.timeout = MS(300));
    let (ran, _, took) = stage.run().await;
    assert_eq!(ran.ending, Ending::TimedOut);
    assert!(ran.survivors_killed >= 2, "{ran:?}");
    assert!(took < MS(600) + SLACK, "{took:?}");
    assert_eq!(stage.ledger("marks"), "up\nup\n");
}

#[tokio::test]
async fn f10_one_that_never_reads_its_prompt_blocks_nobody() {
    let stage = Stage::new("say hello\nhang")
        .stdin(vec![b'x'; 1 << 20])
        .limits(|limits| limits.timeout = MS(200));
    let (ran, printed, took) = stage.run().await;
    assert_eq!(ran.ending, Ending::TimedOut);
    assert_eq!(printed.stdout, b"hello\n");
    assert!(took < MS(500) + SLACK, "{took:?}");
}

#[tokio::test]
async fn f11_closing_stdin_early_is_no_failure() {
    let stage = Stage::new("close_stdin\nsleep 0.1\nsay answer").stdin(vec![b'x'; 1 << 20]);
    let (ran, printed, _) = stage.run().await;
    assert_eq!(ran.ending, Ending::Exited { code: 0 });
    assert_eq!(printed.stdout, b"answer\n");
}

#[tokio::test]
async fn f12_a_megabyte_of_stderr_first_blocks_nobody_and_is_capped() {
    let stage =
        Stage::new("error_bytes 1048576\nsay answer").limits(|limits| limits.stderr_bytes = 1000);
    let (ran, printed, _) = stage.run().await;
    assert_eq!(ran.ending, Ending::Exited { code: 0 });
    assert_eq!((printed.stdout.as_slice(), printed.stderr.len()), (&b"answer\n"[..], 1000));
}

#[tokio::test]
async fn f13_the_program_gets_the_exact_prompt_and_its_end() {
    let prompt: Vec<u8> = (0..3_000_000_u32).map(|at| (at % 251) as u8).collect();
    let stage = Stage::new("read_stdin").stdin(prompt.clone());
    let (ran, ..) = stage.run().await;
    assert_eq!(ran.ending, Ending::Exited { code: 0 });
    assert!(fs::read(stage.path().join("ledger/stdin")).unwrap() == prompt);
    let empty = Stage::new("read_stdin\nsay end");
    assert_eq!(empty.run().await.1.stdout, b"end\n");
}

#[tokio::test]
async fn f14_endless_output_ends_at_the_cap() {
    let stage = Stage::new("flood").limits(|limits| limits.stdout_bytes = 100_000);
    let (ran, printed, took) = stage.run().await;
    assert_eq!(ran.ending, Ending::OutputLimit);
    assert_eq!(printed.stdout.len(), 100_000);
    assert!(ran.stdout_seen > 100_000);
    assert!(took < SLACK, "{took:?}");
}

#[tokio::test]
async fn f14_too_much_output_is_never_an_ordinary_end() {
    let stage = Stage::new("bytes 3000").limits(|limits| limits.stdout_bytes = 2999);
    assert_eq!(stage.run().await.0.ending, Ending::OutputLimit);
    let stage = Stage::new("bytes 3000").limits(|limits| limits.stdout_bytes = 3000);
    assert_eq!(stage.run().await.0.ending, Ending::Exited { code: 0 });
}

#[tokio::test]
async fn f14_an_endless_stderr_hides_no_stop() {
    let stage = Stage::new("exec 1>&2\nmark up\nflood");
    let (control, listener) = watch::channel(Control::Run);
    let stop = async {
        stage.until_marked("up").await;
        control.send(Control::Stop).unwrap();
    };
    let ((ran, ..), ()) = tokio::join!(stage.run_under(listener), stop);
    assert_eq!(ran.ending, Ending::Cancelled);
}

#[tokio::test]
async fn f15_there_is_no_terminal_to_open() {
    let stage = Stage::new("open_terminal\nexit 5");
    let (ran, _, took) = stage.run().await;
    assert_eq!(ran.ending, Ending::Exited { code: 5 });
    assert_eq!(stage.ledger("marks"), "tty refused\n");
    assert!(took < SLACK, "{took:?}");
}

#[tokio::test]
async fn f16_one_that_stopped_itself_is_ended() {
    let stage = Stage::new("trap 'mark asked; exit 0' TERM\nstop_itself\nhang")
        .limits(|limits| limits.timeout = MS(200));
    let (ran, _, took) = stage.run().await;
    assert_eq!(ran.ending, Ending::TimedOut);
    assert_eq!(stage.ledger("marks"), "asked\n", "it went on to take its TERM");
    assert!(took < MS(500) + SLACK, "{took:?}");
}

#[tokio::test]
async fn f17_a_drip_extends_neither_the_time_nor_the_silence() {
    let stage = Stage::new("drip 0.02").limits(|limits| {
        limits.timeout = MS(400);
        limits.idle = Some(MS(200));
    });
    let (ran, printed, _) = stage.run().await;
    assert_eq!(ran.ending, Ending::TimedOut);
    assert!(printed.stdout.len() > 2);
}

#[tokio::test]
async fn f17_silence_is_ended_at_the_idle_limit() {
    let stage = Stage::new("say answer\nhang").limits(|limits| limits.idle = Some(MS(200)));
    let (ran, printed, took) = stage.run().await;
    assert_eq!(ran.ending, Ending::Idle);
    assert_eq!(printed.stdout, b"answer\n");
    assert!(took >= MS(200) && took < MS(500) + SLACK, "{took:?}");
}

#[tokio::test]
async fn f18_a_busy_program_file_is_tried_again() {
    let stage = Stage::new("");
    let file = stage.path().join("busy");
    fs::write(&file, "#!/bin/sh\necho started\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o700)).unwrap();
    let stage = stage.program(&file, &[]);
    let writer = fs::OpenOptions::new().append(true).open(&file).unwrap();
    let release = async {
        tokio::time::sleep(MS(100)).await;
        drop(writer);
    };
    let ((ran, printed, _), ()) = tokio::join!(stage.run(), release);
    assert_eq!(ran.ending, Ending::Exited { code: 0 });
    assert_eq!(printed.stdout, b"started\n");
}

#[tokio::test]
async fn f18_a_file_that_stays_busy_is_given_up() {
    let stage = Stage::new("");
    let file = stage.path().join("busy");
    fs::write(&file, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o700)).unwrap();
    let _writer = fs::OpenOptions::new().append(true).open(&file).unwrap();
    let (ran, _, took) = stage.program(&file, &[]).run().await;
    assert!(matches!(ran.ending, Ending::SpawnFailed { not_found: false, .. }), "{ran:?}");
    assert!(took < MS(3000), "{took:?}");
}

#[tokio::test]
async fn p10_daemons_die_whatever_they_shed() {
    let script = "stubborn\nsession stubborn\nchild stubborn\nsleep 0.2\nsay answer";
    let stage = Stage::new(&format!("{DAEMON} {script}"))
        .script("stubborn", "ignore TERM HUP INT\nmark up\nclose_outputs\nhang");
    let (ran, printed, _) = stage.run().await;
    assert_eq!(ran.ending, Ending::Exited { code: 0 });
    assert_eq!(printed.stdout, b"answer\n");
    assert_eq!(stage.ledger("marks"), "up\nup\nup\n");
    assert!(ran.survivors_killed >= 3, "{ran:?}");
    assert_eq!(ran.unkillable, 0);
}

#[tokio::test]
async fn p10_a_run_that_was_dropped_is_ended() {
    let stage = Stage::new(&format!("{DAEMON} stubborn\nignore TERM\nmark up\nhang"))
        .script("stubborn", "ignore TERM\nmark up\nhang");
    {
        let run = stage.run();
        tokio::select! {
            _ = run => panic!("it hangs"),
            () = stage.until("both", |stage| stage.ledger("marks") == "up\nup\n") => {}
        }
    }
    let dropped = Instant::now();
    stage.until("the end", |stage| stage.alive().is_empty()).await;
    assert!(dropped.elapsed() < stage.spec.limits.grace + SLACK);
}

#[tokio::test]
async fn an_answer_before_a_hang_is_kept_and_the_end_is_a_timeout() {
    let stage = Stage::new("say answer\nhang").limits(|limits| limits.timeout = MS(200));
    let (ran, printed, _) = stage.run().await;
    assert_eq!((ran.ending, printed.stdout.as_slice()), (Ending::TimedOut, &b"answer\n"[..]));
}

#[tokio::test]
async fn outputs_closed_early_do_not_end_the_run() {
    let stage = Stage::new("say answer\nclose_outputs\nsleep 0.2\nexit 7");
    let (ran, printed, took) = stage.run().await;
    assert_eq!(
        (ran.ending, printed.stdout.as_slice()),
        (Ending::Exited { code: 7 }, &b"answer\n"[..])
    );
    assert!(took >= MS(200), "{took:?}");
}
