//! Judges the `sinks` section.

use super::{CheckResult, fault, is_variable, named};
use crate::config::key::KeyPath;
use crate::config::schema::Config;
use crate::config::sinks::{SinkConfig, SinkKind};

/// Whether a value that becomes part of an argument starts with a letter or digit, so that it is not an option, and
/// continues with these and `others` only.
fn is_plain(value: &str, others: &str) -> bool {
    value.starts_with(|c: char| c.is_ascii_alphanumeric())
        && (value.chars()).all(|c| c.is_ascii_alphanumeric() || others.contains(c))
}

fn is_repository(value: &str) -> bool {
    (value.split_once('/')).is_some_and(|(owner, name)| {
        is_plain(owner, "-") && is_plain(name.trim_start_matches(['.', '_']), "._-")
    })
}

/// A key, a description of its valid values for messages, and the check.
type Shape = (&'static str, &'static str, fn(&str) -> bool);

/// In the order of the values in `ranges`.
const SHAPES: [Shape; 7] = [
    ("repo", "`owner/name`", is_repository),
    ("host", "the name of a host", |it| is_plain(it, ".-")),
    ("project", "the id of a project", |it| is_plain(it, ".:-")),
    ("dataset", "letters, digits and underscores", |it| is_plain(it, "_")),
    ("location", "a location such as `EU`", |it| is_plain(it, "-")),
    ("bucket", "the name of a bucket, without `gs://`", |it| is_plain(it, "._-")),
    ("prefix", "letters, digits and `_./=-`, beginning with a letter or digit", |it| {
        is_plain(it, "_./=-") && it.split('/').all(|part| part != "..")
    }),
];

pub(super) fn values(config: &Config) -> CheckResult {
    for (name, sink) in &config.sinks {
        let at = KeyPath::of(["sinks", name]);
        named(&at, name)?;
        if sink.issue == Some(0) {
            return Err(fault(at.key("issue"), "must be the number of an issue, 0 found"));
        }
        let values = [
            &sink.repo,
            &sink.host,
            &sink.project,
            &sink.dataset,
            &sink.location,
            &sink.bucket,
            &sink.prefix,
        ];
        for ((key, words, fits), value) in SHAPES.into_iter().zip(values) {
            if let Some(value) = value.as_deref().filter(|value| !fits(value)) {
                let found = value.escape_debug();
                return Err(fault(at.key(key), format!("must be {words}, `{found}` found")));
            }
        }
        for (index, variable) in sink.pass_env.iter().enumerate() {
            if !is_variable(variable) {
                let at = at.key("pass_env").index(index);
                return Err(fault(at, "is not the name of a variable"));
            }
        }
        for (key, words) in [("command", &sink.command), ("import_command", &sink.import_command)] {
            let at = at.key(key);
            if words.first().is_some_and(String::is_empty) {
                return Err(fault(at.index(0), "must be a program, but is empty"));
            }
            if let Some(index) = words.iter().position(|word| word.contains('\0')) {
                return Err(fault(at.index(index), "contains a NUL byte, which no argument can"));
            }
        }
    }
    Ok(())
}

/// Judges rules about all layers together: a sink has a kind, everything that its kind needs, and nothing that its
/// kind does not read.
pub(super) fn references(config: &Config) -> CheckResult {
    for (name, sink) in &config.sinks {
        let at = KeyPath::of(["sinks", name]);
        let Some(kind) = sink.kind else {
            let what = "has no `kind`: github, bigquery, gcs, vertex-rag or command";
            return Err(fault(at, what));
        };
        let (needed, read) = keys(kind);
        let set = set(sink);
        if let Some(key) = needed.iter().find(|key| !set.contains(key)) {
            let what = format!("is a `{}` sink and has no `{key}`", kind.name());
            return Err(fault(at, what));
        }
        let unread = |key: &&&str| !needed.contains(key) && !read.contains(key);
        if let Some(key) = set.iter().find(unread) {
            let what = format!("is not read by a `{}` sink", kind.name());
            return Err(fault(at.key(key), what));
        }
    }
    Ok(())
}

/// Returns the keys that a kind needs, and the others that it reads.
fn keys(kind: SinkKind) -> (&'static [&'static str], &'static [&'static str]) {
    match kind {
        SinkKind::Github => (&["repo"], &["host", "issue", "progress", "pull_request", "close"]),
        SinkKind::Bigquery => (&["dataset"], &["project", "location"]),
        SinkKind::Gcs => (&["bucket"], &["prefix"]),
        SinkKind::VertexRag => (&["bucket", "import_command"], &["prefix"]),
        SinkKind::Command => (&["command"], &[]),
    }
}

fn set(sink: &SinkConfig) -> Vec<&'static str> {
    [
        ("repo", sink.repo.is_some()),
        ("host", sink.host.is_some()),
        ("issue", sink.issue.is_some()),
        ("progress", sink.progress),
        ("pull_request", sink.pull_request),
        ("close", sink.close),
        ("project", sink.project.is_some()),
        ("dataset", sink.dataset.is_some()),
        ("location", sink.location.is_some()),
        ("bucket", sink.bucket.is_some()),
        ("prefix", sink.prefix.is_some()),
        ("import_command", !sink.import_command.is_empty()),
        ("command", !sink.command.is_empty()),
    ]
    .into_iter()
    .filter_map(|(key, is_set)| is_set.then_some(key))
    .collect()
}

#[cfg(test)]
mod tests {
    use crate::config::tests::World;

    #[test]
    fn a_sink_says_what_it_is_and_nothing_that_it_does_not_read() {
        for (sink, said) in [
            ("{}", "`sinks.a` has no `kind`"),
            (r#"{"kind": "github"}"#, "`sinks.a` is a `github` sink and has no `repo`"),
            (
                r#"{"kind": "gcs", "bucket": "b", "repo": "o/r"}"#,
                "`sinks.a.repo` is not read by a `gcs` sink",
            ),
            (r#"{"kind": "vertex-rag", "bucket": "b"}"#, "has no `import_command`"),
            (r#"{"kind": "slack"}"#, "`sinks.a.kind` is wrong"),
            (
                r#"{"kind": "github", "repo": "--repo"}"#,
                "`sinks.a.repo` must be `owner/name`, `--repo` found",
            ),
            (r#"{"kind": "gcs", "bucket": "-b"}"#, "`sinks.a.bucket` must be the name of a bucket"),
            (
                r#"{"kind": "gcs", "bucket": "b\nx"}"#,
                "`sinks.a.bucket` must be the name of a bucket",
            ),
            (
                r#"{"kind": "command", "command": ["tee"], "timeout_seconds": 0}"#,
                "`sinks.a.timeout_seconds` must be between 1 and 3600",
            ),
            (r#"{"kind": "command", "command": [""]}"#, "`sinks.a.command[0]` must be a program"),
        ] {
            let world = World::new();
            world.user(&format!(r#"{{"sinks": {{"a": {sink}}}}}"#));
            let refusal = world.refusal();
            assert!(refusal.contains(said), "{sink}: {refusal}");
        }
    }

    #[test]
    fn the_sinks_of_a_project_need_trust() {
        let world = World::new();
        world.project(r#"{"sinks": {"a": {"kind": "command", "command": ["sh"]}}}"#);
        let refused: Vec<String> =
            (world.check().unwrap_err().keys.iter()).map(|key| key.path.to_string()).collect();
        assert_eq!(refused, ["sinks.a.kind", "sinks.a.command"]);
    }
}
