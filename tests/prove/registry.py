"""Published sources, by the ordinary clients of their registries."""

import os
import re
import shutil
import tarfile

from cases import run


def unpack(archive, into):
    with tarfile.open(archive) as tar:
        tar.extractall(into.parent / "unpacked", filter="data")
    (top,) = (into.parent / "unpacked").iterdir()
    shutil.move(top, into)
    (into.parent / "unpacked").rmdir()


def fetch(case, version, into):
    """Puts the sources of one published version into the folder `into`, by the ordinary client of its registry. Returns the archive."""
    name = case["package"]
    into.parent.mkdir(parents=True)
    match case["ecosystem"]:
        case "pypi":
            run("pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", into.parent, f"{name}=={version}")
            (archive,) = into.parent.glob("*.tar.gz")
        case "npm":
            run("npm", "pack", "--silent", "--pack-destination", into.parent, f"{name}@{version}")
            (archive,) = into.parent.glob("*.tgz")
        case "crates":
            probe = into.parent / "probe"
            (probe / "src").mkdir(parents=True)
            (probe / "src/lib.rs").touch()
            package = '[package]\nname = "probe"\nversion = "0.0.0"\nedition = "2021"\n'
            (probe / "Cargo.toml").write_text(f'{package}[dependencies]\n{name} = "={version}"\n[workspace]\n')
            # Bad versions are often yanked: cargo takes such a one only from a lock file.
            (probe / "Cargo.lock").write_text(
                'version = 3\n[[package]]\nname = "probe"\nversion = "0.0.0"\n'
                f'dependencies = ["{name}"]\n[[package]]\nname = "{name}"\nversion = "{version}"\n'
                'source = "registry+https://github.com/rust-lang/crates.io-index"\n'
            )
            cargo_fetch(probe, into.parent / "cargo")
            (archive,) = into.parent.glob(f"cargo/registry/cache/*/{name}-{version}.crate")
    unpack(archive, into)
    if case["ecosystem"] == "crates":
        own_manifest(into)
    return archive


def cargo_fetch(tree, home):
    run("cargo", "fetch", cwd=tree, env=os.environ | {"CARGO_HOME": str(home.resolve())})


def own_manifest(tree):
    """The author's manifest in place of the published one, which finds no new tests; without what only other tests and benches need."""
    tables = re.split(r"^(?=\[)", (tree / "Cargo.toml.orig").read_text(), flags=re.M)
    dropped = re.compile(r"\[+(.*dev-dependencies|workspace|bench|example)\b")
    kept = [table for table in tables if not dropped.match(table)]
    (tree / "Cargo.toml").write_text("".join(kept).rstrip() + "\n\n[workspace]\n")
    (tree / "Cargo.toml.orig").unlink()


def install(case, repo, deps):
    """The dependencies of the test run, since the run itself has no network."""
    deps.mkdir(parents=True)
    match case["ecosystem"]:
        case "pypi":
            run("pip", "install", "-q", "--no-warn-conflicts", "--target", deps, *case["deps"])
        case "npm":
            run("npm", "install", "--silent", "--no-save", "--ignore-scripts", "--prefix", deps, *case["deps"])
        case "crates":
            cargo_fetch(repo, deps)
