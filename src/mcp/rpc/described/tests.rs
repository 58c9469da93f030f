//! What clients get of the tools, byte for byte.

use rmcp::model::ListToolsResult;

use super::*;
use crate::mcp::table::TOOLS;

/// The list fits what clients read at a start (issue 7), and no word of it changes unseen.
#[test]
fn the_list_of_tools_is_small_and_known() {
    let listed = ListToolsResult::with_all_items(TOOLS.iter().map(tool).collect());
    let bytes = serde_json::to_vec(&listed).unwrap().len();
    assert!(bytes <= 24_000, "{bytes} bytes");
    insta::assert_snapshot!(serde_json::to_string_pretty(&listed).unwrap());
}
