//! One attempt: permission, private directory, process, reading, settlement.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant as Monotonic};

use sha2::{Digest, Sha256};
use tempfile::TempDir;
use tokio::time::Instant;

use super::partial::{self, Partials};
use super::{AttemptOutcome, TurnAsk};
use crate::agent::attempts::{
    AttemptError, AttemptEvent, AttemptResult, Attempts, Intent, Kind, Permit, ran,
};
use crate::agent::cost;
use crate::agent::envelope::{self, Envelope};
use crate::agent::output::json;
use crate::agent::pace::Pace;
use crate::agent::profile::{self, PreparedCall};
use crate::agent::roster::{Agent, key_and_model};
use crate::journal::key;
use crate::kernel::{Cost, FailureClass, Quota, Turn};
use crate::process::{Depth, Ending, Limits, ProcessResult, Sink, Spec};
use crate::text::Note;

/// At most five progress events per second for each turn.
const PROGRESS_EVERY: Duration = Duration::from_millis(200);

/// Lines of standard error kept in the journal for a failed call.
const STDERR_LINES: usize = 20;

/// Describes one attempt; the hash covers system prompt and prompt.
pub(super) fn intent(
    turn: &Turn,
    system: &str,
    agent: &Agent,
    kind: Kind,
    attempt: u32,
    prompt: &str,
) -> Intent {
    let mut sha = Sha256::new();
    sha.update(system.as_bytes());
    sha.update([0]);
    sha.update(prompt.as_bytes());
    Intent {
        turn: turn.id.to_string(),
        role: turn.role.clone(),
        kind,
        attempt,
        agent: agent.name.clone(),
        prompt_sha: key::hex(&sha.finalize()),
        prompt_bytes: u64::try_from(prompt.len()).unwrap_or(u64::MAX),
        effort_above: Pace::of(&turn.plays, None).above(agent),
        agent_digest: agent.digest.clone(),
    }
}

impl<A: Attempts> TurnAsk<'_, A> {
    /// Makes one attempt, or takes its result from the journal.
    pub(super) async fn attempt(
        &mut self,
        agent: &Agent,
        kind: Kind,
        prompt: &str,
    ) -> Result<AttemptOutcome, AttemptError> {
        if let Err(failure) = profile::check(agent, self.system, prompt, self.settings.prompt_bytes)
        {
            return Ok(AttemptOutcome::Refused(failure));
        }
        let intent = self.intent(agent, kind, prompt);
        let adopt = |spool: &[u8]| self.adopted(agent, spool);
        let permit = self.attempts.permit(&intent, [self.system, prompt], &adopt).await?;
        let (result, charged, replayed) = match permit {
            Permit::OutOfTime(failure) => {
                self.out_of_time = true;
                return Ok(AttemptOutcome::Refused(failure));
            }
            Permit::Replay(result) => {
                let charged = result.cost;
                (*result, charged, true)
            }
            Permit::Run => {
                self.began.get_or_insert_with(Instant::now);
                let result = self.run(agent, &intent, prompt).await?;
                let charged = self.attempts.settle(&intent, &result).await?;
                (result, Some(charged), false)
            }
        };
        self.made += 1;
        self.cost = Cost::sum(self.cost.into_iter().chain(charged));
        for note in &result.notes {
            if !self.notes.contains(note) {
                self.notes.push(note.clone());
            }
        }
        Ok(AttemptOutcome::Made { result, replayed })
    }

    /// Runs the process in a private directory and reads its output.
    async fn run(
        &self,
        agent: &Agent,
        intent: &Intent,
        prompt: &str,
    ) -> Result<AttemptResult, AttemptError> {
        let state = |error: io::Error| AttemptError::State(Box::new(error));
        let dir = private_dir(&self.settings.base_dir).map_err(state)?;
        let prepared =
            profile::prepare(agent, self.system, prompt, dir.path(), &self.settings.environment);
        write_files(dir.path(), &prepared).map_err(state)?;
        let mut stdin = prepared.stdin;
        if agent.rehearsal {
            let line = format!("{}\n", (self.of_turn)());
            stdin.splice(..0, line.into_bytes());
        }
        let round = (self.attempts.time_left(intent)).filter(|round| round.left < agent.timeout);
        let unsure = prepared.notes;
        let spec = Spec {
            guard: self.settings.guard.clone(),
            program: agent.program.clone(),
            args: prepared.args,
            depth: Depth::Counts,
            env: prepared.env,
            cwd: prepared.cwd,
            scratch: Some(dir.path().to_owned()),
            stdin,
            tag: format!("{}/{}/{}", self.settings.tag, intent.turn, intent.attempt),
            limits: Limits {
                timeout: round.map_or(agent.timeout, |round| round.left),
                idle: agent.idle,
                ..self.settings.limits
            },
        };
        let limit = (!agent.is_person()).then_some(spec.limits.timeout);
        self.attempts.happened(intent, AttemptEvent::Started(limit));
        let mut sink = Progress {
            attempts: self.attempts,
            intent,
            agent,
            stdout: Vec::new(),
            stderr: Vec::new(),
            phase: None,
            words: String::new(),
            partials: Partials::default(),
            told: Monotonic::now(),
            judged: 0,
            complete: false,
        };
        if cost::may_need_table(agent) {
            self.settings.prices.begin_load();
        }
        let ran = self.attempts.launch(intent, &spec, &mut sink).await;
        let (stdout, stderr) = (sink.stdout, sink.stderr);
        let envelope = self.read(agent, &stdout, &stderr, &ran.ending);
        if cost::needs_table(agent, &envelope) {
            self.settings.prices.load().await;
        }
        let tail = if envelope.failure.is_some() {
            envelope::tail(&stderr, STDERR_LINES)
        } else {
            Vec::new()
        };
        let mut result = self.result(agent, envelope, &ran, tail);
        result.notes.extend(unsure);
        if let (Some(round), Some(failure)) = (round, &mut result.failure)
            && failure.class == FailureClass::TimedOut
        {
            failure.message = format!(
                "{} gave no answer before its round's time limit was reached ({} s)",
                agent.name,
                round.limit.as_secs()
            );
        }
        Ok(result)
    }

    fn read(&self, agent: &Agent, stdout: &[u8], stderr: &[u8], ending: &Ending) -> Envelope {
        let now = self.settings.env.here();
        envelope::read(agent, stdout, stderr, ending, &self.turn.block_names(), now)
    }

    fn result(
        &self,
        agent: &Agent,
        envelope: Envelope,
        ran: &ProcessResult,
        stderr_tail: Vec<String>,
    ) -> AttemptResult {
        let (cost, cost_notes) = match ran.ending {
            // It never ran, so it cost nothing, whatever was declared.
            Ending::SpawnFailed { .. } => (Some(Cost::refused()), Vec::new()),
            Ending::Exited { .. }
            | Ending::Signaled { .. }
            | Ending::TimedOut
            | Ending::Idle
            | Ending::Lingering
            | Ending::OutputLimit
            | Ending::Cancelled
            | Ending::GuardLost => cost::work_out(agent, &envelope, &self.settings.prices),
        };
        let mut notes = envelope.notes;
        notes.extend(cost_notes);
        if ran.leaked_output {
            notes.push(Note::new(
                "leaked_output_handle",
                format!(
                    "{}: a process of its call held an output open after it had ended",
                    agent.name
                ),
            ));
        }
        if ran.survivors_killed > 0 {
            notes.push(Note::new(
                "survivors_killed",
                format!(
                    "{}: {} processes of its call outlived it and were ended",
                    agent.name, ran.survivors_killed
                ),
            ));
        }
        notes.extend(unkillable(agent, ran));
        let asked = !agent.is_person() && !agent.is_own();
        if self.settings.keeps_quota && asked && envelope.quota.is_empty() {
            let message = format!(
                "{}: its CLI reported no quota, so `limits.keep_quota_percent` cannot hold for it",
                agent.name
            );
            notes.push(Note::new("quota_unknown", message));
        }
        AttemptResult {
            answer: envelope.answer,
            cut: envelope.cut,
            failure: envelope.failure,
            ending: in_words(&ran.ending),
            cost,
            usage: envelope.usage,
            model: envelope.model.or_else(|| agent.model.clone()),
            quota: (!envelope.quota.is_empty()).then(|| Quota {
                agent: key_and_model(&agent.name).0.to_owned(),
                windows: envelope.quota,
            }),
            took_ms: u64::try_from(ran.took.as_millis()).unwrap_or(u64::MAX),
            notes,
            stderr_tail,
        }
    }

    /// Reads the output received by an interrupted run of this attempt, if it is a complete answer.
    ///
    /// A price, if needed, is looked up synchronously: this happens at most once per resume.
    fn adopted(&self, agent: &Agent, spool: &[u8]) -> Option<AttemptResult> {
        if !envelope::complete(agent, spool) {
            return None;
        }
        let ran = ran(Ending::Exited { code: 0 }, spool.len(), Duration::ZERO);
        let envelope = self.read(agent, spool, &[], &ran.ending);
        let mut result = self.result(agent, envelope, &ran, Vec::new());
        "adopted".clone_into(&mut result.ending);
        result.notes.push(Note::new(
            "adopted_after_crash",
            format!("{}: its answer was complete when an earlier run was interrupted", agent.name),
        ));
        Some(result)
    }
}

/// Notes that part of a call may still be running, which must never go unreported.
fn unkillable(agent: &Agent, ran: &ProcessResult) -> Option<Note> {
    (ran.unkillable > 0).then(|| {
        let message = format!(
            "{}: {} processes of its call could not be ended, not even by KILL, and may still run: look for them with `ps`",
            agent.name, ran.unkillable
        );
        Note::new("unkillable", message)
    })
}

fn in_words(ending: &Ending) -> String {
    match ending {
        Ending::Exited { code } => format!("exited({code})"),
        Ending::Signaled { signal } => format!("signaled({signal})"),
        Ending::TimedOut => "timed_out".to_owned(),
        Ending::Idle => "idle".to_owned(),
        Ending::Lingering => "lingering".to_owned(),
        Ending::OutputLimit => "output_limit".to_owned(),
        Ending::Cancelled => "cancelled".to_owned(),
        Ending::SpawnFailed { .. } => "spawn_failed".to_owned(),
        Ending::GuardLost => "guard_lost".to_owned(),
    }
}

/// Creates a directory that only the user can enter; it is deleted when the value is dropped.
fn private_dir(base: &Path) -> io::Result<TempDir> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(base)?;
    // `tempfile` creates directories with mode 0700, whatever the umask.
    tempfile::Builder::new().prefix("debate-agent-").tempdir_in(base)
}

/// Writes the files of a call; the working folder next to them stays empty.
fn write_files(dir: &Path, prepared: &PreparedCall) -> io::Result<()> {
    for folder in [dir.join("work"), dir.join("tmp")] {
        fs::DirBuilder::new().mode(0o700).create(folder)?;
    }
    for (path, text) in &prepared.files {
        fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)?
            .write_all(text.as_bytes())?;
    }
    Ok(())
}

/// Keeps the (redacted) output and reports its progress.
struct Progress<'a, A> {
    attempts: &'a A,
    intent: &'a Intent,
    agent: &'a Agent,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    /// What it does, if it writes no answer just now.
    phase: Option<String>,
    /// The last words of the answer that it writes.
    words: String,
    partials: Partials,
    told: Monotonic,
    /// Lines of standard output up to here are known not to be the CLI's last word.
    judged: usize,
    complete: bool,
}

impl<A: Attempts> Progress<'_, A> {
    /// Reports the output and the last words; unless there is news, no more often than people can read.
    fn tell(&mut self, news: bool) {
        if news || self.told.elapsed() >= PROGRESS_EVERY {
            self.told = Monotonic::now();
            self.attempts.happened(
                self.intent,
                AttemptEvent::Output {
                    bytes: u64::try_from(self.stdout.len()).unwrap_or(u64::MAX),
                    // Its last word may be the beginning of a secret.
                    phase: self.phase.clone().or_else(|| {
                        let (words, _) = self.words.rsplit_once(char::is_whitespace)?;
                        Some(words.to_owned())
                    }),
                },
            );
        }
    }

    /// Looks in new lines for what the CLI does, and for its last word; the last line may lack its end.
    fn read_lines(&mut self) {
        let cli = self.agent.cli();
        for line in self.stdout[self.judged..].split_inclusive(|&byte| byte == b'\n') {
            let event = line.trim_ascii_end().ends_with(b"}").then(|| json::parse(line)).flatten();
            if let Some(event) = event {
                self.complete |= (cli.last_word)(&event);
                if let Some(words) = (cli.words)(&event) {
                    partial::add(&mut self.words, words);
                    self.phase = None;
                } else if let Some(phase) = (cli.phase)(&event) {
                    self.words.clear();
                    self.phase = Some(phase);
                }
            }
            if line.ends_with(b"\n") {
                self.judged += line.len();
            }
        }
    }
}

impl<A: Attempts> Sink for Progress<'_, A> {
    fn aside<'c>(&mut self, chunk: &'c [u8]) -> Cow<'c, [u8]> {
        let cli = self.agent.cli();
        let mut said = String::new();
        let rest = self.partials.split(chunk, cli.partial, |line| {
            let event = json::parse(line);
            said.push_str(event.as_ref().and_then(cli.words).unwrap_or_default());
        });
        if !said.is_empty() {
            partial::add(&mut self.words, &said);
            self.phase = None;
            self.tell(false);
        }
        rest
    }

    fn stdout(&mut self, chunk: &[u8]) {
        let (first, before) = (self.stdout.is_empty(), self.phase.clone());
        self.stdout.extend_from_slice(chunk);
        self.read_lines();
        self.tell(first || self.phase != before);
    }

    fn stderr(&mut self, chunk: &[u8]) {
        self.stderr.extend_from_slice(chunk);
    }

    fn is_complete(&self) -> bool {
        self.complete
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_ended_is_said() {
        let agent = Agent::recorded("claude", "anthropic");
        let mut ran = ProcessResult {
            ending: Ending::Exited { code: 0 },
            survivors_killed: 0,
            unkillable: 0,
            leaked_output: false,
            took: Duration::ZERO,
            stdout_seen: 0,
        };
        assert_eq!(unkillable(&agent, &ran), None);
        ran.unkillable = 2;
        let note = unkillable(&agent, &ran).unwrap();
        assert!(note.code == "unkillable" && note.message.contains("2 processes"));
    }
}
