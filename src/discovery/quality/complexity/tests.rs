//! Complexity compared with the tool's own figures, and our result where the tool misreads.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;

use super::*;

fn last_part(name: &str) -> String {
    let name = name.split('#').next().filter(|name| !name.is_empty()).unwrap_or(name);
    if name.starts_with("anonymous__") || name.ends_with(ANONYMOUS) {
        return ANONYMOUS.to_owned();
    }
    name.rsplit(['.', ':']).next().unwrap_or(name).to_owned()
}

#[test]
fn the_figures_are_those_of_lizard() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/complexity");
    let text = std::fs::read_to_string(dir.join("expected.json")).unwrap();
    let expected: BTreeMap<String, serde_json::Value> = serde_json::from_str(&text).unwrap();
    let mut files = 0;
    for (file, rows) in expected.iter().filter(|(file, _)| *file != "lizard") {
        let mut theirs: Vec<(String, u32, u32)> = serde_json::from_value(rows.clone()).unwrap();
        for row in &mut theirs {
            row.0 = last_part(&row.0);
        }
        let source = std::fs::read_to_string(dir.join(file)).unwrap();
        let mut ours: Vec<(String, u32, u32)> = functions(&source, Language::of(file).unwrap())
            .into_iter()
            .map(|function| (last_part(&function.name), function.line, function.complexity))
            .collect();
        theirs.sort();
        ours.sort();
        assert_eq!(ours, theirs, "{file}");
        assert!(!ours.is_empty(), "{file}");
        files += 1;
    }
    assert!(files >= 10, "{files} files only");
}

fn counts(text: &str, file: &str) -> Vec<(String, u32)> {
    functions(text, Language::of(file).unwrap())
        .into_iter()
        .map(|function| (function.name, function.complexity))
        .collect()
}

fn owned(rows: &[(&str, u32)]) -> Vec<(String, u32)> {
    rows.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

#[test]
fn rust_is_read_right_where_the_tool_is_not() {
    let text = "trait T { fn none(&self) -> u8; fn some(&self) -> u8 { if a {} 0 } }\n\
        fn chars<'a>(x: &'a str) -> char { if x == '\"' || y == 'b' { 'c' } else { b'\\'' } }\n\
        fn comments() { /* a /* if */ && */ let x = br##\"if \"# && \"##; }\n\
        fn types(f: fn(u8) -> u8) -> impl Fn() -> u8 { let r#if = 1; move || 1 }\n";
    assert_eq!(
        counts(text, "a.rs"),
        owned(&[("T::some", 2), ("chars", 3), ("comments", 1), ("types", 3)])
    );
}

#[test]
fn tests_of_rust_are_marked() {
    let text = "fn own() {}\n#[cfg(test)]\nmod tests { fn helper() {} #[test] fn a() {} }\n\
        #[tokio::test]\nasync fn b() {}\n#[cfg(not(test))]\nfn c() {}\n#[inline]\nfn d() {}\n";
    let tests: Vec<(String, bool)> = functions(text, Language::Rust)
        .into_iter()
        .map(|function| (function.name, function.is_test))
        .collect();
    let tests: Vec<(&str, bool)> =
        tests.iter().map(|(name, test)| (name.as_str(), *test)).collect();
    assert_eq!(
        tests,
        [
            ("own", false),
            ("tests::helper", true),
            ("tests::a", true),
            ("b", true),
            ("c", false),
            ("d", false)
        ]
    );
}

#[test]
fn functions_of_one_name_are_told_apart_by_their_order() {
    let text = "impl A { fn new() {} }\nimpl B { fn new() {} }\nimpl A { fn new() { if x {} } }\n";
    assert_eq!(counts(text, "a.rs"), owned(&[("A::new", 1), ("B::new", 1), ("A::new#2", 2)]));
}

#[test]
fn python_keeps_a_function_whose_brackets_go_back() {
    let text = "def a(x):\n    y = dict(\n  b=1 if x else 2,\n)\n    return y or x\n\nclass C:\n    def m(self): return 1 if self else 2\n";
    assert_eq!(counts(text, "a.py"), owned(&[("a", 3), ("C.m", 2)]));
}

#[test]
fn scripts_without_semicolons_and_with_types_are_read_right() {
    let text = "const a = (x: number) => x && 1\nconst b = (f: (y: string) => boolean): string[] => {\n  if (f('')) return []\n  return []\n}\n\
        export function c<T extends U>(x?: T, g: () => void = () => {}): T | undefined { return x ? x : undefined }\n";
    assert_eq!(counts(text, "a.ts"), owned(&[("a", 2), ("b", 2), ("c", 3), ("c.g", 1)]));
    let jsx = "const App = ({ items = [] }) => (\n  <ul title=\"if\">\n    Don't look for {items.map((item) => item ? <li key={item}>{item}</li> : null)} &&\n  </ul>\n)\nfunction after() { if (a) {} }\n";
    assert_eq!(counts(jsx, "a.jsx"), owned(&[("App", 2), ("App.(anonymous)", 2), ("after", 2)]));
}

#[test]
fn methods_of_typescript_classes_are_functions_of_their_own() {
    let text = "export abstract class Shop<T extends Item> extends Base implements Open {\n\
        private readonly items: Map<string, T> = new Map();\n\
        constructor(private name: string, public size = 3) { super(); if (!name) throw 1; }\n\
        static async of<U extends Item>(this: void, all: U[]): Promise<Shop<U>> { for (const a of all) {} return x; }\n\
        get total(): number { return this.items.size > 0 && this.open ? 1 : 0; }\n\
        protected abstract price(item: T): number;\n\
        #tax(at?: Date): asserts at is Date { if (at) {} }\n\
        on = (event: string): void => { while (event) {} };\n\
        find(name: string): T;\n\
        find(name: string | number): T { return name ?? 1; }\n\
        }\n\
        function after(a?: number) { if (a) {} }\n";
    assert_eq!(
        counts(text, "shop.ts"),
        owned(&[
            ("Shop.constructor", 3),
            ("Shop.of", 2),
            ("Shop.get total", 3),
            ("Shop.#tax", 2),
            ("Shop.on", 2),
            ("Shop.find", 2),
            ("after", 2),
        ])
    );
}

#[test]
fn cases_are_told_from_other_decisions() {
    let cases = |text: &str, file: &str| {
        let all = functions(text, Language::of(file).unwrap());
        (all[0].complexity, all[0].cases)
    };
    let rust =
        "fn a(x: u8) { let Some(y) = z else { return }; match x { 1 => b, 2 => c, _ if d => e } }";
    assert_eq!(cases(rust, "a.rs"), (5, 2));
    let script = "function a(x) { switch (x) { case 1: b(); case 2: if (c) d(); } }";
    assert_eq!(cases(script, "a.js"), (4, 2));
    let python = "def a(x):\n    match x:\n        case 1: pass\n        case 2 if y: pass\n";
    assert_eq!(cases(python, "a.py"), (4, 2));
}

#[test]
fn go_reads_types_of_functions_as_types() {
    let text = "package a\nfunc A(x string) func(int) bool {\n\tif x == \"\" { return nil }\n\treturn func(n int) bool { return n > 1 && x != \"\" }\n}\n";
    assert_eq!(counts(text, "a.go"), owned(&[("A", 2), ("A.(anonymous)", 2)]));
}

#[test]
fn java_tells_methods_from_calls_and_constants() {
    let text = "enum E { A(1) { int f() { return a ? 1 : 2; } }, B(2); E(int x) { if (x > 1) {} } }\n\
        record R(int a) { R { if (a > 0) {} } }\n\
        class C { Runnable r = new Runnable() { public void run() { while (x) {} } }; List<? extends C> l() { return g(x); } }\n";
    assert_eq!(
        counts(text, "a.java"),
        owned(&[("E.A.f", 2), ("E.E", 2), ("R.R", 2), ("C.(anonymous).run", 2), ("C.l", 1)])
    );
}

#[test]
fn hostile_text_takes_no_quadratic_time() {
    for (unit, file) in [
        ("fn a ", "a.rs"),
        ("fn a(){", "a.rs"),
        ("match ", "a.rs"),
        ("class a ", "a.java"),
        ("new A<", "a.java"),
        ("x=>", "a.js"),
        ("function a(", "a.ts"),
        ("[{", "a.js"),
        ("a(): ", "a.ts"),
        ("<a>", "a.tsx"),
        ("`${", "a.js"),
        ("func(", "a.go"),
        ("def a(", "a.py"),
        ("case (", "a.py"),
        ("f'{", "a.py"),
        ("(", "a.rs"),
    ] {
        // With a quadratic step this would exceed the test's time limit.
        functions(&unit.repeat(100_000 / unit.len()), Language::of(file).unwrap());
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(
        text in "(fn |if |match |=> |class |def |func |new |\\{|\\}|\\(|\\)|\\[|\\]|'|\"|`|\\$\\{|/|<|>|\\?|:|=|,|;|\n|    |#|\\\\|é|r#|f'|a){0,120}",
        language in 0_usize..7,
    ) {
        let file = ["a.rs", "a.py", "a.js", "a.ts", "a.tsx", "a.go", "a.java"][language];
        for function in functions(&text, Language::of(file).unwrap()) {
            prop_assert!(function.complexity >= 1 && function.line >= 1);
        }
    }
}
