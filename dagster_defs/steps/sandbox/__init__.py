"""Runs Python that a model wrote, where it can compute and nothing else.

Every piece of code gets a fresh interpreter (`inside.py`) with an environment of its own, which loads the modules
for mathematics and then gives up, for good, all but a dozen system calls: a seccomp filter lets it take and give back
memory, look at the clock, draw random bytes, write to its two pipes, and end. Opening any file, a socket, another
process, a thread, a signal or memory to execute is refused by the kernel, so that it does not matter what Python can be
talked into: code of its own in the process would have no more. There is no scratch directory since there are no files.
Limits on processor time, memory and the size of files are the kernel's (rlimits); on wall time and output ours. Where
user namespaces are to be had, the process also leaves the network and the other namespaces; nothing hangs on that.

Why so. A filter needs no privilege and works in containers, most of which forbid user namespaces, and mounts all the
more; Landlock guards files alone. pyseccomp binds a library under the LGPL, and a filter of thirty instructions needs
none. pydantic-monty (MIT, 1.4.0), an interpreter without a system below it, lacks `statistics` and `fractions`; no
registry package has a CPython for WebAssembly with its library. Where the kernel offers no filter, nothing is run.
"""

from dagster_defs.steps.sandbox.run import Limits, Ran, RanOutcome, SandboxMissing, run

__all__ = ["Limits", "Ran", "RanOutcome", "SandboxMissing", "run"]
