//! TypeScript's types, which are skipped, since nothing in them runs.

use super::super::LOOK;
use super::super::lex::Kind;
use super::Finder;

impl Finder<'_> {
    pub(super) fn skipping(&mut self, from: usize) -> usize {
        let end = self.skip_type(from);
        self.skip(from, end);
        end
    }

    pub(super) fn skip(&mut self, from: usize, to: usize) {
        for at in from..to.min(self.tokens.len()) {
            self.skipped.insert(at);
        }
    }

    pub(super) fn after_angles(&self, from: usize) -> usize {
        let mut depth = 0_i32;
        let mut at = from;
        for _ in 0..LOOK {
            if at >= self.tokens.len() {
                break;
            }
            match self.text(at) {
                "<" => depth += 1,
                ">" => depth -= 1,
                "(" | "[" | "{" => at = self.close[at],
                ";" | ")" | "}" | "]" => return at,
                _ => {}
            }
            at += 1;
            if depth == 0 {
                return at;
            }
        }
        at
    }

    /// Skips a type; returns the first token after it.
    pub(super) fn skip_type(&self, from: usize) -> usize {
        let mut at = from;
        let mut operand = true;
        // Whether the previous tokens may be the parameters of a function type.
        let mut parameters = false;
        for _ in 0..LOOK {
            let Some(token) = self.tokens.get(at) else {
                break;
            };
            if operand {
                match self.text(at) {
                    opening @ ("(" | "[" | "{") => {
                        parameters = opening == "(";
                        at = self.close[at] + 1;
                        operand = false;
                    }
                    "<" => at = self.after_angles(at),
                    "|" | "&" | "-" | "new" | "keyof" | "typeof" | "readonly" | "infer"
                    | "unique" | "abstract" | "..." => at += 1,
                    "asserts" if self.is_name(at + 1) => at += 1,
                    _ if token.kind == Kind::Punct => return at,
                    _ => {
                        parameters = false;
                        at += 1;
                        operand = false;
                    }
                }
                continue;
            }
            let new_line = self.tokens[at - 1].line < token.line;
            match self.text(at) {
                "|" | "&" | "." | "extends" | "is" => operand = true,
                "=>" if parameters => operand = true,
                "?" | ":" if self.conditional(from, at) => operand = true,
                "<" => {
                    at = self.after_angles(at);
                    continue;
                }
                "[" if !new_line => {
                    at = self.close[at] + 1;
                    continue;
                }
                _ => return at,
            }
            at += 1;
        }
        at
    }

    /// Whether the type so far is conditional.
    pub(super) fn conditional(&self, from: usize, at: usize) -> bool {
        (from..at).any(|before| self.is(before, "extends"))
    }
}
