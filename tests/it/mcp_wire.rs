//! The wire of the MCP server: revisions, lines, streams, signals. Whatever comes in, only JSON-RPC goes out.
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::Stdio;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::mcps::{Mcp, REVISION};

/// Maximum number of bytes of a line.
const LONGEST: usize = 1 << 20;

/// The largest resident size of a process so far, in KiB.
fn peak(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let words: Vec<&str> = line.unwrap().split_whitespace().collect();
    words[1].parse().unwrap()
}

/// A ping of exactly this many bytes.
fn ping_of(bytes: usize, id: u32) -> Vec<u8> {
    let (head, tail) = (
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping","params":{{"_meta":{{"x":""#),
        r#""}}}"#,
    );
    let filler = "x".repeat(bytes - head.len() - tail.len());
    format!("{head}{filler}{tail}").into_bytes()
}

/// The members that the revision without `initialize` requires in every request.
fn stateless(params: Value) -> Value {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "a test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params
}

#[test]
fn every_revision_is_answered_and_an_unknown_one_gets_the_newest_that_shakes_hands() {
    let sandbox = Sandbox::new();
    for (asked, given) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        // That revision has no `initialize`.
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let mut mcp = sandbox.mcp_raw(&["mcp", "serve"]);
        let result = mcp.initialize(asked)["result"].clone();
        assert_eq!(result["protocolVersion"], given, "{asked}");
        assert_eq!(result["serverInfo"]["name"], "debate-agent");
        assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(result["capabilities"], json!({ "prompts": {}, "resources": {}, "tools": {} }));
        let told = result["instructions"].as_str().unwrap();
        assert!(told.contains("session_status") && told.len() < 2_000);
        assert_eq!(mcp.ask("ping", json!({}))["result"], json!({}));
        let listed = mcp.result("list_agents", json!({}));
        assert_eq!(listed["total"], 3);
        mcp.finish().exits(0);
    }
}

#[test]
fn the_revision_without_a_handshake_is_served() {
    let sandbox = Sandbox::new();
    let mut mcp = sandbox.mcp_raw(&["mcp"]);
    let found = mcp.ask("server/discover", stateless(json!({})))["result"].clone();
    let versions = found["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2024-11-05")));
    let called = mcp.ask("tools/call", stateless(json!({ "name": "list_agents" })));
    assert_eq!(called["result"]["structuredContent"]["total"], 3, "{called}");
    assert_eq!(called["result"]["resultType"], "complete");
    let listed = mcp.ask("tools/list", stateless(json!({})));
    assert!(listed["result"]["ttlMs"].is_number(), "{listed}");
    mcp.finish().exits(0);
}

#[test]
fn what_cannot_be_served_is_an_error_with_the_code_of_the_protocol() {
    let sandbox = Sandbox::new();
    let mut mcp = sandbox.mcp();
    for (method, params, code, named) in [
        ("no/such", json!({}), -32601, "no/such"),
        ("tools/call", json!({ "name": "no_such_tool" }), -32602, "no_such_tool"),
        ("tools/call", json!({ "name": 5 }), -32602, "tools/call"),
        ("tools/call", json!({ "name": "list_agents", "arguments": [] }), -32602, "tools/call"),
        ("tools/call", json!({}), -32602, "tools/call"),
        ("tools/list", json!({ "cursor": "2" }), -32602, "cursor"),
        ("prompts/get", json!({ "name": "no_such_prompt" }), -32602, "no_such_prompt"),
        ("resources/read", json!({ "uri": "file:///etc/passwd" }), -32002, "debate://"),
        ("initialize", json!({ "protocolVersion": 1 }), -32602, "initialize"),
        ("completion/complete", json!({}), -32601, "completion/complete"),
        ("subscriptions/listen", json!({}), -32601, "subscriptions/listen"),
    ] {
        let answer = mcp.ask(method, params.clone());
        let error = &answer["error"];
        assert_eq!(error["code"], code, "{method} {params}: {answer}");
        let said = error["message"].as_str().unwrap();
        assert!(said.contains(named), "{method} {params}: {said}");
    }
    mcp.finish().exits(0);
}

#[test]
fn what_is_no_message_is_said_on_standard_error_and_disturbs_nothing() {
    let sandbox = Sandbox::new();
    let mut mcp = sandbox.mcp();
    // None of these lines may be answered except for the last two, which have an id.
    mcp.write(
        b"garbage\n\n   \r\n\xff\xfe\n[]\n5\n\"text\"\n{}\n{\"id\":null,\"method\":\"ping\"}\n",
    );
    mcp.write(b"[{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"ping\"}]\n");
    mcp.write(format!("{}{}\n", "[".repeat(5_000), "]".repeat(5_000)).as_bytes());
    mcp.send(&json!({ "jsonrpc": "2.0", "id": 77, "result": {} }));
    mcp.send(&json!({ "jsonrpc": "2.0", "method": "notifications/nobody/knows", "params": 5 }));
    mcp.send(&json!({ "jsonrpc": "1.0", "id": "old", "method": "ping" }));
    assert_eq!(mcp.answer("old")["error"]["code"], -32600);
    mcp.send(&json!({ "id": 9000, "method": "ping" }));
    assert_eq!(mcp.answer(9000)["error"]["code"], -32600);
    // A carriage return before the line's end is not part of the message.
    mcp.write(b"{\"jsonrpc\":\"2.0\",\"id\":9001,\"method\":\"ping\"}\r\n");
    assert_eq!(mcp.answer(9001)["result"], json!({}));
    mcp.write(b"{\"jsonrpc\":\"2.0\",\"id\":9002,\"meth");
    let run = mcp.finish();
    run.exits(0).says("is not readable JSON").says("batch").says("within a line");
    assert_eq!(run.stdout, "");
}

#[test]
fn a_flood_of_garbage_fills_no_log() {
    let sandbox = Sandbox::new();
    let mut mcp = sandbox.mcp();
    mcp.write("garbage\n".repeat(5_000).as_bytes());
    assert_eq!(mcp.ask("ping", json!({}))["result"], json!({}));
    let run = mcp.finish();
    // Ten in full, a line at each doubling from 16 to 4096, and the sum.
    assert_eq!(run.stderr.lines().count(), 10 + 9 + 1, "{}", run.stderr);
    run.says("5000 such lines in all");
}

#[test]
fn a_line_of_a_mebibyte_is_read_and_a_longer_one_is_refused_by_name() {
    let sandbox = Sandbox::new();
    let mut mcp = sandbox.mcp();
    let mut exact = ping_of(LONGEST, 501);
    exact.push(b'\n');
    mcp.write(&exact);
    assert_eq!(mcp.answer(501)["result"], json!({}));
    let mut over = ping_of(LONGEST + 1, 502);
    over.push(b'\n');
    mcp.write(&over);
    let refused = mcp.answer(502);
    assert_eq!(refused["error"]["code"], -32600);
    let said = refused["error"]["message"].as_str().unwrap();
    assert!(said.contains("1048576") && said.contains("1048577"), "{said}");
    let before = peak(mcp.pid());
    // 20 MB in one argument, with the id after it.
    mcp.write(br#"{"params":{"arguments":{"agents":["a"],"question":""#);
    let piece = "y".repeat(1_000_000);
    for _ in 0..20 {
        mcp.write(piece.as_bytes());
    }
    mcp.write(
        b"\"},\"name\":\"debate_360\"},\"method\":\"tools/call\",\"id\":503,\"jsonrpc\":\"2.0\"}\n",
    );
    let refused = mcp.answer(503)["result"].clone();
    assert_eq!(refused["isError"], true);
    assert!(refused.get("structuredContent").is_none());
    let said = refused["content"][0]["text"].as_str().unwrap();
    assert!(said.starts_with("`question`: ") && said.contains("20000002"), "{said}");
    // The line is not buffered: memory grows by far less than its length.
    let grown = peak(mcp.pid()) - before;
    assert!(grown < 6_000, "{grown} KiB");
    assert!(sandbox.calls().is_empty());
    // Notifications that are too long have no one to answer.
    mcp.write(br#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"x":""#);
    mcp.write(piece.as_bytes());
    mcp.write(piece.as_bytes());
    mcp.write(b"\"}}\n");
    assert_eq!(mcp.ask("ping", json!({}))["result"], json!({}));
    mcp.finish().exits(0).says("2000069 bytes");
}

/// The conversation of the tests that give the server streams of another kind.
fn conversation() -> Vec<u8> {
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": REVISION,
            "capabilities": {},
            "clientInfo": { "name": "a test", "version": "1" },
        },
    });
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
    format!("{hello}\n{list}\n").into_bytes()
}

/// Asserts that both requests of the conversation were answered, and nothing else was written.
#[track_caller]
fn answered(written: &[u8]) {
    let lines: Vec<Value> = written
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    let mut ids: Vec<i64> = lines.iter().filter_map(|line| line["id"].as_i64()).collect();
    ids.sort_unstable();
    assert_eq!((ids, lines.len()), (vec![1, 2], 2), "{lines:?}");
    assert!(lines.iter().all(|line| line["result"].is_object()));
}

#[test]
fn files_serve_as_streams() {
    let sandbox = Sandbox::new();
    let (input, output) = (sandbox.write("in", conversation()), sandbox.project().join("out"));
    let status = sandbox
        .command(&["mcp", "serve"])
        .stdin(File::open(input).unwrap())
        .stdout(File::create(&output).unwrap())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(0));
    answered(&fs::read(output).unwrap());
}

#[test]
fn sockets_that_do_not_block_serve_as_streams() {
    let sandbox = Sandbox::new();
    let (mut ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
    theirs.set_nonblocking(true).unwrap();
    let theirs = OwnedFd::from(theirs);
    let mut child = sandbox
        .command(&["mcp", "serve"])
        .stdin(theirs.try_clone().unwrap())
        .stdout(Stdio::from(theirs))
        .spawn()
        .unwrap();
    ours.write_all(&conversation()).unwrap();
    ours.shutdown(std::net::Shutdown::Write).unwrap();
    let mut written = Vec::new();
    ours.read_to_end(&mut written).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    answered(&written);
}

#[test]
fn a_client_that_reads_no_more_ends_the_server() {
    let sandbox = Sandbox::new();
    let mut child = sandbox.command(&["mcp", "serve"]).stdin(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    input.write_all(&conversation()).unwrap();
    // The input stays open: the broken output alone shows that the client is gone.
    assert_eq!(child.wait().unwrap().code(), Some(0));
    drop(input);
}

#[test]
fn a_client_that_asks_without_reading_is_refused_and_costs_no_memory() {
    const ASKED: usize = 20_000;
    let sandbox = Sandbox::new();
    let mut child = sandbox.command(&["mcp", "serve"]).stdin(Stdio::piped()).spawn().unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let writer = std::thread::spawn(move || {
        for id in 0..ASKED {
            let ping = json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
            input.write_all(format!("{ping}\n").as_bytes()).unwrap();
        }
    });
    // Long enough for all pipes to be full; nothing depends on it.
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(peak(child.id()) < 60_000);
    let mut written = String::new();
    output.read_to_string(&mut written).unwrap();
    writer.join().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut seen = vec![false; ASKED];
    let mut refused = 0;
    for line in written.lines() {
        let answer: Value = serde_json::from_str(line).unwrap();
        let id = usize::try_from(answer["id"].as_u64().unwrap()).unwrap();
        assert!(!std::mem::replace(&mut seen[id], true), "{id} twice");
        if answer["error"]["code"] == -32000 {
            refused += 1;
        } else {
            assert_eq!(answer["result"], json!({}), "{answer}");
        }
    }
    assert!(seen.iter().all(|seen| *seen), "requests without an answer");
    assert!(refused > 0, "nothing was refused: nobody was held up");
}

#[test]
fn an_id_that_is_in_use_is_refused_and_the_first_request_keeps_its_answer() {
    let sandbox = Sandbox::new();
    let mut mcp = sandbox.mcp();
    let call = json!({
        "jsonrpc": "2.0", "id": "same", "method": "tools/call", "params": { "name": "list_agents" },
    });
    // In one piece, so that the second arrives while the first is being processed.
    mcp.write(format!("{call}\n{call}\n").as_bytes());
    mcp.until("both answers", |mcp| mcp.again.len() == 1);
    let mut both = std::mem::take(&mut mcp.again);
    both.push(mcp.answer("same"));
    let errors = both.iter().filter(|answer| answer["error"]["code"] == -32600);
    assert_eq!(errors.count(), 1, "{both:?}");
    let results = both.iter().filter(|answer| answer["result"]["isError"] == false);
    assert_eq!(results.count(), 1, "{both:?}");
    mcp.finish().exits(0);
}

#[test]
fn a_signal_ends_it_with_the_code_of_the_signal() {
    let sandbox = Sandbox::new();
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let mut mcp = sandbox.mcp();
        assert_eq!(mcp.ask("ping", json!({}))["result"], json!({}));
        mcp.signal(signal);
        // A client that went away at the same moment would end it as well, with 0.
        mcp.ends();
        mcp.finish().exits(code);
    }
    sandbox.nothing_lives();
}

#[test]
fn json_has_no_other_form_and_nesting_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.run(&["mcp", "serve", "--json"]).exits(2);
    let inside = Sandbox::new().env("DEBATE_AGENT_DEPTH", "1");
    let run = inside.run(&["mcp", "serve"]);
    run.exits(3).says("started by an agent");
    assert_eq!(run.stdout, "");
}

#[test]
fn a_file_that_is_read_from_its_middle_is_read_from_there() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("in", [b"garbage\n".to_vec(), conversation()].concat());
    let mut input = File::open(path).unwrap();
    input.seek(std::io::SeekFrom::Start(8)).unwrap();
    let mut command = sandbox.command(&["mcp", "serve"]);
    let output = command.stdin(input).output().unwrap();
    answered(&output.stdout);
    assert_eq!(output.stderr, b"");
    // A start by hand: with no input at all.
    let nothing = Mcp::of(sandbox.command(&["mcp"])).finish();
    nothing.exits(0);
}

/// No print, panic or library can write to the client, and no child can read its requests.
#[test]
#[cfg(target_os = "linux")]
fn the_clients_streams_are_moved_away_from_the_standard_ones() {
    let sandbox = Sandbox::new();
    let mut mcp = sandbox.mcp();
    let of = format!("/proc/{}", mcp.pid());
    let leads = |number: u32| fs::read_link(format!("{of}/fd/{number}")).unwrap();
    assert_eq!(leads(0).to_str(), Some("/dev/null"));
    assert_eq!(leads(1), leads(2), "descriptor 1 is standard error");
    for entry in fs::read_dir(format!("{of}/fdinfo")).unwrap() {
        let entry = entry.unwrap();
        let number = entry.file_name().into_string().unwrap();
        let leads = |of: &str| fs::read_link(format!("{of}/fd/{number}")).ok();
        // Descriptors that the test runner left open are not the client's.
        if leads("/proc/self") == leads(&of) {
            continue;
        }
        let info = fs::read_to_string(entry.path()).unwrap();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = u32::from_str_radix(flags.unwrap().trim(), 8).unwrap();
        let inherited = flags & 0o2_000_000 == 0;
        assert_eq!(inherited, number.len() == 1 && number.as_str() <= "2", "{number}");
    }
    mcp.ask("ping", serde_json::json!({}));
    mcp.finish().exits(0);
}
