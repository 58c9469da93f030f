//! Which lines of a Rust file are under `cfg(test)`, and which modules it has in files of their own.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// What a file declares.
#[derive(Default)]
pub(crate) struct Declared {
    /// The numbers of its lines that are under `cfg(test)`, from 1.
    pub(crate) tests: BTreeSet<usize>,
    pub(crate) modules: Vec<Module>,
}

/// A module in a file of its own: `mod name;`.
pub(crate) struct Module {
    /// The inline modules around it, and its name.
    pub(crate) path: Vec<String>,
    /// From `#[path = ".."]`; of several, which a `cfg` chooses from, all are counted.
    pub(crate) files: Vec<String>,
    pub(crate) test: bool,
}

/// Reads a whole file.
pub(crate) fn read(source: &str) -> Result<Declared, proc_macro2::LexError> {
    let mut declared = Declared::default();
    let tokens: TokenStream = source.parse()?;
    items(tokens, &[], false, &mut declared);
    Ok(declared)
}

/// An item's attributes, as far as they matter here.
#[derive(Default)]
struct Attributes {
    first_line: Option<usize>,
    test: bool,
    files: Vec<String>,
}

/// Goes through one level of items; `outside` are the inline modules around it.
fn items(tokens: TokenStream, outside: &[String], test: bool, declared: &mut Declared) {
    let mut rest = tokens.into_iter().peekable();
    let mut attributes = Attributes::default();
    while let Some(token) = rest.next() {
        let TokenTree::Punct(hash) = &token else {
            let item = Item::read(token, &mut rest);
            let under = test || attributes.test;
            let from = attributes.first_line.unwrap_or(item.from);
            if under {
                declared.tests.extend(from..=item.to);
            }
            let path: Vec<String> = outside.iter().chain(&item.module).cloned().collect();
            match (&item.module, item.body) {
                (Some(_), None) => declared.modules.push(Module {
                    path,
                    files: std::mem::take(&mut attributes.files),
                    test: under,
                }),
                (Some(_), Some(body)) => items(body, &path, under, declared),
                // What stands in an `impl`, a `trait` or a function may be for tests alone, too.
                (None, Some(body)) if !under => items(body, outside, false, declared),
                (None, _) => {}
            }
            attributes = Attributes::default();
            continue;
        };
        if hash.as_char() != '#' {
            continue;
        }
        let line = hash.span().start().line;
        rest.next_if(|next| matches!(next, TokenTree::Punct(p) if p.as_char() == '!'));
        if let Some(TokenTree::Group(group)) = rest.next() {
            let words = group.stream().to_string().replace(' ', "");
            attributes.first_line.get_or_insert(line);
            attributes.test |= words == "cfg(test)" || words.starts_with("cfg(all(test,");
            if let Some((_, file)) = words.split_once("path=\"") {
                attributes.files.extend(file.split('"').next().map(str::to_owned));
            }
        }
    }
}

/// One item, or one field, variant, arm or statement.
struct Item {
    from: usize,
    to: usize,
    /// The name, if it is a module.
    module: Option<String>,
    /// What stands in its last braces.
    body: Option<TokenStream>,
}

impl Item {
    fn read(
        first: TokenTree,
        rest: &mut std::iter::Peekable<proc_macro2::token_stream::IntoIter>,
    ) -> Self {
        let from = first.span().start().line;
        let mut item = Self { from, to: from, module: None, body: None };
        let mut leading: Option<String> = None;
        let mut words = 0;
        let mut next = Some(first);
        while let Some(token) = next {
            item.to = token.span().end().line;
            match &token {
                TokenTree::Ident(word) if word != "pub" => {
                    words += 1;
                    match leading.as_deref() {
                        None => leading = Some(word.to_string()),
                        Some("mod") if words == 2 => item.module = Some(word.to_string()),
                        Some("const")
                            if words == 2 && ["fn", "unsafe"].iter().any(|w| word == w) =>
                        {
                            leading = Some("fn".to_owned());
                        }
                        Some(_) => {}
                    }
                }
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                    item.body = Some(group.stream());
                    if !leading.as_deref().is_some_and(ends_with_semicolon) {
                        let comma = |next: &TokenTree| matches!(next, TokenTree::Punct(p) if p.as_char() == ',');
                        rest.next_if(comma);
                        return item;
                    }
                }
                TokenTree::Punct(mark) if mark.as_char() == ';' => return item,
                TokenTree::Punct(mark) if mark.as_char() == ',' => {
                    if !leading.as_deref().is_some_and(is_item) {
                        return item;
                    }
                }
                TokenTree::Ident(_)
                | TokenTree::Group(_)
                | TokenTree::Punct(_)
                | TokenTree::Literal(_) => {}
            }
            next = rest.next();
        }
        item
    }
}

/// Whatever braces such an item has, it goes on after them.
fn ends_with_semicolon(word: &str) -> bool {
    matches!(word, "use" | "const" | "static" | "let" | "type")
}

/// Commas in such an item do not end it, as they end a field or a variant.
fn is_item(word: &str) -> bool {
    const ITEMS: [&str; 9] =
        ["fn", "impl", "struct", "enum", "trait", "mod", "unsafe", "async", "extern"];
    ends_with_semicolon(word) || ITEMS.contains(&word)
}
