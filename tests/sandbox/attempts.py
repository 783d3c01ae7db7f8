"""What code may try to get out: each attempt prints ESCAPED where it succeeds, as it does outside the sandbox.

Names in braces are filled in by the tests: folder, secret (a file there), port (of a listening server), descriptor (of
a file that this process holds open), parent (its process id), site (where packages are installed).
"""

from __future__ import annotations

# Native calls without ctypes' name: the class is still among those of the process.
LIBC = """
import sys
try:
    import ctypes
    CDLL = ctypes.CDLL
except ImportError:
    def below(kind):
        for one in type.__subclasses__(kind):
            yield one
            yield from below(one)
    CDLL = next(one for one in below(object) if one.__name__ == "CDLL")
libc = CDLL(None)
"""

ATTEMPTS = {
    "read the password file": "print('ESCAPED' if open('/etc/passwd').read() else '')",
    "read a file by its name": "print('ESCAPED' if open({secret!r}).read() else '')",
    "read a file by a low-level call": "import os\nprint('ESCAPED', os.read(os.open({secret!r}, 0), 9))",
    "list a folder": "import os\nprint('ESCAPED', os.listdir({folder!r}))",
    "look at a file": "import os\nprint('ESCAPED', os.stat({secret!r}))",
    "read the environment": "import os\nprint('ESCAPED', os.environ['ASSAY_TEST_SECRET'])",
    "read an open file of the parent": "import os\nprint('ESCAPED', os.pread({descriptor}, 9, 0))",
    "read its own memory map": "print('ESCAPED', open('/proc/self/maps').read()[:9])",
    "read the parent's environment": "print('ESCAPED', open('/proc/{parent}/environ').read()[:0])",
    "write a file": "open({folder!r} + '/new', 'w').write('x')\nprint('ESCAPED')",
    "make a link out": "import os\nos.symlink({secret!r}, {folder!r} + '/link')\nprint('ESCAPED')",
    "remove a file": "import os\nos.unlink({folder!r} + '/spare')\nprint('ESCAPED')",
    "change the folder": "import os\nos.chdir({folder!r})\nprint('ESCAPED')",
    "connect to a server": "import socket\nsocket.create_connection(('127.0.0.1', {port}))\nprint('ESCAPED')",
    "make a raw socket by a low-level call": LIBC + "print('ESCAPED' if libc.socket(2, 1, 0) >= 0 else '')",
    "fork": "import os\nprint('ESCAPED' if os.fork() >= 0 else '')",
    "run a shell": "import os\nprint('ESCAPED' if os.system('true') == 0 else '')",
    "run a program": "import subprocess\nsubprocess.run(['true'], check=True)\nprint('ESCAPED')",
    "spawn a program": "import os\nos.posix_spawn('/bin/true', ['true'], dict())\nprint('ESCAPED')",
    "become a program": "import os\nos.execv('/bin/echo', ['echo', 'ESCAPED'])",
    "start a thread": "import _thread\n_thread.start_new_thread(lambda: None, ())\nprint('ESCAPED')",
    "signal the parent": "import os\nos.kill({parent}, 0)\nprint('ESCAPED')",
    "catch a signal": "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nprint('ESCAPED')",
    "make a pipe": "import os\nprint('ESCAPED', os.pipe())",
    "load a package with native code": "import sys\nsys.path.insert(0, {site!r})\nimport numpy\nprint('ESCAPED')",
    "load a package by a finder of its own": (
        "import sys\nfrom importlib.machinery import PathFinder\nsys.meta_path.insert(0, PathFinder)\n"
        "sys.path.insert(0, {site!r})\nimport numpy\nprint('ESCAPED')"
    ),
    "load a library": LIBC + "CDLL('libresolv.so.2')\nprint('ESCAPED')",
    "open a file from native code": LIBC + "print('ESCAPED' if libc.open({secret!r}.encode(), 0) >= 0 else '')",
    "make memory executable": (
        LIBC + "print('ESCAPED' if libc.mmap(0, 4096, 7, 0x22, -1, 0) != -1 else '')"
    ),
    "make a file in memory": LIBC + "print('ESCAPED' if libc.memfd_create(b'x', 0) >= 0 else '')",
    "trace the parent's memory": LIBC + "print('ESCAPED' if libc.syscall(310, {parent}, 0, 0, 0, 0, 0) == 0 else '')",
    "raise its limits": LIBC + "import array\nprint('ESCAPED' if libc.prlimit(0, 9, 0, bytes(16)) == 0 else '')",
    "ask for another filter": LIBC + "print('ESCAPED' if libc.prctl(38, 1, 0, 0, 0) == 0 else '')",
    "map a folder over another": LIBC + "print('ESCAPED' if libc.unshare(0x20000) == 0 else '')",
    "walk frames to a module": (
        "import sys\nframe = sys._getframe()\nwhile frame.f_back: frame = frame.f_back\n"
        "names = frame.f_globals\nnames = names if 'os' in names else dict(os=sys.modules['os'])\n"
        "print('ESCAPED', names['os'].listdir({folder!r}))"
    ),
    "climb from a class to a loader": (
        "loader = [one for one in object.__subclasses__() if one.__name__ == 'FileLoader'][0]\n"
        "print('ESCAPED', loader.get_data(loader('x', {secret!r}), {secret!r}))"
    ),
    "run a pickled command": (
        "import pickle\nprint('ESCAPED', pickle.loads(b\"cos\\nsystem\\n(S'true'\\ntR.\"))"
    ),
    "hide a command in a copy": (
        "import copy, os\nclass Trap:\n    def __reduce__(self): return os.listdir, ({folder!r},)\n"
        "print('ESCAPED', copy.copy(Trap()))"
    ),
    "leave something to run at the end": (
        "class Last:\n    def __del__(self, open=open): print('ESCAPED' if open({secret!r}).read() else '')\n"
        "import sys\nlast = Last()\nsys.modules['last'] = last\ndel last, sys.modules['last']"
    ),
}  # fmt: skip

# What takes more than its share, and how that ends.
BOMBS = {
    "loop for ever": ("while True: pass", {"time"}),
    "loop in one instruction": ("sum(iter(int, 1))", {"time"}),
    "match for ever": ("import re\nre.match('(a+)+$', 'a' * 60 + 'b')", {"time"}),
    "sleep": ("import time\ntime.sleep(1000)", {"time"}),
    "wait for input": ("input()", {"error"}),
    "fork without end": ("import os\nwhile True: os.fork()", {"error"}),
    "fill memory": ("held = []\nwhile True: held.append('x' * 10**7)", {"memory"}),
    "ask for all memory at once": ("bytearray(10**12)", {"memory"}),
    "make a huge string": ("'x' * 10**11", {"memory"}),
    "make a huge number": ("10 ** 10 ** 9", {"memory", "time"}),
    "print a huge number": ("print(10 ** 5000)", {"error"}),
    "print without end": ("while True: print('x' * 1000)", {"output"}),
    "complain without end": ("import sys\nwhile True: print('x' * 1000, file=sys.stderr)", {"output"}),
    "call itself": ("def f(): return f()\nf()", {"error"}),
    "call itself without a limit": (
        "import sys\nsys.setrecursionlimit(10**9)\ndef f(x): return [f(x) for _ in 'a']\nf(1)",
        {"memory", "crashed", "time"},
    ),
    "nest without end": ("eval('(' * 10**5 + ')' * 10**5)", {"error", "memory", "crashed"}),
    "break the interpreter": (LIBC + "libc.strlen(1)", {"crashed"}),
    "use the other table of system calls": (LIBC + "libc.syscall(0x40000002, b'/', 0)", {"crashed"}),
}
