//! The partner debate: champion, critic and moderator rank a backlog.

pub mod model;
