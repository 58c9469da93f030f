//! A debate of one step with a hundred turns, each asked of a fake CLI under its own guard.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use debate_agent::agent::ask::{AskSettings, ask};
use debate_agent::agent::attempts::{
    AttemptError, AttemptEvent, AttemptResult, Attempts, Intent, Permit,
};
use debate_agent::agent::roster::{Agent, Assignment, Roster};
use debate_agent::config::agents::ProfileName;
use debate_agent::engine::bus::Bus;
use debate_agent::engine::switch::Switch;
use debate_agent::engine::{self, TurnAsker};
use debate_agent::kernel::{
    Answer, Answers, AnyReply, Basis, Chance, Cost, Defect, Driver, DynDriver, Prompt, Protocol,
    Query, RawReply, Reply, Run, Seat, SessionOutcome, Step, Stop, Turn, TurnId, Usd, Warning,
};
use debate_agent::process::{Control, ProcessResult, Sink, Spec, run};
use tokio::sync::watch;

use crate::scratch::{BIN, Scratch, fixture};

const TURNS: usize = 100;

/// Asks all turns in its first step; its outcome is the number of answers.
#[derive(Default)]
struct Hundred {
    answered: Option<usize>,
}

#[derive(Debug, Clone)]
struct Answered(usize);

impl SessionOutcome for Answered {
    fn name(&self) -> String {
        "answered".to_owned()
    }

    fn verdict(&self) -> &'static str {
        "answered"
    }

    fn closes(&self) -> bool {
        true
    }

    fn seats(&mut self) -> &mut [Seat] {
        &mut []
    }

    fn warnings(&self) -> &[Warning] {
        &[]
    }
}

impl Protocol for Hundred {
    type Ask = ();
    type Content = Vec<u8>;
    type Outcome = Answered;

    fn next(&self, _: &Run) -> Step<Answered, Query<()>> {
        if let Some(answered) = self.answered {
            return Step::Done(Answered(answered));
        }
        let turn = |number| Turn {
            id: TurnId::in_round(1, &format!("t{number}")),
            role: "critic".to_owned(),
            plays: "reviewer".into(),
            prompt: Prompt {
                stable: "Say something.".to_owned(),
                varying: format!("turn: r1/t{number}"),
                contract: String::new(),
            },
            blocks: Vec::new(),
            not_vendor_of: Vec::new(),
            not_vendors: Vec::new(),
            spare: false,
        };
        let query = |number| Query { turn: turn(number), ask: (), notes: Vec::new() };
        Step::Ask { opens_round: Some(1), turns: (0..TURNS).map(query).collect() }
    }

    fn read(&self, (): &(), reply: &RawReply, _: Chance) -> Result<Reply<Vec<u8>>, Defect> {
        Ok(Reply { content: reply.bytes.clone(), notes: Vec::new() })
    }

    fn apply(&mut self, answers: Answers<Self>, _: &mut Run) {
        self.answered = Some(answers.iter().filter(|((), answer)| answer.result.is_ok()).count());
    }

    fn stop(&self, _: Stop, _: &[((), Answer<Vec<u8>>)], _: &Run) -> Answered {
        Answered(0)
    }
}

/// Permits everything and keeps no journal.
struct Free {
    control: watch::Sender<Control>,
}

impl Attempts for Free {
    async fn permit(
        &self,
        _: &Intent,
        _: [&str; 2],
        _: &dyn Fn(&[u8]) -> Option<AttemptResult>,
    ) -> Result<Permit, AttemptError> {
        Ok(Permit::Run)
    }

    async fn launch(&self, _: &Intent, spec: &Spec, sink: &mut dyn Sink) -> ProcessResult {
        run(spec, self.control(), sink).await
    }

    async fn settle(&self, _: &Intent, result: &AttemptResult) -> Result<Cost, AttemptError> {
        Ok(result.cost.unwrap_or(Cost { usd: Usd::ZERO, basis: Basis::Declared }))
    }

    fn happened(&self, _: &Intent, _: AttemptEvent) {}

    fn control(&self) -> watch::Receiver<Control> {
        self.control.subscribe()
    }
}

struct Asker {
    roster: Roster,
    settings: AskSettings,
    attempts: Free,
}

impl TurnAsker for Asker {
    async fn ask(
        &self,
        turn: &Turn,
        driver: &dyn DynDriver,
    ) -> Result<Answer<AnyReply>, AttemptError> {
        let parse = |reply: &RawReply, chance| driver.read(turn, reply, chance);
        let data = || driver.data(turn);
        let system = "Be brief.";
        ask(&self.roster, turn, system, &parse, &data, &self.attempts, &self.settings).await
    }
}

/// Runs the debate. Returns the number of answered turns, and the maximum number of fakes that lived at the same
/// time.
pub(crate) fn run_hundred() -> (usize, usize) {
    let scratch = Scratch::new().file("home/.fake/delay", "6");
    let agent = Agent {
        name: "claude".to_owned(),
        program: fixture("bin/claude"),
        profile: ProfileName::Claude,
        args: Vec::new(),
        timeout: Duration::from_mins(2),
        rehearsal: false,
        ..Agent::rehearsal("critic", Path::new(BIN))
    };
    let cast = Assignment { agent, fallbacks: Vec::new() };
    let mut settings = AskSettings::new(BIN.into(), scratch.path("tmp"), "b".repeat(32));
    settings.tag = format!("debate-agent/{}", debate_agent::env::unique());
    settings.environment = scratch.variables();
    let asker = Asker {
        roster: Roster::of(BTreeMap::from([("critic".to_owned(), cast)])),
        settings,
        attempts: Free { control: watch::Sender::new(Control::Run) },
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (bus, switch) = (Bus::silent(), Switch::default());
    let mut driver = Driver::new(Hundred::default(), Run::new([]), &[], "");
    let end = runtime.block_on(engine::run(&mut driver, &asker, &bus, &switch, 1)).unwrap();
    let answered = driver.outcome(end).0;
    let calls = scratch.calls();
    let at_once = (calls.iter())
        .map(|(start, _)| (calls.iter()).filter(|(from, to)| from <= start && start < to).count())
        .max();
    (answered, at_once.unwrap_or(0))
}
