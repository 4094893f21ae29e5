"""A client of the Language Server Protocol for tests: it starts the program, and speaks to it."""
import json
import pathlib
import queue
import subprocess
import threading

from program import ENVIRONMENT, PROGRAM

PATIENCE = 300  # seconds for an answer, before a test fails: no test waits so long when all is well


class Failed(Exception):
    """An answer with an error."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


class Client:
    """`with Client() as client:` initializes it, and shuts it down at the end."""

    def __init__(self, capabilities=None, arguments=(), initialize=True):
        self.process = subprocess.Popen([str(PROGRAM), "lsp", *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=ENVIRONMENT)
        self.messages = queue.Queue()
        self.notifications, self.requests, self.answers = [], [], {}
        self.last_id = 0
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.capabilities = None
        if initialize:
            self.capabilities = self.request("initialize", {
                "processId": None, "rootUri": None, "capabilities": capabilities or {}})
            self.notify("initialized", {})

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.process.kill()
            self.process.wait()
        else:
            status, errors = self.close()
            assert status == 0 and not errors, (status, errors)
        self._release()

    def _release(self):
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass

    def close(self):
        """Shuts it down; its exit status and what it said on standard error."""
        self.request("shutdown")
        self.notify("exit")
        return self.end()

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(timeout=PATIENCE)
        self.reader.join()
        errors = self.process.stderr.read().decode()
        self.process.stdout.close()
        self.process.stderr.close()
        return status, errors

    # ---- messages ----

    def _read(self):
        out = self.process.stdout
        while True:
            length = None
            while True:
                line = out.readline()
                if not line:
                    self.messages.put(None)
                    return
                if line in (b"\r\n", b"\n"):
                    break
                name, value = line.split(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            self.messages.put(json.loads(out.read(length).decode("utf-8")))

    def send_bytes(self, content):
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)
        self.process.stdin.flush()

    def send(self, message):
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def notify(self, method, params=None):
        self.send({"method": method, **({} if params is None else {"params": params})})

    def ask(self, method, params=None):
        """Sends a request; its id."""
        self.last_id += 1
        self.send({"id": self.last_id, "method": method,
                   **({} if params is None else {"params": params})})
        return self.last_id

    def take(self):
        """The next message: sorted to where it belongs."""
        message = self.messages.get(timeout=PATIENCE)
        assert message is not None, "the server has gone: " + self.process.stderr.read().decode()
        if "method" in message and "id" in message:
            self.requests.append(message)
            self.send({"id": message["id"], "result": None})
        elif "method" in message:
            self.notifications.append(message)
        else:
            self.answers[message["id"]] = message
        return message

    def answer(self, number):
        """What a request is answered; an error is raised."""
        while number not in self.answers:
            self.take()
        message = self.answers.pop(number)
        if "error" in message:
            raise Failed(message["error"])
        return message["result"]

    def request(self, method, params=None):
        return self.answer(self.ask(method, params))

    # ---- documents ----

    def open(self, uri, text, version=1, language="lin"):
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri, "languageId": language, "version": version, "text": text}})

    def change(self, uri, version, *changes):
        """Each change a text, or (start, end, text)."""
        self.notify("textDocument/didChange", {
            "textDocument": {"uri": uri, "version": version},
            "contentChanges": [change if isinstance(change, dict) else {"text": change}
                               for change in changes]})

    def diagnostics(self, uri, version):
        """Those that are published of this version."""
        while True:
            for message in self.notifications:
                params = message["params"]
                if (message["method"] == "textDocument/publishDiagnostics"
                        and params["uri"] == uri and params.get("version") == version):
                    return params["diagnostics"]
            self.take()

    def at(self, method, uri, line, character, **more):
        return self.request("textDocument/" + method, {
            "textDocument": {"uri": uri}, "position": {"line": line, "character": character},
            **more})

    def about(self, method, uri, **more):
        return self.request("textDocument/" + method, {"textDocument": {"uri": uri}, **more})

    def command(self, name, *arguments):
        return self.request("workspace/executeCommand",
                            {"command": "linchpin." + name, "arguments": list(arguments)})


def edit(line, start, end, text, last=None):
    """A change of one line, or up to another one."""
    return {"range": {"start": {"line": line, "character": start},
                      "end": {"line": line if last is None else last, "character": end}},
            "text": text}


def uri_of(path):
    return pathlib.Path(path).resolve().as_uri()
