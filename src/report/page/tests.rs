//! The renderers, block by block.

use super::*;
use crate::report::Look;

fn screen(width: usize, fill: impl FnOnce(&mut Blocks)) -> String {
    let mut page = Page::new("Title", "HEAD".into());
    fill(page.blocks());
    terminal::render(&page, Look::plain(width))
}

#[test]
fn a_list_of_heads_has_headings_in_a_report_and_set_in_bodies_on_a_screen() {
    let mut page = Page::new("Title", "HEAD".into());
    let entry = |head: &'static str| Item::new(head).with(|below| _ = below.para("Body."));
    page.blocks().section("Entries", |below| {
        below.list([entry("One"), entry("Two"), entry("Three")]).headed().most_on_screen(2);
    });
    let text =
        "HEAD\n\nEntries\nOne\n    Body.\n\nTwo\n    Body.\n\n... and 1 more, in the report\n";
    assert_eq!(terminal::render(&page, Look::plain(80)), text);
    let report = markdown::render(&page);
    assert!(report.contains("## Entries\n\n### One\n\nBody.\n\n### Two\n\nBody.\n"), "{report}");
    assert!(report.contains("### Three"), "{report}");
}

#[test]
fn a_line_that_is_broken_at_several_spaces_begins_with_none_of_them() {
    for width in 20..40 {
        let text = screen(width, |blocks| {
            blocks
                .list([text!["aaaaaaaa  bbbbbbbb  ", path("src/ccccccccccc.rs:1"), "  dddd"]])
                .headed();
        });
        let set_in = text.lines().skip(2).map(|line| line.len() - line.trim_start().len());
        assert!(set_in.clone().all(|columns| columns == 0 || columns == 4), "{width}: {text}");
        assert!(text.lines().all(|line| line.len() <= width.max(24)), "{width}: {text}");
    }
}

#[test]
fn quoted_lines_keep_their_indentation() {
    let quoted = "Return it:\n\n    file.flush()?;\n\tdone\n";
    let text = screen(80, |blocks| _ = blocks.quote(quoted));
    assert_eq!(text, "HEAD\nReturn it:\n    file.flush()?;\n    done\n");
}
