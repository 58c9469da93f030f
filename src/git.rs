//! Git as data. Nothing that a repository configures is run.
