//! Quotas of subscriptions, as a CLI reports them: shown, remembered, and kept.

use crate::support::reviews::agreeing;

/// Says how much of claude's five hours is used after a turn.
fn used(share: &str) -> String {
    format!(r#"{{"quota": {share}}}"#)
}

#[test]
fn what_a_cli_reports_of_its_quota_is_in_the_result_and_known_to_the_next_command() {
    let sandbox =
        agreeing().fake("r1_review_s2.json", &used("0.41")).fake("r2_cross_s2.json", &used("0.43"));
    let run = sandbox.run(&["review", "--json"]);
    let quotas = &run.exits(1).json()["cost"]["quotas"];
    let five = &quotas[0]["windows"][0];
    assert_eq!((&quotas[0]["agent"], &five["window"]), (&"claude".into(), &"5 h".into()));
    assert_eq!((&five["used_percent"], &five["before_percent"]), (&43.into(), &41.into()));
    // What is not known is said to be so.
    assert_eq!(quotas[1], serde_json::json!({"agent": "codex", "windows": []}));
    let line = "claude: 5 h 43% used (2% by this session), week 12% used";
    assert!(run.stderr.contains(line), "{}", run.stderr);
    let watched = sandbox.run(&["sessions", "watch", "@last"]);
    watched.exits(1).prints(line).prints("codex: its CLI does not report it");
    sandbox.run(&["review", "--dry-run"]).exits(0).prints("Last known of claude: 5 h 43% used");
    let doctor = sandbox.run(&["doctor", "--json"]).json();
    let claude = doctor["agents"].as_array().unwrap().iter().find(|one| one["name"] == "claude");
    let checks = claude.unwrap()["checks"].as_array().unwrap();
    assert!(checks.iter().any(|check| check["what"] == "quota"), "{checks:#?}");
}

#[test]
fn who_keeps_a_part_of_a_quota_is_asked_nothing_beyond_it_and_can_go_on_later() {
    let sandbox = agreeing().fake("r1_review_s2.json", &used("0.91"));
    let own = sandbox.home().join(".config/debate-agent/config.json");
    std::fs::create_dir_all(own.parent().unwrap()).unwrap();
    std::fs::write(own, r#"{"limits": {"keep_quota_percent": 10}}"#).unwrap();
    let run = sandbox.run(&["review"]);
    run.exits(4).prints("less of a quota is left than `limits.keep_quota_percent` keeps");
    run.prints("sessions resume");
    let why = "claude: 91% of its 5 h quota is used, and `limits.keep_quota_percent` keeps 10%";
    assert!(run.stderr.contains(why), "{}", run.stderr);
    assert_eq!(sandbox.asked("r2/cross/s2"), 0);
    let id = sandbox.sessions()[0].file_name().unwrap().to_str().unwrap().to_owned();
    // Nor by another command of this user, before anything is paid.
    let calls = sandbox.calls().len();
    sandbox.run(&["review"]).exits(4).says(why).says("keep_quota_percent=0");
    sandbox.run(&["run", "claude", "hello"]).exits(4).says(why);
    assert_eq!(sandbox.calls().len(), calls);
    sandbox.run(&["sessions", "resume", &id, "--set", "limits.keep_quota_percent=5"]).exits(1);
    assert_eq!((sandbox.asked("r1/review/s2"), sandbox.asked("r2/cross/s2")), (1, 1));
}

#[test]
fn the_same_report_is_said_once_and_a_quota_that_cannot_be_kept_is_a_warning() {
    let sandbox =
        agreeing().fake("r1_review_s2.json", &used("0.41")).fake("r2_cross_s2.json", &used("0.41"));
    let run = sandbox.run(&["review", "--set", "limits.keep_quota_percent=10"]);
    let said = run.exits(1).stderr.matches("claude: 5 h 41% used").count();
    assert_eq!(said, 1, "{}", run.stderr);
    run.prints("codex: its CLI reported no quota, so `limits.keep_quota_percent` cannot hold");
}
