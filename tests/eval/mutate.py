"""Mutants of a source file: the documented operators of mutmut (Python), Stryker (JavaScript, TypeScript) and cargo-mutants (Rust).

Not all of them: only those that leave a line which reads like code somebody wrote. What empties a body, or puts XX into a text, is left out."""

import ast
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    operator: str
    start: int  # in bytes of the file
    end: int
    text: str

    def line(self, source):
        return source.count(b"\n", 0, self.start) + 1

    def apply(self, source):
        return source[: self.start] + self.text.encode() + source[self.end :]


def mutants(path, source):
    """All mutants of a file that can be read as its language, in the order of their places."""
    if path.endswith(".py"):
        found = Python(source).found
    elif path.endswith(".rs"):
        found = rust(source)
    else:
        found = javascript(source, path.endswith("ts"))
    return sorted(found, key=lambda mutant: (mutant.start, mutant.end, mutant.text))


# Python: the places are those of the syntax tree.

SWAPPED = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"), ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"),
    ast.And: ("and", "or"), ast.Or: ("or", "and"),
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"), ast.FloorDiv: ("//", "/"), ast.Mod: ("%", "/"),
    ast.LShift: ("<<", ">>"), ast.RShift: (">>", "<<"), ast.BitAnd: ("&", "|"), ast.BitOr: ("|", "&"), ast.BitXor: ("^", "&"),
}  # fmt: skip
METHODS = [
    ("lower", "upper"), ("lstrip", "rstrip"), ("find", "rfind"), ("ljust", "rjust"),
    ("removeprefix", "removesuffix"), ("partition", "rpartition"), ("startswith", "endswith"),
]  # fmt: skip
METHODS = dict(METHODS) | {second: first for first, second in METHODS}


def counts(node):
    """Whether an operand is plainly a number: an operator for numbers on texts and lists would be found by the first run."""
    match node:
        case ast.Constant(value=int() | float()):
            return True
        case ast.Call(func=ast.Name(id="len" | "int" | "round" | "abs" | "float" | "ord")):
            return True
        case ast.BinOp(left=left, right=right) | ast.UnaryOp(op=ast.USub(), operand=left as right):
            return counts(left) or counts(right)
    return False


class Python(ast.NodeVisitor):
    def __init__(self, source):
        self.source = source
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.found = []
        self.visit(ast.parse(source))

    def begin(self, node):
        return self.starts[node.lineno - 1] + node.col_offset

    def end(self, node):
        return self.starts[node.end_lineno - 1] + node.end_col_offset

    def add(self, operator, start, end, text):
        self.found.append(Mutant(operator, start, end, text))

    def between(self, kind, left, right, operator):
        """The operator between two operands, where nothing but spaces and brackets is around it."""
        before, after = SWAPPED[type(operator)]
        start = self.end(left)
        gap = self.source[start : self.begin(right)].decode()
        found = re.fullmatch(r"([\s)\\]*)" + re.escape(before).replace(r"\ ", r"\s+") + r"([\s(\\]*)", gap)
        if found:
            self.add(kind, start + found.end(1), start + found.start(2), after)

    def visit_Compare(self, node):
        operands = [node.left, *node.comparators]
        for left, operator, right in zip(operands, node.ops, operands[1:]):
            self.between("mutmut: comparison", left, right, operator)
        self.generic_visit(node)

    def visit_BoolOp(self, node):
        for left, right in zip(node.values, node.values[1:]):
            self.between("mutmut: and/or", left, right, node.op)
        self.generic_visit(node)

    def visit_BinOp(self, node):
        if type(node.op) in SWAPPED and (counts(node.left) or counts(node.right)):
            self.between("mutmut: arithmetic operator", node.left, node.right, node.op)
        self.generic_visit(node)

    def visit_AugAssign(self, node):
        start, end = self.end(node.target), self.begin(node.value)
        found = re.fullmatch(rb"(\s*)([+-])=(\s*)", self.source[start:end])
        if found and counts(node.value):
            self.add("mutmut: augmented assignment", start + found.start(2), start + found.end(2), {b"+": "-", b"-": "+"}[found[2]])
        self.generic_visit(node)

    def visit_UnaryOp(self, node):
        if isinstance(node.op, ast.Not) and not isinstance(node.operand, ast.BoolOp | ast.Compare):
            self.add("mutmut: not removed", self.begin(node), self.begin(node.operand), "")
        self.generic_visit(node)

    def visit_Constant(self, node):
        if node.value is True or node.value is False:
            self.add("mutmut: keyword", self.begin(node), self.end(node), str(not node.value))
        elif type(node.value) is int and abs(node.value) < 1000 and self.source[self.begin(node) : self.end(node)].isdigit():
            self.add("mutmut: number + 1", self.begin(node), self.end(node), str(node.value + 1))

    def visit_Break(self, node):
        self.add("mutmut: break", self.begin(node), self.end(node), "continue")

    def visit_Continue(self, node):
        self.add("mutmut: continue", self.begin(node), self.end(node), "break")

    def visit_Call(self, node):
        if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            end = self.end(node.func)
            self.add("mutmut: string method", end - len(node.func.attr), end, METHODS[node.func.attr])
        arguments = [*node.args, *node.keywords]
        if len(arguments) > 1 and isinstance(arguments[-1], ast.keyword) and arguments[-1].arg and arguments[-2].end_lineno == arguments[-1].end_lineno:
            self.add("mutmut: argument removed", self.end(arguments[-2]), self.end(arguments[-1]), "")
        self.generic_visit(node)

    # Nothing of what only types and tests read.
    def visit_FunctionDef(self, node):
        for part in (*node.args.defaults, *node.args.kw_defaults, *node.body):
            if part:
                self.visit(part)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_AnnAssign(self, node):
        if node.value:
            self.visit(node.value)

    def visit_ClassDef(self, node):
        for part in node.body:
            self.visit(part)

    def visit_While(self, node):
        for part in ([] if isinstance(node.test, ast.Constant) else [node.test]) + node.body + node.orelse:
            self.visit(part)

    def visit_Assert(self, node):
        pass

    def visit_If(self, node):
        if "TYPE_CHECKING" not in ast.dump(node.test):
            self.generic_visit(node)


# The others: the places are those of tokens outside of texts and comments.

JAVASCRIPT = re.compile(
    r"""(?P<blank>\s+|//[^\n]*|/\*.*?\*/|^\#![^\n]*)
    |(?P<text>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")
    |(?P<number>0[xXbBoO][\da-fA-F_]+n?|\d[\d_]*\.?\d*(?:[eE][+-]?\d+)?n?|\.\d+)
    |(?P<word>[\w$\u0080-\uffff#@]+)
    |(?P<sign>>>>=|===|!==|\*\*=|<<=|>>=|>>>|\.\.\.|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--|\+=|-=|\*=|/=|%=|&=|\|=|\^=|<<|>>|\*\*|.)""",
    re.S | re.X,
)
REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/[a-z]*")
RUST = re.compile(
    r"""(?P<blank>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<text>[bc]?r(?P<hashes>\#*)".*?"(?P=hashes)|[bc]?"(?:\\.|[^"\\])*"|b?'(?:\\[^']+|\\'|[^'\\])')
    |(?P<number>\d[\w]*(?:\.\d[\w]*)?)
    |(?P<word>'?[\w]+)
    |(?P<sign>\.\.\.|\.\.=|<<=|>>=|->|=>|==|!=|<=|>=|&&|\|\||\.\.|::|\+=|-=|\*=|/=|%=|\^=|&=|\|=|<<|>>|.)""",
    re.S | re.X,
)


@dataclass
class Token:
    kind: str
    text: str
    start: int  # in characters
    spaced: bool  # blank before it and after it


def javascript_tokens(source):
    tokens, at = [], 0
    while at < len(source):
        before = tokens[-1] if tokens else None
        # A slash divides only what is a value.
        value = before and (before.kind in ("number", "text") or before.text in (")", "]", "}") or before.kind == "word")
        value = value and before.text not in ("return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do", "yield", "await")
        found = None
        if source[at] == "/" and source[at : at + 2] not in ("//", "/*") and not value:
            found = REGEX.match(source, at)
        if source[at] == "`":
            end = template_end(source, at)
            tokens.append(Token("text", source[at:end], at, False))
            at = end
        elif found:
            tokens.append(Token("text", found[0], at, False))
            at = found.end()
        else:
            found = JAVASCRIPT.match(source, at)
            if found.lastgroup != "blank":
                tokens.append(Token(found.lastgroup, found[0], at, False))
            at = found.end()
    return spaced(tokens, source)


def template_end(source, at):
    depth, at = 0, at + 1
    while at < len(source):
        if source[at] == "\\":
            at += 1
        elif source.startswith("${", at):
            depth += 1
        elif source[at] == "}" and depth:
            depth -= 1
        elif source[at] == "`":
            if not depth:
                return at + 1
            at = template_end(source, at) - 1
        at += 1
    return at


def rust_tokens(source):
    tokens, at = [], 0
    while at < len(source):
        found = RUST.match(source, at)
        kind = "text" if found.lastgroup == "hashes" else found.lastgroup
        if kind != "blank":
            tokens.append(Token(kind, found[0], at, False))
        at = found.end()
    return spaced(tokens, source)


def spaced(tokens, source):
    for token in tokens:
        end = token.start + len(token.text)
        token.spaced = source[token.start - 1 : token.start].isspace() and source[end : end + 1].isspace()
    return tokens


class Found(list):
    def __init__(self, source):
        self.source = source

    def add(self, operator, start, end, text):
        place = len(self.source[:start].encode())
        self.append(Mutant(operator, place, place + len(self.source[start:end].encode()), text))


EQUALITY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===", "==": "!=", "!=": "=="}
LOGICAL = {"&&": "||", "||": "&&", "??": "&&"}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*"}
ASSIGNMENT = {"+=": "-=", "-=": "+=", "*=": "/=", "&=": "|=", "|=": "&=", "<<=": ">>=", ">>=": "<<="}
JAVASCRIPT_METHODS = {
    "startsWith": "endsWith", "endsWith": "startsWith", "toUpperCase": "toLowerCase", "toLowerCase": "toUpperCase", "trimStart": "trimEnd",
    "trimEnd": "trimStart", "some": "every", "every": "some", "min": "max", "max": "min",
}  # fmt: skip


def javascript(source, typed):
    source = source.decode()
    tokens, found = javascript_tokens(source), Found(source)
    for earlier, before, token, after in zip([None, *tokens], tokens, tokens[1:], tokens[2:]):
        text, start, end = token.text, token.start, token.start + len(token.text)
        if earlier and earlier.text == "while" and after.text == ")":
            continue  # an endless loop that would not be one
        texts = "text" in (before.kind, after.kind)
        if token.kind == "sign" and token.spaced:
            if text in EQUALITY:
                found.add("Stryker: EqualityOperator", start, end, EQUALITY[text])
            elif text in LOGICAL:
                found.add("Stryker: LogicalOperator", start, end, LOGICAL[text])
            elif text in ARITHMETIC and ("number" in (before.kind, after.kind) or before.text == "length"):
                found.add("Stryker: ArithmeticOperator", start, end, ARITHMETIC[text])
            elif text in ASSIGNMENT and not texts:
                found.add("Stryker: AssignmentOperator", start, end, ASSIGNMENT[text])
        elif text == "!" and before.text not in ("!", ")", "]", "}") and before.kind == "sign" and (after.kind == "word" or after.text == "("):
            found.add("Stryker: BooleanLiteral", start, end, "")
        elif text in ("true", "false") and before.text not in ((":", "|", "<", ".", "as") if typed else (".",)) and after.text != ":":
            found.add("Stryker: BooleanLiteral", start, end, "false" if text == "true" else "true")
        elif text in ("++", "--"):
            found.add("Stryker: UpdateOperator", start, end, "--" if text == "++" else "++")
        elif text == "?." and after.kind == "word":
            found.add("Stryker: OptionalChaining", start, end, ".")
        elif text in JAVASCRIPT_METHODS and before.text in (".", "?.") and after.text == "(":
            found.add("Stryker: MethodExpression", start, end, JAVASCRIPT_METHODS[text])
    return found


BINARY = {
    "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"], "<": ["==", ">"], ">": ["==", "<"], "<=": [">"], ">=": ["<"],
    "+": ["-", "*"], "-": ["+", "/"], "*": ["+", "/"], "/": ["%", "*"], "%": ["/", "+"], "<<": [">>"], ">>": ["<<"], "&": ["|", "^"],
    "+=": ["-=", "*="], "-=": ["+=", "/="], "<<=": [">>="], ">>=": ["<<="], "&=": ["|="], "|=": ["&="],
}  # fmt: skip


def rust(source):
    source = source.decode()
    tests = re.search(r"^\s*#\[cfg\((all\()?test\b", source, re.M)
    source_end = tests.start() if tests else len(source)
    tokens, found = rust_tokens(source), Found(source)
    for before, token, after in zip(tokens, tokens[1:], tokens[2:]):
        text, start, end = token.text, token.start, token.start + len(token.text)
        line = source[source.rfind("\n", 0, start) + 1 : source.find("\n", start)].strip()
        if start > source_end or re.match(r"(debug_)?assert|#!?\[|where\b|impl\b|pub trait\b|trait\b|type\b", line):
            continue
        if token.kind == "sign" and token.spaced and text in BINARY:
            # A bound of a type is a sum, too.
            if text == "+" and (before.text == ">" or re.match(r"[A-Z'?]", before.text) and re.match(r"[A-Z'?]", after.text)):
                continue
            found.extend(dict.fromkeys(binary(source, start, end, text)))
        elif text == "!" and before.kind == "sign" and before.text not in (">", "$", "[", "#") and (after.kind == "word" or after.text == "("):
            found.add("cargo-mutants: unary operator", start, end, "")
        elif text == "!" and before.text in ("if", "while", "return"):
            found.add("cargo-mutants: unary operator", start, end, "")
    return found


def binary(source, start, end, text):
    found = Found(source)
    for other in BINARY[text]:
        found.add("cargo-mutants: binary operator", start, end, other)
    return found
