//! The fakes as programs: they speak the vendors' envelopes, refuse the options that the real CLIs refuse, and keep
//! their ledger. Their output is parsed by the real readers.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use debate_agent::agent::envelope;
use debate_agent::agent::profile;
use debate_agent::agent::roster::Agent;
use debate_agent::config::agents::ProfileName;
use debate_agent::process::Ending;

const CLIS: [(ProfileName, &str); 3] = [
    (ProfileName::Claude, "claude"),
    (ProfileName::Codex, "codex"),
    (ProfileName::Gemini, "gemini"),
];

struct World {
    dir: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["call/work", "call/tmp", ".fake/scenario"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        Self { dir }
    }
    fn scenario(&self, name: &str, text: &str) {
        fs::write(self.dir.path().join(".fake/scenario").join(name), text).unwrap();
    }
    #[expect(clippy::disallowed_methods, reason = "the fakes themselves are under test here")]
    fn command(&self, cli: &str) -> Command {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/bin").join(cli);
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
    fn give(command: &mut Command, stdin: &[u8]) -> Output {
        let mut child = command.spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        // A program that refuses its flags does not read its input.
        pipe.write_all(stdin).ok();
        drop(pipe);
        child.wait_with_output().unwrap()
    }
    /// Calls a fake as the profile calls the real CLI, and parses its output as the profile does.
    fn call(&self, profile: ProfileName, cli: &str, prompt: &str) -> envelope::Envelope {
        let agent = agent(profile, cli);
        let dir = self.dir.path().join("call");
        let env = std::collections::BTreeMap::from([
            ("HOME".to_owned(), self.dir.path().display().to_string()),
            ("PATH".to_owned(), "/usr/bin:/bin".to_owned()),
        ]);
        let prepared = profile::prepare(&agent, "SYSTEM", prompt, &dir, &env);
        for (path, text) in &prepared.files {
            fs::write(path, text).unwrap();
        }
        let mut command = self.command(cli);
        command.args(&prepared.args).env_clear().envs(&prepared.env).current_dir(&prepared.cwd);
        let output = Self::give(&mut command, &prepared.stdin);
        let ending = Ending::Exited { code: output.status.code().unwrap() };
        envelope::read(&agent, &output.stdout, &output.stderr, &ending, &["CRITIC_RANKINGS"])
    }
    fn ledger(&self) -> Vec<PathBuf> {
        let mut calls: Vec<PathBuf> = fs::read_dir(self.dir.path().join(".fake/ledger"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        calls.sort();
        calls
    }
}

fn agent(profile: ProfileName, cli: &str) -> Agent {
    Agent {
        name: cli.to_owned(),
        profile,
        args: Vec::new(),
        ..Agent::rehearsal("critic", Path::new("/bin/true"))
    }
}

const PROMPT: &str = "[{\"opportunity_id\": \"a-1\"}, {\"opportunity_id\":\"b \\\"2\\\"\"}]\n\nturn: r1/critic\n\nContract\n\n<<<CRITIC_RANKINGS_START>>>\n<<<CRITIC_RANKINGS_END>>>\n";

fn class(envelope: &envelope::Envelope) -> &'static str {
    envelope.failure.as_ref().map_or("answered", |failure| failure.class.name())
}

#[test]
fn each_fake_answers_a_profile_s_own_call_from_what_the_prompt_holds() {
    for (profile, cli) in CLIS {
        let world = World::new();
        let envelope = world.call(profile, cli, PROMPT);
        assert_eq!(class(&envelope), "answered", "{cli}: {envelope:?}");
        let answer = String::from_utf8(envelope.answer.unwrap()).unwrap();
        assert!(answer.contains("[\"a-1\", \"b \\\"2\\\"\"]"), "{cli}: {answer}");
        let call = &world.ledger()[0];
        assert!(call.ends_with(format!("0001-{cli}-r1_critic")), "{call:?}");
        assert_eq!(fs::read_to_string(call.join("stdin")).unwrap(), PROMPT);
        assert_eq!(fs::read_to_string(call.join("system")).unwrap(), "SYSTEM");
        assert_eq!(fs::read_to_string(call.join("exit")).unwrap().trim(), "0");
        let cwd = fs::read_to_string(call.join("cwd")).unwrap();
        assert!(cwd.trim().ends_with("call/work"), "{cwd}");
    }
}

#[test]
fn errors_come_in_the_vendor_s_own_envelope() {
    for (profile, cli) in CLIS {
        for (error, expected) in [
            ("not_logged_in", "not_logged_in"),
            ("rate_limited", "rate_limited"),
            ("unknown_model", "unknown_model"),
            ("overloaded", "overloaded"),
            ("prompt_too_long", "context_too_long"),
            ("credit", "quota_exhausted"),
            ("empty", "empty_reply"),
            ("limit_text", "quota_exhausted"),
        ] {
            let world = World::new();
            world.scenario("r1_critic.json", &format!("{{\"error\": \"{error}\"}}"));
            let envelope = world.call(profile, cli, PROMPT);
            assert_eq!(class(&envelope), expected, "{cli} {error}: {envelope:?}");
        }
    }
}

#[test]
fn successive_attempts_of_a_turn_get_their_own_answers() {
    let world = World::new();
    world.scenario("r1_critic.1.txt", "one\n\\ \"two\"\t\u{1b}[31m");
    world.scenario("r1_critic.txt", "later");
    world.scenario("r1_critic.2.sh", "emit; echo broken >&2; exit 3");
    let answers: Vec<_> =
        (0..3).map(|_| world.call(ProfileName::Claude, "claude", PROMPT)).collect();
    let text = |index: usize| String::from_utf8(answers[index].answer.clone().unwrap()).unwrap();
    assert_eq!(text(0), "one\n\\ \"two\"\t\u{1b}[31m");
    assert_eq!((text(1).as_str(), class(&answers[1])), ("later", "crashed"));
    assert_eq!((text(2).as_str(), class(&answers[2])), ("later", "answered"));
    assert_eq!(world.ledger().len(), 3);
}

#[test]
fn calls_at_the_same_time_get_numbers_of_their_own() {
    let world = World::new();
    fs::write(world.dir.path().join(".fake/delay"), "0.2").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let mut command = world.command("claude");
                command.args(["-p", "--output-format", "json"]);
                World::give(&mut command, PROMPT.as_bytes());
            });
        }
    });
    assert_eq!(world.ledger().len(), 6);
}

#[test]
fn an_unknown_flag_is_refused_as_the_vendor_does() {
    for (_, cli) in CLIS {
        let world = World::new();
        let mut command = world.command(cli);
        if cli == "codex" {
            command.arg("exec");
        }
        let output = World::give(command.arg("--no-such-flag"), b"x");
        assert_ne!(output.status.code(), Some(0));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("--no-such-flag"), "{cli}: {said}");
    }
}

#[test]
fn the_probes_find_version_login_and_every_flag_in_the_help() {
    for (profile, cli) in CLIS {
        let world = World::new();
        let probes = profile.profile().probes;
        let run = |args: &[&str]| World::give(world.command(cli).args(args), b"");
        let version = String::from_utf8(run(probes.version_args).stdout).unwrap();
        assert!(version.contains(probes.measured), "{cli}: {version}");
        let help = String::from_utf8(run(probes.help_args).stdout).unwrap();
        for flag in probes.flags {
            assert!(help.contains(flag), "{cli}: {flag}");
        }
        if !probes.login_args.is_empty() {
            assert!(run(probes.login_args).status.success());
            fs::write(world.dir.path().join(".fake/logged_out"), "").unwrap();
            assert!(!run(probes.login_args).status.success());
        }
        assert!(world.ledger().is_empty(), "a probe is no call");
    }
}

#[test]
fn the_fakes_can_be_run() {
    for name in ["claude", "codex", "gemini", "fake-agent"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/bin").join(name);
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o111, 0o111, "{name}");
    }
}
