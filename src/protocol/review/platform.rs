//! Detects the platforms that a change is written for, and provides the rules that reviewers get for them.
//!
//! # Theory of operation
//!
//! [`detect`] looks at names only, never into files. Each changed file is judged by two things: its own name
//! (`Podfile`, `AndroidManifest.xml`, `*.sql`), and the nearest *project* above it: a folder identified as one by a
//! marker file (`pubspec.yaml`, `App.xcodeproj`, `manage.py`), anywhere in the repository. A project counts only for
//! files of its own kinds, so a shell script in a Flutter app is not Dart. Swift outside any project is assumed to
//! belong to an app. If no changed file indicates a platform, the projects that contain the changed files decide. The
//! general rules are always included.
//!
//! In the native half of a Flutter app (`android/`, `ios/`), both projects count, because its typical mistakes are
//! made between the two.

use std::collections::{BTreeMap, BTreeSet};

/// A platform that code is written for. The order is that of the chapters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Platform {
    /// Flutter and Dart.
    Flutter,
    /// Android: Kotlin, Java, C and C++, with their builds and resources.
    Android,
    /// iOS and macOS.
    Ios,
    /// Server-side services.
    Backend,
    /// Any code; its rules are always included.
    General,
}

impl Platform {
    /// All platforms, in the order of the chapters.
    pub const ALL: [Self; 5] =
        [Self::Flutter, Self::Android, Self::Ios, Self::Backend, Self::General];

    /// Returns the name as used in the configuration and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flutter => "flutter",
            Self::Android => "android",
            Self::Ios => "ios",
            Self::Backend => "backend",
            Self::General => "general",
        }
    }

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

    /// Whether a project of this kind counts for a file with this (lower-case) name.
    fn owns(self, name: &str) -> bool {
        let kinds: &[&str] = match self {
            Self::Flutter => {
                &["dart", "arb", "kt", "java", "swift", "m", "mm", "gradle", "kts", "plist"]
            }
            Self::Android => &[
                "kt",
                "java",
                "xml",
                "gradle",
                "kts",
                "pro",
                "aidl",
                "toml",
                "properties",
                "c",
                "cc",
                "cpp",
                "h",
            ],
            Self::Ios => &["swift", "m", "mm", "h", "c", "cpp", "metal", "strings"],
            Self::Backend => &[
                "go",
                "py",
                "rb",
                "php",
                "java",
                "kt",
                "scala",
                "cs",
                "fs",
                "ts",
                "js",
                "mjs",
                "cjs",
                "rs",
                "ex",
                "exs",
                "erl",
                "swift",
                "dart",
                "sql",
                "yml",
                "yaml",
                "properties",
                "graphql",
            ],
            Self::General => &[],
        };
        kinds.contains(&extension(name))
    }
}

/// Returns the rules of some platforms, one chapter each, in the order of [`Platform::ALL`].
pub fn rules(platforms: &[Platform]) -> String {
    let platforms: BTreeSet<Platform> = platforms.iter().copied().collect();
    let chapters: Vec<&str> =
        platforms.into_iter().map(|platform| platform.chapter().trim_end()).collect();
    chapters.join("\n\n")
}

/// Detects the platforms of a change. `changed` and `repository` are paths from the top of the repository, with `/`.
/// General is always the last entry.
pub fn detect(changed: &[String], repository: &[String]) -> Vec<Platform> {
    let projects = Projects::read(repository.iter().chain(changed));
    let mut found: BTreeSet<Platform> = BTreeSet::new();
    for path in changed {
        found.extend(by_name(path));
        let (name, nearest) = (file_name(path), projects.nearest(path));
        if nearest.is_empty() && extension(&name) == "swift" {
            found.insert(Platform::Ios);
        }
        found.extend(nearest.into_iter().filter(|platform| platform.owns(&name)));
    }
    if found.is_empty() {
        found.extend(changed.iter().flat_map(|path| projects.nearest(path)));
    }
    found.insert(Platform::General);
    found.into_iter().collect()
}

/// Returns the platform that a file's own name indicates, whatever its folder.
fn by_name(path: &str) -> Option<Platform> {
    let name = file_name(path);
    match extension(&name) {
        "dart" => return Some(Platform::Flutter),
        "aidl" => return Some(Platform::Android),
        "storyboard" | "xib" | "pbxproj" | "entitlements" | "xcprivacy" | "xcconfig"
        | "xcscheme" => return Some(Platform::Ios),
        "sql" | "proto" | "prisma" => return Some(Platform::Backend),
        _ => {}
    }
    match name.as_str() {
        "pubspec.yaml" => Some(Platform::Flutter),
        "androidmanifest.xml" | "proguard-rules.pro" => Some(Platform::Android),
        "info.plist" | "podfile" => Some(Platform::Ios),
        _ => {
            marks(path).filter(|mark| mark.platform == Platform::Backend).map(|mark| mark.platform)
        }
    }
}

/// A folder that a marker file identifies as a project.
struct Mark<'a> {
    /// The folder's path; empty for the top.
    root: &'a str,
    platform: Platform,
}

/// Returns the project, with its platform, that a marker file identifies.
fn marks(path: &str) -> Option<Mark<'_>> {
    let name = file_name(path);
    let folder = parent(path);
    let mark = |root, platform| Some(Mark { root, platform });
    // Xcode shows these folders as files: `Shop.xcodeproj/project.pbxproj`.
    if let Some((before, _)) =
        split_at_suffix(path, ".xcodeproj/").or_else(|| split_at_suffix(path, ".xcworkspace/"))
    {
        return mark(parent(before), Platform::Ios);
    }
    match name.as_str() {
        "pubspec.yaml" => mark(folder, Platform::Flutter),
        // `app/src/main/AndroidManifest.xml` marks `app`.
        "androidmanifest.xml" => mark(above(folder, "src").unwrap_or(folder), Platform::Android),
        // `Shop/Info.plist` is in a subfolder of the project, next to the sources.
        "podfile" | "info.plist" => mark(folder, Platform::Ios),
        "application.yml" | "application.yaml" | "application.properties" => {
            mark(above(folder, "src").unwrap_or(folder), Platform::Backend)
        }
        "routes.swift" => mark(above(folder, "sources").unwrap_or(folder), Platform::Backend),
        "routes.rb" => mark(above(folder, "config").unwrap_or(folder), Platform::Backend),
        "manage.py" | "wsgi.py" | "asgi.py" | "artisan" | "nest-cli.json" | "server.js"
        | "server.ts" | "server.mjs" | "server.py" | "server.go" | "server.rb" | "server.dart"
        | "appsettings.json" | "openapi.yaml" | "openapi.yml" | "openapi.json" | "swagger.yaml"
        | "swagger.json" | "serverless.yml" | "alembic.ini" | "schema.prisma" => {
            mark(service(folder), Platform::Backend)
        }
        _ => layered(path).map(|root| Mark { root, platform: Platform::Backend }),
    }
}

/// Folders that only services have; the folder above them is the project.
const LAYERS: [&str; 7] =
    ["controllers", "handlers", "middleware", "migrations", "repositories", "resolvers", "routers"];

/// Returns the project above a service's layer: `src/controllers/user.ts` belongs to the folder above `src`.
fn layered(path: &str) -> Option<&str> {
    let known = ["go", "py", "rb", "php", "java", "kt", "cs", "ts", "js", "rs", "ex", "sql"];
    if !known.contains(&extension(&file_name(path))) {
        return None;
    }
    LAYERS.iter().find_map(|layer| above(parent(path), layer)).map(service)
}

/// Strips a trailing folder that is usual for a service's sources.
fn service(folder: &str) -> &str {
    match file_name(folder).as_str() {
        "src" | "app" | "prisma" | "bin" | "internal" | "docs" => parent(folder),
        _ => folder,
    }
}

/// The projects of a repository.
struct Projects<'a> {
    by_root: BTreeMap<&'a str, BTreeSet<Platform>>,
    /// Folders with `settings.gradle(.kts)`: one build, whose modules often have no manifest.
    builds: BTreeSet<&'a str>,
}

impl<'a> Projects<'a> {
    fn read(paths: impl Iterator<Item = &'a String>) -> Self {
        let mut projects = Self { by_root: BTreeMap::new(), builds: BTreeSet::new() };
        for path in paths {
            if let Some(mark) = marks(path) {
                let root = projects.by_root.entry(mark.root).or_default();
                root.insert(mark.platform);
            }
            if matches!(file_name(path).as_str(), "settings.gradle" | "settings.gradle.kts") {
                projects.builds.insert(parent(path));
            }
        }
        projects
    }

    /// Returns the platforms of the nearest project above a file, plus Flutter if that project is the native half of
    /// an app.
    fn nearest(&self, path: &str) -> BTreeSet<Platform> {
        let mut folder = parent(path);
        let mut found = BTreeSet::new();
        loop {
            if found.is_empty() {
                found.extend(self.by_root.get(folder).into_iter().flatten());
                if found.is_empty() && self.builds.contains(folder) {
                    found.extend(self.built(folder));
                }
            } else if (self.by_root.get(folder)).is_some_and(|at| at.contains(&Platform::Flutter)) {
                found.insert(Platform::Flutter);
                return found;
            }
            if folder.is_empty() || found.contains(&Platform::Flutter) {
                return found;
            }
            folder = parent(folder);
        }
    }

    /// Returns Android if a module of this Gradle build is an Android project.
    fn built(&self, build: &str) -> Option<Platform> {
        self.by_root
            .iter()
            .any(|(root, platforms)| platforms.contains(&Platform::Android) && lies_in(root, build))
            .then_some(Platform::Android)
    }
}

/// Whether a path is a folder or lies in it.
fn lies_in(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the parent folder of a path; empty for the top.
fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the last part of a path in lower case.
fn file_name(path: &str) -> String {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.to_ascii_lowercase()
}

/// Returns the part after a name's last dot; empty if there is none.
fn extension(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// Returns the folder that contains the innermost part with this name: of `a/src/main` and `src`, it is `a`.
fn above<'a>(folder: &'a str, part: &str) -> Option<&'a str> {
    let mut rest = folder;
    while !rest.is_empty() {
        if file_name(rest) == part {
            return Some(parent(rest));
        }
        rest = parent(rest);
    }
    None
}

/// Splits a path before the suffix of a part that ends with it: `ios/Shop` and `.xcodeproj/` with the rest.
fn split_at_suffix<'a>(path: &'a str, suffix: &str) -> Option<(&'a str, &'a str)> {
    let at = path.find(suffix)?;
    Some(path.split_at(at))
}

#[cfg(test)]
mod tests;
