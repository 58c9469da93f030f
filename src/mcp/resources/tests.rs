//! Addresses, pages, and what is read of a session.
