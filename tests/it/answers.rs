//! Each treatment of the decision table of answers (docs/answers.md) through the binary, for each role: accepted,
//! noted, asked again, completed by rule, failed. `support/table.rs` runs and judges the cases; every row is a case of
//! the unit tests, `decision_table_for_one_array` and those of the partner debate's `reply`.

use crate::support::replies::{SIX, block, champion, critic, each, list, moderator, status};
use crate::support::table::{End, case, hold};

const REFUSAL: &str = "I am sorry, but I can't help with that.";

fn decision(dispositions: &str, status: &str) -> String {
    moderator(dispositions, &list(&SIX), status)
}

#[test]
fn every_treatment_of_a_reply_is_seen_in_the_run() {
    let (six, four, three) = (list(&SIX), list(&SIX[..4]), list(&SIX[..3]));
    let (all, ends) = (each("\"defer\""), status(false, true));
    let sso = |word: &str| decision(&all.replace("\"opp-fo-sso\": \"defer\"", word), &ends);
    let open = format!("{}<<<CRITIC_RANKINGS_START>>>\n", block("CRITIC_CONCERNS", &each("[]")));
    let one = |from: &str, to: &str| champion(&six.replace(from, to));
    let without = decision(&all, "X").replace(&block("DEBATE_STATUS", "X"), "");
    hold(&[
        case("1", "champion", format!("Let me see.\n\n{}\nBye.", champion(&six)), End::Accepted),
        case("1", "critic", format!("# Sizes\n{}", critic(&six)), End::Accepted),
        case("1", "moderator", format!("Well.\n{}", decision(&all, &ends)), End::Accepted),
        case("12", "champion", format!("```\n{}```\n", champion(&six)), End::Accepted),
        case("4", "critic", format!("{open}{six}"), End::Noted("unclosed")),
        case("18", "champion", one("opp-fo-sso", "OPP-FO-SSO"), End::Noted("id_normalised")),
        case("19", "champion", one("[", "[\"opp-xx-never\", "), End::Noted("unknown_id")),
        case("21", "critic", critic(&four), End::Noted("completed_by_rule")),
        case("22", "moderator", moderator(&all, &four, &ends), End::Noted("completed_by_rule")),
        case("28", "moderator", without, End::Noted("completed_by_rule")),
        case("3", "champion", block("CHAMPION_RANKINGS", &six), End::Repaired("missing_block")),
        case("5", "critic", format!("{open}[\"opp-tf"), End::Repaired("unclosed")),
        case("9", "champion", champion("[\"<id>\", \"<id>\"]"), End::Repaired("ids_missing")),
        case("14", "champion", one("\"", "'"), End::Repaired("bad_json")),
        case("14", "critic", critic(&six.replacen("opp", "\\ud800", 1)), End::Repaired("bad_json")),
        case("22", "moderator", moderator(&all, &three, &ends), End::Repaired("ids_missing")),
        case(
            "25",
            "moderator",
            sso("\"opp-fo-sso\": \"no\""),
            End::Repaired("dispositions_missing"),
        ),
        case(
            "25, twice",
            "moderator",
            sso("\"opp-fo-sso\": 3"),
            End::ByRule("`opp-fo-sso` is set to investigate by rule"),
        ),
        case(
            "27, a key is missing, twice",
            "moderator",
            decision(&all, "{\"consensus_reached\": true}"),
            End::ByRule("`continue_debate` is missing; set to true by rule"),
        ),
        case(
            "27, 0 and 1",
            "moderator",
            decision(&all, "{\"continue_debate\": 0, \"consensus_reached\": 1}"),
            End::Repaired("wrong_type"),
        ),
        case("33, twice", "champion", REFUSAL, End::Failed),
        case("21, twice", "critic", critic(&three), End::Failed),
        case("23, twice", "moderator", moderator(&all, "[]", &ends), End::Failed),
    ]);
}
