//! A page: a result described once, and drawn in every form.
//!
//! # Theory of operation
//!
//! Each kind of document has one function that makes its [`Page`] of a few kinds of `Block`. A renderer draws a page: `terminal`
//! for a screen of some width, `markdown` for a report. Whatever is not the program's own words arrives as such (`text`), and
//! a renderer makes it safe in one place, for all pages at once; a page that forgets does not compile.
//!
//! The forms hold the same facts in the same order. A report holds all there is; a screen what somebody wants to know now. So a
//! block can be for one of them alone (`Part::record_only`, `Part::screen_only`), and a list says how much of it a screen
//! shows.
//!
//! Another form is another renderer: one file. For HTML three more blocks are foreseen, and nothing else: a *series* (a figure for
//! each round, drawn as a line; here a table of two rows), a *grid* (who said what of whom; here a table) and a *thread* (turns with
//! what was said in each, one below the other; here nested sections). Where a form has no picture of a block it draws what stands
//! in brackets.

pub(crate) mod markdown;
pub(crate) mod session;
pub(crate) mod terminal;
mod text;

use super::Look;

pub(crate) use text::{
    Emphasis, Text, agent_text, agent_text_up_to, bytes, charge, code, count, date, decimal, name,
    names, path, percent, shortened, text, time, took,
};

/// A result that people read.
pub trait ToPage {
    /// Returns it as a page.
    fn page(&self) -> Page;

    /// Says in one line how it ended, in capitals first. Names in it are safe to print.
    fn headline(&self) -> String {
        terminal::line(&self.page().headline)
    }

    /// Returns it for a terminal, with a newline at the end.
    fn render(&self, look: Look) -> String {
        terminal::render(&self.page(), look)
    }

    /// Returns it as a Markdown report.
    fn markdown(&self) -> String {
        markdown::render(&self.page())
    }
}

/// A result for people: what every form of it is drawn from.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// What it is, for the head of a report.
    title: Text,
    /// Said before everything else, where what follows is not what it looks like.
    banner: Option<Text>,
    /// How it ended, in one sentence, in capitals first.
    headline: Text,
    blocks: Blocks,
}

/// Blocks, one below the other.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Blocks(Vec<Part>);

/// A block, and which forms show it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part {
    block: Block,
    only: Option<Form>,
}

/// What kind of form a renderer makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// For now: a terminal.
    Screen,
    /// For later: a report.
    Record,
}

#[derive(Debug, Clone, PartialEq)]
enum Block {
    /// Blocks under a heading; nothing where there are none.
    Section { heading: Text, blocks: Blocks },
    /// A paragraph.
    Para(Text),
    /// Lines beside their labels; nothing where there are none.
    Facts(Vec<(&'static str, Vec<Text>)>),
    /// Entries; a screen shows the first `most`.
    List { items: Vec<Item>, marks: Marks, most: usize },
    /// Rows under headers.
    Table(Table),
    /// Words of others, in lines as they wrote them; a screen shows the first `most`.
    Quote { text: String, most: usize },
    /// Code or data in lines.
    Code(String),
}

/// What the entries of a list begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marks {
    Points,
    /// Numbers, from this one on.
    Numbers(usize),
    /// Nothing: each has a heading in a report, and an empty line before it on a screen.
    Heads,
}

/// An entry of a list.
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
    /// Columns that a screen does not break, from 0.
    unbroken: &'static [usize],
    /// Columns that a narrow screen leaves out, from 0.
    spare: &'static [usize],
}

impl Page {
    /// Begins a page.
    pub(crate) fn new(title: impl Into<Text>, headline: Text) -> Self {
        Self { title: title.into(), banner: None, headline, blocks: Blocks::default() }
    }

    /// Says something before everything else.
    pub(crate) fn banner(&mut self, text: impl Into<Text>) {
        self.banner = Some(text.into());
    }

    /// Returns what stands below the headline.
    pub(crate) fn blocks(&mut self) -> &mut Blocks {
        &mut self.blocks
    }
}

impl Blocks {
    fn add(&mut self, block: Block) -> &mut Part {
        self.0.push(Part { block, only: None });
        let last = self.0.len() - 1;
        &mut self.0[last]
    }

    /// Adds blocks under a heading. A section without any is not shown.
    pub(crate) fn section(
        &mut self,
        heading: impl Into<Text>,
        fill: impl FnOnce(&mut Self),
    ) -> &mut Part {
        let mut blocks = Self::default();
        fill(&mut blocks);
        self.add(Block::Section { heading: heading.into(), blocks })
    }

    /// Adds a paragraph; nothing where the text is blank.
    pub(crate) fn para(&mut self, text: impl Into<Text>) -> &mut Part {
        self.add(Block::Para(text.into()))
    }

    /// Adds lines beside their labels; a label without lines is left out.
    pub(crate) fn facts(
        &mut self,
        facts: impl IntoIterator<Item = (&'static str, Vec<Text>)>,
    ) -> &mut Part {
        self.add(Block::Facts(facts.into_iter().filter(|(_, lines)| !lines.is_empty()).collect()))
    }

    /// Adds a list; nothing where it has no entries.
    pub(crate) fn list<I: Into<Item>>(&mut self, items: impl IntoIterator<Item = I>) -> &mut Part {
        let items = items.into_iter().map(Into::into).collect();
        self.add(Block::List { items, marks: Marks::Points, most: usize::MAX })
    }

    /// Adds a list, or these words where it has no entries.
    pub(crate) fn list_or<I: Into<Item>>(
        &mut self,
        items: impl IntoIterator<Item = I>,
        none: &'static str,
    ) -> &mut Part {
        let items: Vec<Item> = items.into_iter().map(Into::into).collect();
        if items.is_empty() { self.para(none) } else { self.list(items) }
    }

    /// Adds a table; nothing where it has no rows.
    pub(crate) fn table(&mut self, table: Table) -> &mut Part {
        self.add(Block::Table(table))
    }

    /// Adds words of others in several lines; nothing where they are blank.
    pub(crate) fn quote(&mut self, text: &str) -> &mut Part {
        self.add(Block::Quote { text: text.to_owned(), most: usize::MAX })
    }

    /// Adds code or data in lines.
    pub(crate) fn code(&mut self, text: &str) -> &mut Part {
        self.add(Block::Code(text.to_owned()))
    }

    /// Returns the blocks that a form shows.
    fn of(&self, form: Form) -> impl Iterator<Item = &Block> {
        let shown = move |part: &&Part| part.only.is_none_or(|only| only == form);
        self.0.iter().filter(shown).map(|part| &part.block)
    }
}

impl Part {
    /// Leaves it to reports.
    pub(crate) fn record_only(&mut self) -> &mut Self {
        self.only = Some(Form::Record);
        self
    }

    /// Leaves it to screens.
    pub(crate) fn screen_only(&mut self) -> &mut Self {
        self.only = Some(Form::Screen);
        self
    }

    /// Shows so many entries of a list, or lines of a quotation, on a screen, and says how many more there are.
    pub(crate) fn most_on_screen(&mut self, count: usize) -> &mut Self {
        if let Block::List { most, .. } | Block::Quote { most, .. } = &mut self.block {
            *most = count;
        }
        self
    }

    /// Numbers the entries of a list, from this number on.
    pub(crate) fn numbered_from(&mut self, number: usize) -> &mut Self {
        self.marked(Marks::Numbers(number))
    }

    /// Lets each entry of a list stand for itself: in a report its first line is a heading.
    pub(crate) fn headed(&mut self) -> &mut Self {
        self.marked(Marks::Heads)
    }

    fn marked(&mut self, with: Marks) -> &mut Self {
        if let Block::List { marks, .. } = &mut self.block {
            *marks = with;
        }
        self
    }
}

impl Item {
    /// Makes an entry.
    pub(crate) fn new(head: impl Into<Text>) -> Self {
        Self { head: head.into(), body: Blocks::default() }
    }

    /// The same, with blocks below its first line.
    pub(crate) fn with(mut self, fill: impl FnOnce(&mut Blocks)) -> Self {
        fill(&mut self.body);
        self
    }
}

impl<T: Into<Text>> From<T> for Item {
    fn from(head: T) -> Self {
        Self::new(head)
    }
}

impl Table {
    /// Makes a table.
    pub(crate) fn new<H: Into<Text>>(
        headers: impl IntoIterator<Item = H>,
        rows: impl IntoIterator<Item = Vec<Text>>,
    ) -> Self {
        let headers = headers.into_iter().map(Into::into).collect();
        Self { headers, rows: rows.into_iter().collect(), unbroken: &[], spare: &[] }
    }

    /// Names columns (from 0) that a screen does not break: ids, ranks, single words.
    pub(crate) const fn unbroken(mut self, columns: &'static [usize]) -> Self {
        self.unbroken = columns;
        self
    }

    /// Names columns (from 0) that a screen of fewer than 110 columns leaves out.
    pub(crate) const fn spare(mut self, columns: &'static [usize]) -> Self {
        self.spare = columns;
        self
    }
}

#[cfg(test)]
pub(crate) mod tests;
