//! `JaCoCo` XML: `report > [group >] package(name) > sourcefile(name) > counter(type, missed, covered)`.

use quick_xml::Reader;
use quick_xml::events::Event;

use super::cobertura::attribute;
use super::{Report, ReportError, line_of};

pub(super) fn parse(text: &str) -> Result<Report, ReportError> {
    let mut report = Report::default();
    let mut reader = Reader::from_str(text);
    let mut package = String::new();
    let mut file: Option<String> = None;
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
                let get = |name: &str| attribute(&start, name).map_err(wrong);
                match start.local_name().as_ref() {
                    "report" => roots += 1,
                    "package" => package = get("name")?.unwrap_or_default(),
                    "sourcefile" => {
                        let name = get("name")?
                            .ok_or_else(|| wrong("a sourcefile has no `name`".to_owned()))?;
                        let path =
                            if package.is_empty() { name } else { format!("{package}/{name}") };
                        file = (!empty).then_some(path);
                    }
                    "counter" => {
                        let Some(file) = &file else { continue };
                        if get("type")?.as_deref() != Some("LINE") {
                            continue;
                        }
                        let number = |value: Option<String>| value?.parse::<u64>().ok();
                        let (Some(missed), Some(covered)) =
                            (number(get("missed")?), number(get("covered")?))
                        else {
                            return Err(wrong(
                                "a counter has no `missed` or no `covered`".to_owned(),
                            ));
                        };
                        let lines = report.files.entry(file.clone()).or_default();
                        // Two modules may have a file with one name; their lines cannot be
                        // distinguished.
                        let (all, hit) = lines.counted.unwrap_or_default();
                        lines.counted = Some((
                            all.saturating_add(missed).saturating_add(covered),
                            hit.saturating_add(covered),
                        ));
                    }
                    _ => {}
                }
            }
            Event::End(end) => {
                open = open.saturating_sub(1);
                if end.local_name().as_ref() == "sourcefile" {
                    file = None;
                }
            }
            Event::Eof if open > 0 || roots == 0 => {
                return Err(wrong("the report ends before its last element".to_owned()));
            }
            Event::Eof => return Ok(report),
            Event::Text(_)
            | Event::CData(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_)
            | Event::GeneralRef(_) => {}
        }
    }
}
