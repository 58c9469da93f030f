# Sourced before the `setup` of each run: projects, and what the fakes say. JSON is written out, ids are the program's.

scenario=$HOME/.fake/scenario

named() { echo "$1" | tr / _; }

block() { printf '<<<%s_START>>>\n%s\n<<<%s_END>>>\n' "$1" "$2" "$1"; }

# says TURN NAME JSON: a turn answers with this block alone; `also` adds one.
says() { block "$2" "$3" >"$scenario/$(named "$1").txt"; }
also() { block "$2" "$3" >>"$scenario/$(named "$1").txt"; }

# does TURN SHELL: what a turn does before it answers. `does r1/critic.1` is its first attempt alone.
does() { printf '%s\n' "$2" >"$scenario/$(named "$1").sh"; }

# how TURN JSON: how a turn or a CLI answers; dead TURN...: it does not.
how() { printf '%s\n' "$2" >"$scenario/$(named "$1").json"; }
dead() { for turn; do how "$turn" '{"error": "not_logged_in"}'; done; }

# waits TURN[.N]: it writes `$fake/here`, and goes on for longer than anybody waits.
waits() { does "$1" ': >"$fake/here"; exec sleep 100'; }

six() { cp "$FIXTURES/opportunities/six.json" backlog.json; }

repository() { git init --quiet --initial-branch=main; }
commit() { git add --all; git commit --quiet --message "$1"; }

before() { cat <<'P'
import sqlite3


def find(db, name):
    cursor = db.execute("SELECT * FROM users WHERE name = ?", (name,))
    return cursor.fetchone()


def last(items):
    return items[len(items) - 1]
P
}

# A repository whose working tree plants two bugs in `src/store.py`.
planted() {
    repository
    mkdir -p src
    before >src/store.py
    commit Begin
    before | sed -e "s/WHERE name = ?\", (name,))/WHERE name = '\" + name + \"'\")/" -e 's/len(items) - 1/len(items)/' >src/store.py
}

# position SUMMARY CLAIM..., points of importance 2; stances POINT=STANCE...
position() {
    summary=$1; shift; points=
    for claim; do points="$points${points:+, }{\"id\": \"x\", \"claim\": \"$claim\", \"reasoning\": \"It was measured.\", \"evidence\": [\"The load test of May\"], \"importance\": 2}"; done
    printf '{"summary": "%s", "points": [%s], "concedes": [], "risks": ["It may take longer."], "confidence": 0.7, "code_change_required": true}' "$summary" "$points"
}
stances() {
    all=
    for each; do
        case $each in *=partly) amendment='"Only for reads."' ;; *) amendment=null ;; esac
        all="$all${all:+, }{\"point\": \"${each%=*}\", \"stance\": \"${each#*=}\", \"reason\": \"I thought it through.\", \"amendment\": $amendment}"
    done
    printf '{"stances": [%s], "missing": []}' "$all"
}

# argument TYPE TEXT [MORE]: a typed argument; MORE replaces what stands between the evidence and the risks.
argument() {
    printf '{"type": "%s", "content": {"text": "%s"%s}, "references": [], "evidence": [], "confidence_score": 0.7, "impact_areas": [], "concerns": %s, "addresses": %s, "feasibility": 0.5, "risks": []}' \
        "$1" "$2" "${3:-}" "${4:-[]}" "${5:-[]}"
}

# A round of typed arguments that the adversary counters: countered ROUND STANCE...
countered() {
    round=r$1; shift
    says "$round/proposal" ARGUMENT "$(argument proposal 'Move the cache to Redis.')"
    says "$round/challenge" ARGUMENT "$(argument challenge 'Redis can fail.' '' '[{"id": "x", "text": "There is no way back."}]')"
    says "$round/defense" ARGUMENT "$(argument defense 'So can a disk.')"
    says "$round/reply" ARGUMENT "$(argument counter 'A disk is ours.')"
    says "$round/resolution" ARGUMENT "$(argument resolution 'Move the reads.' ', "points": [{"id": "x", "claim": "Move the reads.", "importance": 3}, {"id": "x", "claim": "Move the writes.", "importance": 3}], "code_change_required": true')"
    says "$round/stances" STANCES "$(stances "$@")"
}

# answers SEAT TEXT, votes TURN TEXT: of a panel.
answers() { says "r1/answer/$1" ANSWER "{\"answer\": \"$2\", \"reasons\": [\"It was measured.\"], \"evidence\": [], \"confidence\": 0.6}"; }
votes() { says "$1" VOTE "{\"choice\": \"@{$2}\", \"same_as\": [], \"changed\": false, \"moved_by\": null, \"reason\": \"It is the better one.\"}"; }
# rules TEXT TEXT: what the judge chooses in the two orders.
rules() {
    says r4/judge/own ANSWER '{"answer": "Ask again in a year.", "reasons": ["It is early."], "evidence": [], "confidence": 0.4}'
    points=
    for text in Redis Files Memcached; do points="$points${points:+, }{\"id\": \"@{$text}\", \"ruling\": \"It holds in part.\", \"reason\": \"I tested it.\"}"; done
    for order in first second; do
        says r4/judge/$order JUDGEMENT "{\"points\": [$points], \"position\": \"@{$1}\", \"confidence\": 0.8, \"code_change_required\": true}"
        shift
    done
}

# critique PERSPECTIVE RATING [WEAKNESSES SUGGESTIONS RISK MISSING]
critique() {
    says "r1/$1" CRITIQUE "{\"strengths\": [\"It is short.\"], \"weaknesses\": ${3:-[]}, \"suggestions\": ${4:-[]}, \"rating\": $2, \"risk_level\": \"${5:-low}\", \"risks\": [], \"covered\": [], \"missing_requirements\": ${6:-[]}}"
}

# A document and the context that `coverage` checks it against.
brief() {
    mkdir -p docs spec
    printf '# Product brief\n\n## Goals\n\nMove the cache out of the process, so that it survives a restart.\n\n## Risks\n\nTBD\n' >docs/brief.md
    echo '{"seed_analysis": {"constraints": ["The cache survives a restart.", "Two processes share it."]}}' >spec/discovery-context.json
}

# A report with these failing tests.
failing() {
    mkdir -p tests
    printf 'def test_passes():\n    pass\n' >tests/test_shop.py
    { echo '<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" tests="9" failures="9" errors="0" skipped="0">'
      for name; do echo "<testcase classname=\"tests.test_shop\" name=\"$name\" time=\"0.01\"><failure message=\"assert 1 == 2: $name\">tests/test_shop.py:7: AssertionError</failure></testcase>"; done
      echo '<testcase classname="tests.test_shop" name="test_passes" time="0.01"/></testsuite></testsuites>'; } >junit.xml
    touch -d 2026-01-14T12:00:00Z junit.xml tests/test_shop.py
}

# A repository with something for every agent of discovery.
shop() {
    repository
    failing test_login test_logout test_cart
    mkdir -p shop
    { echo 'def ship_everything(x):'
      for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do printf '    if x:\n        x -= 1\n'; done
      echo '    return x'
      for _ in $(seq 520); do echo 'x = 1'; done; } >shop/orders.py
    printf 'def add(x):\n    return x\n' >shop/cart.py
    printf 'from shop.cart import add\n' >tests/test_cart.py
    { echo '<?xml version="1.0"?><coverage><packages><package name="p"><classes><class name="c" filename="shop/orders.py"><lines>'
      for line in $(seq 20); do echo "<line number=\"$line\" hits=\"$((line < 3))\"/>"; done
      echo '</lines></class></classes></package></packages></coverage>'; } >coverage.xml
    printf '# Shop\n\nSells things.\n' >README.md
    GIT_COMMITTER_DATE=2025-11-01T12:00:00Z GIT_AUTHOR_DATE=2025-11-01T12:00:00Z commit Begin
    git checkout --quiet -b half-done
    echo 'def pay(): pass' >shop/pay.py
    GIT_COMMITTER_DATE=2025-11-02T12:00:00Z GIT_AUTHOR_DATE=2025-11-02T12:00:00Z commit 'Begin to take money'
    git checkout --quiet main
    find . -path ./.git -prune -o -type f -exec touch -d 2026-01-14T12:00:00Z {} +
}

# Sinks, and the repository and issue that their fakes hold.
sinks() {
    mkdir -p "$HOME/.fake/sinks"
    first=c000000000000000000000000000000000000000
    printf '{"repos": {"acme/app": {"default_branch": "main", "issues": {"7": {"state": "open"}}, "refs": {"heads/main": "%s"}, "commits": {"%s": {"tree": "t0"}}}}}' \
        $first $first >"$HOME/.fake/sinks/state.json"
    says r1/propose POSITION "$(position 'Move the cache to Redis.' 'Redis survives a restart.' 'Two processes share it.')"
    says r1/review STANCES "$(stances A1=agree A2=agree)"
    also r1/review POSITION "$(position 'Keep the cache in the process.' 'It is fast enough.')"
}
