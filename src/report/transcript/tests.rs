//! What a transcript shows, what it never shows, and how large it gets.
