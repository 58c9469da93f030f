//! What the renderers do with any page.

use super::*;
use crate::report::Look;

#[test]
fn spaces_where_a_line_is_broken_do_not_begin_the_next() {
    let mut page = Page::new("Title", "DONE".into());
    page.blocks().para("a b   (c d)");
    assert_eq!(terminal::render(&page, Look::plain(3)), "DONE\na b\n(c\nd)\n");
}
