//! The configuration: schema, layers with provenance, trust.

pub mod agents;
