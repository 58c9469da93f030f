"""Stands in for the models of Claude Code, Codex and Gemini CLI: model.py TOOL ARGUMENTS LOG.

Serves the three vendors' interfaces on a free port of this machine, which it prints. Whoever offers a tool whose name ends
with TOOL is told to call it with ARGUMENTS (JSON), once; the result that comes back is written to LOG, and ends the turn.

As a module it serves what `requests` and `live` say, and keeps every request that comes.
"""

import json
import re
import sys
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@dataclass
class Request:
    """A request to a model, as it came."""

    vendor: str
    path: str
    body: bytes
    content: dict
    # The texts of what the user said last.
    prompt: str
    # Results of tools that came with it.
    results: list = field(default_factory=list)

    def offers(self):
        """All tools that it offers."""
        # Codex sends those of its newer models as an item of the conversation.
        items = self.content["input"] if self.vendor == "openai" else []
        added = [tool for item in items if item.get("type") == "additional_tools" for tool in item["tools"]]
        return (self.content.get("tools") or []) + added

    def tools(self):
        """The names of all tools that it offers, those in groups too."""
        return list(names(self.offers()))


@dataclass
class Call:
    """What a model says in place of a text: a call of a tool."""

    name: str
    namespace: str | None
    arguments: dict


def names(tools):
    for tool in tools:
        nested = tool.get("tools", tool.get("functionDeclarations"))
        if nested is not None:
            yield from names(nested)
        else:
            # A tool of the vendor's own has no name, but a type, or is its only key.
            name = tool.get("name") or tool.get("type") or next(iter(tool))
            yield name
            # Codex's newer models get most tools as functions of the JavaScript that this one runs.
            if name == "exec":
                yield from (f"exec/{function}" for function in re.findall(r"^### `(\w+)`", tool["description"], re.M))


def offered(tools, ending, inside=None):
    """The name under which a request offers a tool, and the namespace in which that stands."""
    for tool in tools:
        nested = tool.get("tools") or tool.get("functionDeclarations")
        found = offered(nested, ending, tool.get("name")) if nested else None
        if found:
            return found
        if tool.get("name", "").endswith(ending):
            return tool["name"], inside
    return None


def texts(parts):
    """The texts of a message, however it writes them down."""
    if isinstance(parts, str):
        return [parts]
    return [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]


class Anthropic:
    path = "/v1/messages"

    def results(self, request):
        last = request["messages"][-1]["content"]
        return [part for part in last if isinstance(part, dict) and part.get("type") == "tool_result"]

    def prompt(self, request):
        said = [message["content"] for message in request["messages"] if message["role"] == "user"]
        return "\n".join(texts(said[-1])) if said else ""

    def events(self, request, said):
        if isinstance(said, Call):
            block, end = {"type": "tool_use", "id": "toolu_1", "name": said.name, "input": {}}, "tool_use"
            delta = {"type": "input_json_delta", "partial_json": json.dumps(said.arguments)}
        else:
            block, end, delta = {"type": "text", "text": ""}, "end_turn", {"type": "text_delta", "text": said}
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {
            "id": "msg_1", "type": "message", "role": "assistant", "model": request.get("model"), "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": usage,
        }
        return [
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": end, "stop_sequence": None}, "usage": usage},
            {"type": "message_stop"},
        ]


class OpenAi:
    path = "/v1/responses"

    def results(self, request):
        return [item for item in request["input"] if item.get("type") == "function_call_output"]

    def prompt(self, request):
        said = [item["content"] for item in request["input"] if item.get("role") == "user"]
        return "\n".join(texts(said[-1])) if said else ""

    def events(self, _, said):
        if isinstance(said, Call):
            item = {
                "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": said.name,
                "arguments": json.dumps(said.arguments),
            }
            item |= {"namespace": said.namespace} if said.namespace else {}
        else:
            item = {"type": "message", "id": "m_1", "role": "assistant", "content": [{"type": "output_text", "text": said}]}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        return [
            {"type": "response.created", "response": {"id": "r_1"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": "r_1", "output": [item], "usage": usage}},
        ]


class Google:
    path = "generatecontent"

    def results(self, request):
        return [part["functionResponse"] for part in request["contents"][-1]["parts"] if "functionResponse" in part]

    def prompt(self, request):
        said = [content["parts"] for content in request["contents"] if content.get("role") == "user"]
        return "\n".join(texts(said[-1])) if said else ""

    def events(self, _, said):
        call = isinstance(said, Call)
        part = {"functionCall": {"name": said.name, "args": said.arguments}} if call else {"text": said}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        return [{"candidates": [candidate], "usageMetadata": usage}]


WIRES = {"anthropic": Anthropic(), "openai": OpenAi(), "google": Google()}


def wire_of(path):
    """Whose interface a path belongs to; nobody's where no model is asked."""
    return next((vendor for vendor, wire in WIRES.items() if path.lower().endswith(wire.path)), None)


def line(event):
    """An event of a stream. Google's have no names."""
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        # Codex asks for a WebSocket first, and goes on without when it is told that there is none.
        wants_socket = "upgrade" in self.headers.get("connection", "").lower()
        self.reply(b"{}", "application/json", 426 if wants_socket else 200)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        path = self.path.partition("?")[0]
        vendor = wire_of(path)
        if vendor is None:
            return self.reply(b"{}", "application/json")
        wire, content = WIRES[vendor], json.loads(body or b"{}")
        request = Request(vendor, path, body, content, wire.prompt(content), wire.results(content))
        said = self.server.asked(request)
        events = wire.events(content, said)
        stream = path.endswith("streamGenerateContent") or content.get("stream")
        if not stream:
            return self.reply(json.dumps(events[0]).encode(), "application/json")
        return self.reply("".join(map(line, events)).encode(), "text/event-stream")

    def reply(self, body, kind, status=200):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Models(ThreadingHTTPServer):
    """The models of all vendors; `say` turns a request into a text or a call of a tool."""

    daemon_threads = True

    def handle_error(self, *_):
        """Who went away is no error here."""

    def __init__(self, say):
        super().__init__(("127.0.0.1", 0), Handler)
        self.say, self.requests, self.lock = say, [], threading.Lock()

    def asked(self, request):
        with self.lock:
            self.requests.append(request)
        return self.say(request)

    def start(self):
        """Serves beside the caller; returns where."""
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server_port}"


def main():
    tool, arguments, log = sys.argv[1], json.loads(sys.argv[2]), Path(sys.argv[3])

    def say(request):
        for result in request.results:
            with log.open("a") as kept:
                kept.write(json.dumps(result) + "\n")
        found = None if request.results else offered(request.offers(), tool)
        return Call(*found, arguments) if found else "Done."

    models = Models(say)
    print(models.server_port, flush=True)
    models.serve_forever()


if __name__ == "__main__":
    main()
