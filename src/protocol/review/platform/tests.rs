//! Tests of platforms and their chapters.

use Platform::{Android, Backend, Flutter, General, Ios};

use super::*;

#[test]
fn the_endings_of_what_changed_decide() {
    for (changed, expected) in [
        (&["lib/cart_page.dart", "README.md"][..], &[Flutter, General][..]),
        (&["android/app/MainActivity.kt", "lib/main.dart"], &[Flutter, Android, General]),
        (&["Shop/CartView.Swift", "Shop/Info.plist"], &[Ios, General]),
        (&["db/7_total.sql", "api/cart.go"], &[Backend, General]),
        (&["src/main.rs", "web/App.tsx", "cart/views.py", "Makefile", "a.dart/b"], &[General]),
        (&[], &[General]),
    ] {
        let changed: Vec<String> = changed.iter().map(|path| (*path).to_owned()).collect();
        assert_eq!(detect(&changed), expected, "{changed:?}");
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
