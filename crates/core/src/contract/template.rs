//! How blocks are requested: the body shown in a prompt, and the text around it.

use std::fmt::Write as _;

use super::field::{Item, Kind, Spec};
use super::outline::{Body, Outline};
use crate::text::block::ExpectedBlock;
use crate::text::markers;

/// How JSON is written, in a prompt.
const JSON: &str = "The JSON is what any parser accepts: double quotes; inside a string a backslash is `\\\\`, a quote `\\\"`, a line break `\\n` (code with \
     `\\d` becomes `\\\\d`); no comments, no trailing commas. `...` stands for further entries.";

/// Returns the parser's specification of the blocks.
pub fn wants(blocks: &[&Outline]) -> Vec<ExpectedBlock> {
    blocks.iter().map(|block| block.want()).collect()
}

/// Returns the last part of a prompt: the exact answer wanted, its form, and its rules.
///
/// A turn asks for its blocks here and nowhere else: a second description, in a skill or in the frame, contradicts
/// the first sooner or later.
pub fn ask(blocks: &[&Outline], rules: &[&str]) -> String {
    let (these, them) = match blocks.len() {
        1 => ("the block below", "it"),
        _ => ("the blocks below, in this order,", "them"),
    };
    let shown: Vec<String> = blocks.iter().map(|block| block.shown()).collect();
    let mut text = format!(
        "# Your answer\n\nWork it out first. A program reads only {these} and throws away everything around {them}, so keep notes before \
         {them} under 150 words and write nothing after {them}.\n\n{}\nEach marker is alone on its line, with no code fence. Replace every \
         <placeholder>, its angle brackets included.",
        shown.join("\n")
    );
    if blocks.iter().any(|block| !matches!(block.body, Body::Text { .. })) {
        text.push(' ');
        text.push_str(JSON);
    }
    for rule in rules {
        text.push_str("\n\n");
        text.push_str(rule.trim_end());
    }
    text
}

/// Placeholders for fields with these keys, instead of the declared ones.
type Words<'a> = &'a [(&'a str, &'a str)];

impl Outline {
    /// Returns the body as shown in prompts. It never parses as an answer, so a model that repeats it has not answered.
    pub fn template(&self) -> String {
        let Self { unasked, words, only, .. } = *self;
        match self.body {
            Body::Text { shown, .. } => shown.to_owned(),
            Body::Object(item) => {
                // A word that leaves no choice is shown as it is.
                let fixed = |spec: &Spec| match only {
                    Some((key, word)) if key == spec.key => Spec { shown: word, ..*spec },
                    Some(_) | None => *spec,
                };
                let asked = item.fields.iter().filter(|spec| !unasked.contains(&spec.key));
                let asked: Vec<Spec> = asked.map(fixed).collect();
                format!("{{{}}}", listed(asked.iter(), Some(" "), words))
            }
            Body::Ids => r#"["<id>", "<id>", ...]"#.to_owned(),
            Body::ById(item) => {
                let each = match item.fields {
                    [only] if only.alone => value(only, words),
                    _ => object(item, "  ", words),
                };
                format!(r#"{{"<id>": {each}, ...}}"#)
            }
        }
    }

    /// Returns the block as shown in prompts, with its markers.
    pub fn shown(&self) -> String {
        block(self.name, &self.template())
    }
}

/// Returns some fields of an object as shown in prompts. `indent`: the start of a line; without it, all are on one
/// line.
pub fn fields<'a>(fields: impl Iterator<Item = &'a Spec>, indent: Option<&str>) -> String {
    listed(fields, indent, &[])
}

fn listed<'a>(
    fields: impl Iterator<Item = &'a Spec>,
    indent: Option<&str>,
    words: Words<'_>,
) -> String {
    let mut text = String::new();
    for (at, spec) in fields.filter(|spec| is_shown(spec)).enumerate() {
        if at > 0 {
            text.push(',');
            match indent {
                Some(indent) if spec.below => {
                    text.push('\n');
                    text.push_str(indent);
                }
                _ => text.push(' '),
            }
        }
        let _ = write!(text, "\"{}\": {}", spec.key, value(spec, words));
    }
    text
}

fn object(item: &Item, indent: &str, words: Words<'_>) -> String {
    format!("{{{}}}", listed(item.fields.iter(), Some(indent), words))
}

/// Whether an agent is asked for a field.
const fn is_shown(spec: &Spec) -> bool {
    !spec.unlisted && (!matches!(spec.kind, Kind::Ours) || !spec.shown.is_empty())
}

fn value(spec: &Spec, words: Words<'_>) -> String {
    let own = spec.shown_by(words);
    let shown = |usual: &str| if own.is_empty() { usual.to_owned() } else { own.to_owned() };
    match spec.kind {
        Kind::Line(_)
        | Kind::Text(_)
        | Kind::Code(_)
        | Kind::Id(_)
        | Kind::Name(_)
        | Kind::Ours => format!("\"{}\"", shown("<text>")),
        Kind::Word(words) => format!("\"{}\"", shown(&format!("<{}>", words().join("|")))),
        Kind::Number { least, most, .. } => shown(&format!("<{least}-{most}>")),
        Kind::Whole { least, most } => shown(&format!("<{least} to {most}>")),
        Kind::Share => shown("<0 to 1>"),
        Kind::Flag => shown("<true or false>"),
        Kind::LineNumber => shown("<number>"),
        Kind::Texts { .. } => format!("[\"{}\", ...]", shown("<text>")),
        Kind::Entries { item, apart: true, .. } => {
            format!("[\n  {}, ...]", object(item, "   ", words))
        }
        Kind::Entries { item, .. } => format!("[{}, ...]", object(item, " ", words)),
        Kind::Groups(_) => {
            let name = shown("<text>");
            format!("[[\"{name}\", \"{name}\"], ...]")
        }
        Kind::Map | Kind::Json => own.to_owned(),
    }
}

/// Wraps a body in a block's markers.
pub fn block(name: &str, body: &str) -> String {
    let (start, end) = (markers::start_marker(name), markers::end_marker(name));
    format!("{start}\n{body}\n{end}\n")
}
