//! Tests of a page's elements, with untrusted text in every place that takes it.

use super::*;
use crate::report::page::agent_text;
use crate::report::page::template::Data;
use crate::report::page::tests::page;
use crate::report::page::text;

/// Returns the elements of an HTML file that has only those of this program's, each with its attributes. `Err`: one
/// that is not, or a character that could start one.
pub(crate) fn elements(html: &str) -> Result<Vec<String>, String> {
    let allowed = regex::Regex::new(concat!(
        r#"^(/?(html|head|style|title|body|header|main|nav|section|h[1-6]|p|ul|ol|li|dl|dt|dd|div|table|thead|tbody|tr|th|td|"#,
        r#"strong|em|del|code|pre|blockquote|details|summary|figure|figcaption|svg|desc|text|a)|!DOCTYPE html|br|br /|hr /|"#,
        r#"html lang="en"|meta (charset|http-equiv|name)="[^<>]*|p class="(banner" role="note|verdict (good|bad|doubt|strong)?)"|"#,
        r#"strong class="(good|bad|doubt|strong)"|section aria-labelledby="s\d+"|h[2-6] id="s\d+"|a href="\#s\d+"|nav aria-label="Contents"|"#,
        r#"ol start="\d+"|th scope="(col|row)"|div class="wide" role="group" tabindex="0" aria-label="(Table|Picture|Changed code(, (old|new) lines \d+ to \d+ marked)?)"|details open|"#,
        r#"table class="hunk( bare)?"|/?caption|tr class="(added|removed|same)( marked)?"|"#,
        r#"(svg viewBox|title id|desc id|text|line|rect|circle|polyline)[-a-zA-Z0-9"=. ,/]*)$"#
    ))
    .unwrap();
    let (head, body) = html.split_once("<style>").unwrap();
    let (style, body) = body.split_once("</style>").unwrap();
    assert_eq!(style, STYLE);
    let mut all = Vec::new();
    for piece in [head, body].iter().flat_map(|text| text.split('<').skip(1)) {
        let (tag, text) = piece.split_once('>').ok_or(piece)?;
        if !allowed.is_match(tag) {
            return Err(tag.to_owned());
        }
        if text.contains('>') {
            return Err(text.to_owned());
        }
        all.push(tag.to_owned());
    }
    Ok(all)
}

/// What a browser could take for more than text.
const EVIL: &[&str] = &[
    "</style><script>alert(1)</script>",
    "</title><svg onload=alert(1)>",
    "<img src=x onerror=alert(1)>",
    "<!-- --><iframe src=//e.example>",
    "[x](javascript:alert(1)) ![x](https://e.example/x.png)",
    "[x][1]\n\n[1]: https://e.example \"t\"",
    "<https://e.example> <a@e.example>",
    "| a | b |\n|:-:|--:|\n| 1 | <b> |",
    "```html \" onload=x\n<script>\n```",
    "<div style=\"background:url(//e.example)\">\n\ntext",
    "# <b>\n\n> > > deep\n\n1. x\n   - y",
    "\" onmouseover=\"alert(1)",
    "' onmouseover='alert(1)",
    "&lt;script&gt; &#60;b&#62; &#x3c;",
    "`<b>` `` ` `` `",
    "\u{202e}\u{0}\u{1b}[31m\u{2028}",
    "- [ ] task [^1]\n\n[^1]: note",
];

#[test]
fn nothing_of_others_is_an_element() {
    let plain: Vec<String> = elements(&render(&page("x"), &Blocks::default())).unwrap();
    for evil in EVIL {
        let html = render(&page(evil), &Blocks::default());
        let found = elements(&html).unwrap_or_else(|tag| panic!("{evil:?}: {tag:?}\n{html}"));
        // Markdown and code spans are the only elements that a text may add.
        let own = |tag: &&String| {
            let name = tag.trim_start_matches('/');
            ["section", "details", "nav", "h2", "h3", "svg", "a "]
                .iter()
                .any(|own| name.starts_with(own))
        };
        let count = |all: &[String]| all.iter().filter(own).count();
        assert_eq!(count(&found), count(&plain), "{evil:?}\n{html}");
        assert!(!html.contains(['\u{202e}', '\u{0}', '\u{1b}', '\u{2028}']), "{evil:?}");
    }
}

#[test]
fn the_policy_names_the_one_style_sheet_and_nothing_else() {
    let html = render(&page("x"), &Blocks::default());
    let sum = BASE64.encode(&Sha256::digest(STYLE));
    assert!(
        html.contains(&format!("default-src 'none'; style-src 'sha256-{sum}'; img-src data:;"))
    );
    assert!(!html.contains(" style=") && !html.contains("http://") && !html.contains("https://"));
}

#[test]
fn links_and_pictures_are_words_and_say_where_they_lead() {
    let shown = markdown(
        "See [the docs](https://e.example/a), ![a cat](cat.png) and <https://e.example/b>.",
    );
    assert_eq!(
        shown,
        "<p>See the docs (https://e.example/a), a cat (cat.png) and https://e.example/b.</p>\n"
    );
    assert_eq!(
        markdown("# Head\n\n<b>x</b>"),
        "<p><strong>Head</strong></p>\n<p>&lt;b&gt;x&lt;/b&gt;</p>\n"
    );
}

#[test]
fn tables_are_drawn_with_their_words() {
    let data = Data::default().with("evil", "<b>\"x\"</b>");
    let mut blocks = Blocks::default();
    blocks.append(data.fill("pictures"));
    let mut drawn = Page::new("T", text!["DONE."]);
    drawn.blocks().append(blocks);
    let html = render(&drawn, &Blocks::default());
    elements(&html).unwrap();
    assert_eq!(html.matches("<svg ").count(), 3, "{html}");
    insta::assert_snapshot!(html.split_once("<header>").unwrap().1);
}

/// A line through the checks of two seats would be a course that nobody took.
#[test]
fn two_figures_for_one_round_are_no_line() {
    let row = |round: u32, share: u32| vec![round.into(), text![share, "%"]];
    let drawn = |rows: Vec<Vec<Text>>| {
        let table = Table::new(["Round", "Reached"], rows);
        picture::of(&table, super::super::Picture::Line(1), 0)
    };
    assert!(drawn(vec![row(1, 40), row(2, 80)]).is_some());
    assert_eq!(drawn(vec![row(1, 40), row(1, 80)]), None);
}

#[test]
fn what_is_grave_is_open_and_long_code_is_not() {
    let mut drawn = Page::new("T", agent_text("x"));
    drawn
        .blocks()
        .folded(text![text!["P0"].tone(Emphasis::Bad), " a"], |below| _ = below.code("x"));
    drawn.blocks().folded(text!["P2 b"], |below| _ = below.code(&"x\n".repeat(100)));
    let html = render(&drawn, &Blocks::default());
    assert!(html.contains("<details open><summary><strong class=\"bad\">P0</strong> a</summary>"));
    assert!(html.contains("<details><summary>P2 b</summary>"));
    assert!(html.contains("<details><summary>100 lines, "), "{html}");
}

#[test]
fn a_hostile_line_of_a_diff_is_one_line_of_text() {
    for evil in
        ["</pre><script>x</script>", "</td></tr>", "@@ -9,9 +9,9 @@", "```", "a\r+b", "\u{2028}-c"]
    {
        let body = format!("-{evil}\n+{evil}\n {evil}\n");
        let hunk = format!("@@ -3,2 +4,2 @@ {evil}\n{body}");
        let drawn = hunk::of(&super::super::hunk::Hunk::new(hunk, "4,4"));
        elements(&format!("<style>{STYLE}</style>{drawn}")).unwrap();
        assert_eq!(drawn.matches("<tr class=").count(), 3, "{drawn}");
        assert!(drawn.contains("<tr class=\"removed\"><td>3</td><td></td><td></td><td>-"));
        assert!(drawn.contains("<tr class=\"added marked\"><td></td><td>4</td><td>▶</td><td>+"));
        assert!(drawn.contains("<tr class=\"same\"><td>4</td><td>5</td><td></td>"), "{drawn}");
    }
}

#[test]
fn old_lines_are_marked_by_their_old_numbers_and_a_diff_without_a_head_has_none() {
    let of = |text: &str, marked| hunk::of(&super::super::hunk::Hunk::new(text.to_owned(), marked));
    let drawn = of("@@ -7,1 +8,1 @@\n-a\n+b\n\\ No newline\n", "old,7,7");
    assert!(drawn.contains("old lines 7 to 7 marked"), "{drawn}");
    assert!(
        drawn.contains("<tr class=\"removed marked\"><td>7</td><td></td><td>▶</td><td>-a</td>")
    );
    assert_eq!(drawn.matches(" marked\">").count(), 2, "{drawn}");
    assert!(drawn.contains("<tr class=\"same\"><td></td><td></td><td></td><td>\\ No newline</td>"));
    assert!(
        of("-a\n+b", "").contains("<tr class=\"added\"><td></td><td></td><td></td><td>+b</td>")
    );
}
