//! Routes and types as the frameworks' users write them.

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
