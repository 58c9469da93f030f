//! Tests of platforms, with the file lists of projects in their usual layouts.

use Platform::{Android, Backend, Flutter, General, Ios};
use proptest::prelude::*;

use super::*;

const FLUTTER: &[&str] = &[
    "README.md",
    "pubspec.yaml",
    "lib/main.dart",
    "lib/cart/cart_page.dart",
    "test/cart_test.dart",
    "android/settings.gradle",
    "android/app/build.gradle",
    "android/app/src/main/AndroidManifest.xml",
    "android/app/src/main/kotlin/shop/MainActivity.kt",
    "ios/Podfile",
    "ios/Runner.xcodeproj/project.pbxproj",
    "ios/Runner/Info.plist",
    "ios/Runner/AppDelegate.swift",
    "tool/release.sh",
];

const ANDROID: &[&str] = &[
    "settings.gradle.kts",
    "build.gradle.kts",
    "gradle/libs.versions.toml",
    "app/build.gradle.kts",
    "app/src/main/AndroidManifest.xml",
    "app/src/main/java/shop/CartActivity.kt",
    "core/network/build.gradle.kts",
    "core/network/src/main/java/shop/net/Api.kt",
];

const IOS: &[&str] = &[
    "Shop.xcodeproj/project.pbxproj",
    "Shop/Info.plist",
    "Shop/CartView.swift",
    "Packages/Net/Package.swift",
    "Packages/Net/Sources/Net/Client.swift",
];

const DJANGO: &[&str] = &[
    "manage.py",
    "shop/settings.py",
    "cart/views.py",
    "cart/migrations/0002_total.py",
    "cart/templates/cart.html",
];

const MONOREPO: &[&str] = &[
    "README.md",
    "mobile/pubspec.yaml",
    "mobile/lib/main.dart",
    "api/nest-cli.json",
    "api/src/cart/cart.service.ts",
    "web/package.json",
    "web/src/App.tsx",
    "tools/release/src/main.rs",
];

const SPRING_AND_ANDROID: &[&str] = &[
    "settings.gradle",
    "app/src/main/AndroidManifest.xml",
    "app/src/main/java/shop/Main.java",
    "server/src/main/resources/application.yml",
    "server/src/main/java/shop/CartService.java",
];

const RUST_CLI: &[&str] = &["Cargo.toml", "src/main.rs", "src/config.rs", "tests/it.rs"];

const VAPOR: &[&str] = &[
    "Package.swift",
    "Sources/App/configure.swift",
    "Sources/App/routes.swift",
    "Sources/App/Models/Cart.swift",
];

fn strings(paths: &[&str]) -> Vec<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

#[test]
fn what_changed_decides_then_the_project_it_lies_in() {
    let rows: &[(&[&str], &[&str], &[Platform])] = &[
        (FLUTTER, &["lib/cart/cart_page.dart"], &[Flutter, General]),
        (FLUTTER, &["pubspec.yaml"], &[Flutter, General]),
        // The native halves of an app, and the app that uses them.
        (
            FLUTTER,
            &["android/app/src/main/kotlin/shop/MainActivity.kt"],
            &[Flutter, Android, General],
        ),
        (FLUTTER, &["ios/Runner/AppDelegate.swift"], &[Flutter, Ios, General]),
        (FLUTTER, &["ios/Runner/Info.plist"], &[Flutter, Ios, General]),
        // The file itself is not Dart, but it is in the app.
        (FLUTTER, &["tool/release.sh"], &[Flutter, General]),
        (FLUTTER, &["tool/release.sh", "lib/main.dart"], &[Flutter, General]),
        (ANDROID, &["app/src/main/java/shop/CartActivity.kt"], &[Android, General]),
        // A module without a manifest of its own.
        (ANDROID, &["core/network/src/main/java/shop/net/Api.kt"], &[Android, General]),
        (ANDROID, &["gradle/libs.versions.toml"], &[Android, General]),
        (ANDROID, &["app/src/main/res/layout/cart.xml"], &[Android, General]),
        (IOS, &["Shop/CartView.swift"], &[Ios, General]),
        (IOS, &["Packages/Net/Sources/Net/Client.swift"], &[Ios, General]),
        (IOS, &["Shop.xcodeproj/project.pbxproj"], &[Ios, General]),
        (DJANGO, &["cart/views.py"], &[Backend, General]),
        (DJANGO, &["cart/migrations/0003_tax.py"], &[Backend, General]),
        (MONOREPO, &["api/src/cart/cart.service.ts"], &[Backend, General]),
        (
            MONOREPO,
            &["api/src/cart/cart.service.ts", "mobile/lib/main.dart"],
            &[Flutter, Backend, General],
        ),
        (MONOREPO, &["web/src/App.tsx"], &[General]),
        (MONOREPO, &["tools/release/src/main.rs"], &[General]),
        (MONOREPO, &["README.md"], &[General]),
        (SPRING_AND_ANDROID, &["server/src/main/java/shop/CartService.java"], &[Backend, General]),
        (SPRING_AND_ANDROID, &["app/src/main/java/shop/Main.java"], &[Android, General]),
        (RUST_CLI, &["src/main.rs"], &[General]),
        (VAPOR, &["Sources/App/Models/Cart.swift"], &[Backend, General]),
        // Without a repository (`--patch`), only names count.
        (&[], &["lib/a.dart"], &[Flutter, General]),
        (&[], &["db/migrations/7_total.sql"], &[Backend, General]),
        (&[], &["src/controllers/cart.ts"], &[Backend, General]),
        (&[], &["Sources/Cart.swift"], &[Ios, General]),
        (&[], &["Shop/Info.plist", "Shop/Cart.swift"], &[Ios, General]),
        (&[], &[], &[General]),
    ];
    for (repository, changed, expected) in rows {
        assert_eq!(
            detect(&strings(changed), &strings(repository)),
            *expected,
            "{changed:?} in {repository:?}"
        );
    }
}

#[test]
fn each_chapter_says_what_is_not_worth_a_finding_and_leaves_the_first_heading_level_to_the_prompt()
{
    for platform in Platform::ALL {
        let chapter = platform.chapter();
        assert!(chapter.starts_with("## "), "{}", platform.name());
        // What is worth none on any platform, the reviewer's skill says.
        let says = chapter.contains("*Not worth a finding:*");
        assert_eq!(says, platform != General, "{}", platform.name());
        assert!(!chapter.lines().any(|line| line.starts_with("# ")));
        assert!(!chapter.contains("<<<"), "a marker would be an echo");
    }
}

#[test]
fn the_chapters_hold_what_the_spec_names() {
    let named: &[(Platform, &[&str])] = &[
        (
            Flutter,
            &["await", "setState", "dispose", "BuildContext", "Riverpod", "channels", "flavor"],
        ),
        (
            Android,
            &[
                "manifest",
                "Permissions",
                "ProGuard",
                "context",
                "WorkManager",
                "FCM",
                "versionCode",
                "ABI",
            ],
        ),
        (
            Ios,
            &["plist", "ATS", "Keychain", "Signing", "main thread", "Retain cycles", "extension"],
        ),
        (
            Backend,
            &["enum value", "Status codes", "query", "guard", "rate limit", "Transactions", "pool"],
        ),
        (
            General,
            &["Undefined", "iterator", "XSS", "comes from outside", "CSRF", "Secrets", "unpinned"],
        ),
    ];
    for (platform, words) in named {
        for word in *words {
            assert!(platform.chapter().contains(word), "{platform:?}: {word}");
        }
    }
    // The rest of what the spec names for any code is the reviewer's method.
    let method = include_str!("../../../../skills/reviewer/SKILL.md");
    for word in ["missing, empty", "what stays open", "second thread", "unit, from another user"] {
        assert!(method.contains(word), "{word}");
    }
}

#[test]
fn rules_are_one_chapter_each_in_a_fixed_order() {
    let text = rules(&[General, Flutter, General]);
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
    assert_eq!(headings, ["## Flutter and Dart", "## Any code"]);
    assert_eq!(rules(&[]), "");
}

proptest! {
    #[test]
    fn any_paths_do_and_their_order_changes_nothing(
        changed in prop::collection::vec("(/|src/|ios/|[a-zA-Z.é]{0,6}/){0,4}[a-zA-Z.é]{0,8}(dart|/pubspec.yaml|.kt)?", 0..6),
        repository in prop::collection::vec("(/|src/|ios/|[a-zA-Z.é]{0,6}/){0,4}([a-z]{0,8}|Podfile|manage.py|settings.gradle)", 0..6),
    ) {
        let found = detect(&changed, &repository);
        prop_assert_eq!(found.last(), Some(&General));
        let (mut changed, mut repository) = (changed, repository);
        changed.reverse();
        repository.reverse();
        prop_assert_eq!(found, detect(&changed, &repository));
    }
}
