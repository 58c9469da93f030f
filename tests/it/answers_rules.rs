//! The decision table of answers (docs/answers.md) through the binary, rows 18 to 39: the contents of
//! a block. `support/table.rs` runs and judges the cases.

use crate::support::replies::{SIX, block, champion, critic, each, list, moderator, status};
use crate::support::table::{End, case, hold};

const REFUSAL: &str = "I am sorry, but I can't help with that.";

fn six() -> String {
    list(&SIX)
}

fn dispositions(body: &str) -> String {
    moderator(body, &six(), &status(false, true))
}

#[test]
fn rows_18_to_20_ids_that_are_written_otherwise() {
    let all = six();
    let one = |from: &str, to: &str| champion(&all.replace(from, to));
    hold(&[
        case("18, case", "champion", one("opp-fo-sso", "OPP-FO-SSO"), End::Noted("id_normalised")),
        case(
            "18, spaces",
            "champion",
            one("opp-fo-sso", " opp-fo-sso "),
            End::Noted("id_normalised"),
        ),
        case(
            "18, quotes",
            "champion",
            one("opp-fo-sso", "`opp-fo-sso`"),
            End::Noted("id_normalised"),
        ),
        case(
            "18, dash",
            "champion",
            one("opp-fo-sso", "opp\u{2013}fo\u{2011}sso"),
            End::Noted("id_normalised"),
        ),
        case(
            "18, homoglyph",
            "champion",
            one("opp-fo-sso", "\u{43e}pp-fo-sso"),
            End::Noted("unknown_id"),
        ),
        case("19", "champion", one("[", "[\"opp-xx-never\", "), End::Noted("unknown_id")),
        case(
            "19, most are unknown",
            "champion",
            champion("[\"a\", \"b\", \"c\", \"d\", \"e\", \"opp-fo-sso\"]"),
            End::Repaired("ids_missing"),
        ),
        case("20", "champion", one("]", ", \"opp-tf-login-timeout\"]"), End::Noted("duplicate_id")),
    ]);
}

#[test]
fn rows_21_to_23_rankings_that_are_not_complete() {
    let first = |count: usize| list(&SIX[..count]);
    let of = |ranking: &str| moderator(&each("\"defer\""), ranking, &status(false, true));
    hold(&[
        case(
            "21, a third is missing",
            "champion",
            champion(&first(4)),
            End::Noted("completed_by_rule"),
        ),
        case(
            "21, a third is missing",
            "critic",
            critic(&first(4)),
            End::Noted("completed_by_rule"),
        ),
        case("21, half are missing", "champion", champion(&first(3)), End::Repaired("ids_missing")),
        case("21, half are missing twice", "critic", critic(&first(3)), End::Failed),
        case("22, a third is missing", "moderator", of(&first(4)), End::Noted("completed_by_rule")),
        case("22, half are missing", "moderator", of(&first(3)), End::Repaired("ids_missing")),
        case("22, half are missing twice", "moderator", of(&first(3)), End::Failed),
        case("23, []", "champion", champion("[]"), End::Repaired("empty_block")),
        case("23, null", "critic", critic("null"), End::Repaired("empty_block")),
        case("23, {}", "moderator", dispositions("{}"), End::Repaired("empty_block")),
        case("23, nothing", "champion", champion(""), End::Repaired("empty_block")),
        case(
            "23, wrapped",
            "champion",
            champion("{\"rankings\": []}"),
            End::Repaired("empty_block"),
        ),
        case("23, twice", "moderator", of("[]"), End::Failed),
    ]);
}

#[test]
fn rows_24_to_28_dispositions_and_status() {
    let all = each("\"defer\"");
    let sso = |word: &str| dispositions(&all.replace("\"opp-fo-sso\": \"defer\"", word));
    let said = |status: &str| moderator(&all, &six(), status);
    let without = moderator(&all, &six(), "X").replace(&block("DEBATE_STATUS", "X"), "");
    let by_rule = "`opp-fo-sso` is set to investigate by rule";
    hold(&[
        case(
            "24, case",
            "moderator",
            sso("\"opp-fo-sso\": \" Defer \""),
            End::Noted("word_normalised"),
        ),
        case(
            "24, prioritise",
            "moderator",
            sso("\"opp-fo-sso\": \"prioritise\""),
            End::Noted("word_normalised"),
        ),
        case(
            "25",
            "moderator",
            sso("\"opp-fo-sso\": \"approve\""),
            End::Repaired("dispositions_missing"),
        ),
        case(
            "25, translated, twice",
            "moderator",
            sso("\"opp-fo-sso\": \"untersuchen\""),
            End::ByRule(by_rule),
        ),
        case("25, no text, twice", "moderator", sso("\"opp-fo-sso\": 3"), End::ByRule(by_rule)),
        case(
            "26",
            "moderator",
            sso("\"opp-fo-dark-mode\": \"defer\"").replace(
                "\"opp-fo-dark-mode\": \"defer\", \"opp-fo-dark-mode\"",
                "\"opp-fo-dark-mode\"",
            ),
            End::Repaired("dispositions_missing"),
        ),
        case("26, twice", "moderator", sso("\"opp-xx-never\": \"defer\""), End::ByRule(by_rule)),
        case(
            "26, extra id",
            "moderator",
            sso("\"opp-xx-never\": \"defer\", \"opp-fo-sso\": \"defer\""),
            End::Noted("unknown_id"),
        ),
        case(
            "27",
            "moderator",
            said("{\"continue_debate\": \"false\", \"consensus_reached\": \"TRUE\"}"),
            End::Noted("flag_normalised"),
        ),
        case(
            "27, 0 and 1",
            "moderator",
            said("{\"continue_debate\": 0, \"consensus_reached\": 1}"),
            End::Repaired("wrong_type"),
        ),
        case(
            "27, yes",
            "moderator",
            said("{\"continue_debate\": \"no\", \"consensus_reached\": \"yes\"}"),
            End::Noted("flag_normalised"),
        ),
        case(
            "27, maybe",
            "moderator",
            said("{\"continue_debate\": \"maybe\", \"consensus_reached\": \"yes\"}"),
            End::Failed,
        ),
        case(
            "27, a key is missing, twice",
            "moderator",
            said("{\"consensus_reached\": true}"),
            End::ByRule("`continue_debate` is missing; set to true by rule"),
        ),
        case("28", "moderator", without, End::Noted("completed_by_rule")),
    ]);
}

#[test]
fn rows_33_36_39_refusals_languages_and_escapes() {
    let coloured = champion(&six().replace("\"opp-fo-sso\"", "\u{1b}[31m\"opp-fo-sso\"\u{1b}[0m"));
    let german = critic(&six()).replace("The evidence is thin.", "Die Belege reichen nicht: dünn.");
    hold(&[
        case("33", "champion", REFUSAL, End::Repaired("missing_block")),
        case("33, twice", "champion", REFUSAL, End::Failed),
        case("33, twice", "critic", REFUSAL, End::Failed),
        case("33, twice", "moderator", REFUSAL, End::Failed),
        case("36", "critic", format!("Meine Einschätzung, 日本語も可:\n{german}"), End::Accepted),
        case("39", "champion", coloured, End::Noted("escapes_stripped")),
    ]);
}
