//! Detects the platforms that a change is written for, and provides the rules that reviewers get for them.
//!
//! [`detect`] goes by the endings of the changed files alone, where an ending tells: a Python or TypeScript file may be
//! of a service or of anything else, and then `review.platform` says so. The general rules are always included.

use crate::ordered::{BTreeSet, Gather};
use crate::words;

words! {
    /// A platform that code is written for. The order is that of the chapters.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Platform {
        Flutter = "flutter",
        /// Android: Kotlin, Java, C and C++, with their builds and resources.
        Android = "android",
        /// iOS and macOS.
        Ios = "ios",
        /// Server-side services.
        Backend = "backend",
        /// Any code; its rules are always included.
        General = "general",
    }
}

impl Platform {
    /// Returns the chapter of rules, as Markdown with headings from the second level on.
    pub const fn chapter(self) -> &'static str {
        match self {
            Self::Flutter => include_str!("platform/flutter.md"),
            Self::Android => include_str!("platform/android.md"),
            Self::Ios => include_str!("platform/ios.md"),
            Self::Backend => include_str!("platform/backend.md"),
            Self::General => include_str!("platform/general.md"),
        }
    }
}

/// Returns the rules of some platforms, one chapter each, in the order of [`Platform::ALL`].
pub fn rules(platforms: &[Platform]) -> String {
    let platforms: BTreeSet<Platform> = platforms.iter().copied().gather();
    let chapters: Vec<&str> =
        platforms.into_iter().map(|platform| platform.chapter().trim_end()).collect();
    chapters.join("\n\n")
}

/// Detects the platforms of a change by its paths. General is always the last entry.
pub fn detect(changed: &[String]) -> Vec<Platform> {
    let found: BTreeSet<Platform> = changed.iter().filter_map(|path| by_ending(path)).gather();
    found.into_iter().chain([Platform::General]).collect()
}

fn by_ending(path: &str) -> Option<Platform> {
    let (_, ending) = path.rsplit_once('.')?;
    match ending.to_ascii_lowercase().as_str() {
        "dart" | "arb" => Some(Platform::Flutter),
        "kt" | "kts" | "aidl" => Some(Platform::Android),
        "swift" | "m" | "mm" | "plist" | "storyboard" | "xib" | "pbxproj" => Some(Platform::Ios),
        "go" | "php" | "rb" | "sql" | "proto" | "prisma" | "graphql" => Some(Platform::Backend),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
