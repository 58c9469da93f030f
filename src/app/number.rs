//! Numbers on the command line that set a configuration value.

use clap::builder::RangedI64ValueParser;

use crate::config::key::KeyPath;
use crate::config::setting::bounds;

/// Parses a whole number within the bounds of the setting that it sets: `review.max_rounds`.
pub(crate) fn setting<T>(key: &str) -> RangedI64ValueParser<T>
where
    T: TryFrom<i64> + Clone + Send + Sync + 'static,
    <T as TryFrom<i64>>::Error: Send + Sync + 'static + std::fmt::Display,
{
    #[expect(
        clippy::expect_used,
        reason = "a word of our own source: the test of all options reads it"
    )]
    let (least, most) = bounds(&KeyPath::of(key.split('.'))).expect("a setting with bounds");
    #[expect(clippy::cast_possible_truncation, reason = "bounds of whole numbers are whole")]
    RangedI64ValueParser::new().range(least as i64..=most as i64)
}
