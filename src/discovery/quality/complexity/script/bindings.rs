//! Patterns and parameters: each default value is a decision.

use super::super::LOOK;
use super::Finder;

impl Finder<'_> {
    /// Reads the names of `const`, their defaults and their types.
    pub(super) fn declaration(&mut self, at: usize) -> usize {
        let next = at + 1;
        if matches!(self.text(next), "{" | "[") {
            self.binding(next);
            let after = self.close[next] + 1;
            if self.typed && self.is(after, ":") {
                return self.skipping(after + 1);
            }
        } else if self.typed && self.is_name(next) {
            let colon = if self.is(next + 1, "!") { next + 2 } else { next + 1 };
            if self.is(colon, ":") {
                return self.skipping(colon + 1);
            }
        }
        next
    }

    /// Counts the default values in a pattern or a list of parameters.
    pub(super) fn binding(&mut self, open: usize) {
        let end = self.close[open].min(open + LOOK);
        let mut at = open + 1;
        while at < end {
            match self.text(at) {
                "=" => {
                    self.defaults.insert(at);
                    at = self.expression_end(at + 1, end);
                    continue;
                }
                ":" if self.typed && self.is(open, "(") => {
                    let after = self.skip_type(at + 1).min(end);
                    self.skip(at + 1, after);
                    at = after.max(at + 1);
                    continue;
                }
                // The default of a pattern parameter follows the pattern.
                "{" | "[" => {
                    let inner = self.close[at].min(end);
                    self.nested_pattern(at + 1, inner);
                    at = inner;
                }
                "(" => at = self.close[at],
                _ => {}
            }
            at += 1;
        }
    }

    /// Counts the defaults of nested patterns, at any depth.
    pub(super) fn nested_pattern(&mut self, from: usize, end: usize) {
        let mut at = from;
        while at < end {
            match self.text(at) {
                "=" => {
                    self.defaults.insert(at);
                    at = self.expression_end(at + 1, end);
                    continue;
                }
                "(" => at = self.close[at],
                _ => {}
            }
            at += 1;
        }
    }

    /// Finds the end of an expression: a comma or a closing bracket that is not its own.
    pub(super) fn expression_end(&self, from: usize, end: usize) -> usize {
        let mut at = from;
        while at < end {
            match self.text(at) {
                "," | "}" | "]" | ")" => return at,
                "(" | "[" | "{" => at = self.close[at],
                _ => {}
            }
            at += 1;
        }
        end
    }
}
