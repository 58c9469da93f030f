//! The decision table of answers (docs/answers.md) through the binary, rows 1 to 17: finding and reading a block.
//! `support/table.rs` runs and judges the cases.

use crate::support::replies::{SIX, block, champion, critic, each, list, moderator, status};
use crate::support::table::{End, case, hold};

fn six() -> String {
    list(&SIX)
}

fn dispositions(body: &str) -> String {
    moderator(body, &six(), &status(false, true))
}

#[test]
fn rows_01_to_05_where_a_block_begins_and_ends() {
    let six = six();
    let open = format!("{}<<<CRITIC_RANKINGS_START>>>\n", block("CRITIC_CONCERNS", &each("[]")));
    hold(&[
        case(
            "1",
            "champion",
            format!("Let me see.\n\n{}\nThat is all.", champion(&six)),
            End::Accepted,
        ),
        case("1", "critic", format!("# Sizes\n{}", critic(&six)), End::Accepted),
        case(
            "1",
            "moderator",
            format!("Well.\n{}", dispositions(&each("\"defer\""))),
            End::Accepted,
        ),
        case(
            "2/3, a bare list where two blocks are wanted",
            "champion",
            &*six,
            End::Repaired("missing_block"),
        ),
        case(
            "3, no markers",
            "critic",
            format!("{}\n{six}", each("[]")),
            End::Repaired("missing_block"),
        ),
        case(
            "3, one of two blocks",
            "champion",
            block("CHAMPION_RANKINGS", &six),
            End::Repaired("missing_block"),
        ),
        case("4", "critic", format!("{open}{six}"), End::Noted("unclosed")),
        case(
            "4, text cannot be complete",
            "champion",
            "<<<CHAMPION_ARGUMENT_START>>>\nValue.",
            End::Failed,
        ),
        case(
            "5",
            "critic",
            format!("{open}[\"opp-tf-login-timeout\", \"opp-sw"),
            End::Repaired("unclosed"),
        ),
        case(
            "5, twice",
            "critic",
            format!("{open}[\"opp-tf-login-timeout\", \"opp-sw"),
            End::Failed,
        ),
    ]);
}

#[test]
fn rows_06_to_09_which_of_several_blocks_counts() {
    let two = |first: &str, second: &str| {
        block("CHAMPION_ARGUMENT", "Value.")
            + &block("CHAMPION_RANKINGS", first)
            + "On reflection:\n"
            + &block("CHAMPION_RANKINGS", second)
    };
    let six = six();
    let mut reversed = SIX;
    reversed.reverse();
    let template = r#"["<id>", "<id>", ...]"#;
    let argument = block("CHAMPION_ARGUMENT", "Value.");
    hold(&[
        case(
            "6, END without START",
            "champion",
            format!("{argument}{six}\n<<<CHAMPION_RANKINGS_END>>>"),
            End::Repaired("end_without_start"),
        ),
        case(
            "6, nested",
            "champion",
            format!(
                "<<<CHAMPION_ARGUMENT_START>>>\nV\n{}<<<CHAMPION_ARGUMENT_END>>>",
                block("CHAMPION_RANKINGS", &six)
            ),
            End::Repaired("crossed_markers"),
        ),
        case(
            "6, crossed",
            "champion",
            format!(
                "<<<CHAMPION_ARGUMENT_START>>>\nV\n<<<CHAMPION_RANKINGS_START>>>\n{six}\n<<<CHAMPION_ARGUMENT_END>>>\n<<<CHAMPION_RANKINGS_END>>>"
            ),
            End::Repaired("crossed_markers"),
        ),
        case("7", "champion", two(&six, &six.replace(',', ", ")), End::Noted("duplicate_equal")),
        case("8", "champion", two(&six, &list(&reversed)), End::Repaired("conflicting_blocks")),
        case("8, twice", "champion", two(&six, &list(&reversed)), End::Failed),
        case("9, template beside the answer", "champion", two(template, &six), End::Noted("echo")),
        case("9, template alone", "champion", champion(template), End::Repaired("bad_json")),
        case(
            "9, placeholder ids beside the answer",
            "critic",
            critic(r#"["<id>"]"#) + &block("CRITIC_RANKINGS", &six),
            End::Noted("echo"),
        ),
        case(
            "9, placeholder ids alone",
            "champion",
            champion(r#"["<id>", "<id>"]"#),
            End::Repaired("ids_missing"),
        ),
        case(
            "9, argument template alone",
            "champion",
            block("CHAMPION_ARGUMENT", "<your case, in plain text>")
                + &block("CHAMPION_RANKINGS", &six),
            End::Repaired("empty_block"),
        ),
    ]);
}

#[test]
fn rows_11_to_13_how_a_block_may_be_written() {
    let six = six();
    let with = |change: &dyn Fn(&str) -> String| champion(&change(&six));
    let lower = champion(&six).replace("CHAMPION_RANKINGS_START", "champion_rankings_start");
    let bold =
        champion(&six).replace("<<<CHAMPION_RANKINGS_END>>>", "**<<<CHAMPION_RANKINGS_END>>>**");
    let other =
        champion(&six).replace("<<<CHAMPION_RANKINGS_START>>>", "«««CHAMPION_RANKINGS_START»»»");
    hold(&[
        case("11, case", "champion", lower, End::Noted("marker_variant")),
        case("11, emphasis", "champion", bold, End::Noted("marker_variant")),
        case("11, lookalike", "champion", other, End::Repaired("lookalike_marker")),
        case("12, outside", "champion", format!("```\n{}```\n", champion(&six)), End::Accepted),
        case(
            "12, inside",
            "champion",
            with(&|six| format!("```json\n{six}\n```")),
            End::Noted("code_fence"),
        ),
        case("13, comma", "critic", critic(&six.replace(']', ",]")), End::Noted("trailing_comma")),
        case(
            "13, comment",
            "critic",
            critic(&six.replacen(',', ", // first\n", 1)),
            End::Noted("comment"),
        ),
    ]);
}

#[test]
fn rows_14_to_17_what_is_no_json_of_the_right_type() {
    let six = six();
    let with = |change: &dyn Fn(&str) -> String| champion(&change(&six));
    let objects: Vec<String> = SIX.iter().map(|id| format!("{{\"id\": \"{id}\"}}")).collect();
    let smart = six.replace('"', "\u{201c}");
    hold(&[
        case(
            "14, single quotes",
            "champion",
            with(&|six| six.replace('"', "'")),
            End::Repaired("bad_json"),
        ),
        case("14, smart quotes", "champion", champion(&smart), End::Repaired("bad_json")),
        case(
            "14, Python literals",
            "moderator",
            moderator(
                &each("\"defer\""),
                &six,
                "{\"continue_debate\": False, \"consensus_reached\": True}",
            ),
            End::Repaired("bad_json"),
        ),
        case(
            "14, unescaped quotes",
            "critic",
            critic(&six).replace("is thin", "is \"thin\""),
            End::Repaired("bad_json"),
        ),
        case(
            "14, lone surrogate",
            "champion",
            with(&|six| six.replacen("opp", "\\ud800", 1)),
            End::Repaired("bad_json"),
        ),
        case("14, twice", "champion", with(&|six| six.replace('"', "'")), End::Failed),
        case(
            "15",
            "moderator",
            dispositions(&each("\"defer\"").replacen('{', "{\"opp-fo-sso\": \"reject\", ", 1)),
            End::Repaired("conflicting_entries"),
        ),
        case(
            "16, wrapper",
            "champion",
            with(&|six| format!("{{\"rankings\": {six}}}")),
            End::Noted("unwrapped"),
        ),
        case(
            "16, objects",
            "champion",
            champion(&format!("[{}]", objects.join(","))),
            End::Noted("unwrapped"),
        ),
        case(
            "17, string",
            "champion",
            champion(&format!("\"{}\"", SIX.join(", "))),
            End::Repaired("wrong_shape"),
        ),
        case("17, object", "champion", champion(&each("1")), End::Repaired("wrong_shape")),
        case(
            "17, ordinals",
            "champion",
            champion("[1, 2, 3, 4, 5, 6]"),
            End::Repaired("wrong_type"),
        ),
        case(
            "17, list of dispositions",
            "moderator",
            dispositions(&six),
            End::Repaired("wrong_shape"),
        ),
        case("17, twice", "champion", champion("[1, 2, 3, 4, 5, 6]"), End::Failed),
    ]);
}
