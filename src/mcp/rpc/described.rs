//! The server's constants and pages as `rmcp` types.

use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{
    ErrorCode, ListResourcesResult, Prompt as ListedPrompt, PromptArgument, PromptMessage,
    Resource as ListedResource, ResourceContents, ResourceTemplate, Role, Tool as ListedTool,
    ToolAnnotations,
};

use crate::mcp::prompts::{Message, Prompt};
use crate::mcp::resources::{Contents, MARKDOWN, Page, Refusal, Template};
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

pub(super) fn message(message: Message) -> PromptMessage {
    PromptMessage::new_text(Role::User, message.text)
}

pub(super) fn template(template: &Template) -> ResourceTemplate {
    ResourceTemplate::new(template.uri, template.name)
        .with_title(template.title)
        .with_description(template.description)
        .with_mime_type(MARKDOWN)
}

pub(super) fn page(page: Page) -> ListResourcesResult {
    let resources = page.resources.into_iter().map(|resource| {
        ListedResource::new(resource.uri, resource.name)
            .with_title(resource.title)
            .with_description(resource.description)
            .with_mime_type(MARKDOWN)
    });
    let mut listed = ListResourcesResult::with_all_items(resources.collect());
    listed.next_cursor = page.next;
    listed
}

pub(super) fn contents(contents: Contents) -> ResourceContents {
    ResourceContents::text(contents.text, contents.uri).with_mime_type(MARKDOWN)
}

/// A failure to give a resource, in the codes of the protocol.
pub(super) fn refusal(refusal: Refusal) -> ErrorData {
    let (code, why) = match refusal {
        Refusal::Cursor(why) => (ErrorCode::INVALID_PARAMS, why),
        Refusal::Unknown(why) => (ErrorCode::RESOURCE_NOT_FOUND, why),
        Refusal::Failed(why) => (ErrorCode::INTERNAL_ERROR, why),
    };
    ErrorData::new(code, why, None)
}

#[cfg(test)]
mod tests;
