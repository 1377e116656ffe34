"""Lines of the raw files' layouts, and a server that can be made to fail."""

import http.server

import numpy as np

CONTENT = np.random.default_rng(3).bytes(200_000)


def person(age=39, sex="Male", race="White", income="<=50K", workclass="Private"):
    before = f"{age}, {workclass}, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family"
    return f"{before}, {race}, {sex}, 2174, 0, 40, United-States, {income}"


def video(name, age=700, category="Music", length=100, views=50, rate=4.5, ratings=10, comments=3, related=2):
    first = [name, "someone", age, category, length, views, rate, ratings, comments]
    return "\t".join(map(str, [*first, *(f"{name}r{i}" for i in range(related))]))


class Server(http.server.ThreadingHTTPServer):
    """Serves ``content`` as ``adult.data``; stops after ``cut`` bytes; notes the ranges it was ``asked`` for.

    ``ranges``: "yes" resumes, "no" sends everything, "wrong" claims to begin elsewhere.
    """

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.content, self.cut, self.ranges, self.asked = CONTENT, None, "yes", []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/adult.data"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        wanted = self.headers.get("Range")
        self.server.asked.append(wanted)
        content, status, start = self.server.content, 200, 0
        if self.path != "/adult.data":
            self.send_error(404)
            return
        if wanted and self.server.ranges != "no":
            start, status = int(wanted.removeprefix("bytes=").removesuffix("-")), 206
            if start >= len(content):
                self.send_error(416)
                return
        body = content[start:]
        self.send_response(status)
        if status == 206:
            shown = start + (self.server.ranges == "wrong")
            self.send_header("Content-Range", f"bytes {shown}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: self.server.cut])

    def log_message(self, *arguments):
        pass
