# What the scripts beside this share. They source it with BINARY and OUT as arguments, and go on at the repository's root.
set -euo pipefail

if [ $# = 0 ] || [ ! -x "$1" ]; then
    echo "usage: $0 BINARY [OUT], where BINARY is the built program" >&2
    exit 2
fi
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
binary=$(realpath "$1")
mkdir -p "${2:-$root/target/packages}"
out=$(realpath "${2:-$root/target/packages}")
cd "$root"

version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
description=$(sed -n 's/^description = "\(.*\)"/\1/p' Cargo.toml)
licence=$(sed -n 's/^license = "\(.*\)"/\1/p' Cargo.toml)

# The system that a program is for, in npm's words, by the file itself: ELF or Mach-O, and its machine.
case $(od -An -tx1 -N20 "$binary" | tr -d ' \n') in
7f454c46*3e00) platform=linux-x64 ;;
7f454c46*b700) platform=linux-arm64 ;;
cffaedfe07000001*) platform=darwin-x64 ;;
cffaedfe0c000001*) platform=darwin-arm64 ;;
*) echo "$binary is no program for Linux or macOS on x64 or arm64" >&2; exit 2 ;;
esac

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
