//! Every row of the vendors' error tables, with the samples in `fixtures/envelopes`.

use std::path::Path;

use super::*;
use crate::agent::roster::Agent;
use crate::config::agents::{OutputConfig, ProfileName};
use crate::kernel::Usd;

fn agent(profile: ProfileName) -> Agent {
    Agent { name: "a".to_owned(), profile, ..Agent::rehearsal("critic", Path::new("/bin/true")) }
}

/// Noon of a Friday, an hour east of Greenwich.
fn noon() -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339("2026-11-27T12:00:00+01:00").unwrap()
}

fn read(agent: &Agent, stdout: &[u8], stderr: &[u8], ending: &Ending, blocks: &[&str]) -> Envelope {
    super::read(agent, stdout, stderr, ending, blocks, noon())
}

fn sample(cli: &str, case: &str) -> (Vec<u8>, Vec<u8>, i32) {
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/envelopes");
    let file = |extension: &str| std::fs::read(base.join(cli).join(format!("{case}.{extension}")));
    let code = String::from_utf8(file("code").unwrap()).unwrap();
    (file("out").unwrap(), file("err").unwrap_or_default(), code.trim().parse().unwrap())
}

fn read_sample(profile: ProfileName, cli: &str, case: &str) -> Envelope {
    let (out, err, code) = sample(cli, case);
    read(&agent(profile), &out, &err, &Ending::Exited { code }, &["CRITIC_RANKINGS"])
}

fn class(envelope: &Envelope) -> &'static str {
    envelope.failure.as_ref().map_or("answered", |failure| failure.class.name())
}

/// A request that was refused before any work costs nothing. An interrupted one is not free: a model may have been
/// working.
const FREE: [&str; 8] = [
    "not_logged_in",
    "bad_key",
    "unknown_model",
    "rate_limited",
    "server_error",
    "overloaded",
    "unavailable",
    "credit",
];

#[test]
fn claude_cases_end_as_what_they_are() {
    for (case, expected) in [
        ("ok", "answered"),
        ("ok.stream", "answered"),
        ("array", "answered"),
        ("not_logged_in", "not_logged_in"),
        ("bad_key", "not_logged_in"),
        ("unknown_model", "unknown_model"),
        ("rate_limited", "rate_limited"),
        ("server_error", "overloaded"),
        ("overloaded", "overloaded"),
        ("prompt_too_long", "context_too_long"),
        ("credit", "quota_exhausted"),
        ("connection", "overloaded"),
        ("request_timeout", "overloaded"),
        ("cut", "output_limit"),
        ("budget", "quota_exhausted"),
        ("max_turns", "refused_by_policy"),
        ("interrupted", "crashed"),
        ("empty", "empty_reply"),
        ("slash", "empty_reply"),
        ("limit_text", "quota_exhausted"),
    ] {
        let envelope = read_sample(ProfileName::Claude, "claude", case);
        assert_eq!(class(&envelope), expected, "{case}: {envelope:?}");
        assert_eq!(envelope.refused, FREE.contains(&case), "{case}: {envelope:?}");
        if expected == "answered" {
            assert_eq!(envelope.answer.as_deref(), Some(&b"The final message."[..]));
            assert_eq!(envelope.cost, Some(Usd::from_micros(10_000)));
            assert_eq!(envelope.model.as_deref(), Some("claude-opus-5-5"));
            assert_eq!(envelope.usage.unwrap().input, 1000);
        }
    }
}

#[test]
fn a_subscription_says_how_much_of_its_windows_is_used() {
    let envelope = read_sample(ProfileName::Claude, "claude", "quota");
    let windows = envelope.quota.iter();
    let used: Vec<_> = windows.map(|window| (&*window.window, window.used_percent)).collect();
    assert_eq!(used, [("5 h", 41), ("week", 12)]);
    assert_eq!(envelope.quota[0].resets_at.timestamp(), 1_795_866_078);
    for (wrong, right) in [("0.41", "-1"), ("0.41", "\"x\""), ("1795866078", "1e99")] {
        let (out, err, _) = sample("claude", "quota");
        let out = String::from_utf8(out).unwrap().replace(wrong, right);
        let ending = Ending::Exited { code: 0 };
        let envelope = read(&agent(ProfileName::Claude), out.as_bytes(), &err, &ending, &[]);
        assert_eq!(envelope.quota.len(), 1, "{right}");
    }
    assert_eq!(read_sample(ProfileName::Claude, "claude", "ok.stream").quota, []);
}

#[test]
fn codex_cases_end_as_what_they_are() {
    for (case, expected) in [
        ("ok", "answered"),
        ("warning", "answered"),
        ("not_logged_in", "not_logged_in"),
        ("unknown_model", "unknown_model"),
        ("rate_limited", "rate_limited"),
        ("server_error", "overloaded"),
        ("overloaded", "overloaded"),
        ("unavailable", "overloaded"),
        ("prompt_too_long", "context_too_long"),
        ("credit", "quota_exhausted"),
        ("cut", "output_limit"),
        ("empty", "empty_reply"),
        ("limit_text", "quota_exhausted"),
    ] {
        let envelope = read_sample(ProfileName::Codex, "codex", case);
        assert_eq!(class(&envelope), expected, "{case}: {envelope:?}");
        assert_eq!(envelope.refused, FREE.contains(&case), "{case}: {envelope:?}");
    }
    let cut = read_sample(ProfileName::Codex, "codex", "cut");
    assert!(cut.cut && cut.answer.is_some(), "{cut:?}");
}

#[test]
fn gemini_cases_end_as_what_they_are_in_both_formats() {
    for (case, expected) in [
        ("ok", "answered"),
        ("not_logged_in", "not_logged_in"),
        ("bad_key", "not_logged_in"),
        ("unknown_model", "unknown_model"),
        ("rate_limited", "rate_limited"),
        ("credit", "quota_exhausted"),
        ("server_error", "overloaded"),
        ("overloaded", "overloaded"),
        ("cut_stream", "crashed"),
        ("empty", "empty_reply"),
        ("prompt_too_long", "context_too_long"),
        ("silent", "empty_reply"),
    ] {
        for name in [case.to_owned(), format!("{case}.stream")] {
            let envelope = read_sample(ProfileName::Gemini, "gemini", &name);
            assert_eq!(class(&envelope), expected, "{name}: {envelope:?}");
            assert_eq!(envelope.refused, FREE.contains(&case), "{name}: {envelope:?}");
        }
    }
    let limited = read_sample(ProfileName::Gemini, "gemini", "rate_limited").failure.unwrap();
    assert_eq!(limited.class, FailureClass::RateLimited { retry_after: Some(7) });
}

#[test]
fn a_cost_that_is_no_amount_is_noted_and_not_believed() {
    for case in ["cost_-1", "cost_NaN", "cost_1e999", "cost_1e9", "cost_null"] {
        let envelope = read_sample(ProfileName::Claude, "claude", case);
        assert_eq!(envelope.cost, None, "{case}");
        assert_eq!(envelope.notes[0].code, "cost_invalid", "{case}");
        assert_eq!(class(&envelope), "answered", "{case}");
    }
}

#[test]
fn a_whole_answer_counts_whatever_its_ending_unless_it_was_cut_or_the_run_was_stopped() {
    let (out, err, _) = sample("claude", "ok");
    let agent = agent(ProfileName::Claude);
    for (ending, expected) in [
        (Ending::Exited { code: 1 }, "answered"),
        (Ending::Signaled { signal: 11 }, "answered"),
        (Ending::TimedOut, "answered"),
        (Ending::Idle, "answered"),
        (Ending::Lingering, "answered"),
        (Ending::GuardLost, "answered"),
        (Ending::OutputLimit, "output_limit"),
        (Ending::Cancelled, "cancelled"),
    ] {
        let envelope = read(&agent, &out, &err, &ending, &[]);
        assert_eq!(class(&envelope), expected);
        assert!(envelope.answer.is_some());
        let noted = envelope.notes.iter().any(|note| note.code == "bad_ending");
        assert_eq!(noted, expected == "answered", "{ending:?}");
    }
    // Without its last word, an answer may be half of one.
    let half =
        b"{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"x\"}}\n";
    let codex = Agent { profile: ProfileName::Codex, ..agent };
    let half = |ending| class(&read(&codex, half, b"", &ending, &[]));
    assert_eq!(half(Ending::Exited { code: 1 }), "crashed");
    assert_eq!(half(Ending::TimedOut), "timed_out");
}

#[test]
fn a_program_that_never_ran_is_missing_or_not_executable() {
    for (not_found, message, expected) in [
        (true, "No such file or directory", "not_found"),
        (false, "Permission denied", "not_executable"),
        (false, "Resource temporarily unavailable", "crashed"),
    ] {
        let ending = Ending::SpawnFailed { not_found, message: message.to_owned() };
        let envelope = read(&agent(ProfileName::Codex), b"", b"", &ending, &[]);
        assert_eq!(class(&envelope), expected);
    }
}

#[test]
fn every_cut_of_a_good_envelope_is_incomplete_and_no_success() {
    for (profile, cli, case) in [
        (ProfileName::Claude, "claude", "ok"),
        (ProfileName::Claude, "claude", "array"),
        (ProfileName::Claude, "claude", "ok.stream"),
        (ProfileName::Codex, "codex", "ok"),
        (ProfileName::Gemini, "gemini", "ok"),
        (ProfileName::Gemini, "gemini", "ok.stream"),
    ] {
        let (out, _, _) = sample(cli, case);
        let agent = agent(profile);
        assert!(complete(&agent, &out), "{cli} {case}");
        let text = out.trim_ascii_end();
        for end in 0..text.len() {
            assert!(!complete(&agent, &text[..end]), "{cli} {case} at {end}");
            let envelope = read(&agent, &text[..end], b"", &Ending::Exited { code: 0 }, &[]);
            assert!(envelope.failure.is_some(), "{cli} {case} at {end}");
        }
    }
    for case in ["overloaded", "empty", "slash", "budget"] {
        assert!(!complete(&agent(ProfileName::Claude), &sample("claude", case).0), "{case}");
    }
}

#[test]
fn an_answer_about_limits_is_an_answer() {
    let agent = agent(ProfileName::Generic);
    let exited = Ending::Exited { code: 0 };
    for text in [
        "<<<CRITIC_RANKINGS_START>>>\n[\"usage limit reached\"]\n<<<CRITIC_RANKINGS_END>>>",
        "{\"a\": [\"the quota exceeded error is not handled\"]}",
    ] {
        let envelope = read(&agent, text.as_bytes(), b"", &exited, &["CRITIC_RANKINGS"]);
        assert_eq!(class(&envelope), "answered", "{text}");
    }
    let notice = b"You've hit your limit \xc2\xb7 resets 3pm (Europe/Berlin)";
    let envelope = read(&agent, notice, b"", &exited, &["CRITIC_RANKINGS"]);
    assert_eq!(
        envelope.failure.unwrap().class,
        FailureClass::QuotaExhausted {
            resets_at: Some("15:00".to_owned()),
            retry_after: Some(10_800)
        }
    );
}

#[test]
fn an_answer_on_standard_error_is_none() {
    let envelope = read(
        &agent(ProfileName::Generic),
        b" \n",
        b"<<<CRITIC_RANKINGS_START>>>",
        &Ending::Exited { code: 0 },
        &["CRITIC_RANKINGS"],
    );
    assert_eq!((class(&envelope), envelope.answer), ("empty_reply", None));
}

#[test]
fn a_generic_program_is_read_by_its_pointers() {
    let output: OutputConfig = serde_json::from_value(serde_json::json!({
        "format": "jsonl", "text": "/message", "select": { "/type": "final" },
        "cost_usd": "/usd", "input_tokens": "/usage/in", "output_tokens": "/usage/out",
        "error": "/error"
    }))
    .unwrap();
    let agent = Agent { output, ..agent(ProfileName::Generic) };
    let text = b"{\"type\":\"step\",\"message\":\"no\"}\nnoise\n{\"type\":\"final\",\"message\":\"yes\",\"usd\":0.25,\"usage\":{\"in\":7,\"out\":3}}\n";
    let envelope = read(&agent, text, b"", &Ending::Exited { code: 0 }, &[]);
    assert_eq!(envelope.answer.as_deref(), Some(&b"yes"[..]));
    assert_eq!(envelope.cost, Some(Usd::from_micros(250_000)));
    assert_eq!(envelope.usage.map(|usage| (usage.input, usage.output)), Some((7, 3)));
    let text = b"{\"type\":\"final\",\"message\":\"yes\",\"error\":\"broken\"}\n";
    let envelope = read(&agent, text, b"", &Ending::Exited { code: 0 }, &[]);
    assert_eq!(class(&envelope), "crashed");
}

#[test]
fn opencode_and_copilot_and_qwen_are_read_by_data() {
    let with =
        |profile: ProfileName| Agent { output: profile.profile().output(), ..agent(profile) };
    let exited = Ending::Exited { code: 0 };
    let text = b"{\"type\":\"text\",\"part\":{\"text\":\"yes\"}}\n{\"type\":\"step_finish\",\"part\":{\"cost\":0.1,\"tokens\":{\"input\":1,\"output\":2}}}\n{\"type\":\"step_finish\",\"part\":{\"cost\":0.2,\"tokens\":{\"input\":1,\"output\":2}}}\n";
    let envelope = read(&with(ProfileName::Opencode), text, b"", &exited, &[]);
    assert_eq!(envelope.answer.as_deref(), Some(&b"yes"[..]));
    assert_eq!(envelope.cost, Some(Usd::from_micros(300_000)));
    let text =
        b"{\"type\":\"error\",\"error\":{\"data\":{\"message\":\"no\",\"statusCode\":401}}}\n";
    let envelope = read(&with(ProfileName::Opencode), text, b"", &Ending::Exited { code: 1 }, &[]);
    assert_eq!(class(&envelope), "not_logged_in");
    let text = b"{\"type\":\"assistant.message\",\"data\":{\"content\":\"yes\"}}\n{\"type\":\"result\",\"exitCode\":0}\n";
    let envelope = read(&with(ProfileName::Copilot), text, b"", &exited, &[]);
    assert_eq!(envelope.answer.as_deref(), Some(&b"yes"[..]));
    let text = b"[{\"type\":\"system\",\"subtype\":\"init\"},{\"type\":\"result\",\"is_error\":false,\"num_turns\":1,\"result\":\"yes\"}]";
    let envelope = read(&with(ProfileName::Qwen), text, b"", &exited, &[]);
    assert_eq!(envelope.answer.as_deref(), Some(&b"yes"[..]));
}

#[test]
fn a_person_answers_says_nothing_or_is_refused_and_half_a_reply_is_none() {
    use crate::agent::person::PersonReply;
    let person = Agent::human();
    let read = |printed: &[u8], ending: Ending| read(&person, printed, b"", &ending, &["ARGUMENT"]);
    let exited = || Ending::Exited { code: 0 };
    let reply = PersonReply::Reply("You have hit your usage limit.".to_owned()).printed();
    let envelope = read(&reply, exited());
    assert_eq!(class(&envelope), "answered", "no words of a person are a vendor's notice");
    assert_eq!(envelope.answer.unwrap(), b"You have hit your usage limit.");
    for (said, expected) in [
        (PersonReply::Nothing("the input ended".to_owned()), "empty_reply"),
        (PersonReply::Refused("line 3 is no challenge".to_owned()), "unreadable"),
        (PersonReply::Reply(" \n".to_owned()), "empty_reply"),
    ] {
        let envelope = read(&said.printed(), exited());
        assert_eq!(class(&envelope), expected, "{said:?}");
        assert_eq!(envelope.answer, None);
    }
    let failure =
        read(&PersonReply::Nothing("the input ended".to_owned()).printed(), exited()).failure;
    assert_eq!(failure.unwrap().message, "human: the input ended");
    assert_eq!(class(&read(&reply[..reply.len() - 1], exited())), "empty_reply");
    assert_eq!(class(&read(b"", Ending::Cancelled)), "cancelled");
    // Output left by a crash is used only if it is complete.
    assert!(complete(&person, &reply));
    assert!(!complete(&person, &reply[..reply.len() - 1]));
    assert!(!complete(&person, &PersonReply::Nothing(String::new()).printed()));
}

/// The same refusal is not free after a sign of work, or after an interrupted stream.
#[test]
fn a_refusal_after_a_sign_of_work_is_not_free() {
    let claude = |before: &str, tokens: u32| {
        format!(
            r#"{before}
{{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"num_turns":1,"total_cost_usd":0,"usage":{{"input_tokens":{tokens},"output_tokens":0}},"result":"API Error: Request rejected (429)"}}"#
        )
    };
    let retry = |status: &str| {
        format!(r#"{{"type":"system","subtype":"api_retry","attempt":1,"error_status":{status}}}"#)
    };
    let said = |model: &str| {
        format!(r#"{{"type":"assistant","message":{{"model":"{model}","content":[]}}}}"#)
    };
    let codex = |before: &str| {
        format!(
            r#"{{"type":"thread.started","thread_id":"t"}}
{before}
{{"type":"turn.failed","error":{{"message":"exceeded retry limit, last status: 429 Too Many Requests"}}}}"#
        )
    };
    let reconnects =
        |why: &str| format!(r#"{{"type":"error","message":"Reconnecting... 1/5 ({why})"}}"#);
    let item = |kind: &str| {
        format!(r#"{{"type":"item.completed","item":{{"type":"{kind}","text":"x"}}}}"#)
    };
    let gemini = |before: &str| {
        format!(
            r#"{{"type":"init","model":"m"}}
{before}
{{"type":"result","status":"error","error":{{"type":"Error","message":"Resource has been exhausted","code":429}},"stats":{{"models":{{}}}}}}"#
        )
    };
    let cases = [
        (ProfileName::Claude, claude("", 0), 1, true),
        (ProfileName::Claude, claude(&retry("429"), 0), 1, true),
        (ProfileName::Claude, claude(&said("<synthetic>"), 0), 1, true),
        (ProfileName::Claude, claude(&retry("null"), 0), 1, false),
        (ProfileName::Claude, claude(&retry("504"), 0), 1, false),
        (ProfileName::Claude, claude(&said("claude-opus-5-5"), 0), 1, false),
        (ProfileName::Claude, claude("", 7), 1, false),
        (ProfileName::Codex, codex(""), 1, true),
        (
            ProfileName::Codex,
            codex(&reconnects("unexpected status 503 Service Unavailable")),
            1,
            true,
        ),
        (ProfileName::Codex, codex(&item("error")), 1, true),
        (ProfileName::Codex, codex(&reconnects("stream disconnected before completion")), 1, false),
        (ProfileName::Codex, codex(&reconnects("unexpected status 504 Gateway Timeout")), 1, false),
        (ProfileName::Codex, codex(&item("reasoning")), 1, false),
        (ProfileName::Codex, codex(&item("agent_message")), 1, false),
        (ProfileName::Gemini, gemini(""), 173, true),
        (
            ProfileName::Gemini,
            gemini(r#"{"type":"message","role":"assistant","content":"Hm","delta":true}"#),
            173,
            false,
        ),
        (ProfileName::Gemini, gemini(r#"{"type":"tool_use"}"#), 173, false),
        (
            ProfileName::Opencode,
            r#"{"type":"error","error":{"data":{"message":"slow down","statusCode":429}}}"#
                .to_owned(),
            1,
            true,
        ),
        (
            ProfileName::Generic,
            r#"{"type":"error","error":{"data":{"message":"slow down","statusCode":429}}}"#
                .to_owned(),
            1,
            false,
        ),
    ];
    for (profile, stdout, code, refused) in cases {
        let mut agent = agent(profile);
        agent.output = ProfileName::Opencode.profile().output();
        let ended = Ending::Exited { code };
        let envelope = read(&agent, stdout.as_bytes(), b"", &ended, &[]);
        assert_eq!(envelope.refused, refused, "{stdout}: {envelope:?}");
        // After a time-out or a crash, nothing is certain.
        for ending in [Ending::TimedOut, Ending::Signaled { signal: 9 }] {
            assert!(!read(&agent, stdout.as_bytes(), b"", &ending, &[]).refused, "{stdout}");
        }
    }
}

/// Standard error alone proves little: the connection may have broken in the midst of work, and a CLI that prints all at
/// its end has printed nothing yet.
#[test]
fn what_standard_error_says_is_free_only_where_nothing_can_have_begun() {
    let claude = r#"{"type":"system","subtype":"init","model":"m"}"#;
    let codex = r#"{"type":"thread.started","thread_id":"t"}"#;
    for (profile, stdout, stderr, code, free) in [
        (ProfileName::Claude, claude, "API Error: Connection error (ECONNRESET)", 1, false),
        (ProfileName::Codex, codex, "stream disconnected before completion", 1, false),
        (ProfileName::Gemini, r#"{"type":"init"}"#, "fetch failed: ETIMEDOUT", 1, false),
        (ProfileName::Opencode, "", "fetch failed: ETIMEDOUT", 1, false),
        (ProfileName::Qwen, "", "TypeError: end is not a function", 1, false),
        (ProfileName::Qwen, "", "429 Too Many Requests", 1, false),
        (ProfileName::Claude, "", "sh: 4: after: not found", 127, false),
        (ProfileName::Claude, "", "error: unknown option '--tools'", 1, true),
        (ProfileName::Claude, "", "Not logged in · Please run /login", 1, true),
    ] {
        let mut agent = agent(profile);
        agent.output = profile.profile().output();
        let (stdout, stderr) = (stdout.as_bytes(), stderr.as_bytes());
        let envelope = read(&agent, stdout, stderr, &Ending::Exited { code }, &[]);
        assert_eq!(envelope.refused, free, "{profile:?} {envelope:?}");
    }
}

/// A stream in the envelope of each CLI in which the call failed with these words.
fn failed(profile: ProfileName, said: &str) -> Vec<u8> {
    let said = serde_json::Value::from(said);
    let text = match profile {
        ProfileName::Claude => format!(
            r#"{{"type":"result","subtype":"success","is_error":true,"num_turns":1,"result":{said},"total_cost_usd":0,"usage":{{"input_tokens":0,"output_tokens":0}}}}"#
        ),
        ProfileName::Codex => format!(r#"{{"type":"turn.failed","error":{{"message":{said}}}}}"#),
        ProfileName::Gemini => format!(
            r#"{{"type":"result","status":"error","error":{{"type":"Error","message":{said}}},"stats":{{"models":{{}}}}}}"#
        ),
        _ => format!(r#"{{"type":"error","error":{{"data":{{"message":{said}}}}}}}"#),
    };
    text.into_bytes()
}

/// One classifier for all: what a message means does not depend on the CLI that prints it.
#[test]
fn the_same_words_mean_the_same_from_every_cli() {
    for (said, expected) in [
        (
            "Rate limit reached for m on requests per min (RPM): Limit 3. Please try again in 20s.",
            "rate_limited",
        ),
        ("429: Too many tokens, please wait before trying again.", "rate_limited"),
        ("You've hit your session limit. Resets at 18:30", "quota_exhausted"),
        ("Monthly spending limit reached", "quota_exhausted"),
        ("OAuth token revoked. Please run /login", "not_logged_in"),
        ("Your session has expired, please sign in again", "not_logged_in"),
        ("API Error: 401 nope", "not_logged_in"),
        ("the context window of this model is full", "context_too_long"),
        ("fetch failed: ECONNRESET", "overloaded"),
        ("something broke", "crashed"),
    ] {
        for profile in [
            ProfileName::Claude,
            ProfileName::Codex,
            ProfileName::Gemini,
            ProfileName::Opencode,
            ProfileName::Generic,
        ] {
            let mut agent = agent(profile);
            agent.output = ProfileName::Opencode.profile().output();
            let out = failed(profile, said);
            let envelope = read(&agent, &out, b"", &Ending::Exited { code: 1 }, &[]);
            assert_eq!(class(&envelope), expected, "{profile:?} {said}: {envelope:?}");
            let message = envelope.failure.unwrap().message;
            assert!(message.starts_with("a ") || message.starts_with("a:"), "{message}");
            let free = matches!(expected, "rate_limited" | "quota_exhausted" | "not_logged_in");
            assert!(
                envelope.refused == (free && profile != ProfileName::Generic),
                "{profile:?} {said}"
            );
        }
    }
}

/// The reason on standard error is the line that says why, whatever follows it.
#[test]
fn a_program_of_another_age_says_why_it_does_not_start() {
    for (stderr, code, expected, reason) in [
        (
            "error: unrecognized subcommand 'exec'\n\nUsage: codex [OPTIONS]\n",
            2,
            "not_executable",
            "subcommand 'exec'",
        ),
        (
            "error: option '--effort <l>' argument 'max' is invalid. Allowed choices are low.",
            1,
            "not_executable",
            "--effort",
        ),
        (
            "Invalid values:\n  Argument: approval-mode, Given: \"plan\"\n",
            1,
            "not_executable",
            "approval-mode",
        ),
        (
            "x.js:1\n  a ??= b;\n\nReferenceError: File is not defined\n    at x.js\n\nNode.js v18.1.0\n",
            1,
            "not_executable",
            "File is not defined",
        ),
        ("/usr/bin/env: 'node': No such file or directory", 127, "not_executable", "node"),
        ("claude requires Node.js 18 or higher", 1, "not_executable", "requires Node"),
        (
            "a warning\nError: EACCES: permission denied, open '/x'\n    at open\n",
            1,
            "crashed",
            "EACCES",
        ),
        ("Error: 401 Unauthorized, please log in\nbye", 1, "not_logged_in", "please log in"),
        ("", 7, "crashed", "gave no reason"),
    ] {
        for profile in
            [ProfileName::Claude, ProfileName::Codex, ProfileName::Gemini, ProfileName::Generic]
        {
            let envelope =
                read(&agent(profile), b"", stderr.as_bytes(), &Ending::Exited { code }, &[]);
            assert_eq!(class(&envelope), expected, "{profile:?} {stderr}");
            let message = envelope.failure.unwrap().message;
            assert!(message.contains(reason) && !message.contains("Node.js v"), "{message}");
            assert_eq!(
                message.contains("`debate-agent doctor`"),
                expected == "not_executable",
                "{message}"
            );
        }
    }
}

/// Where `result` says less than the last message, the message counts; other messages never do.
#[test]
fn what_the_stream_says_in_full_is_the_answer() {
    let event = |id: &str, text: &str| {
        let text = serde_json::Value::from(text);
        format!(
            r#"{{"type":"assistant","message":{{"id":"{id}","content":[{{"type":"text","text":{text}}}]}}}}"#
        )
    };
    let result = |text: &str| {
        format!(r#"{{"type":"result","is_error":false,"num_turns":1,"result":"{text}"}}"#)
    };
    for (events, said, expected) in [
        (vec![event("1", "a"), event("2", "b"), event("2", "c")], "", "bc"),
        (vec![event("1", "a"), event("2", "b"), event("2", "c")], "b", "bc"),
        (vec![event("2", "b"), event("2", "c")], "bc", "bc"),
        (vec![event("2", "other"), event("2", "s")], "mine", "mine"),
        (vec![event("2", "much longer")], "much longer still", "much longer still"),
    ] {
        let stream = format!("{}\n{}\n", events.join("\n"), result(said));
        let envelope = read(
            &agent(ProfileName::Claude),
            stream.as_bytes(),
            b"",
            &Ending::Exited { code: 0 },
            &[],
        );
        assert_eq!(envelope.answer.as_deref(), Some(expected.as_bytes()), "{stream}");
        assert_eq!(
            envelope.notes.iter().any(|note| note.code == "result_cut"),
            said != expected && said != "mine"
        );
    }
}
