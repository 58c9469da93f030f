//! Any program: its configured arguments only, with its output read as configured.

use super::{Dangerous, Profile};
use crate::agent::dangerous::values::tools;
use crate::config::agents::ProfileName;

pub(super) static PROFILE: Profile = Profile {
    name: ProfileName::Generic,
    dangerous: Dangerous {
        // Common flags of programs without a profile.
        flags: &[
            ("disablesandbox", |_| true),
            ("trustalltools", |_| true),
            ("autoapprove", |_| true),
            ("alwaysapprove", |_| true),
            ("autoapprovetools", |_| true),
            ("allowtools", |lists| lists.iter().any(|list| tools(list))),
        ],
        ..Dangerous::UNKNOWN
    },
    ..Profile::UNKNOWN
};
