//! Functions and their lengths, told by indentation: no language is parsed.
//!
//! A line opens a function if it has a keyword for one (`fn`, `def`, `func`, `function`, `fun`) before a name and a
//! parenthesis, or if it has a name before one and ends in a brace. The function goes on as long as lines are indented
//! deeper, and to the line that closes it. What is inside a function is part of it.

use super::facts::FunctionFacts;

/// Words before a parenthesis that open no function.
const NO_FUNCTION: [&str; 12] = [
    "if",
    "for",
    "foreach",
    "while",
    "switch",
    "catch",
    "match",
    "return",
    "with",
    "else",
    "using",
    "synchronized",
];
const KEYWORDS: [&str; 5] = ["fn", "def", "func", "function", "fun"];

/// Returns the functions of a text, up to the tests that a Rust file ends with.
pub(super) fn functions(text: &str) -> Vec<FunctionFacts> {
    let mut found: Vec<FunctionFacts> = Vec::new();
    let mut open: Option<(usize, FunctionFacts)> = None;
    for (number, line) in (1_u32..).zip(text.lines()) {
        let code = line.trim_start();
        if code.starts_with("#[cfg(test)]") {
            break;
        }
        if code.is_empty() {
            continue;
        }
        let indent = line.len() - code.len();
        if let Some((at, function)) = &mut open {
            let closes = code.starts_with([')', ']', '{', '}']) || code.starts_with("end");
            if indent > *at || (indent == *at && closes) {
                function.lines = number - function.line + 1;
                if indent > *at || !(code.starts_with('}') || code.starts_with("end")) {
                    continue;
                }
            }
            found.extend(open.take().map(|(_, function)| function));
            if indent == 0 && closes {
                continue;
            }
        }
        open = name(code).map(|name| {
            let name = name.chars().take(200).collect();
            (indent, FunctionFacts { name, line: number, lines: 1 })
        });
    }
    found.extend(open.map(|(_, function)| function));
    found
}

/// The name of the function that a line opens.
fn name(code: &str) -> Option<&str> {
    if ["//", "#", "*", "\"", "'"].iter().any(|start| code.starts_with(start)) {
        return None;
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let keyword = KEYWORDS.iter().find_map(|keyword| {
        let at = code.find(keyword)?;
        let (before, after) = (&code[..at], &code[at + keyword.len()..]);
        let apart = before.chars().next_back().is_none_or(|c| !is_word(c) && c != '"');
        (apart && after.starts_with([' ', '('])).then(|| after.trim_start())
    });
    let rest = match keyword {
        // A method of Go: its receiver comes first.
        Some(rest) if rest.starts_with('(') => rest.split_once(')')?.1.trim_start(),
        Some(rest) => rest,
        None if code.trim_end().ends_with('{') => code,
        None => return None,
    };
    let (before, _) = rest.split_once('(')?;
    let before = before.split('<').next().unwrap_or(before).trim_end();
    let name = before.rsplit(|c| !is_word(c)).next()?;
    let first = before.split_whitespace().next().unwrap_or_default();
    let call = keyword.is_none() && before.contains(['=', '.', ',', '|', '&', '}']);
    let valid = !name.is_empty() && !NO_FUNCTION.contains(&name) && !NO_FUNCTION.contains(&first);
    (valid && !call).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names with first line and number of lines.
    fn of(text: &str) -> Vec<(String, u32, u32)> {
        functions(text).into_iter().map(|each| (each.name, each.line, each.lines)).collect()
    }

    #[test]
    fn functions_of_several_languages_end_where_their_indentation_does() {
        for (text, expected) in [
            (
                "fn one() {\n    a();\n}\n\npub fn two<T>(\n    a: T,\n) -> T {\n    a\n}\n",
                vec![("one", 1, 3), ("two", 5, 5)],
            ),
            (
                "def one(x):\n    if x:\n        y()\n\n    return 1\nx = one(1)\nasync def two():\n    pass\n",
                vec![("one", 1, 5), ("two", 7, 2)],
            ),
            (
                "class A:\n    def one(self):\n        pass\n    def two(self):\n        pass\n",
                vec![("one", 2, 2), ("two", 4, 2)],
            ),
            ("func (s *Store) Get(key string) error {\n\treturn nil\n}\n", vec![("Get", 1, 3)]),
            (
                "export function one(a) {\n  b();\n}\nclass A {\n  two(a) {\n    if (a) {\n      b();\n    }\n  }\n}\n",
                vec![("one", 1, 3), ("two", 5, 5)],
            ),
            (
                "class A {\n  public static int one(int a) {\n    return a;\n  }\n}\n",
                vec![("one", 2, 3)],
            ),
            (
                "if (a) {\n  b();\n}\nx.forEach((y) => {\n  z();\n});\nlet f = g(h, {\n  a: 1,\n});\n",
                vec![],
            ),
            ("fn one() {}\n#[cfg(test)]\nmod tests {\n    fn two() {}\n}\n", vec![("one", 1, 1)]),
        ] {
            let expected: Vec<_> = expected
                .into_iter()
                .map(|(name, line, lines)| (name.to_owned(), line, lines))
                .collect();
            assert_eq!(of(text), expected, "{text}");
        }
    }
}
