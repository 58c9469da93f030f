#!/bin/sh
# Written by `debate-agent hook install`, which may replace it; delete it to be without.
command -v debate-agent >/dev/null || {
    echo "debate-agent is not on PATH, so nothing is reviewed" >&2
    exit 0
}
exec debate-agent hook run @HOOK@ "$@"
