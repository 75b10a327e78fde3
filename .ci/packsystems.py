"""Debian systems in directories, and a server with a certificate, for .ci/packs."""

import contextlib
import functools
import http.server
import os
import shutil
import ssl
import threading

from common import ROOT, run

class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, *_):
        pass


# Systems that were installed once. Each test changes a copy.
SYSTEMS = ROOT / "target" / "systems"
NETWORK = ("/etc/resolv.conf", "/etc/hosts")


@functools.cache
def mirror():
    """The package server of this machine for Debian."""
    found = run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Origin: Debian", check=True).text.split()
    return next(uri for uri in sorted(found, key=len))


@contextlib.contextmanager
def debian(release, folder, *packages):
    """A directory with a Debian release and packages, in a `with` block."""
    base = SYSTEMS / release
    if not base.exists():
        SYSTEMS.mkdir(parents=True, exist_ok=True)
        part = SYSTEMS / f"{release}.part"
        shutil.rmtree(part, ignore_errors=True)
        words = ["--variant=minbase", *([f"--include={','.join(packages)}"] if packages else [])]
        run("debootstrap", *words, release, part, mirror(), seconds=600, check=True)
        part.rename(base)
    root = folder / release
    run("cp", "-a", base, root, check=True)
    for file in NETWORK:
        if os.path.exists(file):
            shutil.copy(file, f"{root}{file}")
    yield root


def inside(root):
    """A function that runs a command within a system. `/proc` is mounted for the time of the command: tools start helpers by it."""
    enter = ("unshare", "--mount", "sh", "-c", 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"', root)
    variables = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    return lambda *words, **how: run(*enter, *words, env={**variables, **how.pop("env", {})}, **how)


def files_of(root, *but):
    """All paths below a directory, except those below the directories `but`: the target of a link, or whether it is a directory."""
    found = {}
    for folder, names, files in os.walk(root):
        short = os.path.relpath(folder, root)
        names[:] = [name for name in names if os.path.normpath(os.path.join(short, name)) not in but and name != "__pycache__"]
        for name in (*names, *files):
            path = os.path.join(folder, name)
            found[os.path.normpath(os.path.join(short, name))] = os.readlink(path) if os.path.islink(path) else os.path.isdir(path)
    return found


@contextlib.contextmanager
def certified_server(folder, served):
    """A server of a directory, whose certificate a new authority has signed: its address, and the certificate of the authority."""
    certificate, key = folder / "authority.crt", folder / "server.key"
    run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost",
        "-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:TRUE", check=True)
    leaf, request = folder / "server.crt", folder / "server.csr"
    run("openssl", "req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", folder / "leaf.key", "-out", request, "-subj", "/CN=localhost", check=True)
    (folder / "names").write_text("subjectAltName=DNS:localhost\n")
    run("openssl", "x509", "-req", "-in", request, "-CA", certificate, "-CAkey", key, "-days", "2", "-extfile", folder / "names", "-out", leaf, check=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(leaf, folder / "leaf.key")
    handler = functools.partial(QuietHandler, directory=served)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"https://localhost:{server.server_port}", certificate
        server.shutdown()
