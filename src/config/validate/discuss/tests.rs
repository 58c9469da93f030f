//! What is refused of the section: where it stands, what is wrong, and what was probably meant.

use crate::config::tests::World;

/// Each is at fault in the second line, from its first column on.
#[test]
fn faults_name_their_place_and_the_nearest_name() {
    let long = "x".repeat(201);
    let own = r#""agent": "claude", "title": "t", "looks_at": ["l"]"#;
    for (text, refusal) in [
        (
            "{\"discuss\": {\"perspectives\": {\n\"Legal\": {OWN}}}}",
            "`discuss.perspectives.Legal` must have a name of 1 to 32 lower-case letters, digits or `-`, a letter first",
        ),
        (
            "{\"discuss\": {\"perspectives\": {\n\"../x\": {OWN}}}}",
            "`discuss.perspectives.\"../x\"` must have a name of 1 to 32 lower-case letters, digits or `-`, a letter first",
        ),
        (
            "{\"discuss\": {\"perspectives\": {\n\"legal\": {\"agent\": \"claude\", \"looks_at\": [\"l\"]}}}}",
            "`discuss.perspectives.legal` has no `title`: a perspective has an agent, a title and what it looks at",
        ),
        (
            "{\"discuss\": {\"perspectives\": {\n\"legal\": {\"agent\": \"claude\", \"title\": \"t\"}}}}",
            "`discuss.perspectives.legal` has no `looks_at`: a perspective has an agent, a title and what it looks at",
        ),
        (
            "{\"discuss\": {\"perspectives\": {\n\"legal\": {\"title\": \"t\", \"looks_at\": [\"l\"]}}}}",
            "`discuss.perspectives.legal` has no `agent`: a perspective has an agent, a title and what it looks at",
        ),
        (
            "{\"discuss\": {\"perspectives\": {\"product\": {\n\"agent\": \"gemni\"}}}}",
            "`discuss.perspectives.product.agent` names the agent `gemni`, which does not exist; did you mean `gemini`?",
        ),
        (
            "{\"discuss\": {\"perspectives\": {\"product\": {\n\"titel\": \"x\"}}}}",
            "unknown key `discuss.perspectives.product.titel`; did you mean `title`?",
        ),
        (
            "{\"discuss\": {\"perspectives\": {\"product\": {\n\"title\": \"a\\nb\"}}}}",
            "`discuss.perspectives.product.title` must be one line of at most 200 characters",
        ),
        (
            "{\"discuss\": {\"perspectives\": {\"product\": {\"looks_at\": [\"a\",\n\"LONG\"]}}}}",
            "`discuss.perspectives.product.looks_at[1]` must be one line of at most 200 characters",
        ),
        (
            "{\"discuss\": {\"default_perspectives\": [\n\"produkt\"]}}",
            "`discuss.default_perspectives[0]` names the perspective `produkt`, which does not exist; did you mean `product`?",
        ),
        (
            "{\"discuss\": {\"default_perspectives\": [\"risk\",\n\"risk\"]}}",
            "`discuss.default_perspectives[1]` is named twice",
        ),
        (
            "{\"discuss\": {\n\"default_perspectives\": []}}",
            "`discuss.default_perspectives` must name 1 to 9 perspectives, 0 found",
        ),
        (
            "{\"discuss\": {\"presets\": {\"MINE\": {\"artifact\": \"a.md\", \"perspectives\": [\n\"riks\"]}}}}",
            "`discuss.presets.MINE.perspectives[0]` names the perspective `riks`, which does not exist; did you mean `risk`?",
        ),
        (
            "{\"discuss\": {\"presets\": {\n\"MINE\": {\"perspectives\": [\"risk\"]}}}}",
            "`discuss.presets.MINE` has no `artifact`: the file that is read",
        ),
        (
            "{\"discuss\": {\"presets\": {\"MINE\": {\n\"artifact\": \"../a.md\", \"perspectives\": [\"risk\"]}}}}",
            "`discuss.presets.MINE.artifact` must be a path within the project, `../a.md` found",
        ),
        (
            "{\"discuss\": {\"presets\": {\"DISCUSS-001\": {\n\"context\": \"/etc/passwd\"}}}}",
            "`discuss.presets.DISCUSS-001.context` must be a path within the project, `/etc/passwd` found",
        ),
        (
            "{\"discuss\": {\"presets\": {\n\"../M\": {\"artifact\": \"a.md\", \"perspectives\": [\"risk\"]}}}}",
            "`discuss.presets.\"../M\"` must have a name of 1 to 64 letters, digits, `-`, `_` or `.`, a letter or digit first: it names records",
        ),
        (
            "{\"discuss\": {\"presets\": {\"DISCUSS-001\": {\n\"role\": \"-x\"}}}}",
            "`discuss.presets.DISCUSS-001.role` must have a name of 1 to 64 letters, digits, `.`, `_` or `-`, beginning with a letter, digit or `_`",
        ),
        (
            "{\"discuss\": {\n\"first_reserve_usd\": 0}}",
            "`discuss.first_reserve_usd` must be above 0",
        ),
    ] {
        let text = text.replace("OWN", own).replace("LONG", &long);
        let world = World::new();
        world.project(&text);
        assert_eq!(world.refusal(), format!("repo/debate-agent.config.json:2:1: {refusal}"));
    }
}

#[test]
fn names_and_lists_have_a_largest_size() {
    let own = r#"{"agent": "claude", "title": "t", "looks_at": ["l"]}"#;
    let perspectives = |count: usize, name: &str| {
        let all: Vec<String> = (0..count).map(|n| format!("\"{name}{n:02}\": {own}")).collect();
        format!("{{\"discuss\": {{\"perspectives\": {{{}}}}}}}", all.join(", "))
    };
    let looks_at = |count: usize| {
        let all = vec!["\"l\""; count].join(", ");
        format!("{{\"discuss\": {{\"perspectives\": {{\"risk\": {{\"looks_at\": [{all}]}}}}}}}}")
    };
    for (text, wrong) in [
        // Five come with the program.
        (perspectives(45, "p"), None),
        (perspectives(46, "p"), Some("may have 50 entries, 51 found")),
        (perspectives(1, &"p".repeat(30)), None),
        (perspectives(1, &"p".repeat(31)), Some("1 to 32")),
        (looks_at(50), None),
        (looks_at(51), Some("may have 50 entries, 51 found")),
    ] {
        let world = World::new();
        world.project(&text);
        let refusal = world.load().err().map(|error| error.to_string());
        match (&refusal, wrong) {
            (None, None) => {}
            (Some(refusal), Some(wrong)) => assert!(refusal.contains(wrong), "{refusal}"),
            (_, _) => panic!("{refusal:?}, {wrong:?} expected"),
        }
    }
}
