"""Stands in for the models of Claude Code, Codex and Gemini CLI: model.py TOOL ARGUMENTS LOG.

Serves the three vendors' interfaces on a free port of this machine, which it prints. Whoever offers a tool whose name ends
with TOOL is told to call it with ARGUMENTS (JSON), once; the result that comes back is written to LOG, and ends the turn.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TOOL, ARGUMENTS, LOG = sys.argv[1], json.loads(sys.argv[2]), Path(sys.argv[3])


def offered(tools, inside=None):
    """The name under which a request offers the tool, and the namespace in which that stands."""
    for tool in tools:
        nested = tool.get("tools") or tool.get("functionDeclarations")
        found = offered(nested, tool.get("name")) if nested else None
        if found:
            return found
        if tool.get("name", "").endswith(TOOL):
            return tool["name"], inside
    return None


def anthropic(request):
    last = request["messages"][-1]["content"]
    results = [part for part in last if isinstance(part, dict) and part.get("type") == "tool_result"]
    call = None if results else offered(request.get("tools", []))
    if call:
        block, end = {"type": "tool_use", "id": "toolu_1", "name": call[0], "input": {}}, "tool_use"
        delta = {"type": "input_json_delta", "partial_json": json.dumps(ARGUMENTS)}
    else:
        block, end, delta = {"type": "text", "text": ""}, "end_turn", {"type": "text_delta", "text": "Done."}
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": request.get("model"), "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }
    return results, [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": end, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]


def openai(request):
    results = [item for item in request["input"] if item.get("type") == "function_call_output"]
    call = None if results else offered(request.get("tools", []))
    if call:
        item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": call[0], "arguments": json.dumps(ARGUMENTS)}
        item |= {"namespace": call[1]} if call[1] else {}
    else:
        item = {"type": "message", "id": "m_1", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    return results, [
        {"type": "response.created", "response": {"id": "r_1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r_1", "output": [item], "usage": usage}},
    ]


def google(request):
    parts = request["contents"][-1]["parts"]
    results = [part["functionResponse"] for part in parts if "functionResponse" in part]
    call = None if results else offered(request.get("tools", []))
    part = {"functionCall": {"name": call[0], "args": ARGUMENTS}} if call else {"text": "Done."}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return results, [{"candidates": [candidate], "usageMetadata": usage}]


def line(event):
    """An event of a stream. Google's have no names."""
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n"


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.reply(b"{}", "application/json")

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        path = self.path.partition("?")[0]
        wires = {"/v1/messages": anthropic, "/v1/responses": openai}
        wire = google if path.lower().endswith("generatecontent") else wires.get(path)
        if wire is None:
            return self.reply(b"{}", "application/json")
        results, events = wire(request)
        for result in results:
            with LOG.open("a") as log:
                log.write(json.dumps(result) + "\n")
        stream = path.endswith("streamGenerateContent") or request.get("stream")
        if not stream:
            return self.reply(json.dumps(events[0]).encode(), "application/json")
        return self.reply("".join(map(line, events)).encode(), "text/event-stream")

    def reply(self, body, kind):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
print(server.server_port, flush=True)
server.serve_forever()
