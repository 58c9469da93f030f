//! Any program: its configured arguments and nothing else, read as its configuration says.

use super::{Dangerous, Profile};
use crate::agent::dangerous::values::tools;
use crate::config::agents::ProfileName;

pub(super) static PROFILE: Profile = Profile {
    name: ProfileName::Generic,
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
        ..Dangerous::UNKNOWN
    },
    ..Profile::UNKNOWN
};
