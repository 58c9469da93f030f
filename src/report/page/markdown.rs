//! Pages as Markdown reports: untrusted texts are text in them and never markup.

use super::text::{Span, Words};
use super::{Block, Blocks, Emphasis, Form, Item, Marks, Page, Property, Table, Text};
use crate::text::sanitize;

pub(crate) fn render(page: &Page) -> String {
    let mut report = Report::default();
    report.heading(1, &page.title);
    report.head(page);
    report.blocks(&page.blocks, 2);
    report.0
}

/// Draws how a session ended, and nothing else.
pub(crate) fn head(page: &Page) -> String {
    let mut report = Report::default();
    report.head(page);
    report.0
}

/// Draws blocks alone, for a document made piece by piece. `depth` is that of its sections' headings.
pub(crate) fn piece(blocks: &Blocks, depth: usize) -> String {
    let mut report = Report::default();
    report.blocks(blocks, depth);
    report.0
}

/// Returns text as one line without markup, except for strong text.
fn line(text: &Text) -> String {
    let runs = text.spans.chunk_by(|one, other| is_strong(one) == is_strong(other));
    let runs = runs.map(|run| match words(run) {
        words if is_strong(&run[0]) => format!("**{words}**"),
        words => words,
    });
    runs.collect()
}

fn words(spans: &[Span]) -> String {
    let mut out = String::new();
    // Consecutive untrusted texts are made safe together: parts that are each harmless may not be so when joined.
    for run in spans.chunk_by(|one, other| is_theirs(one) && is_theirs(other)) {
        match run {
            [Span { words: Words::Ours(text), .. }] => out.push_str(text),
            [Span { words: Words::Code(text), .. }] => out.push_str(&code_span(text)),
            run => {
                let all: String = run.iter().map(|span| span.words.raw()).collect();
                out.push_str(&inert(&all));
            }
        }
    }
    out
}

fn is_strong(span: &Span) -> bool {
    span.tone == Some(Emphasis::Strong)
}

const fn is_theirs(span: &Span) -> bool {
    matches!(span.words, Words::Theirs { .. } | Words::Path(_))
}

/// Returns untrusted text as one line that is not markup and never empty, so that no list or row changes its form.
pub(crate) fn inert(text: &str) -> String {
    let safe = sanitize::markdown(text);
    if safe.is_empty() { "(empty)".to_owned() } else { safe }
}

/// Returns inline code, between more backticks than it contains.
fn code_span(text: &str) -> String {
    let text = sanitize::line(text, usize::MAX);
    if text.is_empty() {
        return inert("");
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if text.starts_with('`') || text.ends_with('`') {
        format!("{fence} {text} {fence}")
    } else {
        format!("{fence}{text}{fence}")
    }
}

/// Escapes characters that would end a table cell, even in code.
fn pipeless(cell: &str) -> String {
    let mut out = String::with_capacity(cell.len());
    for c in cell.chars() {
        if c == '|' && !out.ends_with('\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A growing report. Each block is between empty lines.
#[derive(Default)]
struct Report(String);

impl Report {
    fn head(&mut self, page: &Page) {
        if let Some(banner) = &page.banner {
            self.para(&line(&banner.clone().tone(Emphasis::Strong)));
        }
        self.para(&line(&page.headline.clone().tone(Emphasis::Strong)));
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
            Block::Para(text) => self.para(&line(text)),
            Block::Facts(facts) => self.facts(facts),
            Block::List { items, .. } if items.is_empty() => {}
            Block::List { items, marks: Marks::Heads, .. } => self.headed(items, depth),
            Block::List { items, marks, .. } => self.list(items, *marks, depth),
            Block::Table(table) => self.table(table),
            Block::Quote { text, .. } => self.quote(text),
            Block::Code(text) => self.para(sanitize::markdown_code(text, "").trim_end()),
            Block::Hunk(hunk) => {
                let lines =
                    hunk.head().into_iter().chain(hunk.rows().into_iter().map(|row| row.line()));
                let text: Vec<String> = lines.collect();
                self.para(sanitize::markdown_code(&text.join("\n"), "diff").trim_end());
            }
        }
    }

    fn section(&mut self, heading: &Text, blocks: &Blocks, depth: usize) {
        let mut below = Self::default();
        below.blocks(blocks, depth + 1);
        if !below.0.is_empty() {
            self.heading(depth, heading);
            self.gap();
            self.0.push_str(&below.0);
        }
    }

    fn heading(&mut self, depth: usize, heading: &Text) {
        // Markdown has six levels. A heading is strong anyway.
        self.para(&format!("{} {}", "#".repeat(depth.min(6)), words(&heading.spans)));
    }

    fn para(&mut self, text: &str) {
        self.gap();
        self.0.push_str(text);
        self.0.push('\n');
    }

    fn line(&mut self, parts: &[&str]) {
        self.0.extend(parts.iter().copied().chain(["\n"]));
    }

    fn gap(&mut self) {
        if !self.0.is_empty() && !self.0.ends_with("\n\n") {
            self.0.push('\n');
        }
    }

    fn facts(&mut self, facts: &[Property]) {
        let mut text = Vec::new();
        for Property { label, lines, .. } in facts {
            match &lines[..] {
                [one] => text.push(format!("- {label}: {}", line(one))),
                lines => {
                    text.push(format!("- {label}:"));
                    text.extend(lines.iter().map(|each| format!("  - {}", line(each))));
                }
            }
        }
        if !text.is_empty() {
            self.para(&text.join("\n"));
        }
    }

    fn headed(&mut self, items: &[Item], depth: usize) {
        for item in items {
            self.heading(depth, &item.head);
            self.blocks(&item.body, depth + 1);
        }
    }

    fn list(&mut self, items: &[Item], marks: Marks, depth: usize) {
        self.gap();
        for (at, item) in items.iter().enumerate() {
            let mark = match marks {
                Marks::Numbers(start) => format!("{}. ", start + at),
                Marks::Points | Marks::Heads => "- ".to_owned(),
            };
            let mut below = Self::default();
            below.blocks(&item.body, depth);
            // Entries with nothing but lists below them follow each other without an empty line.
            let is_list = |block: &Block| matches!(block, Block::List { .. } | Block::Facts(_));
            let apart = !item.body.of(Form::Record).all(is_list);
            if apart {
                self.gap();
            }
            self.line(&[&mark, &line(&item.head)]);
            if apart {
                self.gap();
            }
            let indent = " ".repeat(mark.len());
            for line in below.0.lines() {
                let indent = if line.is_empty() { "" } else { &indent };
                self.line(&[indent, line]);
            }
            if apart {
                self.gap();
            }
        }
        self.0.truncate(self.0.trim_end().len());
        self.0.push('\n');
    }

    fn table(&mut self, table: &Table) {
        if table.rows.is_empty() {
            return;
        }
        let row = |cells: &[Text]| {
            let cells: Vec<String> = cells.iter().map(|cell| pipeless(&line(cell))).collect();
            format!("| {} |", cells.join(" | "))
        };
        let mut lines =
            vec![row(&table.headers), format!("|{}", "---|".repeat(table.headers.len()))];
        lines.extend(table.rows.iter().map(|cells| row(cells)));
        self.para(&lines.join("\n"));
    }

    /// Each line is a paragraph of its own, so that none can underline the one before into a heading or continue it
    /// as a table.
    fn quote(&mut self, text: &str) {
        let text = sanitize::terminal(text);
        let lines: Vec<String> =
            text.lines().filter(|line| !line.trim().is_empty()).map(sanitize::markdown).collect();
        if !lines.is_empty() {
            self.para(&format!("> {}", lines.join("\n>\n> ")));
        }
    }
}
