"""The inside of the sandbox: a script of its own, started by `run.py` without packages; it imports nothing of Assay.

Reads code from standard input, confines itself, says READY on standard output, and runs the code. The value of a last
line that is an expression is printed, as a notebook does. Ends with 0, with 1 after an exception, with MEMORY when
memory ran out, and before READY with REFUSED and one line on standard error.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import resource
import signal
import socket
import struct
import sys
from typing import Any, NoReturn

READY = b"ready\n"
REFUSED = 3
MEMORY = 4
_LONGEST_LINE = 400

# What code may import: what it takes to compute, and what these import when they are first used.
MODULES = (
    "bisect", "calendar", "cmath", "collections", "collections.abc", "contextlib", "copy", "dataclasses", "datetime",
    "decimal", "enum", "fractions", "functools", "heapq", "itertools", "json", "math", "numbers", "operator", "pprint",
    "random", "re", "statistics", "string", "textwrap", "time", "traceback", "typing", "unicodedata",
)  # fmt: skip
_LAZY = ("_strptime", "encodings.ascii", "encodings.latin_1", "encodings.utf_8", "linecache")

# Numbers of system calls, from the kernel's syscall_64.tbl and asm-generic/unistd.h.
_ALWAYS = (
    "munmap", "brk", "mremap", "madvise", "rt_sigreturn", "nanosleep", "clock_nanosleep", "clock_gettime",
    "clock_getres", "gettimeofday", "getrandom", "exit", "exit_group",
)  # fmt: skip
_CALLS = {
    "x86_64": {
        "write": 1, "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigreturn": 15, "mremap": 25, "madvise": 28,
        "nanosleep": 35, "exit": 60, "gettimeofday": 96, "clock_gettime": 228, "clock_getres": 229,
        "clock_nanosleep": 230, "exit_group": 231, "getrandom": 318,
    },
    "aarch64": {
        "write": 64, "exit": 93, "exit_group": 94, "nanosleep": 101, "clock_gettime": 113, "clock_getres": 114,
        "clock_nanosleep": 115, "rt_sigreturn": 139, "gettimeofday": 169, "brk": 214, "munmap": 215, "mremap": 216,
        "mmap": 222, "mprotect": 226, "madvise": 233, "getrandom": 278,
    },
}  # fmt: skip
# AUDIT_ARCH_* of linux/audit.h.
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# Numbers from here on are x86-64's second table, x32.
_X32 = 0x40000000

# Classic BPF, linux/bpf_common.h and linux/seccomp.h; offsets into struct seccomp_data.
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENT = 0, 4, (16, 24, 32, 40, 48, 56)
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EPERM
_PROT_EXEC, _MAP_ANONYMOUS = 4, 0x20
_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS, _SECCOMP_MODE_FILTER = 1, 22, 38, 2
# CLONE_NEW* of user, network, IPC and host name.
_NAMESPACES = 0x10000000 | 0x40000000 | 0x08000000 | 0x04000000


def program(machine: str) -> bytes:
    """The filter for ``machine`` as instructions of classic BPF; raises KeyError for one it is not written for.

    A call of another architecture kills the process; any that is not listed fails with EPERM.
    """
    calls = _CALLS[machine]

    def step(code: int, k: int, yes: int = 0, no: int = 0) -> bytes:
        return struct.pack("=HBBI", code, yes, no, k)

    allow, refuse = step(_RETURN, _ALLOW), step(_RETURN, _REFUSE)
    steps = [step(_LOAD, _ARCHITECTURE), step(_EQUAL, _ARCHITECTURES[machine], 1), step(_RETURN, _KILL)]
    steps += [step(_LOAD, _NUMBER), step(_AT_LEAST, _X32, 0, 1), step(_RETURN, _KILL)]
    for name in _ALWAYS:
        steps += [step(_EQUAL, calls[name], 0, 1), allow]
    # Only to the two pipes.
    steps += [step(_EQUAL, calls["write"], 0, 5), step(_LOAD, _ARGUMENT[0])]
    steps += [step(_EQUAL, 1, 1), step(_EQUAL, 2, 0, 1), allow, refuse]
    # Memory that is no file's, and nothing to execute.
    steps += [step(_EQUAL, calls["mmap"], 0, 6), step(_LOAD, _ARGUMENT[2]), step(_ANY_BIT, _PROT_EXEC, 2)]
    steps += [step(_LOAD, _ARGUMENT[3]), step(_ANY_BIT, _MAP_ANONYMOUS, 1), refuse, allow]
    steps += [step(_EQUAL, calls["mprotect"], 0, 3), step(_LOAD, _ARGUMENT[2]), step(_ANY_BIT, _PROT_EXEC, 1), allow]
    return b"".join([*steps, refuse])


def confine(cpu_s: int, memory_bytes: int) -> None:
    """Give up everything but computing, for good. Raises OSError or KeyError where the system cannot do that."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.unshare(_NAMESPACES)
    instructions = program(platform.machine())
    held = ctypes.create_string_buffer(instructions, len(instructions))
    filled = struct.pack("@HP", len(instructions) // 8, ctypes.addressof(held))
    limits = {
        resource.RLIMIT_CPU: (cpu_s, cpu_s + 1),
        resource.RLIMIT_AS: (memory_bytes, memory_bytes),
        resource.RLIMIT_FSIZE: (0, 0),
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_NOFILE: (3, 3),
        resource.RLIMIT_NPROC: (0, 0),
    }
    for kind, both in limits.items():
        resource.setrlimit(kind, both)
    # Python ignores the first and catches the other; whoever writes to nobody, or computes too long, has to end.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for option in (
        (_PR_SET_PDEATHSIG, signal.SIGKILL, 0),
        (_PR_SET_NO_NEW_PRIVS, 1, 0),
        (_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, filled),
    ):
        if libc.prctl(option[0], ctypes.c_ulong(option[1]), option[2], 0, 0):
            raise OSError(ctypes.get_errno(), f"prctl({option[0]}): {os.strerror(ctypes.get_errno())}")
    _try_out()


def _try_out() -> None:
    """Raise OSError unless the filter holds: a file, a socket and a process are refused."""
    attempts: tuple[tuple[str, Any], ...] = (
        ("a file", lambda: os.open("/", os.O_RDONLY)),
        ("a socket", socket.socket),
        ("a signal", lambda: os.kill(os.getppid(), 0)),
    )
    for name, attempt in attempts:
        try:
            attempt()
        except PermissionError:
            continue
        raise OSError(errno.ENOSYS, f"the filter did not refuse {name}")


class _Nothing:
    """Finds no module, and says which there are."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> NoReturn:
        said = f"No module named '{name}' here; there are: {', '.join(MODULES)}"
        raise ModuleNotFoundError(said, name=name)


def execute(code: str) -> int:
    """Run ``code`` as a script; gives how the process is to end."""
    import ast
    import linecache
    import traceback

    linecache.cache["<code>"] = (len(code), None, code.splitlines(keepends=True), "<code>")
    names: dict[str, Any] = {"__name__": "__main__", "__builtins__": __builtins__}
    try:
        tree = ast.parse(code, "<code>")
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "<code>", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<code>", "eval"), names)
            if value is not None:
                print(repr(value))
    except SystemExit as error:
        return 0 if not error.code else 1
    except MemoryError:
        names.clear()
        print("MemoryError", file=sys.stderr)
        return MEMORY
    except BaseException as error:
        said = traceback.TracebackException.from_exception(error, limit=-8)
        # What is the sandbox's own would only puzzle; a line can be all of the code.
        said.stack[:] = [frame for frame in said.stack if frame.filename != __file__]
        for line in "".join(said.format(chain=False)).splitlines():
            print(line[:_LONGEST_LINE], file=sys.stderr)
        return 1
    return 0


def main() -> NoReturn:
    """Run what is on standard input; arguments are the limits: seconds of processor time, bytes of memory."""
    code = sys.stdin.buffer.read().decode("utf-8", "replace")
    for name in (*MODULES, *_LAZY):
        __import__(name)
    try:
        confine(int(sys.argv[1]), int(sys.argv[2]))
    except (KeyError, OSError, ValueError, AttributeError) as error:
        os.write(2, f"{type(error).__name__}: {error}".encode())
        os._exit(REFUSED)
    os.write(1, READY)
    sys.argv = [""]
    sys.path.clear()
    sys.meta_path[:] = [_Nothing()]
    for name in ("ctypes", "_ctypes", "socket", "_socket", "resource"):
        sys.modules.pop(name, None)
    end = 1
    try:
        end = execute(code)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        # Nothing that the code has left behind is run on the way out.
        os._exit(end)


if __name__ == "__main__":
    main()
