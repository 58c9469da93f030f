//! The pieces of a Markdown report, safe by construction: headings, tables, lists, quotations, code.
//!
//! Whatever an agent or the input wrote goes through [`inert`] or [`Page::quote`]: it becomes text
//! and never markup, so that a report cannot load an image, follow a link or run HTML.

use super::document::SkillUsed;
use crate::kernel::Warning;
use crate::text::sanitize;

/// A report that grows.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) text: String,
}

impl Page {
    /// Adds a line of our own; tainted parts of it must be [`inert`].
    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Adds a heading with the empty lines around it.
    pub(super) fn heading(&mut self, depth: usize, heading: &str) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
        self.line(&format!("{} {heading}", "#".repeat(depth)));
        self.text.push('\n');
    }

    /// Adds a table; tainted cells must be [`inert`].
    pub(super) fn table(&mut self, headers: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
        self.line(&format!("| {} |", headers.join(" | ")));
        self.line(&format!("|{}", "---|".repeat(headers.len())));
        for row in rows {
            self.line(&format!("| {} |", row.join(" | ")));
        }
    }

    /// Adds a list; tainted items must be [`inert`]. Nothing, or a word for it, where there are none.
    pub(super) fn list(&mut self, items: impl IntoIterator<Item = String>, none: &str) {
        let mut any = false;
        for item in items {
            self.line(&format!("- {item}"));
            any = true;
        }
        if !any && !none.is_empty() {
            self.line(none);
        }
    }

    /// Adds any text of several lines as a quotation. Each line is a paragraph of its own, so
    /// that none can underline the one before into a heading or continue it as a table.
    pub(super) fn quote(&mut self, text: &str) {
        let text = sanitize::terminal(text);
        let lines: Vec<String> =
            text.lines().filter(|line| !line.trim().is_empty()).map(sanitize::markdown).collect();
        if lines.is_empty() {
            self.line("None.");
        } else {
            self.line(&format!("> {}", lines.join("\n>\n> ")));
        }
    }

    /// Adds any text as a code block.
    pub(super) fn code(&mut self, text: &str) {
        self.text.push_str(&sanitize::markdown_code(text));
    }

    /// Adds the warnings of a result under a heading; nothing where there are none.
    pub(super) fn warnings(&mut self, warnings: &[Warning]) {
        if warnings.is_empty() {
            return;
        }
        self.heading(2, "Warnings");
        for warning in warnings {
            let turn = match &warning.turn {
                Some(turn) => format!(" in {turn}"),
                None => String::new(),
            };
            let text = format!("{}{turn}: {}", warning.code, warning.message);
            self.line(&format!("- {}", inert(&text)));
        }
    }

    /// Adds the skills of a result under a heading; nothing where there are none.
    pub(super) fn skills(&mut self, skills: &[SkillUsed]) {
        if skills.is_empty() {
            return;
        }
        self.heading(2, "Skills");
        let rows = skills.iter().map(|skill| {
            let cells = [&skill.name, &skill.origin, &skill.sha256];
            cells.map(|cell| inert(cell)).to_vec()
        });
        self.table(&["Skill", "From", "SHA-256"], rows);
    }

    /// Adds an empty line, unless one stands there.
    pub(super) fn gap(&mut self) {
        if !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }
}

/// Text of others as one line that is no markup and never empty, so that no list or row changes its form.
pub(super) fn inert(text: &str) -> String {
    let safe = sanitize::markdown(text);
    if safe.trim().is_empty() { "(empty)".to_owned() } else { safe }
}
