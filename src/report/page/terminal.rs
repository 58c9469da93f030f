//! Pages on a terminal: sanitized, wrapped to its width, coloured if possible.

use unicode_width::UnicodeWidthStr as _;

use super::hunk::Hunk;
use super::text::{Span, Words};
use super::{Block, Blocks, Emphasis, Form, Item, Marks, Page, Property, Table, Text};
use crate::report::Look;
use crate::report::table;
use crate::report::words::{BAD, DOUBT, FAINT, GOOD, HEAD, commandless, paint};
use crate::text::sanitize;

/// Maximum characters of a path.
const PATH_CHARS: usize = 400;
/// Maximum characters of code in a line.
const CODE_CHARS: usize = 400;
/// Width from which tables have all their columns.
const WIDE: usize = 110;
/// Minimum width of the labels of facts, in columns.
const LABEL: usize = 11;
/// Number of the first rows that are never left out.
const HEAD_ROWS: usize = 5;
/// Where an end of few rows sends a reader, and a whole result.
const FULL: &str = ", with --full";
const REPORT: &str = ", in the report";
/// Indentation of the body of an entry without a mark, in columns.
const BODY: usize = 4;
/// Indentation of quotations: at the margin, an untrusted line would look like one of ours.
const QUOTED: &str = "  ";
/// Maximum of a quoted line's own indentation, in columns.
const OWN_INDENT: usize = 16;

/// Draws a page, with a newline at the end.
pub(crate) fn render(page: &Page, look: Look) -> String {
    drawn(page, &page.blocks, Screen::of(look))
}

/// Draws what is needed now in at most so many rows: with the details of as many entries as there is room for, else of
/// none, and fewer entries. On a screen so narrow that there is room for none, rows of the middle are left out.
pub(crate) fn brief(page: &Page, look: Look, rows: usize) -> String {
    let height = |line: &str| visible(line).max(1).div_ceil(look.width);
    let fits = |text: &str| text.lines().map(height).sum::<usize>() <= rows;
    let details = (0..=rows).rev().map(|detailed| (rows, detailed));
    let mut text = String::new();
    for (most, detailed) in details.chain((0..rows).rev().map(|most| (most, 0))) {
        text = drawn(page, &page.brief, Screen { most, detailed, rest: FULL, ..Screen::of(look) });
        if fits(&text) {
            return text;
        }
    }
    let mut lines: Vec<&str> = text.lines().collect();
    lines.insert(HEAD_ROWS, "...");
    while !fits(&lines.join("\n")) && lines.len() > HEAD_ROWS + 1 {
        lines.remove(HEAD_ROWS + 1);
    }
    lines.join("\n") + "\n"
}

fn drawn(page: &Page, blocks: &Blocks, mut screen: Screen) -> String {
    if let Some(banner) = &page.banner {
        screen.wrapped(&banner.clone().tone(Emphasis::Doubt), "", "");
    }
    screen.wrapped(&page.headline, "", "");
    screen.blocks(blocks, "");
    // A screen's text ends up in CI logs too, where `::` at the start of a line is a command.
    commandless(&screen.text)
}

/// Returns lines for a program, safe and unwrapped.
pub(crate) fn code(text: &str) -> String {
    let lines = sanitize::terminal(text);
    commandless(&lines.lines().map(|line| line.trim_end().to_owned() + "\n").collect::<String>())
}

pub(crate) fn line(text: &Text) -> String {
    text.spans.iter().map(shown).collect()
}

/// Makes a piece of text safe.
fn shown(span: &Span) -> String {
    match &span.words {
        Words::Ours(text) => text.clone().into_owned(),
        Words::Theirs { text, most } => sanitize::line(text, *most),
        Words::Path(text) => sanitize::line(text, PATH_CHARS),
        Words::Code(text) => sanitize::line(text, CODE_CHARS),
    }
}

struct Screen {
    text: String,
    look: Look,
    /// Maximum number of entries of a list and of lines of a quotation.
    most: usize,
    /// Number of entries of a list that are shown with what is below them; 0: nor is any other detail.
    detailed: usize,
    /// Where what is left out can be read.
    rest: &'static str,
}

impl Screen {
    const fn of(look: Look) -> Self {
        Self { text: String::new(), look, most: usize::MAX, detailed: usize::MAX, rest: REPORT }
    }

    fn blocks(&mut self, blocks: &Blocks, indent: &str) {
        let detailed = self.detailed > 0;
        for part in blocks.parts(Form::Screen).filter(|part| detailed || !part.detail) {
            self.block(&part.block, indent);
        }
    }

    fn block(&mut self, block: &Block, indent: &str) {
        match block {
            Block::Section { heading, blocks } => self.section(heading, blocks, indent),
            Block::Para(text) if text.is_blank() => {}
            Block::Para(text) => self.wrapped(text, indent, indent),
            Block::Facts(facts) if indent.is_empty() => self.facts(facts),
            Block::Facts(facts) => self.facts_in_line(facts, indent),
            Block::List { items, marks, most } => self.list(items, *marks, *most, indent),
            Block::Table(table) => self.table(table, indent),
            Block::Quote { text, most } => self.quote(text, *most, indent),
            Block::Code(text) => self.code(text, indent),
            Block::Hunk(hunk) => self.hunk(hunk, indent),
        }
    }

    /// Draws the blocks first: without any there is no heading either.
    fn section(&mut self, heading: &Text, blocks: &Blocks, indent: &str) {
        let mut below = Self { text: String::new(), ..*self };
        below.blocks(blocks, indent);
        if below.text.is_empty() {
            return;
        }
        self.gap();
        self.wrapped(&heading.clone().tone(Emphasis::Strong), indent, indent);
        self.text.push_str(below.text.trim_start_matches('\n'));
    }

    /// Adds an empty line, unless there is nothing above to separate from.
    fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// Draws labels in a column of their own.
    fn facts(&mut self, facts: &[Property]) {
        if facts.is_empty() {
            return;
        }
        self.gap();
        let facts: Vec<&Property> =
            facts.iter().filter(|fact| self.detailed > 0 || !fact.detail).collect();
        let width = facts.iter().map(|fact| fact.label.len() + 1).fold(LABEL, usize::max);
        let rest = " ".repeat(width);
        for Property { label, lines, .. } in facts {
            let padding = " ".repeat(width - label.len());
            let mut first = paint(label, FAINT, self.look.colour) + &padding;
            for line in lines {
                self.wrapped(line, &first, &rest);
                first.clone_from(&rest);
            }
        }
    }

    /// Draws labels before their values, within an entry.
    fn facts_in_line(&mut self, facts: &[Property], indent: &str) {
        let rest = format!("{indent}  ");
        for Property { label, lines, .. } in facts {
            for line in lines {
                let text = super::text![Text::ours(label.clone()), ": ", line.clone()];
                self.wrapped(&text, indent, &rest);
            }
        }
    }

    fn list(&mut self, items: &[Item], marks: Marks, most: usize, indent: &str) {
        let most = most.min(self.most);
        for (at, item) in items.iter().take(most).enumerate() {
            let mark = match marks {
                Marks::Points => "* ".to_owned(),
                Marks::Numbers(start) => format!("{:>3}. ", start + at),
                Marks::Heads => String::new(),
            };
            if marks == Marks::Heads {
                self.gap();
            }
            let body = if mark.is_empty() { BODY } else { mark.len() };
            let rest = format!("{indent}{}", " ".repeat(body));
            self.wrapped(&item.head, &format!("{indent}{mark}"), &rest);
            if at < self.detailed {
                self.blocks(&item.body, &rest);
            }
        }
        if marks == Marks::Heads && items.len() > most {
            self.gap();
        }
        self.more(items.len(), most, None, indent);
    }

    /// Adds the number of entries that a screen does not show.
    fn more(&mut self, count: usize, most: usize, noun: Option<&'static str>, indent: &str) {
        if let Some(more) = count.checked_sub(most).filter(|more| *more > 0) {
            let noun = noun.map(|noun| super::text![" ", noun, (more != 1).then_some("s")]);
            let text = super::text!["... and ", more, " more", noun, self.rest];
            self.wrapped(&text, indent, indent);
        }
    }

    fn table(&mut self, table: &Table, indent: &str) {
        if table.rows.is_empty() {
            return;
        }
        let width = self.look.width.saturating_sub(indent.len());
        let kept = |column: &usize| width >= WIDE || !table.spare.contains(column);
        let row = |cells: &[Text]| {
            let cells = cells.iter().enumerate().filter(|(column, _)| kept(column));
            cells.map(|(_, cell)| line(cell)).collect::<Vec<String>>()
        };
        let columns = (0..table.headers.len()).filter(kept).enumerate();
        let unbroken = columns.filter(|(_, column)| table.unbroken.contains(column));
        let unbroken: Vec<usize> = unbroken.map(|(at, _)| at).collect();
        let rows = table.rows.iter().map(|cells| row(cells));
        let drawn = table::Table::new(&row(&table.headers), rows).unbroken(&unbroken);
        for line in drawn.render(width).lines() {
            self.text.push_str(indent);
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    fn quote(&mut self, text: &str, most: usize, indent: &str) {
        let text = sanitize::terminal(text);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let most = most.min(self.most);
        for line in lines.iter().take(most) {
            let own = line.chars().take_while(|c| c.is_whitespace());
            let own: usize = own.map(|c| if c == '\t' { 4 } else { 1 }).sum();
            let set_in = if indent.is_empty() { QUOTED } else { indent };
            let indent = format!("{set_in}{}", " ".repeat(own.min(OWN_INDENT)));
            self.wrapped(&super::agent_text_up_to(line, usize::MAX), &indent, &indent);
        }
        self.more(lines.len(), most, Some("line"), indent);
    }

    /// Draws lines without wrapping, which would change their meaning.
    fn code(&mut self, text: &str, indent: &str) {
        for line in sanitize::terminal(text).lines() {
            self.text.push_str(format!("{indent}{line}").trim_end());
            self.text.push('\n');
        }
    }

    /// Draws a diff without wrapping: a `>` before marked lines, the numbers in both files, the code with its sign.
    fn hunk(&mut self, hunk: &Hunk, indent: &str) {
        let colour = self.look.colour;
        let mut push = |line: &str| self.text.extend([line.trim_end(), "\n"]);
        if let Some(head) = hunk.head() {
            push(&format!("{indent}  {}", paint(&head, FAINT, colour)));
        }
        let rows = hunk.rows();
        let numbers = rows.iter().flat_map(|row| [row.old, row.new]).flatten();
        let width = numbers.max().map_or(0, |number| number.to_string().len() + 1);
        for row in rows {
            let number = |number: Option<u32>| number.map(|number| number.to_string());
            let (old, new) =
                (number(row.old).unwrap_or_default(), number(row.new).unwrap_or_default());
            let line = row.line();
            let code = match row.sign {
                '+' => paint(line.trim_end(), GOOD, colour),
                '-' => paint(line.trim_end(), BAD, colour),
                _ => line,
            };
            let mark = if row.is_marked { '>' } else { ' ' };
            push(&format!("{indent}{mark}{old:>width$}{new:>width$} {code}"));
        }
    }

    /// Adds text in lines of at most the look's width, broken between words; a word longer than a line has a line of
    /// its own.
    fn wrapped(&mut self, text: &Text, first: &str, rest: &str) {
        let mut line = Line::default();
        let mut width = visible(first);
        let mut prefix = first;
        for word in words(text) {
            let long = word.iter().map(|(piece, _)| piece.width()).sum::<usize>();
            if !line.0.is_empty() && width + 1 + long > self.look.width {
                self.line(prefix, &line);
                line = Line::default();
                (width, prefix) = (rest.len(), rest);
            }
            // If a line breaks at several spaces, none of them starts the next line.
            if line.0.is_empty() && word.iter().all(|(piece, _)| piece.is_empty()) {
                continue;
            }
            if !line.0.is_empty() {
                line.space(word.first().and_then(|(_, tone)| *tone));
                width += 1;
            }
            width += long;
            line.0.extend(word);
        }
        self.line(prefix, &line);
    }

    fn line(&mut self, prefix: &str, line: &Line) {
        let line = format!("{prefix}{}", line.painted(self.look.colour));
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }
}

/// The pieces of a word, each with its tone.
type Word = Vec<(String, Option<Emphasis>)>;

/// Splits text at its spaces. Pieces without a space between them are one word.
fn words(text: &Text) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for span in &text.spans {
        let shown = shown(span);
        for (at, piece) in shown.split(' ').enumerate() {
            match words.last_mut() {
                Some(word) if at == 0 => word.push((piece.to_owned(), span.tone)),
                _ => words.push(vec![(piece.to_owned(), span.tone)]),
            }
        }
    }
    words
}

/// Returns the columns of a text, whose colours take none.
pub(crate) fn visible(text: &str) -> usize {
    anstream::adapter::strip_str(text).to_string().width()
}

#[derive(Default)]
struct Line(Word);

impl Line {
    /// Adds a space, in the tone of both neighbours if they share one.
    fn space(&mut self, next: Option<Emphasis>) {
        let before = self.0.last().and_then(|(_, tone)| *tone);
        self.0.push((" ".to_owned(), before.filter(|_| before == next)));
    }

    fn painted(&self, colour: bool) -> String {
        let runs = self.0.chunk_by(|(_, one), (_, other)| one == other);
        runs.map(|run| {
            let text: String = run.iter().map(|(piece, _)| piece.as_str()).collect();
            match run[0].1 {
                None => text,
                Some(tone) => paint(&text, style(tone), colour),
            }
        })
        .collect()
    }
}

const fn style(tone: Emphasis) -> anstyle::Style {
    match tone {
        Emphasis::Good => GOOD,
        Emphasis::Bad => BAD,
        Emphasis::Doubt => DOUBT,
        Emphasis::Strong => HEAD,
    }
}
