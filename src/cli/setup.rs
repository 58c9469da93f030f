//! The commands around the debates: setup, inspection, checks, trust, schemas, manual pages.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::args::{
    ConfigCommand, DoctorArgs, InitArgs, SchemaArgs, SkillsCommand, TrustArgs, command,
};
use super::options::Global;
use super::output::Output;
use super::{block_on, surroundings, workspace};
use crate::app::doctor::{self, Check, Status};
use crate::app::documents::{
    FilesDocument, RevokedDocument, SkillDocument, SkillsDocument, TrustedDocument,
};
use crate::app::workspace::Workspace;
use crate::app::{
    agents as listing, config as settings, init as writing, skills as prompts, trust as trusting,
};
use crate::config::FILE_NAME;
use crate::config::file::IfExists;
use crate::config::load::Request;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::report::table::Table;
use crate::schemas;

pub(super) fn init(global: &Global, args: &InitArgs, output: &Output) -> Result<ExitStatus, Error> {
    let workspace = workspace(global, Vec::new())?;
    let request = writing::Init {
        dir: workspace.around.dir.clone(),
        vars: workspace.around.vars.clone(),
        machine: workspace.machine(),
        existing: if args.force { IfExists::Replace } else { IfExists::Keep },
        dry_run: args.dry_run,
        at: workspace.env().now(),
    };
    let done = writing::init(&request).map_err(|error| {
        Error::new(Kind::Usage, error.to_string())
            .named("init")
            .hint("--force replaces what exists")
    })?;
    if output.json() {
        return output.document(&done, ExitStatus::Success);
    }
    let file = done.config.display();
    let mut lines = if done.dry_run {
        let text = done.text.lines().map(|line| format!("  {line}"));
        std::iter::once(format!("would write {file}:")).chain(text).collect()
    } else {
        vec![format!("wrote   {file}")]
    };
    let found = done.found.iter().map(|found| format!("{} ({})", found.agent, found.vendor));
    let found: Vec<String> = found.collect();
    lines.push(format!(
        "found   {}",
        if found.is_empty() { "no CLI".to_owned() } else { found.join(", ") }
    ));
    let missing = done.missing.iter().map(|one| format!("{} ({})", one.agent, one.install));
    let missing: Vec<String> = missing.collect();
    if !missing.is_empty() {
        lines.push(format!("missing {}", missing.join(", ")));
    }
    lines.extend(done.warnings.iter().map(|note| format!("warning {}", note.message)));
    let next = if done.dry_run {
        ["debate-agent init   (writes it)"].as_slice()
    } else {
        &[
            "debate-agent doctor              (versions, logins, flags; costs nothing)",
            "debate-agent review --rehearse   (a whole review, without asking a model)",
        ]
    };
    lines.extend(next.iter().enumerate().map(|(at, next)| {
        let label = if at == 0 { "next" } else { "" };
        format!("{label:<8}{next}")
    }));
    output.result(&crate::text::sanitize::terminal(&(lines.join("\n") + "\n")))
}

pub(super) fn doctor(
    global: &Global,
    args: &DoctorArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    let workspace = workspace(global, Vec::new())?;
    let report = block_on(doctor::doctor(&workspace, args.live))??;
    let status = if report.usable { ExitStatus::Success } else { ExitStatus::Environment };
    output.either(&report, status, |_| doctor_text(&report))
}

fn doctor_text(report: &doctor::Report) -> String {
    let mut lines = Vec::new();
    for agent in &report.agents {
        let tasks = match &*tasks(&agent.roles, agent.seat, &agent.perspectives) {
            "" => "plays no role".to_owned(),
            tasks => format!("plays {tasks}"),
        };
        let state = if agent.usable { "usable" } else { "NOT USABLE" };
        lines.push(format!("{}: {state}; {tasks}", agent.name));
        lines.extend(agent.checks.iter().map(check_text));
        if let Some(live) = &agent.live {
            let cost =
                live.cost.map_or_else(|| "cost unknown".to_owned(), |cost| cost.usd.to_string());
            lines.push(format!("  live          {:.1} s, {cost}", live.seconds));
        }
        lines.extend(agent.traps.iter().map(|trap| format!("  note          {trap}")));
        lines.push(String::new());
    }
    if !report.proof.is_empty() {
        lines.push("tests of findings (`review --prove`):".to_owned());
        lines.extend(report.proof.iter().map(check_text));
        lines.push(String::new());
    }
    for sink in &report.sinks {
        let state = if sink.usable { "usable" } else { "NOT USABLE" };
        lines.push(format!("sink {} ({}): {state}", sink.name, sink.kind));
        let problems = sink.problems.iter();
        lines.extend(problems.map(|problem| format!("  FAIL          {problem}")));
        lines.push(String::new());
    }
    lines.extend(report.second_vendor.iter().map(|note| note.message.clone()));
    lines.push(if report.usable {
        "Every role and every seat has a usable agent.".to_owned()
    } else {
        "Some role or seat has no usable agent: fix the lines marked FAIL, or name others under `roles` and `debate.default_agents`.".to_owned()
    });
    crate::text::sanitize::terminal(&(lines.join("\n") + "\n"))
}

fn check_text(check: &Check) -> String {
    let mark = match check.status {
        Status::Ok => "ok  ",
        Status::Warning => "warn",
        Status::Failed => "FAIL",
    };
    let what = serde_json::to_value(check.what).unwrap_or_default();
    let mend = check.mend.iter().map(|mend| format!("\n                -> {mend}"));
    let what = what.as_str().unwrap_or_default();
    format!("  {mark} {what:<8} {}{}", check.message, mend.collect::<String>())
}

/// The default tasks of an agent: `backlog-critic, s1 of reviews and plans, technical of critiques`.
fn tasks(roles: &[String], seat: Option<usize>, perspectives: &[String]) -> String {
    let seat = seat.map(|seat| format!("s{seat} of reviews and plans"));
    let perspectives =
        (!perspectives.is_empty()).then(|| format!("{} of critiques", perspectives.join(", ")));
    let tasks = roles.iter().cloned().chain(seat).chain(perspectives);
    tasks.collect::<Vec<String>>().join(", ")
}

pub(super) fn agents(global: &Global, output: &Output) -> Result<ExitStatus, Error> {
    let workspace = workspace(global, Vec::new())?;
    let listing = listing::list(&workspace.effective, &workspace.machine());
    let agents = listing.agents.iter().map(|agent| {
        vec![
            agent.name.clone(),
            if agent.available { "yes".to_owned() } else { "no".to_owned() },
            agent.vendor.clone().unwrap_or_default(),
            tasks(&agent.roles, agent.seat, &agent.perspectives),
            agent
                .problem
                .clone()
                .or_else(|| agent.program.as_ref().map(|path| path.display().to_string()))
                .unwrap_or_default(),
        ]
    });
    let table = Table::new(&["Agent", "Available", "Vendor", "Roles", "Program"], agents)
        .unbroken(&[0, 1, 2]);
    output.either(&listing, ExitStatus::Success, |look| table.render(look.width))
}

pub(super) fn skills(
    global: &Global,
    command: SkillsCommand,
    output: &Output,
) -> Result<ExitStatus, Error> {
    let workspace = workspace(global, Vec::new())?;
    let wrong = |error: prompts::SkillError| {
        Error::new(Kind::Input, error.to_string())
            .named("skill")
            .hint("`debate-agent skills list` lists them")
    };
    match command {
        SkillsCommand::List => {
            let rows = prompts::list(&workspace.effective).map_err(wrong)?;
            let table = Table::new(
                &["Role", "Origin", "SHA-256", "What for"],
                rows.iter().map(|row| {
                    let origin = serde_json::to_value(row.origin).unwrap_or_default();
                    let origin = origin.as_str().unwrap_or_default().to_owned();
                    vec![
                        row.role.clone(),
                        if row.needs_trust { format!("{origin} (needs trust)") } else { origin },
                        row.sha256.chars().take(12).collect(),
                        row.description.clone(),
                    ]
                }),
            )
            .unbroken(&[0, 2]);
            let mut text = table.render(output.look().width);
            for note in rows.iter().filter_map(|row| row.note.as_deref()) {
                text.push_str(&crate::text::sanitize::line(note, 1_000));
                text.push('\n');
            }
            output.either(&SkillsDocument { skills: rows }, ExitStatus::Success, |_| text)
        }
        SkillsCommand::Show { role } => {
            let text = prompts::show(&workspace.effective, &role).map_err(wrong)?;
            let shown = crate::text::sanitize::terminal(&text);
            output.either(&SkillDocument { role, text }, ExitStatus::Success, |_| shown)
        }
        SkillsCommand::Export { dir } => {
            let files = prompts::export(&super::below(&workspace, &dir), IfExists::Keep).map_err(
                |error| {
                    Error::new(Kind::Usage, error.to_string())
                        .named("export")
                        .hint("name an empty directory")
                },
            )?;
            let text = format!(
                "Wrote {} files below {}: SKILL.md, turn.md and answer.md of each role, and session/.\n",
                files.len(),
                crate::text::sanitize::line(&dir.display().to_string(), 400)
            );
            output.either(&FilesDocument { files }, ExitStatus::Success, |_| text)
        }
    }
}

pub(super) fn config(
    global: &Global,
    command: ConfigCommand,
    output: &Output,
) -> Result<ExitStatus, Error> {
    match command {
        ConfigCommand::Show => {
            let workspace = workspace(global, Vec::new())?;
            let shown = settings::show(&workspace.effective);
            if output.json() {
                return output.document(&shown, ExitStatus::Success);
            }
            for note in &shown.warnings {
                Output::warning(&note.message);
            }
            output.result(&crate::text::sanitize::terminal(&shown.text()))
        }
        ConfigCommand::Schema => print_schema("config", output),
        ConfigCommand::Validate { file } => {
            let around = surroundings(global)?;
            let file = around.dir.join(file.as_deref().unwrap_or(Path::new(FILE_NAME)));
            let valid = settings::validate(&file)?;
            if output.json() {
                return output.document(&valid, ExitStatus::Success);
            }
            for note in &valid.warnings {
                Output::warning(&note.message);
            }
            output.result(&format!("{} is valid\n", valid.file.display()))
        }
    }
}

pub(super) fn trust(
    global: &Global,
    args: &TrustArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    let around = surroundings(global)?;
    let failed =
        |error: &dyn std::fmt::Display| Error::new(Kind::State, error.to_string()).named("trust");
    if args.list {
        let pins = trusting::list(&around.vars).map_err(|error| failed(&error))?;
        if output.json() {
            return output.document(&TrustedDocument { trusted: pins }, ExitStatus::Success);
        }
        if pins.is_empty() {
            output.notice("nothing is trusted");
        }
        let rows = pins.iter().map(|pin| {
            vec![
                pin.path.display().to_string(),
                pin.sha256.chars().take(12).collect(),
                pin.at.format("%Y-%m-%d").to_string(),
            ]
        });
        let table = Table::new(&["File", "SHA-256", "Since"], rows).unbroken(&[1, 2]);
        return if pins.is_empty() {
            Ok(ExitStatus::Success)
        } else {
            output.result(&table.render(output.look().width))
        };
    }
    if args.revoke {
        let workspace = Workspace::open(around, Vec::new())?;
        let root = workspace.root().to_owned();
        let gone =
            trusting::revoke(&workspace.around.vars, &root).map_err(|error| failed(&error))?;
        if output.json() {
            return output.document(&RevokedDocument { revoked: gone }, ExitStatus::Success);
        }
        let root = root.display();
        let text = match gone.len() {
            0 => format!("nothing below {root} was trusted\n"),
            1 => format!("1 file below {root} is no longer trusted\n"),
            count => format!("{count} files below {root} are no longer trusted\n"),
        };
        return output.result(&crate::text::sanitize::terminal(&text));
    }
    let request = Request {
        dir: around.dir.clone(),
        file: around.config.clone(),
        vars: around.vars.clone(),
        flags: Vec::new(),
    };
    let granted =
        trusting::grant(&request, args.read_repo, around.env.now()).map_err(
            |error| match &error {
                trusting::TrustError::Config(_) | trusting::TrustError::Skill(_) => {
                    Error::new(Kind::Config, error.to_string())
                }
                trusting::TrustError::Store(_) => failed(&error),
            },
        )?;
    if output.json() {
        return output.document(&granted, ExitStatus::Success);
    }
    let mut text = String::new();
    for key in &granted.keys {
        // Writing to a String cannot fail.
        writeln!(text, "  {} = {}", key.path, key.value).ok();
    }
    for pin in &granted.files {
        writeln!(text, "trusted {}", pin.path.display()).ok();
    }
    if granted.files.is_empty() {
        "nothing in this project needs trust\n".clone_into(&mut text);
    }
    output.result(&crate::text::sanitize::terminal(&text))
}

pub(super) fn schema(args: &SchemaArgs, output: &Output) -> Result<ExitStatus, Error> {
    let Some(name) = &args.name else {
        let names: Vec<&str> = schemas::names().collect();
        if output.json() {
            return output.document(&serde_json::json!({ "schemas": names }), ExitStatus::Success);
        }
        return output.result(&(names.join("\n") + "\n"));
    };
    print_schema(name, output)
}

fn print_schema(name: &str, output: &Output) -> Result<ExitStatus, Error> {
    let schema = schemas::schema(name).ok_or_else(|| {
        let names: Vec<&str> = schemas::names().collect();
        Error::new(Kind::Input, format!("there is no document `{name}`"))
            .hint(format!("there are {}", names.join(", ")))
    })?;
    output.document(&schema, ExitStatus::Success)
}

pub(super) fn man(global: &Global, dir: &Path, output: &Output) -> Result<ExitStatus, Error> {
    let dir = surroundings(global)?.dir.join(dir);
    fs::create_dir_all(&dir).and_then(|()| clap_mangen::generate_to(command(), &dir)).map_err(
        |error| {
            Error::new(Kind::State, format!("failed to write manual pages into {}", dir.display()))
                .because(error)
        },
    )?;
    if output.json() {
        let mut files: Vec<PathBuf> = fs::read_dir(&dir)
            .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
            .unwrap_or_default();
        files.sort();
        return output.document(&FilesDocument { files }, ExitStatus::Success);
    }
    output.notice(&format!("wrote the manual pages into {}", dir.display()));
    Ok(ExitStatus::Success)
}
