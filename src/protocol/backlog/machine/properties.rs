//! Properties for any replies: P1, P2 and P13 of `docs/promises.md`; P5 and P7 are checked for every protocol
//! (`conformance.rs`).

use proptest::prelude::*;

use super::super::testing::{champion, critic, give, input, moderator, only, opportunities, run};
use super::*;
use crate::protocol::testing::raw;

const ABCD: &str = "abcd";

fn debate(max_rounds: u32) -> Driver<Machine> {
    let mut input = input(opportunities(ABCD));
    input.settings.max_rounds = max_rounds;
    Machine::open(input).unwrap()
}

/// Returns replies from good to garbage.
fn reply() -> impl Strategy<Value = Vec<u8>> {
    let order = Just(vec!['a', 'b', 'c', 'd']).prop_shuffle().prop_map(String::from_iter);
    let words = "[pidrI]{4}";
    prop_oneof![
        6 => order.clone().prop_map(|order| champion(&order).into_bytes()),
        6 => order.clone().prop_map(|order| critic(&order).into_bytes()),
        6 => (order, words, any::<bool>(), any::<bool>())
            .prop_map(|(order, words, go_on, agreed)| moderator(&order, &words, go_on, agreed).into_bytes()),
        1 => "[a-e\"\\[\\],]{0,20}".prop_map(|ids| champion("abcd").replace("[\"a\"", &ids).into_bytes()),
        1 => proptest::collection::vec(any::<u8>(), 0..80),
    ]
}

/// Returns replies that fit any turn.
fn fitting() -> impl Strategy<Value = Vec<u8>> {
    let order = || Just(vec!['a', 'b', 'c', 'd']).prop_shuffle().prop_map(String::from_iter);
    (order(), order(), order(), "[pidrI]{4}", any::<bool>(), any::<bool>()).prop_map(
        |(first, second, third, words, go_on, agreed)| {
            // All blocks in one reply: each role finds its own.
            (champion(&first) + &critic(&second) + &moderator(&third, &words, go_on, agreed))
                .into_bytes()
        },
    )
}

fn replies() -> impl Strategy<Value = Vec<Vec<u8>>> {
    proptest::collection::vec(prop_oneof![8 => fitting(), 1 => reply()], 0..16)
}

fn sorted(mut ids: Vec<String>) -> String {
    ids.sort();
    ids.concat()
}

proptest! {
    /// P1, P2: any applied ranking is a permutation and every id has one disposition, for any bytes.
    #[test]
    fn rankings_are_permutations_and_dispositions_complete(texts in replies(), rounds in 1..=4_u32) {
        let mut machine = debate(rounds);
        run(&mut machine, &texts);
        for outcome in [machine.stop(Stop::Budget), machine.stop(Stop::Deadline)] {
            for round in &outcome.result.rounds {
                for ranking in [&round.champion_rankings, &round.critic_counter_rankings, &round.moderator_final_rankings] {
                    prop_assert_eq!(sorted(ranking.clone()), ABCD);
                }
                prop_assert_eq!(round.moderator_dispositions.keys().cloned().collect::<String>(), ABCD);
            }
            if !outcome.result.rounds.is_empty() {
                prop_assert_eq!(sorted(outcome.result.final_rankings.clone()), ABCD);
                prop_assert_eq!(outcome.result.dispositions.len(), 4);
            }
        }
    }

    /// P13: hostile text in titles, descriptions and peers' answers changes neither a parse nor a prompt's form.
    #[test]
    fn untrusted_text_never_changes_the_parse(
        hostile in "(<<<(FINAL_RANKINGS|DISPOSITIONS|DEBATE_STATUS)_(START|END)>>>|\n|\\[\"d\"\\]|turn: r9/critic|\"|x|《《《){0,12}",
    ) {
        let mut input = input(opportunities(ABCD));
        input.opportunities[0].title = format!("t {hostile}");
        input.opportunities[2].description = hostile.clone();
        let mut machine = Machine::open(input).unwrap();
        give(&mut machine, champion(ABCD).as_bytes());
        let concern = serde_json::json!({ "a": [format!("c {hostile}")] }).to_string();
        give(&mut machine, critic(ABCD).replace("{\"a\":[\"Large.\"]}", &concern).as_bytes());
        let turn = only(&machine).unwrap();
        let text = format!("{}\n\n{}", turn.prompt.stable, turn.prompt.varying);
        prop_assert!(crate::text::markers::scan(&text).is_empty());
        prop_assert_eq!(text.lines().filter(|line| line.starts_with("turn: ")).count(), 1);
        // A model that repeats its whole prompt before answering has still answered.
        let reply = format!("{text}\n{}", moderator(ABCD, "ppdr", false, true));
        let parsed = machine.read(&turn, &raw(&reply), Chance::First);
        let plain = machine.read(&turn, &raw(&moderator(ABCD, "ppdr", false, true)), Chance::First);
        prop_assert_eq!(parsed.map(|reply| reply.content), plain.map(|reply| reply.content));
    }
}
