"""Servers on this machine, and the objects of a bucket."""

import contextlib
import functools
import http.server
import os
import pathlib
import re
import socket
import subprocess
import sys
import threading
import time

from common.programs import helper, run, tool

SECONDS = 100
BUCKET = "datasets"
KEYS = {"AWS_ACCESS_KEY_ID": "reader", "AWS_SECRET_ACCESS_KEY": "hush", "AWS_REGION": "us-east-1"}
# Options of nccopy and names of copies.
COPIES = [
    (["-k", "nc4"], "copy.nc"),
    (["-k", "nczarr"], "nczarr"),
    (["-k", "zarr3", "--consolidated"], "zarr3"),
    (["-k", "nczarr3"], "store.zip"),
]


def free_ports(count):
    """Returns free ports."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


@contextlib.contextmanager
def started(port, *command):
    """Yields a server after it responds at its port."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(f"{command[0]} does not start") from None
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


def moto():
    """Yields the address of a moto server."""
    port = free_ports(1)[0]
    return started(port, sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", port)


@contextlib.contextmanager
def helper_s3(*words):
    """Yields the S3 server of the helper program: its address, the directory of its bucket `bucket`, and its credentials as environment
    variables."""
    server = subprocess.Popen([*helper("s3"), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        url, bucket = (server.stdout.readline().strip() for _ in range(2))
        yield url, bucket, {**KEYS, "AWS_SECRET_ACCESS_KEY": "hush-this-is-secret"}
    finally:
        server.stdin.close()
        server.wait(20)


class ServedFiles(http.server.SimpleHTTPRequestHandler):
    """The files of a directory, with ranges if `ranges` is set."""

    ranges = True
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        path = pathlib.Path(self.translate_path(self.path))
        if not path.is_file():
            self.answer(404, b"")
            return
        data = path.read_bytes()
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if not asked or not self.ranges:
            self.answer(200, data)
            return
        first, last = int(asked[1]), min(int(asked[2]), len(data) - 1)
        if first >= len(data):
            self.answer(416, b"", ("Content-Range", f"bytes */{len(data)}"))
            return
        self.answer(206, data[first:last + 1], ("Content-Range", f"bytes {first}-{last}/{len(data)}"))

    def answer(self, status, data, *headers):
        self.send_response(status)
        for name, value in [*headers, ("Content-Length", str(len(data))), ("ETag", '"one"')]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


class WholeFiles(ServedFiles):
    ranges = False


def serve_folder(handler, folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


class Bucket:
    """A new bucket of moto."""

    def __init__(self, url):
        import boto3
        key, secret, region = KEYS.values()
        self.client = boto3.client("s3", endpoint_url=url, region_name=region, aws_access_key_id=key, aws_secret_access_key=secret)
        self.client.create_bucket(Bucket=BUCKET)

    def put(self, key, data):
        self.client.put_object(Bucket=BUCKET, Key=key, Body=data)

    def objects(self, key):
        """Returns the objects with a key, and below the key."""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=key)
        names = [entry["Key"] for page in pages for entry in page.get("Contents", [])]
        return {name.removeprefix(key).removeprefix("/"): self.client.get_object(Bucket=BUCKET, Key=name)["Body"].read()
                for name in names}

    def unfinished(self):
        """Returns unfinished uploads."""
        return self.client.list_multipart_uploads(Bucket=BUCKET).get("Uploads", [])


def only(variables):
    """Returns an environment with these variables, and without other relevant variables."""
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    return {**kept, "HOME": "/nonexistent", "NO_PROXY": "127.0.0.1", **variables}


def run_tool(variables, name, *words):
    """Runs one of our tools with these environment variables, and without other relevant variables."""
    return run(tool(name), *words, seconds=SECONDS, env=only(variables))


def same_store_text(here, path, there, address):
    """Checks whether zdump or ncdump prints the same for a local store and for a store at an address."""
    return here.status == there.status and here.out.replace(str(path).encode(), b"") == there.out.replace(address.encode(), b"")
