//! The server's constants as `rmcp` types.

use std::sync::Arc;

use rmcp::model::{Prompt as ListedPrompt, PromptArgument, Tool as ListedTool, ToolAnnotations};

use crate::mcp::prompts::Prompt;
use crate::mcp::tool::{Effect, Tool};

pub(super) fn tool(tool: &Tool) -> ListedTool {
    // The title is listed next to them. Protocol defaults are left out: a list of tools is read often.
    let annotations = ToolAnnotations::new();
    let annotations = match tool.effect {
        Effect::Reads => annotations.read_only(true).open_world(false),
        Effect::Asks => annotations.destructive(false),
        Effect::Stops => annotations.idempotent(true).open_world(false),
    };
    let input = Arc::new(tool.input_schema());
    ListedTool::new(tool.name, tool.description, input)
        .with_title(tool.title)
        .with_raw_output_schema(Arc::new((tool.output)()))
        .with_annotations(annotations)
}

pub(super) fn prompt(prompt: &Prompt) -> ListedPrompt {
    let arguments = prompt.arguments.iter().map(|argument| {
        PromptArgument::new(argument.name)
            .with_description(argument.description)
            .with_required(argument.required)
    });
    ListedPrompt::new(prompt.name, Some(prompt.description), Some(arguments.collect()))
        .with_title(prompt.title)
}

#[cfg(test)]
mod tests;
