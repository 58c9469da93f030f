//! A page: a result described once, and drawn in every form.
//!
//! # Theory of operation
//!
//! Each kind of document has one function that makes its [`Page`] of a few kinds of `Block`. A renderer draws a page:
//! `terminal` for a screen of some width, `markdown` for a report. Text that is not the program's own is marked as
//! such (`text`), and a renderer makes it safe in one place, for all pages at once; a page that forgets the mark does
//! not compile.
//!
//! The forms contain the same facts in the same order. A report contains everything; a screen contains what a user
//! needs now. So a block can be for one of them alone (`Part::record_only`, `Part::screen_only`), and a list defines
//! how much of it a screen shows.
//!
//! Another form is another renderer: one file. `html` draws a table that names `Picture`s as those pictures, with the
//! table behind it, and folds entries with headings; the other forms show the table and the entries.

pub(crate) mod html;
mod hunk;
pub(crate) mod markdown;
pub(crate) mod session;
pub(crate) mod template;
pub(crate) mod terminal;
mod text;

use std::borrow::Cow;

use super::Look;

pub(crate) use text::{
    Emphasis, Text, agent_text, agent_text_up_to, charge, code, count, name, names, path,
    shortened, text, took,
};

/// A result that people read.
pub trait ToPage {
    fn page(&self) -> Page;

    /// Returns in one line how the session ended, in capitals first. Names in it are safe to print.
    fn headline(&self) -> String {
        terminal::line(&self.page().headline)
    }

    /// Returns the result for a terminal in at most so many rows, with a newline at the end.
    fn brief(&self, look: Look, rows: usize) -> String {
        terminal::brief(&self.page(), look, rows)
    }

    /// Returns the whole result for a terminal, with a newline at the end.
    fn render(&self, look: Look) -> String {
        terminal::render(&self.page(), look)
    }

    /// Returns the result as a Markdown report.
    fn markdown(&self) -> String {
        markdown::render(&self.page())
    }

    /// Returns the result as one HTML file, without what was asked and answered.
    fn html(&self) -> String {
        html::render(&self.page(), &Blocks::default())
    }
}

/// A result for people, from which every form is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The title at the head of a report.
    title: Text,
    /// A notice before everything else, if the result is not what it seems to be.
    banner: Option<Text>,
    /// The ending in one sentence, in capitals first.
    headline: Text,
    blocks: Blocks,
    /// What stands below the headline where rows are few: what is needed now, and details as far as there is room.
    brief: Blocks,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Blocks(Vec<Part>);

/// A block, and the forms that show it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part {
    block: Block,
    only: Option<Form>,
    /// A detail: where rows are few, it is shown if there is room.
    detail: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// For immediate use: a terminal.
    Screen,
    /// To be kept: a report.
    Record,
}

#[derive(Debug, Clone, PartialEq)]
enum Block {
    /// Blocks under a heading; not shown without blocks.
    Section { heading: Text, blocks: Blocks },
    /// A paragraph, wrapped on a screen.
    Para(Text),
    /// Lines beside their labels; not shown if there are none.
    Facts(Vec<Property>),
    /// Entries, of which a screen shows the first `most`.
    List { items: Vec<Item>, marks: Marks, most: usize },
    /// Rows under headers; not shown if there are none.
    Table(Table),
    /// Untrusted text with its own line breaks, of which a screen shows the first `most` lines.
    Quote { text: String, most: usize },
    /// Code or data, line by line.
    Code(String),
    /// A diff, line by line.
    Hunk(hunk::Hunk),
}

/// Lines beside a label.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Property {
    label: Cow<'static, str>,
    lines: Vec<Text>,
    /// As for blocks.
    detail: bool,
}

/// The marks before the entries of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marks {
    Points,
    Numbers(usize),
    /// No marks: each entry has a heading in a report, and an empty line before it on a screen.
    Heads,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    head: Text,
    body: Blocks,
}

/// Rows under headers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    headers: Vec<Text>,
    rows: Vec<Vec<Text>>,
    /// Columns (from 0) that a screen does not wrap.
    unbroken: Vec<usize>,
    /// Columns (from 0) that a narrow screen leaves out.
    spare: Vec<usize>,
    pictures: Vec<Picture>,
    /// Whether its first picture stands beside the decision.
    leads: bool,
}

/// What a table is drawn as where pictures can be drawn, by columns (from 0); the first column names the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Picture {
    /// A line through the figures of a column, from row to row.
    Line(usize),
    /// A bar for the figure of each row.
    Bars(usize),
    /// A line for each row through its ranks, from one column to another; the column before the first names it.
    Ranks(usize, usize),
}

impl Page {
    /// Creates a page without blocks.
    pub(crate) fn new(title: impl Into<Text>, headline: Text) -> Self {
        let (blocks, brief) = (Blocks::default(), Blocks::default());
        Self { title: title.into(), banner: None, headline, blocks, brief }
    }

    /// Sets the notice before everything else.
    pub(crate) fn banner(&mut self, text: impl Into<Text>) {
        self.banner = Some(text.into());
    }

    /// Returns the blocks below the headline where rows are few.
    pub(crate) fn brief(&mut self) -> &mut Blocks {
        &mut self.brief
    }

    /// Returns the blocks below the headline.
    pub(crate) fn blocks(&mut self) -> &mut Blocks {
        &mut self.blocks
    }
}

impl Blocks {
    fn add(&mut self, block: Block) -> &mut Part {
        self.0.push(Part { block, only: None, detail: false });
        let last = self.0.len() - 1;
        &mut self.0[last]
    }

    /// Adds blocks under a heading. A section without blocks is not shown.
    pub(crate) fn section(
        &mut self,
        heading: impl Into<Text>,
        fill: impl FnOnce(&mut Self),
    ) -> &mut Part {
        let mut blocks = Self::default();
        fill(&mut blocks);
        self.add(Block::Section { heading: heading.into(), blocks })
    }

    /// Adds a paragraph; nothing if the text is blank.
    pub(crate) fn para(&mut self, text: impl Into<Text>) -> &mut Part {
        self.add(Block::Para(text.into()))
    }

    /// Adds lines beside their labels; a label without lines is left out.
    pub(crate) fn facts<F: Into<Property>>(
        &mut self,
        facts: impl IntoIterator<Item = F>,
    ) -> &mut Part {
        let facts = facts.into_iter().map(Into::into);
        self.add(Block::Facts(facts.filter(|fact| !fact.lines.is_empty()).collect()))
    }

    /// Adds blocks under a heading that HTML folds.
    pub(crate) fn folded(&mut self, head: Text, fill: impl FnOnce(&mut Self)) {
        let mut body = Self::default();
        fill(&mut body);
        let items = vec![Item { head, body }];
        self.add(Block::List { items, marks: Marks::Heads, most: usize::MAX });
    }

    /// Adds untrusted text with its own line breaks.
    pub(crate) fn quote(&mut self, text: &str) {
        self.add(Block::Quote { text: text.to_owned(), most: usize::MAX });
    }

    /// Adds blocks made elsewhere.
    pub(crate) fn append(&mut self, blocks: Self) {
        self.0.extend(blocks.0);
    }

    /// Adds code or data, line by line.
    pub(crate) fn code(&mut self, text: &str) -> &mut Part {
        self.add(Block::Code(text.to_owned()))
    }

    /// Adds rows under headers, drawn as bars for the figures of some columns where pictures can be drawn.
    pub(crate) fn bars<H: Into<Text>>(
        &mut self,
        headers: impl IntoIterator<Item = H>,
        rows: impl IntoIterator<Item = Vec<Text>>,
        columns: &[usize],
    ) {
        let pictures = columns.iter().copied().map(Picture::Bars).collect();
        self.add(Block::Table(Table { pictures, ..Table::new(headers, rows) }));
    }

    fn of(&self, form: Form) -> impl Iterator<Item = &Block> {
        self.parts(form).map(|part| &part.block)
    }

    fn parts(&self, form: Form) -> impl Iterator<Item = &Part> {
        self.0.iter().filter(move |part| part.only.is_none_or(|only| only == form))
    }
}

impl Part {
    /// Restricts the block to reports.
    pub(crate) fn record_only(&mut self) -> &mut Self {
        self.only = Some(Form::Record);
        self
    }

    pub(crate) fn screen_only(&mut self) -> &mut Self {
        self.only = Some(Form::Screen);
        self
    }
}

impl From<(&'static str, Vec<Text>)> for Property {
    fn from((label, lines): (&'static str, Vec<Text>)) -> Self {
        Self { label: label.into(), lines, detail: false }
    }
}

impl Table {
    pub(crate) fn new<H: Into<Text>>(
        headers: impl IntoIterator<Item = H>,
        rows: impl IntoIterator<Item = Vec<Text>>,
    ) -> Self {
        let headers = headers.into_iter().map(Into::into).collect();
        let (unbroken, spare) = (Vec::new(), Vec::new());
        let (rows, pictures) = (rows.into_iter().collect(), Vec::new());
        Self { headers, rows, unbroken, spare, pictures, leads: false }
    }
}

#[cfg(test)]
pub(crate) mod tests;
