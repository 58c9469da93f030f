//! Any program: its configured arguments and nothing else, read as its configuration says.

use super::{Dangerous, Invocation, PriceTable, Probes, Profile, ReadRepo, Reader, Vendor};
use crate::agent::dangerous::values::{tools, unmistakable};
use crate::config::agents::ProfileName;

pub(super) static PROFILE: Profile = Profile {
    name: ProfileName::Generic,
    vendor: Vendor::Unknown,
    variables: &[],
    nesting: &[],
    system_in_file: false,
    limit: None,
    has_effort: false,
    price_table: PriceTable::Unused,
    implied: &[],
    prompt_flags: &[],
    dangerous: Dangerous {
        // As programs call them that no profile knows.
        flags: &[
            ("disablesandbox", |_| true),
            ("trustalltools", |_| true),
            ("autoapprove", |_| true),
            ("alwaysapprove", |_| true),
            ("autoapprovetools", |_| true),
            ("allowtools", |lists| lists.iter().any(|list| tools(list))),
        ],
        short: unmistakable,
        variables: &[],
    },
    read_repo: ReadRepo::Unmeasured,
    invocation: |_| Invocation::default(),
    reader: Reader::Configured,
    phase: |_| None,
    probes: Probes::USUAL,
};
