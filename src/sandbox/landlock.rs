//! Bounds that a process sets for itself and all that it starts, by Landlock and seccomp: where bubblewrap does not work.

use std::convert::Infallible;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use ::landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, RestrictionStatus,
    Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::process::{Resource, Rlimit};
use rustix::thread::{self, CapabilitiesSecureBits, CapabilitySet, CapabilitySets, Uid};
use seccompiler::sock_filter;

use super::view::Bounds;
use super::{Failure, THREADS};

/// The first with all that is needed here: the signals of a test stay in its sandbox (Linux 6.12).
const NEEDED: ABI = ABI::V6;

/// System calls that fail, that do not exist, and that do nothing and say that they did. Landlock bounds neither sockets of
/// the UDP nor of the file system, and lets a process change modes, owners and times of all that it can reach.
const FILTERS: &str = include_str!("data/calls.json");
/// Older forms of them, which not every processor has.
const OLDER: &str = include_str!("data/calls_x86_64.json");

/// The first system call that [`FILTERS`] knows nothing of: from here on none exists. The same on all processors.
const UNKNOWN: u32 = 463;

/// The user of a test that root runs, since the kernel limits no processes of root. Nobody else has this number.
const LIMITED: u32 = 65_533;

/// Starts the program of the arguments, in the bounds of the first one.
pub(super) fn start(mut args: impl Iterator<Item = OsString>) -> Result<Infallible, Failure> {
    let bounds = args.next().ok_or("there are no bounds")?;
    let bounds: Bounds = serde_json::from_slice(bounds.as_encoded_bytes())?;
    let program = args.next().ok_or("there is no program")?;
    limit_processes()?;
    let status = confine(&bounds).map_err(|error| format!("Landlock of Linux 6.12: {error}"))?;
    if status.ruleset != RulesetStatus::FullyEnforced {
        return Err("Landlock does not enforce all of its bounds".into());
    }
    forbid()?;
    #[expect(
        clippy::disallowed_methods,
        reason = "it takes the place of this process, which has its guard"
    )]
    let mut command = Command::new(program);
    Err(command.args(args).exec().into())
}

fn limit_processes() -> Result<(), Failure> {
    if rustix::process::geteuid().is_root() {
        // What this right opens, Landlock bounds: the folders of root stay readable, and the copy writable.
        let kept = CapabilitySet::DAC_OVERRIDE;
        let user = Uid::from_raw(LIMITED);
        thread::set_keep_capabilities(true)?;
        // Without it `access` says of the copy that it cannot be written.
        thread::set_capabilities_secure_bits(CapabilitiesSecureBits::NO_SETUID_FIXUP)?;
        thread::set_thread_res_uid(user, user, user)?;
        let sets = CapabilitySets { effective: kept, permitted: kept, inheritable: kept };
        thread::set_capabilities(None, sets)?;
        thread::configure_capability_in_ambient_set(kept, true)?;
    }
    let me = rustix::process::getuid().as_raw();
    let processes = fs::read_dir("/proc")?.flatten();
    let own = processes.filter(|it| it.metadata().is_ok_and(|meta| meta.uid() == me));
    let threads = own.map(|it| fs::read_dir(it.path().join("task")).map_or(0, Iterator::count));
    let most = Some(threads.sum::<usize>() as u64 + THREADS);
    Ok(rustix::process::setrlimit(Resource::Nproc, Rlimit { current: most, maximum: most })?)
}

fn confine(bounds: &Bounds) -> Result<RestrictionStatus, ::landlock::RulesetError> {
    let all = AccessFs::from_all(NEEDED);
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(all)?
        .handle_access(AccessNet::from_all(NEEDED))?
        .scope(Scope::from_all(NEEDED))?
        .create()?
        .add_rules(path_beneath_rules(&bounds.read, AccessFs::from_read(NEEDED)))?
        .add_rules(path_beneath_rules(&bounds.write, all))?
        .restrict_self()
}

fn forbid() -> Result<(), Failure> {
    let processor = std::env::consts::ARCH.try_into()?;
    let older = if cfg!(target_arch = "x86_64") { OLDER } else { "{}" };
    for filters in [FILTERS, older] {
        for filter in seccompiler::compile_from_json(filters.as_bytes(), processor)?.values() {
            seccompiler::apply_filter(filter)?;
        }
    }
    // Reads the call's number; from UNKNOWN on the error is ENOSYS, else it is allowed.
    let step = |code, jf, k| sock_filter { code, jt: 0, jf, k };
    let newer = [
        step(0x20, 0, 0),
        step(0x35, 1, UNKNOWN),
        step(0x06, 0, 0x0005_0026),
        step(0x06, 0, 0x7fff_0000),
    ];
    Ok(seccompiler::apply_filter(&newer)?)
}
