//! Seats a debate: the participants, the expert of a third vendor, the judge, a person.
//!
//! Participants, expert and judge are named by the command line; else by the roles of their seats
//! (`roles.expert.agent`); else by the `topic` and `panel` sections. Names on the command line are accepted or
//! refused. Names that come only from the configuration may be replaced: a participant, if its program is missing or
//! it debates on the other side, by an agent of another vendor, or by the other side's if there is none; an expert that
//! debates itself by another agent, if possible of a third vendor. What was replaced, and an expert of no third vendor,
//! is noted in the result. If all participants are of one vendor, none of it rules on them.

use super::request::Request;
use crate::app::run::available::Available;
use crate::app::run::panel::{MOST_SEATS, SeatHolder};
use crate::app::run::roles;
use crate::app::run::workspace::Workspace;
use crate::config::debate::{AUTO, NONE};
use crate::error::{Error, Kind};
use crate::kernel::{HUMAN, seat_name};
use crate::ordered::{BTreeSet, Gather};
use crate::protocol::debate::Style;
use crate::protocol::debate::typed::Side;
use crate::protocol::panel::JUDGE;
use crate::protocol::topic::{self, EXPERT};
use crate::text::Note;

/// Minimum seats of a panel.
const LEAST_SEATS: usize = 3;

/// Seats a debate. Returns the participants, and notes.
pub(super) fn seat(
    workspace: &Workspace,
    request: &Request,
) -> Result<(Vec<SeatHolder>, Vec<Note>), Error> {
    let here = Available { workspace, rehearse: request.run.rehearse };
    let hall = SeatChooser { workspace, request, here };
    hall.check_names()?;
    let mut notes = Vec::new();
    let mut places = match request.style() {
        Style::Dialogue => hall.dialogue(&mut notes)?,
        Style::Argument => hall.argument(&mut notes)?,
        Style::Panel => hall.panel(&mut notes)?,
    };
    notes.extend(here.two_models(&mut places));
    Ok((places, notes))
}

fn place(seat: &str, agent: &str) -> SeatHolder {
    SeatHolder::new(seat, agent, roles::of_seat(seat, roles::PANEL[0]))
}

fn usage(message: impl Into<String>, hint: impl Into<String>) -> Error {
    Error::new(Kind::Usage, message.into()).named("participants").hint(hint.into())
}

struct SeatChooser<'a> {
    workspace: &'a Workspace,
    request: &'a Request,
    here: Available<'a>,
}

impl SeatChooser<'_> {
    /// Refuses names that are not configured, whatever else is wrong; a rehearsal accepts any name.
    fn check_names(&self) -> Result<(), Error> {
        let configured = &self.workspace.effective.config.agents;
        let expert = self.request.expert.iter();
        let expert = expert.filter(|name| *name != NONE && *name != AUTO);
        for name in self.request.participants.iter().chain(expert) {
            if name == HUMAN {
                return Err(usage(
                    "a person is seated by `--as`, not by name",
                    "`debate --style argument --as primary`",
                ));
            }
            if !self.request.run.rehearse && !configured.contains_key(name) {
                let known: Vec<&str> = configured.keys().map(String::as_str).collect();
                return Err(usage(
                    format!("there is no agent `{name}`"),
                    format!("configured are {}", known.join(", ")),
                ));
            }
        }
        Ok(())
    }

    /// Returns the agent that the configuration names for a seat's role.
    fn of_role(&self, seat: &str) -> Option<&String> {
        let roles = &self.workspace.effective.config.roles;
        roles.get(roles::of_seat(seat, roles::PANEL[0]))?.agent.as_ref()
    }

    /// Returns the agents of the two sides.
    fn two(&self, seats: [&str; 2], notes: &mut Vec<Note>) -> Result<[String; 2], Error> {
        let named = &self.request.participants;
        let config = &self.workspace.effective.config.topic.participants;
        match &named[..] {
            [] => {}
            [only] => return Ok([only.clone(), only.clone()]),
            [first, second] => return Ok([first.clone(), second.clone()]),
            more => {
                return Err(usage(
                    format!("this style has two participants, {} named", more.len()),
                    "`--agents claude,gemini`; `--style panel` seats three or more",
                ));
            }
        }
        let [first, second] = &config[..] else {
            return Err(usage(
                "`topic.participants` must name two agents",
                "or name them with `--agents`",
            ));
        };
        let sides = [(seats[0], first), (seats[1], second)]
            .map(|(seat, own)| self.of_role(seat).unwrap_or(own).clone());
        // Roles may name the same agent for both sides.
        let doubled = sides[0] == sides[1];
        let (present, replaced) = self.here.present(&sides)?;
        notes.extend(replaced);
        let [first, second] = &present[..] else {
            return Ok(sides);
        };
        let vendor = self.here.vendor(first);
        let others = if doubled { self.here.all() } else { Vec::new() };
        let Some((other, _)) = others.into_iter().find(|(_, theirs)| *theirs != vendor) else {
            return Ok([first.clone(), second.clone()]);
        };
        notes.push(Note::new(
            "agent_replaced",
            format!("{second} debates on the other side: {other} takes its seat"),
        ));
        Ok([first.clone(), other])
    }

    fn dialogue(&self, notes: &mut Vec<Note>) -> Result<Vec<SeatHolder>, Error> {
        let seats = topic::Side::ALL.map(topic::Side::seat);
        let [first, second] = self.two(seats, notes)?;
        let expert = self.expert(&first, &second, notes)?.map(|expert| place(EXPERT, &expert));
        let sides = [place(seats[0], &first), place(seats[1], &second)];
        Ok(sides.into_iter().chain(expert).collect())
    }

    /// Returns the name given for the expert's or the judge's seat by the command line, else by the configuration.
    fn expert_named(&self, seat: &str) -> &str {
        let configured = &self.workspace.effective.config.topic.expert;
        match &self.request.expert {
            Some(asked) => asked,
            None if configured == NONE => configured,
            None => self.of_role(seat).unwrap_or(configured),
        }
    }

    /// Chooses the expert: of a third vendor, else another agent, else a participant.
    fn expert(
        &self,
        first: &str,
        second: &str,
        notes: &mut Vec<Note>,
    ) -> Result<Option<String>, Error> {
        let vendors = [self.here.vendor(first), self.here.vendor(second)];
        let named = self.expert_named(EXPERT);
        if named == NONE {
            return Ok(None);
        }
        let taken = named == first || named == second;
        if named != AUTO && !(taken && self.request.expert.is_none()) {
            if taken {
                return Err(usage(
                    format!("`{named}` takes part and cannot rule on its own debate"),
                    "name another agent, or `none`",
                ));
            }
            return Ok(Some(named.to_owned()));
        }
        let others = self.here.all();
        let outside = |(name, _): &&(String, String)| name != first && name != second;
        let third = others.iter().filter(outside).find(|(_, vendor)| !vendors.contains(vendor));
        if let Some((name, _)) = third {
            return Ok(Some(name.clone()));
        }
        if vendors[0] == vendors[1] {
            return Ok(None);
        }
        if let Some((name, vendor)) = others.iter().find(outside) {
            notes.push(Note::new(
                "expert_of_a_participant",
                format!("no agent of a third vendor is installed: the expert is {name}, of {vendor} like a participant"),
            ));
            return Ok(Some(name.clone()));
        }
        notes.push(Note::new(
            "expert_of_a_participant",
            format!("no third agent is installed: if it comes to a ruling, {second} rules on a debate that it took part in"),
        ));
        Ok(Some(second.to_owned()))
    }

    fn argument(&self, notes: &mut Vec<Note>) -> Result<Vec<SeatHolder>, Error> {
        if self.request.expert.is_some() {
            return Err(usage(
                "a debate of typed arguments has no expert",
                "name none, or use the style dialogue",
            ));
        }
        let seats = Side::ALL.map(Side::name);
        let Some(side) = self.request.person else {
            let [first, second] = self.two(seats, notes)?;
            return Ok(vec![place(seats[0], &first), place(seats[1], &second)]);
        };
        let agent = match &self.request.participants[..] {
            [] => {
                let configured = &self.workspace.effective.config.topic.participants;
                let usable = configured.iter().find(|name| self.here.usable(name).is_some());
                (usable.or_else(|| configured.first()).cloned()).unwrap_or_default()
            }
            [agent] => agent.clone(),
            more => {
                return Err(usage(
                    format!("a person debates with one agent, {} named", more.len()),
                    "`--as primary --agents claude`",
                ));
            }
        };
        let of = |seat: Side| place(seat.name(), if seat == side { HUMAN } else { &agent });
        Ok(Side::ALL.map(of).into())
    }

    fn panel(&self, notes: &mut Vec<Note>) -> Result<Vec<SeatHolder>, Error> {
        let configured = &self.workspace.effective.config.panel.participants;
        let mut seated = match (&self.request.participants[..], &configured[..]) {
            ([], []) => self.whoever_is_here(notes),
            ([], configured) => configured.to_vec(),
            (named, _) => named.to_vec(),
        };
        if seated.is_empty() {
            return Err(Error::new(
                Kind::Environment,
                "no configured agent is installed here",
            )
            .named("agent_not_found")
            .hint("`debate-agent doctor` says what is missing; `--rehearse` shows a whole debate without any CLI"));
        }
        if seated.len() > MOST_SEATS - 1 {
            return Err(usage(
                format!("a panel has {} seats at most, {} named", MOST_SEATS - 1, seated.len()),
                "name fewer with `--agents`",
            ));
        }
        let given = seated.len();
        let doubled: Vec<String> =
            seated.iter().cycle().take(LEAST_SEATS.saturating_sub(given)).cloned().collect();
        if !doubled.is_empty() {
            notes.push(Note::new(
                "seats_doubled",
                format!(
                    "{given} agents for {LEAST_SEATS} seats: {} hold two seats each",
                    doubled.join(", ")
                ),
            ));
            seated.extend(doubled);
        }
        let mut places: Vec<SeatHolder> = (seated.iter().enumerate())
            .map(|(index, agent)| place(&seat_name(index), agent))
            .collect();
        places.extend(self.judge(&seated)?.map(|judge| place(JUDGE, &judge)));
        Ok(places)
    }

    /// Returns every usable agent, up to the number of seats on a panel; the others are noted, since nobody asked for
    /// them.
    fn whoever_is_here(&self, notes: &mut Vec<Note>) -> Vec<String> {
        let all = self.here.all();
        let (seated, left) = all.split_at(all.len().min(MOST_SEATS - 1));
        let names = |agents: &[(String, String)]| -> Vec<String> {
            agents.iter().map(|(name, _)| name.clone()).collect()
        };
        if !left.is_empty() {
            let (most, left) = (MOST_SEATS - 1, names(left).join(", "));
            notes.push(Note::new(
                "seats_full",
                format!("a panel has {most} seats, and more agents are usable: left without a seat: {left}; `panel.participants` says who sits"),
            ));
        }
        names(seated)
    }

    /// Chooses the judge: of a vendor that is not on the panel, if there is one.
    fn judge(&self, seated: &[String]) -> Result<Option<String>, Error> {
        let named = self.expert_named(JUDGE);
        if named == NONE {
            return Ok(None);
        }
        let taken = seated.iter().any(|agent| agent == named);
        if named != AUTO && !(taken && self.request.expert.is_none()) {
            if taken {
                return Err(usage(
                    format!("`{named}` sits on the panel and cannot judge it"),
                    "name another agent, or `none`",
                ));
            }
            return Ok(Some(named.to_owned()));
        }
        let vendors: BTreeSet<String> = seated.iter().map(|name| self.here.vendor(name)).gather();
        let mut outside = self.here.all().into_iter();
        Ok(outside.find(|(_, vendor)| !vendors.contains(vendor)).map(|(judge, _)| judge))
    }
}
