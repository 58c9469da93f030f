//! Reads the layers and joins them into the effective configuration.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::document::{Document, Position};
use super::error::{ConfigError, FaultLocation, ReadError};
use super::file::{Links, read_text, refuse_open, sha256};
use super::judge::{judge_all, judged, refuse_dangerous, refuse_null};
use super::key::KeyPath;
use super::layers::{Layer, MergedValue, Source};
use super::schema::Config;
use super::{EMBEDDED, FILE_NAME, setting, vars};
pub(crate) use crate::files::repository_of;
use crate::text::Note;

/// The inputs of [`load`].
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The working directory absolute.
    pub dir: PathBuf,
    /// `--config FILE`.
    pub file: Option<PathBuf>,
    /// The variables of the process, of which `HOME`, `XDG_CONFIG_HOME` and `DEBATE_AGENT_*` are read.
    pub vars: BTreeMap<String, String>,
    /// The values set on the command line.
    pub flags: Vec<Flag>,
}

/// One value set on the command line.
#[derive(Debug, Clone, PartialEq)]
pub struct Flag {
    /// The spelling of the flag, for messages: `--budget`.
    pub name: String,
    /// The key that the flag sets. `limits.timeout_seconds` overrides every configured time limit.
    pub path: KeyPath,
    /// The value that the flag sets.
    pub value: Value,
}

/// The effective configuration and its provenance.
#[derive(Debug, Clone)]
pub struct Effective {
    /// The typed configuration. Every agent has a time limit: its own, or that of `limits`.
    pub config: Config,
    /// The same configuration as JSON, as it was written.
    pub value: Value,
    /// The source of each leaf.
    pub provenance: BTreeMap<KeyPath, Source>,
    /// The project's root: that of the repository, else the folder of the project's file, else the working directory.
    /// Canonical.
    pub root: PathBuf,
    /// The project's file, if there is one and the command line does not name it as the user's.
    pub project: Option<ProjectFile>,
    /// The embedded default and the user's file alone: the user's configuration without the project.
    pub own: Value,
    /// Warnings for the user.
    pub warnings: Vec<Note>,
}

/// A project's file as read.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectFile {
    /// The canonical path.
    pub path: PathBuf,
    /// SHA-256 of the bytes that were parsed.
    pub sha256: String,
    /// The content of the file.
    pub value: Value,
}

/// Returns the path of the user's own file, if a home is known.
pub fn user_file(vars: &BTreeMap<String, String>) -> Option<PathBuf> {
    Some(xdg(vars, "XDG_CONFIG_HOME", ".config")?.join("debate-agent/config.json"))
}

/// Returns an XDG base folder. A relative one is ignored, as the XDG specification demands.
pub(super) fn xdg(
    vars: &BTreeMap<String, String>,
    name: &str,
    below_home: &str,
) -> Option<PathBuf> {
    let absolute = |name: &str| vars.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute(name).or_else(|| Some(absolute("HOME")?.join(below_home)))
}

/// One file before it is merged.
struct LayerSource {
    layer: Layer,
    file: Option<PathBuf>,
    document: Document,
    sha256: String,
}

impl LayerSource {
    fn parse(layer: Layer, file: Option<PathBuf>, text: &str) -> Result<Self, ConfigError> {
        let document = Document::parse(text).map_err(|source| ConfigError::Malformed {
            place: FaultLocation::File(file.clone(), source.at()),
            source,
        })?;
        let this = Self { layer, file, document, sha256: sha256(text.as_bytes()) };
        let (value, place) = (&this.document.value, |path: &KeyPath| this.place(path));
        refuse_null(value, &KeyPath::root(), &place)?;
        judged(value, &place)?;
        refuse_dangerous(value, layer, &place)?;
        Ok(this)
    }

    fn read(layer: Layer, file: PathBuf, links: Links) -> Result<Self, ConfigError> {
        let text = read_text(&file, links)
            .map_err(|source| ConfigError::Read { file: file.clone(), source })?;
        Self::parse(layer, Some(file), &text)
    }

    fn place(&self, path: &KeyPath) -> FaultLocation {
        FaultLocation::File(self.file.clone(), self.document.position(path))
    }

    fn merged(&self) -> MergedValue<Source> {
        let mut value = self.document.value.clone();
        if let (Layer::Project, Some(members)) = (self.layer, value.as_object_mut()) {
            members.retain(|section, _| !is_ignored(section));
        }
        MergedValue::new(value, |path| Source {
            layer: self.layer,
            file: self.file.clone(),
            name: None,
            position: Some(self.document.position(path)).filter(|_| self.file.is_some()),
        })
    }
}

/// Reads, judges and joins all layers.
///
/// # Errors
/// A layer cannot be read, or a value in it is refused: the first is reported.
pub fn load(request: &Request) -> Result<Effective, ConfigError> {
    let mut warnings = Vec::new();
    let embedded = LayerSource::parse(Layer::Embedded, None, EMBEDDED)?;
    let dir = canonical(&request.dir)?;
    let repository = dir.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok());
    let named = request
        .file
        .as_ref()
        .map(|file| {
            LayerSource::read(Layer::File, canonical(&request.dir.join(file))?, Links::Follow)
        })
        .transpose()?;
    let user = own(&request.vars)?;
    // The file named on the command line is the user's, even if it is the project's file too.
    let project = find_project(&dir, repository)
        .filter(|file| named.as_ref().is_none_or(|named| named.file.as_ref() != Some(file)))
        .map(|file| LayerSource::read(Layer::Project, file, Links::Refuse))
        .transpose()?;

    let mut merged = embedded.merged();
    let mut own = merged.clone();
    let layers = [user, project, named];
    for layered in layers.iter().flatten() {
        warn_unused(layered, &mut warnings);
        merged = merged.under(layered.merged());
        if layered.layer == Layer::User {
            own = merged.clone();
        }
    }
    let sets = vars::read(&request.vars)?;
    for set in sets {
        merged = set_one(merged, Layer::Variable, set.name, &set.path, &set.value)?;
    }
    for flag in &request.flags {
        merged = set_one(merged, Layer::Flag, &flag.name, &flag.path, &flag.value)?;
    }

    let place = |path: &KeyPath| {
        let near = |leaf: &KeyPath| leaf.is_within(path) || path.is_within(leaf);
        let source = merged.sources.iter().find(|(leaf, _)| near(leaf));
        let start = Position { line: 1, column: 1 };
        source.map_or(FaultLocation::File(None, start), |(_, source)| place_of(source))
    };
    let exact = |path: &KeyPath| {
        // A file knows the position of the element itself; a source only has the position of the whole leaf.
        let here = place(path);
        let file = match &here {
            FaultLocation::File(Some(file), _) => Some(file),
            FaultLocation::File(None, _) | FaultLocation::Variable(_) | FaultLocation::Flag(_) => {
                None
            }
        };
        let of_file = (layers.iter().rev().flatten())
            .find(|layered| layered.file.as_ref() == file && file.is_some());
        of_file.map_or(here.clone(), |layered| layered.place(path))
    };
    let mut config = judge_all(&merged.value, &exact)?;
    let [_, project, _] = layers;
    if let Some(general) = config.limits.own_timeout() {
        for agent in config.agents.values_mut() {
            agent.timeout_seconds.get_or_insert(general);
        }
    }
    let root = repository.unwrap_or_else(|| {
        let of_file = project.as_ref().and_then(|project| project.file.as_deref()?.parent());
        of_file.unwrap_or(&dir)
    });
    Ok(Effective {
        config,
        value: merged.value,
        provenance: merged.sources,
        root: root.to_owned(),
        project: project.and_then(|project| {
            Some(ProjectFile {
                path: project.file?,
                sha256: project.sha256,
                value: project.document.value,
            })
        }),
        own: own.value,
        warnings,
    })
}

/// The result of `config validate FILE`.
#[derive(Debug)]
pub struct FileCheck {
    /// The configuration of the file.
    pub config: Config,
    /// Warnings for the user.
    pub warnings: Vec<Note>,
}

/// Judges one file as the user's layer over the defaults, without reading any other.
///
/// # Errors
/// The file cannot be read, or a value in it is refused: the first is reported.
pub fn validate_file(file: &Path) -> Result<FileCheck, ConfigError> {
    let file = canonical(file)?;
    let layered = LayerSource::read(Layer::User, file, Links::Follow)?;
    let embedded = LayerSource::parse(Layer::Embedded, None, EMBEDDED)?;
    let merged = embedded.merged().under(layered.merged());
    let config = judge_all(&merged.value, &|path| layered.place(path))?;
    let mut warnings = Vec::new();
    warn_unused(&layered, &mut warnings);
    Ok(FileCheck { config, warnings })
}

fn canonical(path: &Path) -> Result<PathBuf, ConfigError> {
    path.canonicalize()
        .map_err(|error| ConfigError::Read { file: path.to_owned(), source: ReadError::Io(error) })
}

/// Reads the user's own file, if there is one.
fn own(vars: &BTreeMap<String, String>) -> Result<Option<LayerSource>, ConfigError> {
    let Some(file) = user_file(vars).filter(|file| file.exists()) else {
        return Ok(None);
    };
    refuse_open(&file).map_err(|source| ConfigError::Read { file: file.clone(), source })?;
    LayerSource::read(Layer::User, file, Links::Follow).map(Some)
}

/// Finds the nearest project file, no higher than the repository's root. Without a repository only the working
/// directory counts, since folders above may belong to anyone.
fn find_project(dir: &Path, repository: Option<&Path>) -> Option<PathBuf> {
    let highest = repository.unwrap_or(dir);
    dir.ancestors()
        .take_while(|folder| folder.starts_with(highest))
        .map(|folder| folder.join(FILE_NAME))
        .find(|file| file.symlink_metadata().is_ok())
}

/// Sets one value from outside the files. A time limit overrides those of all agents and roles.
fn set_one(
    merged: MergedValue<Source>,
    layer: Layer,
    name: &str,
    path: &KeyPath,
    value: &Value,
) -> Result<MergedValue<Source>, ConfigError> {
    let spelled = |_: &KeyPath| match layer {
        Layer::Variable => FaultLocation::Variable(name.to_owned()),
        Layer::Embedded | Layer::User | Layer::Project | Layer::File | Layer::Flag => {
            FaultLocation::Flag(name.to_owned())
        }
    };
    let mut above = nested(path, value.clone());
    if *path == KeyPath::of(["limits", "timeout_seconds"]) {
        for section in ["agents", "roles"] {
            let members = merged.value.get(section).and_then(Value::as_object);
            for (member, settings) in members.into_iter().flatten() {
                if settings.get("timeout_seconds").is_some() {
                    let path = KeyPath::of([section, member, "timeout_seconds"]);
                    join(&mut above, nested(&path, value.clone()));
                }
            }
        }
    }
    // Judged here, so that the message names the variable or flag.
    let alone = nested(path, value.clone());
    refuse_null(&alone, &KeyPath::root(), &spelled)?;
    judged(&alone, &spelled)?;
    refuse_dangerous(&alone, layer, &spelled)?;
    let source = Source { layer, file: None, name: Some(name.to_owned()), position: None };
    Ok(merged.under(MergedValue::new(above, |_| source.clone())))
}

fn nested(path: &KeyPath, value: Value) -> Value {
    path.keys()
        .into_iter()
        .rev()
        .fold(value, |inner, key| Value::Object(Map::from_iter([(key.to_owned(), inner)])))
}

fn join(lower: &mut Value, upper: Value) {
    match (lower, upper) {
        (Value::Object(below), Value::Object(above)) => {
            for (key, value) in above {
                join(below.entry(key).or_insert(Value::Object(Map::new())), value);
            }
        }
        (slot, value) => *slot = value,
    }
}

fn place_of(source: &Source) -> FaultLocation {
    match (&source.name, source.layer) {
        (Some(name), Layer::Variable) => FaultLocation::Variable(name.clone()),
        (Some(name), _) => FaultLocation::Flag(name.clone()),
        (None, _) => FaultLocation::File(
            source.file.clone(),
            source.position.unwrap_or(Position { line: 1, column: 1 }),
        ),
    }
}

/// Returns whether a project's file cannot set a section, because it states how far parties other than the user are trusted.
fn is_ignored(section: &str) -> bool {
    setting::project(&KeyPath::of([section])) == Some("ignored")
}

fn warn_unused(layered: &LayerSource, warnings: &mut Vec<Note>) {
    let sections = layered.document.value.as_object().into_iter().flatten();
    for section in sections.map(|(section, _)| section).filter(|section| is_ignored(section)) {
        let path = KeyPath::of([section.as_str()]);
        if layered.layer == Layer::Project {
            warnings.push(Note::new(
                "unused_section",
                format!(
                    "{}: `{section}` of a project is not used: it belongs in ~/.config/debate-agent/config.json",
                    layered.place(&path)
                ),
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    //! Tests of the layers: order, provenance, faults with their places.

    use std::fs;
    use std::os::unix::fs::symlink;

    use serde_json::json;

    use super::*;
    use crate::config::tests::World;

    fn sources(effective: &Effective, key: &str) -> Layer {
        effective.provenance[&KeyPath::of(key.split('.'))].layer
    }

    #[test]
    fn without_any_file_the_embedded_default_counts() {
        let effective = World::new().load().unwrap();
        assert_eq!(effective.config.agents.len(), 3);
        assert_eq!(effective.config.limits.budget_usd.micros(), 2_500_000);
        assert!(effective.provenance.values().all(|source| source.layer == Layer::Embedded));
        assert!(effective.warnings.is_empty());
    }

    #[test]
    fn each_layer_overrides_the_one_below_and_every_value_knows_its_source() {
        let mut world = World::new();
        world.user(r#"{"limits": {"budget_usd": 1, "max_parallel": 2, "max_ids": 10, "prompt_bytes": 2001, "grace_seconds": 1}}"#);
        world.project(
            r#"{"limits": {"max_parallel": 3, "max_ids": 11, "prompt_bytes": 2002, "grace_seconds": 2}}"#,
        );
        world.write(
            "named.json",
            r#"{"limits": {"max_ids": 12, "prompt_bytes": 2003, "budget_usd": 4}}"#,
        );
        world.vars.insert("DEBATE_AGENT_MAX_ROUNDS".to_owned(), "7".to_owned());
        world.vars.insert("DEBATE_AGENT_BUDGET".to_owned(), "0.75".to_owned());
        let mut request = world.request();
        request.file = Some("../named.json".into());
        request.flags = vec![Flag {
            name: "--budget".to_owned(),
            path: KeyPath::of(["limits", "budget_usd"]),
            value: json!(0.5),
        }];
        let effective = load(&request).unwrap();
        let limits = &effective.config.limits;
        assert_eq!(limits.budget_usd.micros(), 500_000);
        assert_eq!((limits.max_parallel, limits.max_ids, limits.prompt_bytes), (3, 12, 2003));
        assert_eq!((limits.grace_seconds, effective.config.backlog.max_rounds), (2, 7));
        for (key, layer) in [
            ("limits.budget_usd", Layer::Flag),
            ("limits.max_parallel", Layer::Project),
            ("limits.max_ids", Layer::File),
            ("limits.grace_seconds", Layer::Project),
            ("limits.stdout_bytes", Layer::Embedded),
            ("backlog.max_rounds", Layer::Variable),
        ] {
            assert_eq!(sources(&effective, key), layer, "{key}");
        }
        let source = &effective.provenance[&KeyPath::of(["limits", "max_ids"])];
        assert_eq!(source.file, Some(world.path("named.json")));
        assert_eq!(source.position, Some(Position { line: 1, column: 13 }));
    }

    #[test]
    fn the_nearest_file_up_to_the_repository_root_counts_and_nothing_above_it() {
        let world = World::new();
        world.write("debate-agent.config.json", r#"{"limits": {"max_ids": 9}}"#);
        fs::create_dir_all(world.path("repo/a/b")).unwrap();
        let mut request = world.request();
        request.dir = world.path("repo/a/b");
        assert!(load(&request).unwrap().project.is_none(), "above the root");
        world.project(r#"{"limits": {"max_ids": 8}}"#);
        let effective = load(&request).unwrap();
        assert_eq!(effective.config.limits.max_ids, 8);
        assert_eq!(effective.root, world.path("repo"));
        world.write("repo/a/debate-agent.config.json", r#"{"limits": {"max_parallel": 1}}"#);
        let effective = load(&request).unwrap();
        assert_eq!(effective.config.limits.max_ids, 1_000, "only the nearest");
        assert_eq!(effective.config.limits.max_parallel, 1);
    }

    #[test]
    fn without_a_repository_only_the_working_directory_counts() {
        let world = World::new();
        world.write("plain/debate-agent.config.json", r#"{"limits": {"max_ids": 9}}"#);
        fs::create_dir_all(world.path("plain/below")).unwrap();
        let mut request = world.request();
        request.dir = world.path("plain/below");
        assert!(load(&request).unwrap().project.is_none());
        request.dir = world.path("plain");
        assert_eq!(load(&request).unwrap().config.limits.max_ids, 9);
    }

    #[test]
    fn a_project_file_that_is_a_link_is_refused() {
        let world = World::new();
        world.write("elsewhere.json", "{}");
        symlink(world.path("elsewhere.json"), world.path("repo/debate-agent.config.json")).unwrap();
        insta::assert_snapshot!(world.refusal(), @"failed to read repo/debate-agent.config.json: is a symbolic link, or behind one; files of a project must be regular files");
    }

    /// F72, F73, F75: the message names the fault, its file, line and column, and the name that was probably meant.
    #[test]
    fn a_malformed_file_is_refused_with_its_place() {
        let world = World::new();
        let refusal = |text: &str| {
            world.project(text);
            world.refusal()
        };
        let texts = [
            "",
            "{\n  \"limits\": {\n    \"max_ids\": 5,\n  }\n}",
            "{\"limits\": {}} trailing",
            "[]",
            "\u{feff}{}",
            "{\"limits\": {\"max_ids\": 5,\n\"max_ids\": 6}}",
            "{\n  \"agent\": {}\n}",
            "{\"agents\": {\"claude\": {\n  \"timeout\": 5}}}",
            "{\"limits\": {\n  \"max_parallel\": \"six\"}}",
            "{\"limits\": {\"max_parallel\": 0}}",
            "{\"limits\": {\"budget_usd\": -1}}",
            "{\"agents\": {\"claude\": {\"args\": [\"a\",\n 5]}}}",
            "{\"agents\": {\"claude\": {\"name\": \"klaus\"}}}",
            "{\"agents\": {\"mine\": {\n\"vendor\": \"acme\"}}}",
            "{\"agents\": {\n\"human\": {\"path\": \"me\"}}}",
            "{\"agents\": {\"mine\": {\"path\": \"me\",\n\"vendor\": \"human\"}}}",
            "{\"agents\": {\"claude\": {\"model\": \"--yolo\"}}}",
            "{\"agents\": {\"claude\": {\"model\": null}}}",
            "{\"agents\": {\"claude\": {\"profile\": \"cloude\"}}}",
            "{\"roles\": {\"backlog-critic\": {\n  \"agent\": \"kodex\"}}}",
            "{\"topic\": {\"participants\": [\"claude\",\n \"kodex\"]}}",
            "{\"topic\": {\"participants\": [\"claude\", \"claude\"]}}",
            "{\"topic\": {\"expert\": \"human\"}}",
            "{\"panel\": {\"participants\": [\"gemeni\"]}}",
            "{\"agents\": {\"claude\": {\"fallback\": [\"codex\"]},\n \"codex\": {\"fallback\": [\"claude\"]}}}",
            "{\"agents\": {\"claude\": {\"output\": {\"text\": \"result\"}}}}",
            "{\"sinks\": []}",
            "{\"limits\": {\"allow_dangerous\": true}}",
        ];
        let refusals = texts.map(refusal).join("\n");
        insta::assert_snapshot!(refusals, @r#"
    repo/debate-agent.config.json:1:1: not valid JSON: EOF while parsing a value
    repo/debate-agent.config.json:4:3: not valid JSON: trailing comma
    repo/debate-agent.config.json:1:16: not valid JSON: trailing characters
    repo/debate-agent.config.json:1:1: must be a JSON object, an array found
    repo/debate-agent.config.json:1:1: not valid JSON: it begins with a byte order mark; save it as UTF-8 without one
    repo/debate-agent.config.json:2:1: `limits.max_ids` is given twice (first on line 1)
    repo/debate-agent.config.json:2:3: unknown key `agent`; did you mean `agents`?
    repo/debate-agent.config.json:2:3: unknown key `agents.claude.timeout`; did you mean `timeout_seconds`?
    repo/debate-agent.config.json:2:3: `limits.max_parallel` is wrong: expected a whole number, found "six"
    repo/debate-agent.config.json:1:13: `limits.max_parallel` must be between 1 and 1000, 0 found
    repo/debate-agent.config.json:1:13: `limits.budget_usd` is wrong: `-1` is not an amount in US dollars between 0 and 1,000,000
    repo/debate-agent.config.json:2:2: `agents.claude.args[1]` is wrong: expected text, found 5
    repo/debate-agent.config.json:1:24: `agents.claude.name` must equal its key `claude`, `klaus` found
    repo/debate-agent.config.json:1:13: `agents.mine` has no `path`: the program's name or path
    repo/debate-agent.config.json:2:1: `agents.human` is reserved for the person who takes a seat: give the agent another name
    repo/debate-agent.config.json:2:1: `agents.mine.vendor` is reserved for the person who takes a seat, not for a program
    repo/debate-agent.config.json:1:24: `agents.claude.model` must be 1 to 200 letters, digits or `._:/@+-[]`, and not begin with `-`
    repo/debate-agent.config.json:1:24: `agents.claude.model` is null; leave the key out instead
    repo/debate-agent.config.json:1:24: `agents.claude.profile` is wrong: expected one of `claude`, `codex`, `gemini`, `opencode`, `qwen`, `copilot`, `generic`, found `cloude`
    repo/debate-agent.config.json:2:3: `roles.backlog-critic.agent` names the agent `kodex`, which does not exist; did you mean `codex`?
    repo/debate-agent.config.json:2:2: `topic.participants[1]` names the agent `kodex`, which does not exist; did you mean `codex`?
    repo/debate-agent.config.json:1:39: `topic.participants[1]` is named twice: an agent cannot debate with itself
    repo/debate-agent.config.json:1:12: `topic.expert` names the agent `human`, which does not exist
    repo/debate-agent.config.json:1:29: `panel.participants[0]` names the agent `gemeni`, which does not exist; did you mean `gemini`?
    repo/debate-agent.config.json:1:24: `agents.claude.fallback` leads back to the agent itself
    repo/debate-agent.config.json:1:35: `agents.claude.output.text` must be a JSON pointer such as `/result/text`
    repo/debate-agent.config.json:1:2: `sinks` is wrong: expected an object, found a list
    repo/debate-agent.config.json:1:13: `limits.allow_dangerous` counts only in the user's own file, not in the project's file
    "#);
    }

    #[test]
    fn a_fault_is_reported_also_where_a_higher_layer_would_hide_it() {
        let world = World::new();
        world.user(r#"{"limits": {"max_ids": "many"}}"#);
        world.project(r#"{"limits": {"max_ids": 5}}"#);
        assert!(
            world
                .refusal()
                .starts_with("home/.config/debate-agent/config.json:1:13: `limits.max_ids`")
        );
    }

    /// F75: zero, negative, 2^64 and fractions, for every key of seconds.
    #[test]
    fn time_limits_have_bounds_wherever_they_stand() {
        let world = World::new();
        for key in [
            "agents.claude.timeout_seconds",
            "agents.claude.idle_timeout_seconds",
            "roles.backlog-critic.timeout_seconds",
            "limits.timeout_seconds",
            "limits.deadline_seconds",
        ] {
            for wrong in ["0", "-1", "18446744073709551616", "86401", "1.5", "\"60\"", "1e999"] {
                let path = KeyPath::of(key.split('.'));
                let text = nested(&path, json!("@")).to_string().replace("\"@\"", wrong);
                let refusal = world.project(&text).refusal();
                assert!(refusal.contains(key) || wrong == "1e999", "{key} {wrong}: {refusal}");
            }
            for right in [1, 86_400] {
                let text = nested(&KeyPath::of(key.split('.')), json!(right)).to_string();
                assert!(world.project(&text).load().is_ok(), "{text}");
            }
        }
    }

    /// F76: an invalid value of a variable is refused by the variable's name.
    #[test]
    fn junk_in_a_variable_is_refused_by_name() {
        let refusal = |name: &str, value: &str| {
            let mut world = World::new();
            world.vars.insert(name.to_owned(), value.to_owned());
            world.load().map(|_| ()).map_err(|error| error.to_string())
        };
        for (name, wrong) in [
            ("DEBATE_AGENT_BUDGET", vec!["lots", "-1", "NaN", "inf", "1e9", "\"2\"", "2,5", "[1]"]),
            ("DEBATE_AGENT_TIMEOUT", vec!["0", "-5", "3.5", "18446744073709551616", "1m"]),
            ("DEBATE_AGENT_MAX_PARALLEL", vec!["0", "1001", "many"]),
            ("DEBATE_AGENT_REPAIR", vec!["yes", "1"]),
        ] {
            for value in wrong {
                let text = refusal(name, value).unwrap_err();
                assert!(text.starts_with(&format!("{name}: `")), "{name}={value}: {text}");
            }
        }
        assert_eq!(
            refusal("DEBATE_AGENT_BUGDET", "1").unwrap_err(),
            "unknown variable DEBATE_AGENT_BUGDET; did you mean `DEBATE_AGENT_BUDGET`?"
        );
        assert_eq!(refusal("DEBATE_AGENT_BUDGET", ""), Ok(()), "empty is not set");
        assert_eq!(refusal("DEBATE_AGENT_DEPTH", "1"), Ok(()), "ours, but no setting");
        assert_eq!(refusal("DEBATE_AGENTS", "1"), Ok(()), "not ours");
    }

    #[test]
    fn a_time_limit_from_outside_overrides_every_configured_one() {
        let mut world = World::new();
        world.project(r#"{"roles": {"backlog-critic": {"timeout_seconds": 300}}}"#);
        world.vars.insert("DEBATE_AGENT_TIMEOUT".to_owned(), "7".to_owned());
        let config = world.load().unwrap().config;
        assert!(config.agents.values().all(|agent| agent.timeout_seconds == Some(7)));
        assert_eq!(config.roles["backlog-critic"].timeout_seconds, Some(7));
        assert_eq!(config.roles["backlog-champion"].timeout_seconds, None);
        assert_eq!(config.limits.timeout_seconds, 7);
    }

    #[test]
    fn an_agent_without_a_time_limit_has_the_general_one() {
        let world = World::new();
        world.user(r#"{"agents": {"mine": {"path": "mine"}}, "limits": {"timeout_seconds": 9}}"#);
        let config = world.load().unwrap().config;
        assert_eq!(config.agents["mine"].timeout_seconds, Some(9));
        assert_eq!(config.agents["claude"].timeout_seconds, Some(9));
        // The default limit is not a limit set by the user: the time of a role depends on its work.
        assert_eq!(World::new().load().unwrap().config.agents["claude"].timeout_seconds, None);
    }

    #[test]
    fn a_flag_that_names_nobody_is_reported_as_the_flag() {
        let world = World::new();
        world.project(r#"{"debate": {"default_agents": ["claude"]}}"#);
        let mut request = world.request();
        request.flags = vec![Flag {
            name: "--agents".to_owned(),
            path: KeyPath::of(["debate", "default_agents"]),
            value: json!(["claude", "kodex"]),
        }];
        assert_eq!(
            load(&request).unwrap_err().to_string(),
            "--agents: `debate.default_agents[1]` names the agent `kodex`, which does not exist; did you mean `codex`?"
        );
    }

    #[test]
    fn a_debater_that_is_no_agent_is_an_error_and_never_replaced() {
        for (topic, at) in [
            (r#"{"topic": {"participants": ["claude", "gemni"]}}"#, "topic.participants[1]"),
            (r#"{"topic": {"expert": "gemni"}}"#, "topic.expert"),
            (r#"{"panel": {"participants": ["gemni"]}}"#, "panel.participants[0]"),
            (r#"{"roles": {"judge": {"agent": "gemni"}}}"#, "roles.judge.agent"),
        ] {
            let world = World::new();
            world.project(topic);
            let said = world.load().unwrap_err().to_string();
            let wanted = format!(
                "`{at}` names the agent `gemni`, which does not exist; did you mean `gemini`?"
            );
            assert!(said.contains(&wanted), "{said}");
        }
        let world = World::new();
        world.project(r#"{"topic": {"expert": "none"}}"#);
        assert_eq!(world.load().unwrap().config.topic.expert, "none");
    }

    #[test]
    fn flags_that_switch_off_safety_count_in_the_users_file_alone() {
        let mut world = World::new();
        world.user(r#"{"limits": {"allow_dangerous": true}}"#);
        assert!(world.load().unwrap().config.limits.allow_dangerous);
        world.write("named.json", r#"{"limits": {"allow_dangerous": true}}"#);
        let mut request = world.request();
        request.file = Some(world.path("named.json"));
        assert!(matches!(load(&request), Err(ConfigError::UserOnly { layer: Layer::File, .. })));
        world.vars.insert("XDG_CONFIG_HOME".to_owned(), "relative".to_owned());
        assert!(
            world.load().unwrap().config.limits.allow_dangerous,
            "a relative XDG folder is ignored"
        );
    }

    #[test]
    fn a_configuration_of_the_source_system_is_read() {
        let world = World::new();
        world.project(
        r#"{"agents": {"codex": {"name": "codex", "path": "/opt/homebrew/bin/codex", "args": ["exec", "--skip-git-repo-check"], "timeout_seconds": 180}},
            "debate": {"default_agents": ["codex", "claude"], "include_critique_round": true, "default_mode": "adversarial"}}"#,
    );
        assert_eq!(world.load().unwrap().config.agents["codex"].args.len(), 2);
    }

    #[test]
    fn a_file_is_validated_by_itself() {
        let world = World::new();
        world.write("good.json", r#"{"limits": {"max_ids": 5}}"#);
        world.write("bad.json", r#"{"roles": {"x": {"agent": "nobody"}}}"#);
        let FileCheck { config, warnings } = validate_file(&world.path("good.json")).unwrap();
        assert_eq!((config.limits.max_ids, warnings), (5, vec![]));
        assert!(validate_file(&world.path("bad.json")).is_err());
        assert!(matches!(validate_file(&world.path("none.json")), Err(ConfigError::Read { .. })));
    }
}
