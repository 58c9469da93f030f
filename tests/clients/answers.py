"""Writes what the fakes of fixtures/bin say of the repository of `tests/clients/official`.

    answers.py SCENARIO_FOLDER review|plan|debate

Two reviewers find a planted bug, and one of them a second; two planners share a step; two debaters agree on two points.
Ranking a backlog and discussing an artifact need nothing from here: the fakes have answers of their own for those.
"""

import json
import sys
from pathlib import Path


def finding(severity, title, line, quote, detail, fix):
    return {
        "severity": severity, "title": title, "file": "store.py", "line": line, "quote": quote, "detail": detail, "fix": fix,
    }


def injection(title):
    return finding(
        "P0", title, 2, "return db.execute(\"SELECT * FROM items WHERE name = '\" + name + \"'\")",
        "A name with a quote in it ends the SQL string, and what follows is run.",
        "Pass it: db.execute(\"SELECT * FROM items WHERE name = ?\", (name,))",
    )


PAST_END = finding(
    "P1", "The index is past the end", 6, "return items[len(items)]", "Every call raises IndexError.", "return items[-1]",
)


def step(name, title, needs=()):
    return {
        "id": name, "phase": "1 store", "title": title, "description": f"{title}, and say how it was checked.",
        "files": [f"{name}.py"], "depends_on": list(needs), "acceptance": "The tests are green.",
    }


def plan(*steps):
    return {"steps": steps, "summary": "First the schema, then its readers.", "risks": ["Old files."], "open_questions": []}


def position(*claims):
    points = [
        {"id": f"x{number}", "claim": claim, "reasoning": "It was measured.", "evidence": ["design.md"], "importance": 2}
        for number, claim in enumerate(claims)
    ]
    return {
        "summary": claims[0], "points": points, "concedes": [], "risks": [], "confidence": 0.7, "code_change_required": True,
    }


def agree(key, *ids):
    return [{key: name, "stance": "agree", "reason": "I looked at it."} for name in ids]


def approve(*ids):
    return {"votes": [{"id": name, "vote": "approve", "reason": "I looked at it."} for name in ids]}


NONE = {"residual_risks": [], "open_questions": []}
ANSWERS = {
    "review": {
        "r1/review/s1": {"REVIEW": {"findings": [injection("SQL injection by name"), PAST_END], **NONE}},
        "r1/review/s2": {"REVIEW": {"findings": [injection("A string is put into SQL")], **NONE}},
        "r2/cross/s2": {"CROSS_REVIEW": {"judgements": agree("id", "F2"), "missed_issues": []}},
        "compose/s1": {
            "COMPOSITION": {"keep": [{"id": "F1"}, {"id": "F2"}], "merge": [], "eliminate": [], **NONE},
        },
        # The other finding is its own.
        "validate/s2": {"VALIDATION": approve("F2")},
    },
    # The ids follow the titles: S1 keeps a copy, S2 lets callers read, S3 is the step of both.
    "plan": {
        "r1/plan/s1": {
            "PLAN": plan(step("schema", "Write the new schema"), step("readers", "Let every caller read rows", ["schema"])),
        },
        "r1/plan/s2": {
            "PLAN": plan(step("schema", "Write the new schema"), step("backup", "Keep a copy of the data", ["schema"])),
        },
        "r2/cross/s1": {"PLAN_REVIEW": {"judgements": agree("id", "S1"), "missing_steps": []}},
        "r2/cross/s2": {"PLAN_REVIEW": {"judgements": agree("id", "S2"), "missing_steps": []}},
        "validate/s2": {"VALIDATION": approve("S2")},
        "validate/s1": {"VALIDATION": approve("S1")},
    },
    "debate": {
        "r1/propose": {"POSITION": position("REST is enough for this.", "Every client here speaks it.")},
        "r1/review": {
            "STANCES": {"stances": agree("point", "P1", "P2"), "missing": []},
            "POSITION": position("gRPC costs more than it gives."),
        },
    },
}


def write(folder, kind):
    """Lets the fakes say this, and nothing of the other kinds: a turn may have one name in two of them."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for turn, blocks in ANSWERS[kind].items():
        text = "".join(f"<<<{name}_START>>>\n{json.dumps(body)}\n<<<{name}_END>>>\n" for name, body in blocks.items())
        (folder / f"{turn.replace('/', '_')}.txt").write_text(text)


if __name__ == "__main__":
    write(Path(sys.argv[1]), sys.argv[2])
