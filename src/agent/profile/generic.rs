//! Any program: its configured arguments and nothing else.

use super::{Call, Plan};

/// The configuration alone says how such a program is started.
pub(super) fn plan(_: Call<'_>) -> Plan {
    Plan::default()
}
