//! Reads the layers and joins them into the configuration that counts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::document::{Document, Position};
use super::error::{ConfigError, Place, ReadError};
use super::file::{Links, read_text, refuse_open, sha256};
use super::judge::{invalid, judge_all, refuse_dangerous, refuse_null, typed};
use super::key::KeyPath;
use super::layers::{Layer, Merged, Source, at};
use super::schema::Config;
use super::survey::{Places, Survey, survey};
use super::{EMBEDDED, FILE_NAME, validate, vars};
pub use crate::files::repository_of;
use crate::text::Note;

/// What to read.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The working directory (`--dir`), absolute.
    pub dir: PathBuf,
    /// `--config FILE`.
    pub file: Option<PathBuf>,
    /// The variables of the process: `HOME`, `XDG_CONFIG_HOME`, `DEBATE_AGENT_*` count.
    pub vars: BTreeMap<String, String>,
    /// What the command line sets.
    pub flags: Vec<Flag>,
}

/// One value set on the command line.
#[derive(Debug, Clone, PartialEq)]
pub struct Flag {
    /// How it is spelled, for messages: `--budget`.
    pub name: String,
    /// The key it sets. `limits.timeout_seconds` overrides every configured time limit.
    pub path: KeyPath,
    /// The value.
    pub value: Value,
}

/// The configuration that counts, and where it comes from.
#[derive(Debug, Clone)]
pub struct Effective {
    /// The configuration. Every agent has a time limit: its own, or that of `limits`.
    pub config: Config,
    /// The same as JSON, as it was written.
    pub value: Value,
    /// Where each leaf comes from.
    pub provenance: BTreeMap<KeyPath, Source>,
    /// The project's root: the repository's, else the project file's folder, else the working directory. Canonical.
    pub root: PathBuf,
    /// The project's file, if there is one that counts as the project's.
    pub project: Option<ProjectFile>,
    /// Embedded default and user's file alone: what the user has without the project.
    pub own: Value,
    /// What is worth knowing.
    pub warnings: Vec<Note>,
}

/// A project's file as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectFile {
    /// Its canonical path.
    pub path: PathBuf,
    /// SHA-256 of the bytes that were parsed.
    pub sha256: String,
    /// What it says.
    pub value: Value,
}

/// Sections that say how far others than the user are trusted: a project's file cannot set them.
const USER_ONLY: [&str; 1] = ["mcp"];

/// Where the user's own file stands, if a home is known.
pub fn user_file(vars: &BTreeMap<String, String>) -> Option<PathBuf> {
    Some(xdg(vars, "XDG_CONFIG_HOME", ".config")?.join("debate-agent/config.json"))
}

/// Returns an XDG base folder. A relative one is ignored, as that specification asks.
pub(super) fn xdg(
    vars: &BTreeMap<String, String>,
    name: &str,
    below_home: &str,
) -> Option<PathBuf> {
    let absolute = |name: &str| vars.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute(name).or_else(|| Some(absolute("HOME")?.join(below_home)))
}

/// One file before it is merged.
struct Layered {
    layer: Layer,
    file: Option<PathBuf>,
    /// Without what is refused of it.
    document: Document,
    sha256: String,
    /// What is refused of it.
    errors: Vec<ConfigError>,
    /// Where that stood.
    taken: Vec<KeyPath>,
}

impl Layered {
    fn parse(layer: Layer, file: Option<PathBuf>, text: &str) -> Result<Self, ConfigError> {
        let document = Document::parse(text).map_err(|source| ConfigError::Malformed {
            place: Place::File(file.clone(), source.at()),
            source,
        })?;
        let mut this = Self {
            layer,
            file,
            document,
            sha256: sha256(text.as_bytes()),
            errors: Vec::new(),
            taken: Vec::new(),
        };
        let judge = |value: &Value, place: Places<'_>, _: &[KeyPath]| {
            refuse_null(value, &KeyPath::root(), place)?;
            let config = typed(value, place)?;
            validate::ranges(&config).map_err(|fault| invalid(fault, place))?;
            refuse_dangerous(value, layer, place)
        };
        let place = |path: &KeyPath| this.place(path);
        let Survey { value, errors, taken, judged } =
            survey(&this.document.value, Vec::new(), &place, &judge);
        if judged.is_none() {
            return Err(ConfigError::all(errors).unwrap_or(ConfigError::Several(Vec::new())));
        }
        this.taken = taken;
        this.document.value = value;
        this.errors = errors;
        Ok(this)
    }

    fn read(layer: Layer, file: PathBuf, links: Links) -> Result<Self, ConfigError> {
        let text = read_text(&file, links)
            .map_err(|source| ConfigError::Read { file: file.clone(), source })?;
        Self::parse(layer, Some(file), &text)
    }

    fn place(&self, path: &KeyPath) -> Place {
        Place::File(self.file.clone(), self.document.position(path))
    }

    fn merged(&self) -> Merged<Source> {
        let mut value = self.document.value.clone();
        if let (Layer::Project, Some(members)) = (self.layer, value.as_object_mut()) {
            members.retain(|section, _| !USER_ONLY.contains(&section.as_str()));
        }
        Merged::new(value, |path| Source {
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
/// A layer cannot be read, or something of it is refused; all of that is said at once.
pub fn load(request: &Request) -> Result<Effective, ConfigError> {
    let mut warnings = Vec::new();
    let embedded = Layered::parse(Layer::Embedded, None, EMBEDDED)?;
    let dir = canonical(&request.dir)?;
    let repository = dir.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok());
    let named = request
        .file
        .as_ref()
        .map(|file| Layered::read(Layer::File, canonical(&request.dir.join(file))?, Links::Follow))
        .transpose()?;
    let user = own(&request.vars)?;
    // The file that the command line names is the user's word, also where it is the project's.
    let project = find_project(&dir, repository)
        .filter(|file| named.as_ref().is_none_or(|named| named.file.as_ref() != Some(file)))
        .map(|file| Layered::read(Layer::Project, file, Links::Refuse))
        .transpose()?;

    let mut merged = embedded.merged();
    let mut own = merged.clone();
    let mut taken = Vec::new();
    let mut errors = embedded.errors;
    let mut layers = [user, project, named];
    for layered in layers.iter_mut().flatten() {
        errors.append(&mut layered.errors);
        taken.append(&mut layered.taken);
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
        source.map_or(Place::File(None, start), |(_, source)| place_of(source))
    };
    let exact = |path: &KeyPath| {
        // A file knows the very element; what a source keeps is the place of the whole leaf.
        let here = place(path);
        let file = match &here {
            Place::File(Some(file), _) => Some(file),
            Place::File(None, _) | Place::Variable(_) | Place::Flag(_) => None,
        };
        let of_file = (layers.iter().rev().flatten())
            .find(|layered| layered.file.as_ref() == file && file.is_some());
        of_file.map_or(here.clone(), |layered| layered.place(path))
    };
    let judged = survey(&merged.value, taken, &exact, &judge_all);
    errors.extend(judged.errors);
    let mut config = match (ConfigError::all(errors), judged.judged) {
        (Some(error), _) => return Err(error),
        (None, Some(config)) => config,
        // Without an error there is a configuration.
        (None, None) => Config::default(),
    };
    let [_, project, _] = layers;
    let general = config.limits.timeout_seconds;
    for agent in config.agents.values_mut() {
        agent.timeout_seconds.get_or_insert(general);
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

/// What `config validate FILE` finds in a file.
#[derive(Debug)]
pub struct Judged {
    /// What the file comes to, without what is refused of it.
    pub config: Config,
    /// What is refused.
    pub errors: Vec<ConfigError>,
    /// What is worth knowing.
    pub warnings: Vec<Note>,
}

/// Judges one file as the user's layer over the defaults, without reading any other.
///
/// # Errors
/// It cannot be read, or it is no JSON object.
pub fn validate_file(file: &Path) -> Result<Judged, ConfigError> {
    let file = canonical(file)?;
    let mut layered = Layered::read(Layer::User, file, Links::Follow)?;
    let embedded = Layered::parse(Layer::Embedded, None, EMBEDDED)?;
    let merged = embedded.merged().under(layered.merged());
    let taken = std::mem::take(&mut layered.taken);
    let place = |path: &KeyPath| layered.place(path);
    let judged = survey(&merged.value, taken, &place, &judge_all);
    let mut warnings = Vec::new();
    warn_unused(&layered, &mut warnings);
    let mut errors = std::mem::take(&mut layered.errors);
    errors.extend(judged.errors);
    Ok(Judged { config: judged.judged.unwrap_or_default(), errors, warnings })
}

fn canonical(path: &Path) -> Result<PathBuf, ConfigError> {
    path.canonicalize()
        .map_err(|error| ConfigError::Read { file: path.to_owned(), source: ReadError::Io(error) })
}

/// Reads the user's own file, if there is one.
fn own(vars: &BTreeMap<String, String>) -> Result<Option<Layered>, ConfigError> {
    let Some(file) = user_file(vars).filter(|file| file.exists()) else {
        return Ok(None);
    };
    refuse_open(&file).map_err(|source| ConfigError::Read { file: file.clone(), source })?;
    Layered::read(Layer::User, file, Links::Follow).map(Some)
}

/// Finds the nearest project file, no higher than the repository's root. Without a
/// repository only the working directory counts: what lies above may be anybody's.
fn find_project(dir: &Path, repository: Option<&Path>) -> Option<PathBuf> {
    let highest = repository.unwrap_or(dir);
    dir.ancestors()
        .take_while(|folder| folder.starts_with(highest))
        .map(|folder| folder.join(FILE_NAME))
        .find(|file| file.symlink_metadata().is_ok())
}

/// Sets one value from outside the files. A time limit overrides those of every agent and role.
fn set_one(
    merged: Merged<Source>,
    layer: Layer,
    name: &str,
    path: &KeyPath,
    value: &Value,
) -> Result<Merged<Source>, ConfigError> {
    let spelled = |_: &KeyPath| match layer {
        Layer::Variable => Place::Variable(name.to_owned()),
        Layer::Embedded | Layer::User | Layer::Project | Layer::File | Layer::Flag => {
            Place::Flag(name.to_owned())
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
    // The range is judged here, so that the message names the variable or flag.
    let config = typed(&nested(path, value.clone()), &spelled)?;
    validate::ranges(&config).map_err(|fault| invalid(fault, &spelled))?;
    let source = Source { layer, file: None, name: Some(name.to_owned()), position: None };
    Ok(merged.under(Merged::new(above, |_| source.clone())))
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

fn place_of(source: &Source) -> Place {
    match (&source.name, source.layer) {
        (Some(name), Layer::Variable) => Place::Variable(name.clone()),
        (Some(name), _) => Place::Flag(name.clone()),
        (None, _) => Place::File(
            source.file.clone(),
            source.position.unwrap_or(Position { line: 1, column: 1 }),
        ),
    }
}

fn warn_unused(layered: &Layered, warnings: &mut Vec<Note>) {
    for section in USER_ONLY {
        let path = KeyPath::of([section]);
        if layered.layer == Layer::Project && at(&layered.document.value, &path).is_some() {
            warnings.push(Note::new(
                "unused_section",
                format!(
                    "{}: `{section}` of a project is not used: it belongs into ~/.config/debate-agent/config.json",
                    layered.place(&path)
                ),
            ));
        }
    }
    let agents = layered.document.value.get("agents").and_then(Value::as_object);
    for name in agents.into_iter().flatten().map(|(name, _)| name) {
        let path = KeyPath::of(["agents", name.as_str(), "resume"]);
        if at(&layered.document.value, &path) == Some(&Value::Bool(true)) {
            warnings.push(Note::new(
                "unused_key",
                format!(
                    "{}: `{path}` is not used by this version: every call starts a session of its own",
                    layered.place(&path)
                ),
            ));
        }
    }
}

#[cfg(test)]
mod tests;
