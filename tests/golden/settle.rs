//! What may differ from one run to the next is replaced.

use std::sync::LazyLock;

use regex::Regex;

/// Patterns of everything that differs from run to run, and their replacements: durations, checksums over them,
/// process ids.
static DIFFERS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    [
        (
            r#"("(?:[a-z_]*(?:elapsed|duration|milliseconds|wall|latency|took|active)[a-z_]*)": ?)[0-9.]+"#,
            "${1}0",
        ),
        (r#"("(?:crc|pid)": ?)(?:[0-9]+|"[0-9a-f]+")"#, "${1}0"),
        (r#"("(?:prev|journal_head)": ?)"[0-9a-f]{64}""#, "${1}0"),
        (r"(--head )[0-9a-f]{64}\b", "${1}0"),
        (r#"("seconds": ?)[0-9.]+"#, "${1}0"),
        (r"\b[0-9]+\.[0-9]( ?)s\b", "0.0${1}s"),
        (r"\b[0-9]+ ms\b", "0 ms"),
        (r"\bpid [0-9]+", "pid 0"),
        (r"/tmp/debate-agent-(?:doctor-)?[A-Za-z0-9]{6}\b", "/tmp/debate-agent-000000"),
    ]
    .into_iter()
    .map(|(pattern, with)| (Regex::new(pattern).unwrap(), with))
    .collect()
});

/// Replaces everything that differs from run to run: durations, process ids, checksums over them.
pub(crate) fn settle(text: &str) -> String {
    DIFFERS.iter().fold(text.to_owned(), |text, (pattern, with)| {
        pattern.replace_all(&text, *with).into_owned()
    })
}

/// Events without those about the pieces in which output arrived, which no two runs share.
pub(crate) fn events(text: &str) -> String {
    let kept = text.lines().filter(|line| !line.contains(r#""type":"turn.output""#));
    let numbered = kept.enumerate().map(|(index, line)| match line.split_once(r#""seq":"#) {
        Some((before, after)) => {
            let after = after.trim_start_matches(|digit: char| digit.is_ascii_digit());
            format!("{before}\"seq\":{}{after}\n", index + 1)
        }
        None => format!("{line}\n"),
    });
    settle(&numbered.collect::<String>())
}
