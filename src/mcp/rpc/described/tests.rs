//! Tests of the tool list that clients get.

use rmcp::model::ListToolsResult;
use serde_json::Value;

use super::*;
use crate::mcp::table::TOOLS;

/// A client whose own dialect has one type per schema would refuse the tool, or drop some of the allowed values.
#[test]
fn every_schema_has_one_type() {
    fn types(schema: &Value, found: &mut Vec<Value>) {
        match schema {
            Value::Object(members) => {
                found.extend(members.get("type").filter(|of| of.is_array()).cloned());
                members.values().for_each(|of| types(of, found));
            }
            Value::Array(schemas) => schemas.iter().for_each(|of| types(of, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut found = Vec::new();
    for tool in TOOLS.iter().map(tool) {
        types(&serde_json::to_value(tool).unwrap(), &mut found);
    }
    assert!(found.is_empty(), "{found:?}");
}

/// The list fits what clients read at startup (issue 7).
#[test]
fn the_list_of_tools_is_small() {
    let listed = ListToolsResult::with_all_items(TOOLS.iter().map(tool).collect());
    let bytes = serde_json::to_vec(&listed).unwrap().len();
    assert!(bytes <= 25_000, "{bytes} bytes");
}
