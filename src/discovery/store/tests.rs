//! The store's guarantees, refusals and messages.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use chrono::{DateTime, Utc};
use serde_json::json;

use super::*;
use crate::env::Env;
use crate::protocol::backlog::model::Disposition;
use crate::session::lock::acquire;
use crate::session::{MemFs, RealFs, StoreError};

pub(super) const ROOT: &str = "/project";
pub(super) const FOLDER: &str = ".swarm/backlog";

pub(super) fn clock() -> DateTime<Utc> {
    DateTime::from_timestamp(1_780_000_000, 0).unwrap()
}

pub(super) fn store(fs: &MemFs) -> BacklogStore {
    BacklogStore::open(Arc::new(fs.clone()), Path::new(ROOT), FOLDER, Env::fixed(clock(), 0))
}

fn real(root: &Path) -> BacklogStore {
    BacklogStore::open(Arc::new(RealFs::default()), root, FOLDER, Env::fixed(clock(), 0))
}

pub(super) fn item(title: &str) -> Opportunity {
    let json = json!([{ "title": title }]).to_string();
    let (mut items, _) = intake::read_all(
        "x",
        json.as_bytes(),
        clock(),
        intake::Limits::default(),
        intake::Origin::Store,
    )
    .unwrap();
    items.remove(0)
}

pub(super) fn add(store: &BacklogStore, title: &str) -> Result<(), BacklogError> {
    store.change(|items| {
        items.push(item(title));
        Ok(())
    })
}

pub(super) fn titles(store: &BacklogStore) -> Vec<String> {
    let backlog = store.read().unwrap();
    (backlog.opportunities.into_iter()).map(|item| item.title).collect()
}

/// A project whose store contains these bytes.
fn holding(bytes: impl AsRef<[u8]>) -> (tempfile::TempDir, BacklogStore) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join(FOLDER)).unwrap();
    std::fs::write(dir.path().join(FOLDER).join(FILE), bytes).unwrap();
    let store = real(dir.path());
    (dir, store)
}

fn bytes(store: &BacklogStore) -> String {
    std::fs::read_to_string(store.path()).unwrap()
}

#[test]
fn no_file_is_an_empty_backlog_and_reading_makes_none() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(real(dir.path()).read().unwrap(), Backlog::default());
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn what_is_written_is_private_readable_and_ends_with_a_newline() {
    let dir = tempfile::tempdir().unwrap();
    let store = real(dir.path());
    add(&store, "One").unwrap();
    add(&store, "Two").unwrap();
    assert_eq!(titles(&store), ["One", "Two"]);
    let text = bytes(&store);
    assert!(
        text.starts_with("{\n  \"opportunities\": [\n    {\n") && text.ends_with("}\n"),
        "{text}"
    );
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode(&store.path()), 0o600);
    assert_eq!(mode(&store.dir().join(LOCK)), 0o600);
    assert_eq!((mode(&store.dir()), mode(&dir.path().join(".swarm"))), (0o700, 0o700));
    let names = store.fs.list(&store.dir()).unwrap();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn nothing_is_written_when_nothing_changed_or_the_change_failed() {
    let fs = MemFs::new(Path::new(ROOT));
    let store = store(&fs);
    add(&store, "One").unwrap();
    let before = fs.tree(Path::new(ROOT));
    store.change(|_| Ok::<_, BacklogError>(())).unwrap();
    let failed: Result<(), BacklogError> = store.change(|items| {
        items.clear();
        Err(BacklogError::Unwritable("no".into()))
    });
    assert!(failed.is_err());
    assert_eq!(before, fs.tree(Path::new(ROOT)));
}

#[test]
fn what_is_not_ours_is_kept() {
    let file = json!({
        "schema_version": 7,
        "opportunities": [
            { "title": "Old", "opportunity_id": "a", "status": "debating", "team": { "x": 1 }, "created_at": "2026-01-01T00:00:00" },
            { "title": "Other", "opportunity_id": "b", "evidence": [{ "content": "c", "weight": 3 }], "created_at": "2026-01-01T00:00:00" },
        ],
        "owner": "us",
    });
    let (_dir, store) = holding(file.to_string());
    let backlog = store.read().unwrap();
    assert_eq!(backlog.opportunities[0].status, OpportunityStatus::Discovered);
    assert!(backlog.warnings.iter().any(|note| note.code == "stored_debating"));
    store
        .change(|items| {
            items[1].priority_rank = Some(1);
            Ok::<_, BacklogError>(())
        })
        .unwrap();
    let now: Value = serde_json::from_str(&bytes(&store)).unwrap();
    assert_eq!((&now["schema_version"], &now["owner"]), (&json!(7), &json!("us")));
    assert_eq!(now["opportunities"][0], file["opportunities"][0], "letter for letter");
    assert_eq!(now["opportunities"][1]["evidence"], file["opportunities"][1]["evidence"]);
    assert_eq!(now["opportunities"][1]["priority_rank"], 1);
}

#[test]
fn what_cannot_be_understood_is_an_error_that_names_the_place_and_changes_nothing() {
    for (text, says) in [
        ("", "the file is empty"),
        ("{\"opportunities\": [\n  {\"title\": \"a\",}]}", "at line 2"),
        ("{\"opportunities\": [{\"title\": \"a\", \"status\": \"done\"}]}", "field `status`"),
        (
            "{\"opportunities\": [{\"title\": \"a\", \"opportunity_type\": \"chore\"}]}",
            "field `opportunity_type`",
        ),
        (
            "{\"opportunities\": [{\"title\": \"a\", \"evidence\": [{\"content\": 1}]}]}",
            "`evidence[0].content`",
        ),
        (
            "{\"opportunities\": [{\"title\": \"a\", \"opportunity_id\": \"i\"},\n{\"title\": \"b\", \"opportunity_id\": \"i\"}]}",
            "same id `i`",
        ),
        ("{\"opportunities\": {}}", "`opportunities` is"),
        ("{\"items\": []}", "without `opportunities`"),
        ("[{\"title\": \"a\"}]", "not an array"),
        ("{\"title\": \"a\"}\n{\"title\": \"b\"}", "not items one after another"),
        ("\u{feff}{\"opportunities\": []}", "byte order mark"),
    ] {
        let (_dir, store) = holding(text);
        let error = store.read().unwrap_err().to_string();
        assert!(error.contains(says) && error.contains(FILE), "{text}: {error}");
        assert!(add(&store, "New").is_err(), "{text}");
        assert_eq!(bytes(&store), text);
    }
    let (_dir, store) = holding([0xff, 0xfe]);
    assert!(store.read().unwrap_err().to_string().contains("not UTF-8"));
}

#[test]
fn more_than_the_limit_is_neither_read_nor_written() {
    let (_dir, store) = holding("");
    let file = std::fs::File::create(store.path()).unwrap();
    file.set_len(MOST_BYTES + 1).unwrap();
    assert!(matches!(store.read(), Err(BacklogError::Store(StoreError::TooLarge { .. }))));
    std::fs::remove_file(store.path()).unwrap();
    let big = store.change(|items| {
        items.push(Opportunity { description: "x".repeat(64 << 20), ..item("Big") });
        Ok::<_, BacklogError>(())
    });
    assert!(big.is_err());
    assert!(!store.path().exists());
}

#[test]
fn what_could_not_be_read_back_is_not_written() {
    let (_dir, store) = holding("{\"opportunities\": []}");
    let twice = store.change(|items| {
        items.extend([item("Same"), item("Same")]);
        Ok::<_, BacklogError>(())
    });
    assert!(matches!(twice, Err(BacklogError::Unwritable(_))));
    assert_eq!(bytes(&store), "{\"opportunities\": []}");
}

#[test]
fn links_and_folders_outside_are_refused() {
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::write(elsewhere.path().join(FILE), "{\"opportunities\": []}").unwrap();
    let linked = |at: &str, to: &Path| {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join(at);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(to, &link).unwrap();
        let store = real(dir.path());
        assert!(
            matches!(add(&store, "x"), Err(BacklogError::Store(StoreError::WrongKind { .. }))),
            "{at}"
        );
        // A lock that is a link does not affect readers, who take none.
        assert_eq!(store.read().is_err(), !at.ends_with(LOCK), "{at}");
    };
    linked(".swarm", elsewhere.path());
    linked(".swarm/backlog", elsewhere.path());
    linked(".swarm/backlog/candidates.json", &elsewhere.path().join(FILE));
    linked(".swarm/backlog/candidates.lock", &elsewhere.path().join("new"));
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 1);
    for folder in ["../up", "/tmp", "a/../../b"] {
        let store = BacklogStore { folder: folder.to_owned(), ..real(elsewhere.path()) };
        assert!(matches!(store.read(), Err(BacklogError::Outside { .. })), "{folder}");
    }
}

#[test]
fn a_lock_that_is_held_is_waited_for_and_its_holder_is_named() {
    let (_dir, store) = holding("{\"opportunities\": []}");
    let path = store.dir().join(LOCK);
    let fs = store.fs.as_ref();
    let soon = std::time::Duration::from_millis(5);
    let held = acquire(fs, &path, clock(), soon).unwrap();
    let error = acquire(fs, &path, clock(), soon).unwrap_err().to_string();
    assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
    assert!(store.read().is_ok(), "readers need no lock");
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| add(&store, "x"));
        drop(held);
        waits.join().unwrap().unwrap();
    });
    let lockless = MemFs::new(Path::new(ROOT));
    lockless.without_locks();
    let other = BacklogStore { fs: Arc::new(lockless), root: ROOT.into(), ..store };
    let refused = add(&other, "x");
    assert!(matches!(refused, Err(BacklogError::Store(StoreError::LockUnsupported { .. }))));
}

fn session(id: &str) -> DebateSession {
    serde_json::from_value(json!({ "session_id": id, "started_at": "2026-06-01T00:00:00Z" }))
        .unwrap()
}

const OLD: &str = "01900000-0000-7000-8000-000000000001";
const NEW: &str = "01900000-0000-7000-8000-000000000002";

fn ranked(titles: &[&str]) -> Vec<Opportunity> {
    (1..)
        .zip(titles)
        .map(|(rank, title)| Opportunity {
            priority_rank: Some(rank),
            disposition: Some(Disposition::Prioritize),
            status: OpportunityStatus::Discovered,
            ..item(title)
        })
        .collect()
}

#[test]
fn a_debate_gives_ranks_and_takes_no_decision_back() {
    let fs = MemFs::new(Path::new(ROOT));
    let store = store(&fs);
    for title in ["A", "B", "C"] {
        add(&store, title).unwrap();
    }
    store
        .change(|items| {
            items[0].status = OpportunityStatus::Accepted;
            items[1].status = OpportunityStatus::Actionable;
            Ok::<_, BacklogError>(())
        })
        .unwrap();
    let order = ranked(&["C", "A", "B", "Unknown"]);
    let applied = store.apply_debate(&session(NEW), &order).unwrap();
    assert_eq!((applied.ranked.len(), applied.left_alone.len()), (2, 1));
    let items = store.read().unwrap().opportunities;
    let ranks: Vec<_> = items.iter().map(|item| item.priority_rank).collect();
    assert_eq!(ranks, [None, Some(3), Some(1)]);
    assert_eq!(items[0].status, OpportunityStatus::Accepted);
    assert_eq!(items[1].status, OpportunityStatus::Actionable);
    assert_eq!(items[1].debate_session_id.as_deref(), Some(NEW));
    let tree = fs.tree(Path::new(ROOT));
    assert!(tree.contains_key(&store.dir().join(format!("debates/{NEW}.json"))));
    // Again, and an older debate arriving late: nothing changes.
    store.apply_debate(&session(NEW), &order).unwrap();
    assert_eq!(tree, fs.tree(Path::new(ROOT)));
    let late = store.apply_debate(&session(OLD), &ranked(&["B", "C"])).unwrap();
    assert_eq!((late.ranked.len(), late.left_alone.len()), (0, 2));
    assert_eq!(store.read().unwrap().opportunities, items);
    // The same session, resumed: its latest result counts.
    store.apply_debate(&session(NEW), &ranked(&["B", "C"])).unwrap();
    assert_eq!(store.read().unwrap().opportunities[1].priority_rank, Some(1));
}

#[test]
fn a_debate_on_foreign_items_leaves_no_trace() {
    let fs = MemFs::new(Path::new(ROOT));
    let before = fs.tree(Path::new(ROOT));
    store(&fs).apply_debate(&session(NEW), &ranked(&["A"])).unwrap();
    assert_eq!(before, fs.tree(Path::new(ROOT)));
    assert!(store(&fs).apply_debate(&session("../x"), &ranked(&["A"])).is_err());
}
