"""Positions of repeated texts, found by address or by word, lead back to the texts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyside.bridge.embedded import session


@pytest.fixture(scope="module", autouse=True)
def gate() -> Iterator[None]:
    with session().gate():
        yield


SHORT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=4)


@given(st.lists(SHORT, min_size=1, max_size=20), st.integers(0, 2**32 - 1), st.integers(0, 50))
def test_short_texts_come_back(distinct: list[str], seed: int, offset: int) -> None:
    from pyside.bridge.convert.repeated import positions_of_short_texts

    drawn = np.random.default_rng(seed).integers(0, len(distinct), 300 + offset)
    texts = pa.array([distinct[i] for i in drawn], pa.large_string()).slice(offset)
    found = positions_of_short_texts(texts)
    if max(len(text.encode()) for text in texts.to_pylist()) > 8:
        assert found is None
    elif found is not None:
        positions, some = found
        assert some.take(pa.array(positions)).equals(texts)


def test_short_texts_over_several_blocks_come_back() -> None:
    from pyside.bridge.convert.repeated import positions_of_short_texts

    distinct = np.array(["", "a", "ab", "abcdefgh", "é", "日本"], dtype=object)
    drawn = np.random.default_rng(1).integers(0, 6, 600_000)
    drawn[:500_000] %= 5  # one comes late
    texts = pa.array(distinct[drawn], pa.large_string())
    found = positions_of_short_texts(texts)
    assert found is not None
    assert found[1].take(pa.array(found[0])).equals(texts)


@pytest.mark.parametrize(
    "texts", [["abcdefghi"] * 30, ["a\0", "a"] * 30, ["a", None] * 30, [""] * 30]
)
def test_what_words_cannot_tell_apart_is_left(texts: list[str | None]) -> None:
    from pyside.bridge.convert.repeated import positions_of_short_texts

    assert positions_of_short_texts(pa.array(texts, pa.large_string())) is None


def test_objects_come_back() -> None:
    from pyside.bridge.convert.repeated import positions_of_objects

    distinct = np.array(["a", None, pd.NA, float("nan"), "".join(["a"]), "日本"], dtype=object)
    drawn = np.random.default_rng(1).integers(0, 6, 600_000)
    values = distinct[drawn]
    for some in (values, values[::-2]):
        found = positions_of_objects(some)
        assert found is not None
        positions, objects = found
        assert all(one is other for one, other in zip(objects[positions], some, strict=True))


def test_mostly_distinct_objects_are_left() -> None:
    from pyside.bridge.convert.repeated import positions_of_objects

    assert positions_of_objects(np.array([str(i) for i in range(9000)], dtype=object)) is None


@pytest.mark.parametrize("kind", ["object", "str", "category"])
def test_many_labels_cross_both_ways(kind: str) -> None:
    from pyside.bridge.convert import data_frame, from_r

    drawn = np.random.default_rng(2).integers(0, 3, 10_000)
    labels = pd.Series(np.array(["cat", "NA", "日本 dog"], dtype=object)[drawn], dtype=kind)
    labels[5_000] = None
    back = from_r(data_frame(pd.DataFrame({"label": labels})))["label"]
    assert back.isna().tolist() == labels.isna().tolist()
    assert back.dropna().astype(str).tolist() == labels.dropna().astype(str).tolist()


def test_a_text_that_cannot_cross_is_named_by_its_rows() -> None:
    from pyside.bridge.convert import data_frame
    from pyside.errors import ConversionError

    labels = np.array(["cat", "d\0g"], dtype=object)[np.arange(200) // 150]
    with pytest.raises(ConversionError, match="rows 151, 152"):
        data_frame(pd.DataFrame({"label": pd.Series(labels, dtype=object)}))
