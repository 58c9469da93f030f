//! Tables as pictures: SVG with the words of the table beside every line and bar, so that it can be read without
//! colours, and with the table behind it.
//!
//! Drawn here and not by a library: three shapes are needed, and a plotting library brings fonts, a canvas and styles
//! in attributes, which the page's policy refuses.

use std::fmt::Write as _;

use super::escaped;
use crate::report::page::{Picture, Table, Text, terminal};
use crate::text::sanitize;

const WIDTH: f64 = 720.0;
/// Height of a row.
const ROW: f64 = 26.0;
/// Maximum characters of a label.
const LABEL: usize = 38;
/// Maximum width kept for a label.
const SIDE: f64 = 300.0;
/// About the widths of a character, in the sizes of the style sheet.
const PLAIN: f64 = 7.5;
const BOLD: f64 = 9.0;
/// Height of a line's field.
const FIELD: f64 = 110.0;
/// Maximum rows of a picture; a longer table is a table.
const ROWS: usize = 40;

/// Draws a picture of a table. `number` sets its ids apart from those of others.
pub(super) fn of(table: &Table, picture: Picture, number: usize) -> Option<String> {
    if table.rows.len() > ROWS {
        return None;
    }
    let (body, height) = match picture {
        Picture::Line(column) => lines(table, column),
        Picture::Bars(column) => bars(table, column),
        Picture::Ranks(first, last) => ranks(table, first, last),
    }?;
    let name = |column: usize| table.headers.get(column).map(label).unwrap_or_default();
    let (title, what) = match picture {
        Picture::Line(column) => (format!("{} over the rounds", name(column)), "a line"),
        Picture::Bars(column) => {
            (format!("{} by {}", name(column), name(0).to_lowercase()), "bars")
        }
        Picture::Ranks(..) => {
            ("Ranks".to_owned(), "a line for each, from its first rank to its last")
        }
    };
    let described: Vec<String> = table.rows.iter().map(|row| described(row, picture)).collect();
    Some(format!(
        "<figure><div class=\"wide\" role=\"group\" tabindex=\"0\" aria-label=\"Picture\"><svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-labelledby=\"p{number}t p{number}d\">\
         <title id=\"p{number}t\">{title}</title><desc id=\"p{number}d\">As {what}: {}</desc>{body}</svg></div>\
         <figcaption>{title}</figcaption></figure>\n",
        described.join("; ")
    ))
}

fn label(text: &Text) -> String {
    escaped(&sanitize::line(&terminal::line(text), LABEL))
}

fn described(row: &[Text], picture: Picture) -> String {
    let cell = |at: usize| row.get(at).map(label).unwrap_or_default();
    match picture {
        Picture::Line(column) | Picture::Bars(column) => format!("{} {}", cell(0), cell(column)),
        Picture::Ranks(first, last) => {
            format!("{} {} to {}", cell(first - 1), cell(first), cell(last))
        }
    }
}

/// Returns the number that a cell begins with: `80%`, `$0.12`, `3 of 5`, `4/5`, `12.4s`, `1m 04s`.
fn number(text: &Text) -> Option<f64> {
    let shown = terminal::line(text);
    let shown = shown.trim().trim_start_matches('$');
    let digits = |text: &str| {
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        text[..end].parse::<f64>().ok().map(|number| (number, text[end..].to_owned()))
    };
    let (whole, rest) = digits(shown)?;
    let times = match rest.chars().next() {
        Some('m') => 60.0,
        Some('h') => 3_600.0,
        Some('s' | '%' | '/' | ' ') | None => return Some(whole),
        Some(_) => return None,
    };
    let part = digits(rest[1..].trim_start()).map_or(0.0, |(part, _)| part * times / 60.0);
    Some(whole * times + part)
}

/// Returns what a cell's number is a part of: 5 for `4/5`, 100 for `80%`.
fn whole(text: &Text) -> Option<f64> {
    let shown = terminal::line(text);
    let of = shown.trim().rsplit_once('/').and_then(|(_, of)| of.parse().ok());
    of.or_else(|| shown.trim().ends_with('%').then_some(100.0))
}

fn column(table: &Table, column: usize) -> Option<Vec<f64>> {
    table.rows.iter().map(|row| number(row.get(column)?)).collect()
}

/// One line over the rows: of percentages, from 0 to 100. A round with two rows has no one figure, so no line.
fn lines(table: &Table, at: usize) -> Option<(String, f64)> {
    let values = column(table, at)?;
    let is_repeated = |pair: &[Vec<Text>]| pair[0].first() == pair[1].first();
    if values.len() < 2 || table.rows.windows(2).any(is_repeated) {
        return None;
    }
    let most = values.iter().copied().fold(100.0, f64::max);
    let steps = f64::from(u32::try_from(values.len() - 1).ok()?);
    let (mut body, mut points, mut shown) = (String::new(), String::new(), 0.0);
    for (row, value) in table.rows.iter().zip(&values) {
        let x = 60.0 + (WIDTH - 120.0) * shown / steps;
        let y = 24.0 + FIELD * (1.0 - value / most);
        shown += 1.0;
        // Writing to a String cannot fail.
        _ = write!(points, "{x:.0},{y:.0} ");
        _ = write!(
            body,
            "<circle class=\"point\" cx=\"{x:.0}\" cy=\"{y:.0}\" r=\"5\"/>\
             <text class=\"value\" text-anchor=\"middle\" x=\"{x:.0}\" y=\"{:.0}\">{}</text>\
             <text text-anchor=\"middle\" x=\"{x:.0}\" y=\"{:.0}\">{}</text>",
            y - 10.0,
            row.get(at).map(label).unwrap_or_default(),
            FIELD + 46.0,
            row.first().map(label).unwrap_or_default(),
        );
    }
    let base = FIELD + 24.0;
    let axis = format!(
        "<line class=\"axis\" x1=\"20\" x2=\"{:.0}\" y1=\"{base}\" y2=\"{base}\"/>",
        WIDTH - 20.0
    );
    let line = format!("<polyline class=\"line\" points=\"{}\"/>", points.trim_end());
    Some((axis + &line + &body, FIELD + 60.0))
}

/// A bar for each row that has a number, with its label and its cell before it.
fn bars(table: &Table, at: usize) -> Option<(String, f64)> {
    let has_number = |row: &&Vec<Text>| row.get(at).is_some_and(|cell| number(cell).is_some());
    let rows: Vec<&Vec<Text>> = table.rows.iter().filter(has_number).collect();
    let values: Vec<f64> = rows.iter().filter_map(|row| number(row.get(at)?)).collect();
    let most =
        rows.iter().filter_map(|row| whole(row.get(at)?)).chain(values.clone()).fold(0.0, f64::max);
    if values.len() < 2 || most <= 0.0 {
        return None;
    }
    let cells = |at: usize| -> Vec<String> {
        rows.iter().map(|row| row.get(at).map(label).unwrap_or_default()).collect()
    };
    let (names, figures) = (cells(0), cells(at));
    let side = widest(&names, PLAIN).min(SIDE);
    // Before the bar: on a narrow screen its end has to be scrolled to.
    let start = side + widest(&figures, BOLD);
    let room = WIDTH - start;
    let (mut body, mut y) = (String::new(), 0.0);
    for ((name, figure), value) in names.iter().zip(&figures).zip(&values) {
        let long = (room * value / most).max(1.0);
        _ = write!(
            body,
            "<text text-anchor=\"end\" x=\"{:.0}\" y=\"{:.0}\">{name}</text>\
             <rect class=\"bar\" x=\"{start:.0}\" y=\"{:.0}\" width=\"{long:.1}\" height=\"{:.0}\"/>\
             <text class=\"value\" text-anchor=\"end\" x=\"{:.0}\" y=\"{:.0}\">{figure}</text>",
            side - 8.0,
            y + 17.0,
            y + 4.0,
            ROW - 8.0,
            start - 8.0,
            y + 17.0,
        );
        y += ROW;
    }
    Some((body, y))
}

/// Returns the width that texts need, with some space.
fn widest(texts: &[String], character: f64) -> f64 {
    let most = texts.iter().map(|text| text.chars().count()).max().unwrap_or_default();
    f64::from(u32::try_from(most).unwrap_or(u32::MAX)) * character + 16.0
}

/// A line for each row through its ranks in some columns, named at its end.
fn ranks(table: &Table, first: usize, last: usize) -> Option<(String, f64)> {
    let all: Vec<Vec<f64>> = (first..=last).map(|at| column(table, at)).collect::<Option<_>>()?;
    if all.len() < 2 || table.rows.len() < 2 {
        return None;
    }
    let steps = f64::from(u32::try_from(all.len() - 1).ok()?);
    let mut body = String::new();
    for (at, ranks) in all.iter().enumerate() {
        let x = 40.0 + (WIDTH - SIDE - 60.0) * f64::from(u32::try_from(at).ok()?) / steps;
        let header = table.headers.get(first + at).map(label).unwrap_or_default();
        _ = write!(body, "<text text-anchor=\"middle\" x=\"{x:.0}\" y=\"16\">{header}</text>");
        for (row, rank) in ranks.iter().enumerate() {
            let y = 16.0 + ROW * rank;
            if let Some(next) = all.get(at + 1).and_then(|ranks| ranks.get(row)) {
                let x2 = x + (WIDTH - SIDE - 60.0) / steps;
                _ = write!(
                    body,
                    "<line class=\"line\" x1=\"{x:.0}\" y1=\"{y:.0}\" x2=\"{x2:.0}\" y2=\"{:.0}\"/>",
                    16.0 + ROW * next
                );
            } else {
                let name = table.rows.get(row).and_then(|cells| cells.get(first - 1));
                _ = write!(
                    body,
                    "<text x=\"{:.0}\" y=\"{:.0}\">{rank}. {}</text>",
                    x + 12.0,
                    y + 5.0,
                    name.map(label).unwrap_or_default()
                );
            }
            _ = write!(body, "<circle class=\"point\" cx=\"{x:.0}\" cy=\"{y:.0}\" r=\"5\"/>");
        }
    }
    let rows = all.iter().flatten().copied().fold(1.0, f64::max);
    Some((body, 16.0 + ROW * (rows + 1.0)))
}
