//! Schemas are small, valid, and say what the server's check says.

use super::*;
use crate::mcp::table::TOOLS;

/// What clients get, as `tools/list` has it; with annotations that are as long as they can be.
fn listed() -> Value {
    let tools = TOOLS.iter().map(|tool| {
        json!({
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "inputSchema": tool.input_schema(),
            "outputSchema": tool.output_schema(),
            "annotations": {
                "readOnlyHint": false,
                "destructiveHint": false,
                "idempotentHint": false,
                "openWorldHint": false,
            },
        })
    });
    json!({"tools": tools.collect::<Vec<_>>()})
}

#[test]
fn the_list_of_tools_is_small() {
    let size = |value: &Value| value.to_string().len();
    for tool in TOOLS {
        let schema = |map| size(&Value::Object(map));
        eprintln!(
            "{:20} words {:5} input {:5} output {:5}",
            tool.name,
            tool.description.len(),
            schema(tool.input_schema()),
            schema(tool.output_schema())
        );
    }
    let whole = size(&listed());
    assert!(whole <= 24_000, "{whole} bytes");
}
