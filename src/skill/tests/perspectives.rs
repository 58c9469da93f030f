//! Skills of perspectives: what they share, and which one a custom perspective uses.

use super::*;

/// What a rating and a risk level mean is the same for the five and for any other: it stands in the frame, and no skill
/// says it again.
#[test]
fn no_perspective_has_a_scale_of_its_own() {
    let skills: Vec<&(&str, &str)> =
        (BUILTIN.iter()).filter(|(role, _)| role.starts_with(PERSPECTIVES)).collect();
    assert_eq!(skills.len(), 6);
    for (role, text) in &skills {
        for heading in ["What you are given", "How to write an entry", "Rating", "Your answer"] {
            assert!(!text.contains(&format!("\n## {heading}\n")), "{role}: {heading}");
        }
        for level in ["low", "medium", "high", "critical"] {
            assert!(!text.contains(&format!("- `{level}`: ")), "{role}: {level}");
        }
        // Each opens with what it decides.
        let (_, prompt) = text.split_once("\n# ").unwrap();
        assert!(prompt.lines().nth(2).unwrap().starts_with("You decide "), "{role}");
        for vendor in ["claude", "codex", "gemini", "anthropic", "openai", "google"] {
            assert!(!text.to_lowercase().contains(vendor), "{role}: {vendor}");
        }
        assert!(text.lines().count() <= 80, "{role}");
    }
}

#[test]
fn a_perspective_without_a_skill_of_its_own_has_the_neutral_one() {
    let world = World::new();
    let neutral = builtin(PERSPECTIVE, PERSPECTIVE).unwrap();
    let skill = one(&world, "discuss-security").unwrap();
    assert_eq!(
        (&*skill.role, &*skill.name, skill.origin),
        ("discuss-security", PERSPECTIVE, Origin::Builtin)
    );
    assert_eq!(
        (&skill.name, &skill.sha256, &skill.note),
        (&neutral.name, &neutral.sha256, &neutral.note)
    );
    // The project's neutral one serves all custom ones, and needs trust for each; the five keep
    // their own.
    world.write("repo/skills/discuss-perspective/SKILL.md", GOOD);
    let skill = one(&world, "discuss-security").unwrap();
    assert_eq!((&*skill.name, skill.origin), ("mine", Origin::Project));
    assert_eq!(
        skill.needs_trust(),
        Some(world.path("repo/skills/discuss-perspective/SKILL.md").as_path())
    );
    assert_eq!(one(&world, PERSPECTIVE).unwrap().name, "mine");
    assert_eq!(one(&world, "discuss-product").unwrap().origin, Origin::Builtin);
    // A skill of its own takes precedence, and a setting over both.
    let own = GOOD.replace("mine", "own");
    world.write("repo/skills/discuss-security/SKILL.md", &own);
    assert_eq!(one(&world, "discuss-security").unwrap().name, "own");
    world.project(r#"{"roles": {"discuss-security": {"skill": "discuss-quality"}}}"#);
    let skill = one(&world, "discuss-security").unwrap();
    assert_eq!((&*skill.name, &*skill.role), ("discuss-quality", "discuss-security"));
}

#[test]
fn the_setting_of_the_neutral_skill_holds_for_all_that_use_it() {
    let world = World::new();
    world.user(r#"{"roles": {"discuss-perspective": {"skill": "./mine.md"}}}"#);
    world.write("home/.config/debate-agent/mine.md", GOOD);
    let skill = one(&world, "discuss-security").unwrap();
    assert_eq!((&*skill.name, skill.origin), ("mine", Origin::Path));
    // A setting with a missing file is reported, never replaced by the neutral skill.
    world.project(r#"{"roles": {"discuss-security": {"skill": "discuss-nowhere"}}}"#);
    let error = one(&world, "discuss-security").unwrap_err();
    assert!(error.contains("no skill for the role `discuss-nowhere`"), "{error}");
}

#[test]
fn what_is_no_perspective_has_no_neutral_skill() {
    let world = World::new();
    for role in [
        "discuss-",
        "discuss",
        "discuss-../x",
        "discuss-X",
        "discuss-1",
        "discussion",
        "x-discuss-y",
    ] {
        assert!(one(&world, role).is_err(), "{role}");
    }
}

/// `skills list` shows which role uses which skill: a custom perspective is listed with the neutral
/// one.
#[test]
fn own_perspectives_are_listed_with_the_built_in_ones() {
    let world = World::new();
    world.user(
        r#"{"discuss": {"perspectives": {"security": {"agent": "codex", "title": "security officer", "looks_at": ["secrets"]}}}}"#,
    );
    let rows = crate::app::skills::list(&world.load().unwrap()).unwrap();
    let rows: Vec<(&str, &str)> = (rows.iter())
        .filter(|row| row.role.starts_with(PERSPECTIVES))
        .map(|row| (&*row.role, &*row.name))
        .collect();
    assert_eq!(
        rows,
        [
            ("discuss-coverage", "discuss-coverage"),
            ("discuss-perspective", "discuss-perspective"),
            ("discuss-product", "discuss-product"),
            ("discuss-quality", "discuss-quality"),
            ("discuss-risk", "discuss-risk"),
            ("discuss-security", "discuss-perspective"),
            ("discuss-technical", "discuss-technical"),
        ]
    );
}
