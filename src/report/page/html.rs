//! Pages as one HTML file: no script, no request, and nothing of others but text.
//!
//! The policy in the head lets the page load nothing and use its own style sheet alone, so that what escaped this
//! module's care would still do nothing. Entries with headings are folded, open where their heading is marked as bad
//! or doubtful, unless they are many; what a browser searches for it unfolds, and print shows everything.

use std::fmt::Write as _;

use data_encoding::BASE64;
use pulldown_cmark::{Alignment, CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};
use sha2::{Digest as _, Sha256};

use super::text::{Span, Words};
use super::{Block, Blocks, Emphasis, Form, Item, Marks, Page, Property, Table, Text};
use crate::text::sanitize;

mod hunk;
mod picture;

const STYLE: &str = include_str!("../../../skills/pages/html/style.css");
/// Code of more lines is folded.
const LINES_OPEN: usize = 40;
/// Code of more bytes is folded.
const BYTES_OPEN: usize = 6_000;
/// Maximum entries of a list that are open.
const ENTRIES_OPEN: usize = 5;
/// Least number of sections that a list of contents is for.
const LISTED: usize = 4;

/// Draws a page. `thread`: what was asked and answered, which follows it.
pub(crate) fn render(page: &Page, thread: &Blocks) -> String {
    let mut html = Html::default();
    html.blocks(&page.blocks, 2);
    html.blocks(thread, 2);
    let sum = BASE64.encode(&Sha256::digest(STYLE));
    let mut contents = String::new();
    if html.sections.len() >= LISTED {
        contents.push_str("<nav aria-label=\"Contents\"><ul>");
        for (number, heading) in &html.sections {
            _ = write!(contents, "<li><a href=\"#s{number}\">{heading}</a></li>");
        }
        contents.push_str("</ul></nav>\n");
    }
    let banner = page.banner.as_ref();
    let banner =
        banner.map(|text| format!("<p class=\"banner\" role=\"note\">{}</p>\n", line(text)));
    let tone = page.headline.spans.iter().find_map(|span| span.tone).map_or("", class);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{sum}'; img-src data:; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1>{heading}</h1>\n{banner}<p class=\"verdict {tone}\">{headline}</p>\n{lead}</header>\n\
         {contents}<main>\n{body}</main>\n</body>\n</html>\n",
        title = escaped(&sanitize::line(&page.title.raw(), usize::MAX)),
        heading = line(&page.title),
        banner = banner.unwrap_or_default(),
        headline = line(&page.headline),
        lead = html.lead,
        body = html.text,
    )
}

/// Returns text that is no markup, fit for the body of an element.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    pulldown_cmark::html::push_html(&mut out, std::iter::once(Event::Text(text.into())));
    out
}

const fn class(tone: Emphasis) -> &'static str {
    match tone {
        Emphasis::Good => "good",
        Emphasis::Bad => "bad",
        Emphasis::Doubt => "doubt",
        Emphasis::Strong => "strong",
    }
}

/// Draws text within a line.
fn line(text: &Text) -> String {
    let mut out = String::new();
    for run in text.spans.chunk_by(|one, other| one.tone == other.tone) {
        let words = words(run);
        // Writing to a String cannot fail.
        _ = match run[0].tone {
            None => write!(out, "{words}"),
            Some(tone) => write!(out, "<strong class=\"{}\">{words}</strong>", class(tone)),
        };
    }
    out
}

fn words(spans: &[Span]) -> String {
    let mut out = String::new();
    for span in spans {
        // What is shown as code is shown as it is, except that it has one line.
        let shown = |text: &str| match sanitize::line(text, usize::MAX) {
            text if text.is_empty() => "(empty)".to_owned(),
            text => escaped(&text),
        };
        match &span.words {
            Words::Ours(text) => out.push_str(&escaped(text)),
            Words::Path(text) | Words::Code(text) => {
                _ = write!(out, "<code>{}</code>", shown(text));
            }
            Words::Theirs { text, .. } => {
                let text = shown(text);
                let mut parts = text.split('`').peekable();
                let mut is_code = false;
                while let Some(part) = parts.next() {
                    // A backtick without a second one is a backtick.
                    let is_last = parts.peek().is_none();
                    _ = match (is_code, is_last) {
                        (true, false) => write!(out, "<code>{part}</code>"),
                        (true, true) => write!(out, "`{part}"),
                        (false, _) => write!(out, "{part}"),
                    };
                    is_code = !is_code;
                }
            }
        }
    }
    out
}

#[derive(Default)]
struct Html {
    text: String,
    /// The number and heading of each section of the page itself.
    sections: Vec<(usize, String)>,
    numbers: usize,
    /// The picture beside the decision.
    lead: String,
}

impl Html {
    fn push(&mut self, parts: &[&str]) {
        self.text.extend(parts.iter().copied());
    }

    fn blocks(&mut self, blocks: &Blocks, depth: usize) {
        for block in blocks.of(Form::Record) {
            self.block(block, depth);
        }
    }

    fn block(&mut self, block: &Block, depth: usize) {
        match block {
            Block::Section { heading, blocks } => self.section(heading, blocks, depth),
            Block::Para(text) if text.is_blank() => {}
            Block::Para(text) => self.push(&["<p>", &line(text), "</p>\n"]),
            Block::Facts(facts) => self.facts(facts),
            Block::List { items, .. } if items.is_empty() => {}
            Block::List { items, marks: Marks::Heads, .. } => self.folded(items, depth),
            Block::List { items, marks, .. } => self.list(items, *marks, depth),
            Block::Table(table) if table.rows.is_empty() => {}
            Block::Table(table) => self.table(table),
            Block::Quote { text, .. } => {
                self.push(&["<blockquote>\n", &markdown(text), "</blockquote>\n"]);
            }
            Block::Code(text) => self.code(text),
            Block::Hunk(hunk) => self.push(&[&hunk::of(hunk)]),
        }
    }

    fn section(&mut self, heading: &Text, blocks: &Blocks, depth: usize) {
        let (before, sections) = (self.text.len(), self.sections.len());
        self.numbers += 1;
        let (number, heading) = (self.numbers.to_string(), line(heading));
        let level = depth.min(6).to_string();
        // Only these are landmarks: those of the rounds have the same headings.
        if depth == 2 {
            self.sections.push((self.numbers, heading.clone()));
            self.push(&["<section aria-labelledby=\"s", &number, "\">\n"]);
        } else {
            self.push(&["<section>\n"]);
        }
        self.push(&["<h", &level, " id=\"s", &number, "\">", &heading, "</h", &level, ">\n"]);
        let empty = self.text.len();
        self.blocks(blocks, depth + 1);
        if self.text.len() == empty {
            self.text.truncate(before);
            self.sections.truncate(sections);
        } else {
            self.push(&["</section>\n"]);
        }
    }

    fn facts(&mut self, facts: &[Property]) {
        if facts.is_empty() {
            return;
        }
        self.push(&["<dl>\n"]);
        for Property { label, lines, .. } in facts {
            self.push(&["<div><dt>", &escaped(label), "</dt>"]);
            self.push(&[
                "<dd>",
                &lines.iter().map(line).collect::<Vec<_>>().join("<br>"),
                "</dd></div>\n",
            ]);
        }
        self.push(&["</dl>\n"]);
    }

    fn folded(&mut self, items: &[Item], depth: usize) {
        for (at, item) in items.iter().enumerate() {
            let is_grave = |span: &Span| matches!(span.tone, Some(Emphasis::Bad | Emphasis::Doubt));
            let is_open = at < ENTRIES_OPEN && item.head.spans.iter().any(is_grave);
            let open = if is_open { " open" } else { "" };
            self.push(&["<details", open, "><summary>", &line(&item.head), "</summary><div>\n"]);
            self.blocks(&item.body, depth + 1);
            self.push(&["</div></details>\n"]);
        }
    }

    fn list(&mut self, items: &[Item], marks: Marks, depth: usize) {
        let (open, close) = match marks {
            Marks::Numbers(start) => (format!("<ol start=\"{start}\">\n"), "</ol>\n"),
            Marks::Points | Marks::Heads => ("<ul>\n".to_owned(), "</ul>\n"),
        };
        self.push(&[&open]);
        for item in items {
            self.push(&["<li>", &line(&item.head), "\n"]);
            self.blocks(&item.body, depth);
            self.push(&["</li>\n"]);
        }
        self.push(&[close]);
    }

    fn table(&mut self, table: &Table) {
        let mut is_drawn = false;
        for picture in &table.pictures {
            if let Some(picture) = picture::of(table, *picture, self.numbers) {
                self.numbers += 1;
                if table.leads && self.lead.is_empty() {
                    self.lead = picture;
                } else {
                    is_drawn = true;
                    self.push(&[&picture]);
                }
            }
        }
        if is_drawn {
            self.push(&["<details><summary>The figures</summary><div>\n"]);
        }
        // A region that scrolls must be reached by the keyboard, and have a name.
        let headers: Vec<String> = table.headers.iter().map(line).collect();
        self.push(&["<div class=\"wide\" role=\"group\" tabindex=\"0\" aria-label=\"Table\"><table>\n<thead><tr>"]);
        for header in &headers {
            self.push(&["<th scope=\"col\">", header, "</th>"]);
        }
        self.push(&["</tr></thead>\n<tbody>\n"]);
        for row in &table.rows {
            self.push(&["<tr>"]);
            for (at, cell) in row.iter().enumerate() {
                let (open, close) = match at {
                    0 => ("<th scope=\"row\">", "</th>"),
                    _ => ("<td>", "</td>"),
                };
                self.push(&[open, &line(cell), close]);
            }
            self.push(&["</tr>\n"]);
        }
        self.push(&["</tbody></table></div>\n"]);
        if is_drawn {
            self.push(&["</div></details>\n"]);
        }
    }

    fn code(&mut self, text: &str) {
        let text = sanitize::terminal(text);
        let text = text.trim_end();
        let lines = text.lines().count();
        let shown = format!("<pre><code>{}</code></pre>\n", escaped(text));
        if lines > LINES_OPEN || text.len() > BYTES_OPEN {
            let lines = format!("{lines} line{}", if lines == 1 { "" } else { "s" });
            let size = crate::report::words::bytes(text.len() as u64);
            self.push(&["<details><summary>", &lines, ", ", &size, "</summary><div>\n"]);
            self.push(&[&shown, "</div></details>\n"]);
        } else {
            self.push(&[&shown]);
        }
    }
}

/// Draws an agent's Markdown: its HTML is text, its links are words with their targets, its pictures their
/// descriptions, and its headings none of the page.
fn markdown(text: &str) -> String {
    let text = sanitize::terminal(text);
    let mut targets = Vec::new();
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let events = Parser::new_ext(&text, options).flat_map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => vec![Event::Text(text)],
        Event::Start(Tag::HtmlBlock) => vec![Event::Start(Tag::Paragraph)],
        Event::End(TagEnd::HtmlBlock) => vec![Event::End(TagEnd::Paragraph)],
        Event::Start(Tag::Heading { .. }) => {
            vec![Event::Start(Tag::Paragraph), Event::Start(Tag::Strong)]
        }
        Event::End(TagEnd::Heading(_)) => {
            vec![Event::End(TagEnd::Strong), Event::End(TagEnd::Paragraph)]
        }
        Event::Start(
            Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. },
        ) => {
            let is_shown = matches!(link_type, LinkType::Autolink | LinkType::Email);
            targets.push((!is_shown).then(|| format!(" ({dest_url})")));
            Vec::new()
        }
        Event::End(TagEnd::Link | TagEnd::Image) => {
            targets.pop().flatten().map(|target| Event::Text(target.into())).into_iter().collect()
        }
        Event::Start(Tag::CodeBlock(_)) => {
            vec![Event::Start(Tag::CodeBlock(CodeBlockKind::Indented))]
        }
        // An alignment would be a style, which the page's policy refuses.
        Event::Start(Tag::Table(columns)) => {
            vec![Event::Start(Tag::Table(vec![Alignment::None; columns.len()]))]
        }
        event => vec![event],
    });
    let mut out = String::new();
    pulldown_cmark::html::push_html(&mut out, events);
    out
}

#[cfg(test)]
pub(crate) mod tests;
