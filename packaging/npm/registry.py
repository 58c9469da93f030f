"""Plays npm's registry on loopback with the packages of a folder: registry.py FOLDER PORT_FILE. For `packaging/check`.

All that is in no package of the folder is not found, as other platforms' packages would be before they are published.
"""

import base64
import hashlib
import http.server
import json
import pathlib
import sys
import tarfile
import urllib.parse

FOLDER, PORT_FILE = (pathlib.Path(each) for each in sys.argv[1:])


def packages():
    for path in FOLDER.glob("*.tgz"):
        with tarfile.open(path) as archive:
            manifest = json.load(archive.extractfile("package/package.json"))
        yield path, manifest


class Registry(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        wanted = urllib.parse.unquote(self.path).lstrip("/")
        for path, manifest in packages():
            if wanted == path.name:
                return self.answer(path.read_bytes())
            if wanted == manifest["name"]:
                digest = base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
                tarball = f"http://{self.headers['Host']}/{path.name}"
                manifest["dist"] = {"tarball": tarball, "integrity": f"sha512-{digest}"}
                version = manifest["version"]
                tags = {"dist-tags": {"latest": version}, "versions": {version: manifest}}
                return self.answer(json.dumps({"name": manifest["name"], **tags}).encode())
        self.send_error(404)

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
PORT_FILE.with_suffix(".new").write_text(str(server.server_port))
PORT_FILE.with_suffix(".new").rename(PORT_FILE)
server.serve_forever()
