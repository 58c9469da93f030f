//! Every name in a template is one that its data can have: a condition on a field that was renamed would be false, and
//! nothing else would show it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use minijinja::machinery::parse;
use serde_json::{Value, json};

use super::{Data, TEMPLATES};
use crate::eval::Part;
use crate::eval::score::{ArmResult, CaseResult, Kind, PIPELINE, Price, tables};
use crate::kernel::Usd;
use crate::protocol::review::testing::change;
use crate::report::decisions::DecisionLog;
use crate::report::discovery::DiscoveryDocument;
use crate::report::document::SCHEMA_VERSION;
use crate::report::eval::{EvalDocument, NotScored};
use crate::report::inquiry::InquiryDocument;
use crate::report::page::ToPage;
use crate::report::review::NothingToReview;
use crate::report::{Look, debate, discuss, example, plan_result, review};
use crate::schemas::schema;

thread_local! {
    /// Each template that was filled, and with what.
    static FILLED: RefCell<Option<Vec<(String, Data)>>> = const { RefCell::new(None) };
}

/// Notes what a template is filled with, for the test below.
pub(super) fn note(name: &str, data: &Data) {
    FILLED.with_borrow_mut(|filled| {
        if let Some(filled) = filled {
            filled.push((name.to_owned(), data.clone()));
        }
    });
}

/// The schemas that a value can have.
type Shape = Vec<Value>;
type Scope = BTreeMap<String, Shape>;

/// Reads templates as trees of syntax.
#[derive(Default)]
struct Names {
    /// The document's schema.
    schema: Value,
    /// The template that is read.
    template: String,
    seen: BTreeSet<String>,
    unknown: BTreeSet<String>,
}

impl Names {
    /// Returns what references and alternatives stand for.
    fn plain(&self, shape: &[Value]) -> Shape {
        let plain = |schema: &Value| match schema["$ref"].as_str() {
            Some(at) => self.plain(&[self.schema.pointer(&at[1..]).unwrap().clone()]),
            None => match ["anyOf", "oneOf", "allOf"].iter().find_map(|of| schema[of].as_array()) {
                Some(all) => self.plain(all),
                None => vec![schema.clone()],
            },
        };
        shape.iter().flat_map(plain).collect()
    }

    /// Returns a field of a value; each one, if its name is computed.
    fn field(&mut self, of: &[Value], name: Option<&str>) -> Shape {
        let mut all = Shape::new();
        for schema in self.plain(of) {
            if schema["type"].is_null() {
                return vec![json!(true)];
            }
            let fields = schema["properties"].as_object().into_iter().flatten();
            all.extend(
                fields
                    .filter(|(own, _)| name.is_none_or(|name| name == *own))
                    .map(|(_, field)| field.clone()),
            );
            all.extend(schema["prefixItems"].as_array().into_iter().flatten().cloned());
            let others = [&schema["additionalProperties"], &schema["items"]];
            all.extend(others.into_iter().filter(|of| **of == true || of.is_object()).cloned());
        }
        if all.is_empty() {
            self.unknown(name.unwrap_or("[...]"));
        }
        all
    }

    fn unknown(&mut self, name: &str) {
        self.unknown.insert(format!("{name} in {}", self.template));
    }

    fn template(&mut self, name: &str, scope: &mut Scope) {
        let (_, text) = TEMPLATES.iter().find(|(own, _)| *own == name).unwrap();
        self.seen.insert(name.to_owned());
        let tree = parse(text, name, minijinja::syntax::SyntaxConfig::default()).unwrap();
        let outer = std::mem::replace(&mut self.template, name.to_owned());
        self.shape(&serde_json::to_value(tree).unwrap(), scope);
        self.template = outer;
    }

    /// Reads a node and those below it. Returns what an expression can be.
    fn shape(&mut self, node: &Value, scope: &mut Scope) -> Shape {
        let inner = &node["inner"][0];
        let id = |node: &Value| node["inner"][0]["id"].as_str().unwrap().to_owned();
        match node["expr"].as_str().or(node["stmt"].as_str()) {
            Some("Var") => scope.get(&id(node)).cloned().unwrap_or_else(|| {
                self.unknown(&id(node));
                vec![json!(true)]
            }),
            Some("GetAttr") => {
                let of = self.shape(&inner["expr"], scope);
                self.field(&of, inner["name"].as_str())
            }
            Some("GetItem") => {
                let of = self.shape(&inner["expr"], scope);
                self.shape(&inner["subscript_expr"], scope);
                self.field(&of, inner["subscript_expr"]["inner"][0]["value"].as_str())
            }
            Some("ForLoop") => {
                let of = self.shape(&inner["iter"], scope);
                let entry = |schema: Value| match (&schema["items"], schema["type"].as_str()) {
                    // Of a map, each key; of an example without entries, whatever others have.
                    (Value::Null, Some("object")) => Some(json!({ "type": "string" })),
                    (Value::Null, Some("array")) => None,
                    (entry, _) => Some(entry.clone()),
                };
                let mut entries: Shape = self.plain(&of).into_iter().filter_map(entry).collect();
                if entries.is_empty() {
                    entries.push(json!(true));
                }
                let mut own = scope.clone();
                own.insert(id(&inner["target"]), entries);
                own.insert("loop".to_owned(), vec![json!(true)]);
                for part in ["filter_expr", "body", "else_body"] {
                    self.shape(&inner[part], &mut own);
                }
                Shape::new()
            }
            Some("Set") => {
                let value = self.shape(&inner["expr"], scope);
                scope.insert(id(&inner["target"]), value);
                Shape::new()
            }
            Some("WithBlock") => {
                let mut own = scope.clone();
                for pair in inner["assignments"].as_array().unwrap() {
                    let value = self.shape(&pair[1], scope);
                    own.insert(id(&pair[0]), value);
                }
                self.shape(&inner["body"], &mut own)
            }
            Some("Include") => {
                let name = inner["name"]["inner"][0]["value"].as_str().unwrap();
                self.template(name, &mut scope.clone());
                Shape::new()
            }
            _ => {
                let fields = node.as_object().into_iter().flatten().map(|(_, below)| below);
                for below in fields.chain(node.as_array().into_iter().flatten()) {
                    self.shape(below, scope);
                }
                vec![json!(true)]
            }
        }
    }
}

/// Returns the schema of an example.
fn of_example(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, field)| (name.clone(), of_example(field)));
            json!({ "type": "object", "properties": fields.collect::<BTreeMap<_, _>>() })
        }
        Value::Array(entries) if entries.is_empty() => json!({ "type": "array" }),
        Value::Array(entries) => {
            let entries: Vec<Value> = entries.iter().map(of_example).collect();
            json!({ "type": "array", "items": { "anyOf": entries } })
        }
        _ => json!({ "type": "string" }),
    }
}

fn pages<'a, D: ToPage + 'a>(all: impl IntoIterator<Item = &'a D>) {
    all.into_iter().map(ToPage::page).for_each(drop);
}

/// An evaluation with a table of each kind of case.
fn evaluation() -> EvalDocument {
    let arm = |arm: &str| ArmResult {
        arm: arm.to_owned(),
        right: 1,
        given: 1,
        wanted: 1,
        findings: Vec::new(),
        found: Vec::new(),
        answer: None,
        confidence: Some(0.8),
        price: Price { cost: None, calls: 1, milliseconds: 1 },
    };
    let case = |kind| CaseResult {
        name: "a".to_owned(),
        kind,
        part: Part::Tuning,
        stratum: "python/mutation".to_owned(),
        session_id: "x".to_owned(),
        agents: vec!["codex".to_owned()],
        arms: vec![arm("codex alone"), arm(PIPELINE)],
        minds: vec![(false, true)],
    };
    let results = Kind::ALL.map(case).to_vec();
    let not_scored = NotScored { name: "b".to_owned(), why: "it was not run".to_owned() };
    EvalDocument {
        cases: "cases".to_owned(),
        version: "1.0.0".to_owned(),
        scripted: vec!["fake".to_owned()],
        tables: tables(&results),
        results,
        not_scored: vec![not_scored],
        left_out: vec!["c".to_owned()],
        shard: Some("1/2".to_owned()),
        missing_shards: vec!["2/2".to_owned()],
        held_out_scored: 2,
        stopped_by: Some("a signal".to_owned()),
        schema_version: SCHEMA_VERSION,
    }
}

#[test]
fn a_template_names_only_what_its_data_can_have() {
    let mut found = DiscoveryDocument::new(example::at(0), Usd::ZERO, 1, false);
    found.debated(&example::consensus());
    let mut partly = review::example::clean();
    let left_out = json!([{ "path": "a.bin", "why": "binary", "detail": "so", "missed": false }]);
    partly.result.not_reviewed = serde_json::from_value(left_out).unwrap();
    let mut nothing = NothingToReview::new(change(Vec::new(), false));
    nothing.not_reviewed.clone_from(&partly.result.not_reviewed);
    let (_, plans) = plan_result::tests::examples().pop().unwrap();
    let mut asked = serde_json::to_value(&plans).unwrap();
    (asked["outcome"], asked["answers"], asked["cost_usd"]) =
        (json!("running"), json!([]), json!(0));
    let asked: InquiryDocument = serde_json::from_value(asked).unwrap();
    let reviews = review::example::all();
    let pulled = review::example::changes_requested();
    let fills: [(&str, &dyn Fn()); 10] = [
        ("prioritize", &|| pages(&example::all())),
        ("discover", &|| drop(found.render(Look::plain(80)))),
        ("inquiry", &|| pages([&asked])),
        ("review", &|| {
            pages(reviews.iter().map(|(_, review)| review).chain([&partly]));
            review::pull_request::comments(&pulled);
            review::pull_request::summary(&pulled);
        }),
        ("review-nothing", &|| pages([&nothing])),
        ("plan", &|| pages(plan_result::tests::examples().iter().map(|(_, plan)| plan))),
        ("debate", &|| pages(debate::example::documents().iter().map(|(_, debate)| debate))),
        ("discuss", &|| pages(discuss::example::documents().iter().map(|(_, critique)| critique))),
        ("eval", &|| pages([&evaluation()])),
        ("decisions", &|| pages([&DecisionLog::default()])),
    ];
    let mut names = Names::default();
    for (kind, fill) in fills {
        FILLED.set(Some(Vec::new()));
        fill();
        names.schema = schema(kind).unwrap();
        let mut scopes: BTreeMap<String, Scope> = BTreeMap::new();
        for (template, data) in FILLED.take().unwrap() {
            let scope = scopes.entry(template).or_default();
            let is_document = data.values.contains_key("schema_version");
            for (name, value) in &data.values {
                let value = of_example(&serde_json::to_value(value).unwrap());
                scope.entry(name.clone()).or_default().push(value);
            }
            for (name, own) in names.schema["properties"].as_object().unwrap() {
                if is_document {
                    scope.insert(name.clone(), vec![own.clone()]);
                }
            }
        }
        for (template, mut scope) in scopes {
            names.template(&template, &mut scope);
        }
    }
    assert!(names.unknown.is_empty(), "{:#?}", names.unknown);
    let all: BTreeSet<String> = TEMPLATES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names.seen, all, "each template is filled or included");
}
