//! Cobertura XML: `coverage > packages > package > classes > class(filename) > lines > line(number, hits)`.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::{Report, ReportError, line_of};

pub(super) fn parse(text: &str) -> Result<Report, ReportError> {
    let mut report = Report::default();
    let mut reader = Reader::from_str(text);
    let mut file: Option<String> = None;
    let mut in_source = false;
    let mut methods = 0_u32;
    let mut open = 0_u64;
    let mut roots = 0_u32;
    loop {
        let at = reader.buffer_position();
        let wrong = |message: String| ReportError { line: line_of(text, at), message };
        let event = reader.read_event().map_err(|error| ReportError {
            line: line_of(text, reader.error_position()),
            message: error.to_string(),
        })?;
        let empty = matches!(event, Event::Empty(_));
        match event {
            Event::Start(start) | Event::Empty(start) => {
                open += u64::from(!empty);
                match start.local_name().as_ref() {
                    "coverage" => roots += 1,
                    "source" => in_source = !empty,
                    "class" => {
                        let name = attribute(&start, "filename")
                            .map_err(wrong)?
                            .ok_or_else(|| wrong("a class has no `filename`".to_owned()))?;
                        report.files.entry(name.clone()).or_default();
                        file = (!empty).then_some(name);
                    }
                    // The lines of methods are repeated among those of their class.
                    "methods" => methods += u32::from(!empty),
                    "line" if methods == 0 => {
                        let number = attribute(&start, "number").map_err(wrong)?;
                        let hits = attribute(&start, "hits").map_err(wrong)?;
                        let number = number.and_then(|number| number.trim().parse().ok());
                        let hits = hits.and_then(|hits| hits.trim().parse::<i128>().ok());
                        let (Some(number), Some(hits)) = (number, hits) else {
                            return Err(wrong("a line has no `number` or no `hits`".to_owned()));
                        };
                        let lines = (file.as_ref()).and_then(|file| report.files.get_mut(file));
                        if let Some(lines) = lines {
                            lines.add(number, hits > 0);
                        }
                    }
                    _ => {}
                }
            }
            Event::End(end) => {
                open = open.saturating_sub(1);
                match end.local_name().as_ref() {
                    "class" => file = None,
                    "source" => in_source = false,
                    "methods" => methods = methods.saturating_sub(1),
                    _ => {}
                }
            }
            Event::Text(inner) if in_source => {
                let source = inner.trim().to_owned();
                if !source.is_empty() && report.sources.len() < 100 {
                    report.sources.push(source);
                }
            }
            Event::Eof if open > 0 || roots == 0 => {
                return Err(wrong("the report ends before its last element".to_owned()));
            }
            Event::Eof => return Ok(report),
            _ => {}
        }
    }
}

/// Reads an attribute; entities other than XML's five predefined ones are errors, so that nothing
/// expands.
pub(super) fn attribute(start: &BytesStart<'_>, name: &str) -> Result<Option<String>, String> {
    let found =
        start.try_get_attribute(name).map_err(|error| format!("a malformed attribute: {error}"))?;
    found
        .map(|attribute| {
            quick_xml::escape::unescape(&attribute.value)
                .map(std::borrow::Cow::into_owned)
                .map_err(|error| format!("`{name}` is wrong: {error}"))
        })
        .transpose()
}
