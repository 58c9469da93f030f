//! Any bytes as a reply: the scanner finds exactly what is in it, once, and a second scan gives the same.
#![no_main]

use debate_core::text::block::{BlockBody, ExpectedBlock, Shape, extract};
use libfuzzer_sys::fuzz_target;

const WANTS: [ExpectedBlock; 3] = [
    ExpectedBlock::new("CASE", Shape::Text, true),
    ExpectedBlock::new("ORDER", Shape::Array, true),
    ExpectedBlock::new("LIST", Shape::Object, false),
];

const TEMPLATES: [&str; 3] =
    ["<your case>", r#"["<id>", "<id>", ...]"#, r#"{"tasks": [{"title": "<one line>"}, ...]}"#];

fuzz_target!(|reply: &[u8]| {
    for cut in [false, true] {
        match extract(reply, cut, &WANTS, &TEMPLATES) {
            Err(problems) => assert!(!problems.is_empty(), "a reason is given"),
            Ok(found) => {
                assert_eq!(found.contents.len(), WANTS.len());
                let mut again = String::new();
                for (want, content) in WANTS.iter().zip(&found.contents) {
                    let body = match content {
                        None => {
                            assert!(!want.required, "what is owed is there");
                            continue;
                        }
                        Some(BlockBody::Text(text)) => text.clone(),
                        Some(BlockBody::Json(value)) => {
                            assert!(match want.shape {
                                Shape::Array => value.is_array(),
                                Shape::Object => value.is_object(),
                                Shape::Text => false,
                            });
                            value.to_string()
                        }
                    };
                    again.push_str(&format!(
                        "<<<{name}_START>>>\n{body}\n<<<{name}_END>>>\n",
                        name = want.name
                    ));
                }
                // Text may contain what looks like a marker of another name, so only JSON is certain to be the same
                // again.
                let plain = found.contents.iter().flatten().all(|content| match content {
                    BlockBody::Text(text) => !text.contains("<<<") && !text.contains("```"),
                    BlockBody::Json(_) => true,
                });
                if plain {
                    let second = extract(again.as_bytes(), false, &WANTS, &TEMPLATES);
                    if let Ok(second) = second {
                        let json = |contents: &[Option<BlockBody>]| {
                            let json = contents.iter().flatten();
                            json.filter(|content| matches!(content, BlockBody::Json(_)))
                                .cloned()
                                .collect::<Vec<_>>()
                        };
                        assert_eq!(json(&found.contents), json(&second.contents));
                    }
                }
            }
        }
    }
});
