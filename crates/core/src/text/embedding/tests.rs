//! Properties of any text.

use proptest::prelude::*;

use super::*;

fn alike(first: &str, second: &str) -> f64 {
    embed(first).unwrap().cosine(&embed(second).unwrap())
}

#[test]
fn a_text_is_like_itself_and_more_like_its_subject_than_like_another() {
    let text = "We should cache the search results in Redis.";
    assert!((alike(text, text) - 1.0).abs() < 1e-6);
    let near = alike(text, "Search results belong in a Redis cache.");
    let far = alike(text, "Every ward should have two nurses at night.");
    assert!(near > far + 0.3, "{near} {far}");
}

#[test]
fn case_accents_and_humps_do_not_matter() {
    let text = "The naive session store should be cached.";
    for other in [
        "THE NAIVE SESSION STORE SHOULD BE CACHED",
        "The naïve sessionStore should be cached",
        "the nai\u{308}ve session_store... should be cached!",
    ] {
        let alike = alike(text, other);
        assert!(alike > 0.999_999, "{other}: {alike}");
    }
}

#[test]
fn no_more_than_sixty_four_kib_are_read() {
    let long = "The cache should be large. ".repeat(10_000);
    let more = format!("{long} Nurses work at night.");
    assert_eq!(embed(&long), embed(&more));
    assert!(read_part(&long).len() <= TEXT_BYTES);
    // The cut falls within a character.
    assert_eq!(read_part(&"é".repeat(TEXT_BYTES)).len(), TEXT_BYTES);
    assert_eq!(read_part(&format!("a{}", "é".repeat(TEXT_BYTES))).len(), TEXT_BYTES - 1);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(one in any::<String>(), other in "[a-zA-Z `.{}]{0,200}") {
        let sentence = format!("We should cache this in the store: {one}");
        for text in [&one, &other, &sentence] {
            if let Some(read) = embed(text) {
                let own = read.cosine(&read);
                prop_assert!((own - 1.0).abs() < 1e-6 || own.abs() < f64::EPSILON);
            }
        }
        if let (Some(one), Some(other)) = (embed(&sentence), embed(&other)) {
            prop_assert!((-1.0..=1.0).contains(&one.cosine(&other)));
            prop_assert!((one.cosine(&other) - other.cosine(&one)).abs() < f64::EPSILON);
        }
    }
}
