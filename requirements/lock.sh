#!/usr/bin/env bash
# Pin every requirement, direct or not, for the extras of pyproject.toml. Run by `make lock`.
set -euo pipefail
cd "$(dirname "$0")/.."
UV=${UV:-uv}
compile() { "$UV" pip compile pyproject.toml --python-version 3.11 --no-header --no-annotate --quiet "$@"; }

compile --universal -o requirements/runtime.txt
compile --universal --extra dev -c requirements/runtime.txt -o requirements/dev.txt
# Not universal: mendeleev's bounds on pandas differ from Python 3.12 on, and the sample is rebuilt with 3.11.
compile --extra sample -c requirements/runtime.txt -o requirements/sample.txt
# torch is left out: pip installs it first (requirements/torch.txt), in the build its own configuration finds.
compile --extra models -c requirements/runtime.txt --no-emit-package torch -o requirements/models.txt
sed -i -E '/^(nvidia|cuda|triton)/d' requirements/models.txt
"$UV" pip compile requirements/harness.in --python-version 3.11 --no-header --no-annotate --quiet --universal \
    -o requirements/harness.txt
