//! Languages by extension; routes and types by a handful of patterns, line by line.
//!
//! There is no parser: a route that no pattern matches is missing from the summary, and one matched
//! in a comment is a line too many. The analyst is told both.

use std::sync::LazyLock;

use regex::Regex;

/// Maximum length of a line in bytes; a longer one is generated, or not code.
const LINE_BYTES: usize = 1_000;

/// Maximum number of routes from one file.
const ROUTES: usize = 15;

/// Maximum number of types from one file.
const TYPES: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Language {
    Rust,
    Python,
    JavaScript,
    TypeScript,
    Go,
    Java,
    Kotlin,
    Scala,
    C,
    Cpp,
    CSharp,
    Swift,
    Ruby,
    Php,
    Elixir,
    Haskell,
    Dart,
    Lua,
    Shell,
    Sql,
    Html,
    Css,
    Vue,
    Svelte,
}

impl Language {
    /// Returns the language of a file by its extension.
    pub(super) fn of(name: &str) -> Option<Self> {
        let last = name.rsplit('/').next()?;
        let (stem, extension) = last.rsplit_once('.')?;
        // Minified files are generated.
        if stem.is_empty() || stem.rsplit_once('.').is_some_and(|(_, last)| last == "min") {
            return None;
        }
        Some(match extension.to_ascii_lowercase().as_str() {
            "rs" => Self::Rust,
            "py" | "pyi" => Self::Python,
            "js" | "jsx" | "mjs" | "cjs" => Self::JavaScript,
            "ts" | "tsx" | "mts" | "cts" => Self::TypeScript,
            "go" => Self::Go,
            "java" => Self::Java,
            "kt" | "kts" => Self::Kotlin,
            "scala" => Self::Scala,
            "c" | "h" => Self::C,
            "cc" | "cpp" | "cxx" | "hpp" | "hh" => Self::Cpp,
            "cs" => Self::CSharp,
            "swift" => Self::Swift,
            "rb" => Self::Ruby,
            "php" => Self::Php,
            "ex" | "exs" => Self::Elixir,
            "hs" => Self::Haskell,
            "dart" => Self::Dart,
            "lua" => Self::Lua,
            "sh" | "bash" | "zsh" => Self::Shell,
            "sql" => Self::Sql,
            "html" | "htm" => Self::Html,
            "css" | "scss" | "sass" | "less" => Self::Css,
            "vue" => Self::Vue,
            "svelte" => Self::Svelte,
            _ => return None,
        })
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::Python => "Python",
            Self::JavaScript => "JavaScript",
            Self::TypeScript => "TypeScript",
            Self::Go => "Go",
            Self::Java => "Java",
            Self::Kotlin => "Kotlin",
            Self::Scala => "Scala",
            Self::C => "C",
            Self::Cpp => "C++",
            Self::CSharp => "C#",
            Self::Swift => "Swift",
            Self::Ruby => "Ruby",
            Self::Php => "PHP",
            Self::Elixir => "Elixir",
            Self::Haskell => "Haskell",
            Self::Dart => "Dart",
            Self::Lua => "Lua",
            Self::Shell => "Shell",
            Self::Sql => "SQL",
            Self::Html => "HTML",
            Self::Css => "CSS",
            Self::Vue => "Vue",
            Self::Svelte => "Svelte",
        }
    }
}

/// A pattern with a route in group `path`, and its method in group `method` if there is one.
fn route_patterns(language: Language) -> &'static [LazyLock<Option<Regex>>] {
    /// Flask, `FastAPI` and similar; Django's `path("...")`.
    static PYTHON: [LazyLock<Option<Regex>>; 2] = [
        LazyLock::new(|| {
            Regex::new(r#"^\s*@[\w.]+\.(?<method>route|get|post|put|delete|patch|websocket)\(\s*r?["'](?<path>[^"']*)["']"#).ok()
        }),
        LazyLock::new(|| Regex::new(r#"^\s*(?:re_)?path\(\s*r?["'](?<path>[^"']*)["']"#).ok()),
    ];
    /// axum; Actix Web and Rocket.
    static RUST: [LazyLock<Option<Regex>>; 2] = [
        LazyLock::new(|| {
            Regex::new(r#"\.route\(\s*"(?<path>/[^"]*)"\s*,\s*(?:\w+::)*(?<method>get|post|put|delete|patch|any)?"#).ok()
        }),
        LazyLock::new(|| {
            Regex::new(r#"^\s*#\[(?<method>get|post|put|delete|patch)\(\s*"(?<path>/[^"]*)""#).ok()
        }),
    ];
    /// Express and similar.
    static JAVASCRIPT: [LazyLock<Option<Regex>>; 1] = [LazyLock::new(|| {
        Regex::new(r#"\b(?:app|router|server|api|fastify)\.(?<method>get|post|put|delete|patch|all)\(\s*["'`](?<path>/[^"'`]*)["'`]"#).ok()
    })];
    /// net/http, Gin, Echo, chi.
    static GO: [LazyLock<Option<Regex>>; 1] = [LazyLock::new(|| {
        Regex::new(
            r#"\.(?<method>GET|POST|PUT|DELETE|PATCH|Get|Post|Put|Delete|Patch|HandleFunc|Handle)\(\s*"(?<path>(?:[A-Z]+ )?/[^"]*)""#,
        )
        .ok()
    })];
    /// Spring.
    static JVM: [LazyLock<Option<Regex>>; 1] = [LazyLock::new(|| {
        Regex::new(
            r#"@(?<method>Get|Post|Put|Delete|Patch|Request)Mapping\(\s*(?:(?:value|path)\s*=\s*)?[\[{]?\s*"(?<path>[^"]*)""#,
        )
        .ok()
    })];
    match language {
        Language::Python => &PYTHON,
        Language::Rust => &RUST,
        Language::JavaScript | Language::TypeScript => &JAVASCRIPT,
        Language::Go => &GO,
        Language::Java | Language::Kotlin => &JVM,
        Language::Scala
        | Language::C
        | Language::Cpp
        | Language::CSharp
        | Language::Swift
        | Language::Ruby
        | Language::Php
        | Language::Elixir
        | Language::Haskell
        | Language::Dart
        | Language::Lua
        | Language::Shell
        | Language::Sql
        | Language::Html
        | Language::Css
        | Language::Vue
        | Language::Svelte => &[],
    }
}

/// A pattern with a type's name in its first group.
fn type_pattern(language: Language) -> Option<&'static Regex> {
    static PYTHON: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^class\s+([A-Z]\w*)").ok());
    static RUST: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^pub\s+(?:struct|enum|trait)\s+([A-Z]\w*)").ok());
    static JAVASCRIPT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"^export\s+(?:default\s+)?(?:abstract\s+)?(?:class|interface|type|enum)\s+([A-Z]\w*)",
        )
        .ok()
    });
    static GO: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^type\s+([A-Z]\w*)\s+(?:struct|interface)\b").ok());
    static CURLY: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(?:(?:public|final|abstract|sealed|data|open|partial|static|case)\s+)*(?:class|interface|enum|record|struct|object|trait)\s+([A-Z]\w*)").ok()
    });
    static RUBY: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^\s*(?:class|module)\s+([A-Z]\w*)").ok());
    match language {
        Language::Python => PYTHON.as_ref(),
        Language::Rust => RUST.as_ref(),
        Language::JavaScript | Language::TypeScript => JAVASCRIPT.as_ref(),
        Language::Go => GO.as_ref(),
        Language::Java
        | Language::Kotlin
        | Language::Scala
        | Language::Cpp
        | Language::CSharp
        | Language::Swift
        | Language::Php
        | Language::Dart => CURLY.as_ref(),
        Language::Ruby => RUBY.as_ref(),
        Language::C
        | Language::Elixir
        | Language::Haskell
        | Language::Lua
        | Language::Shell
        | Language::Sql
        | Language::Html
        | Language::Css
        | Language::Vue
        | Language::Svelte => None,
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| line.len() <= LINE_BYTES)
}

/// Returns the routes of a file as `GET /path`, without duplicates.
pub(super) fn routes(language: Language, text: &str) -> Vec<String> {
    let mut routes: Vec<String> = Vec::new();
    for line in lines(text) {
        for pattern in route_patterns(language).iter().filter_map(|each| each.as_ref()) {
            let Some(found) = pattern.captures(line) else {
                continue;
            };
            let path = found.name("path").map_or("", |path| path.as_str());
            let method = found.name("method").map_or("", |method| method.as_str());
            let method = match method.to_ascii_lowercase().as_str() {
                "get" | "post" | "put" | "delete" | "patch" => method.to_uppercase() + " ",
                _ => String::new(),
            };
            let route = format!("{method}{path}");
            if !routes.contains(&route) {
                routes.push(route);
            }
        }
        if routes.len() >= ROUTES {
            break;
        }
    }
    routes
}

/// Returns the names of the types that a file exports, without duplicates.
pub(super) fn types(language: Language, text: &str) -> Vec<String> {
    let Some(pattern) = type_pattern(language) else {
        return Vec::new();
    };
    let mut types: Vec<String> = Vec::new();
    for line in lines(text) {
        if let Some(name) = pattern.captures(line).and_then(|found| found.get(1)) {
            let name: String = name.as_str().chars().take(80).collect();
            if !types.contains(&name) {
                types.push(name);
            }
        }
        if types.len() >= TYPES {
            break;
        }
    }
    types
}

#[cfg(test)]
mod tests {
    //! Routes and types as written by the frameworks' users.

    use super::*;

    /// (file, line, route)
    #[test]
    fn routes_of_the_frameworks() {
        for (file, line, route) in [
            ("a.py", "@app.route(\"/accounts\", methods=[\"GET\"])", "/accounts"),
            ("a.py", "    @bp.route('/x')", "/x"),
            ("a.py", "@router.get(\"/items/{id}\")", "GET /items/{id}"),
            ("urls.py", "    path('admin/', admin.site.urls),", "admin/"),
            ("urls.py", "    re_path(r'^old/$', old),", "^old/$"),
            ("a.rs", "        .route(\"/health\", get(health))", "GET /health"),
            ("a.rs", "    .route(\"/users/{id}\", axum::routing::post(add))", "POST /users/{id}"),
            ("a.rs", ".route(\"/any\", handler)", "/any"),
            ("a.rs", "#[get(\"/hello\")]", "GET /hello"),
            ("a.js", "app.post('/login', login);", "POST /login"),
            ("a.ts", "  router.get(`/users/:id`, show)", "GET /users/:id"),
            ("a.go", "\tr.GET(\"/ping\", ping)", "GET /ping"),
            ("a.go", "\thttp.HandleFunc(\"/\", index)", "/"),
            ("a.go", "\tmux.HandleFunc(\"GET /items\", list)", "GET /items"),
            ("A.java", "    @GetMapping(\"/orders\")", "GET /orders"),
            ("A.java", "@RequestMapping(value = \"/api\")", "/api"),
            ("A.kt", "@PostMapping(path = [\"/a\"])", "POST /a"),
        ] {
            let language = Language::of(file).unwrap();
            assert_eq!(routes(language, line), [route], "{line}");
        }
        for (file, line) in [
            ("a.py", "value = cache.get(\"/key\")"),
            ("a.py", "x = os.path('y')"),
            ("a.js", "const x = map.get('/key')"),
            ("a.js", "app.get('view engine')"),
            ("a.rs", "map.get(\"/key\")"),
            ("a.go", "m.Get(\"key\")"),
            ("a.c", "app.get('/x')"),
        ] {
            let language = Language::of(file).unwrap();
            assert!(routes(language, line).is_empty(), "{line}");
        }
    }

    #[test]
    fn types_that_a_file_offers() {
        for (file, text, found) in [
            (
                "a.py",
                "class Account(Base):\n    class Meta:\nclass _Hidden:\nclass Entry:\nclass Account:\n",
                "Account Entry",
            ),
            (
                "a.rs",
                "pub struct A {}\nstruct Private;\npub enum B {}\npub(crate) struct C;\npub trait D {}\n",
                "A B D",
            ),
            (
                "a.ts",
                "export interface Row {}\nexport default class View {}\ninterface Local {}\nexport type Id = string\n",
                "Row View Id",
            ),
            (
                "a.go",
                "type User struct {\ntype private struct {\ntype Store interface {\ntype Id string\n",
                "User Store",
            ),
            (
                "A.java",
                "public final class Order {\npublic record Line(int n) {}\n  class Inner {}\n",
                "Order Line",
            ),
            ("a.kt", "data class Item(val x: Int)\n", "Item"),
            ("a.rb", "class User < Record\n  module Deep\n", "User Deep"),
            ("a.c", "struct A {};\n", ""),
        ] {
            let language = Language::of(file).unwrap();
            assert_eq!(types(language, text).join(" "), found, "{file}");
        }
    }

    #[test]
    fn long_lines_and_long_lists_are_left() {
        let long = format!("{}@app.get('/x')", " ".repeat(2_000));
        assert!(routes(Language::Python, &long).is_empty());
        let many: Vec<String> =
            (0..500).map(|n| format!("@app.get('/{n}')\nclass C{n}: pass\n")).collect();
        let many = many.concat();
        assert_eq!(routes(Language::Python, &many).len(), ROUTES);
        assert_eq!(types(Language::Python, &many).len(), TYPES);
    }

    #[test]
    fn languages_go_by_extension() {
        for (name, language) in [
            ("src/a.RS", Some(Language::Rust)),
            ("a.test.tsx", Some(Language::TypeScript)),
            ("jquery.min.js", None),
            ("min.js", Some(Language::JavaScript)),
            (".rs", None),
            ("Makefile", None),
            ("a.rs/b", None),
        ] {
            assert_eq!(Language::of(name), language, "{name}");
        }
    }

    #[test]
    fn every_pattern_compiles() {
        for name in ["a.py", "a.rs", "a.js", "a.go", "a.java", "a.rb"] {
            let language = Language::of(name).unwrap();
            assert!(route_patterns(language).iter().all(|each| each.is_some()), "{name}");
            assert!(type_pattern(language).is_some(), "{name}");
        }
    }
}
