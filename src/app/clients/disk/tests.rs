//! What happens to a file when somebody else has it at the same time.

use super::*;

#[test]
fn a_file_that_changed_since_it_was_read_is_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mcp.json");
    fs::write(&path, "theirs").unwrap();
    let refused = replace(&path, Some("old"), "new").unwrap_err();
    assert!(matches!(refused, DiskError::Changed(_)), "{refused}");
    // Nobody's file was there when it was read.
    let refused = replace(&path, None, "new").unwrap_err();
    assert!(matches!(refused, DiskError::Changed(_)), "{refused}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
    fs::remove_file(&path).unwrap();
    assert!(replace(&path, Some("old"), "new").is_err());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn a_backup_never_takes_the_place_of_another() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mcp.json");
    fs::write(&path, "now").unwrap();
    let first = back_up(&path, "one", "20260101T000000Z").unwrap();
    let second = back_up(&path, "two", "20260101T000000Z").unwrap();
    assert_eq!(first, dir.path().join("mcp.json.debate-agent-backup-20260101T000000Z"));
    assert_eq!(second, dir.path().join("mcp.json.debate-agent-backup-20260101T000000Z-2"));
    assert_eq!(fs::read_to_string(first).unwrap(), "one");
    assert_eq!(fs::read_to_string(second).unwrap(), "two");
}
