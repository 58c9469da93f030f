//! How `diff` looks.
