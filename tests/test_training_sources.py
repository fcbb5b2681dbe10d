from __future__ import annotations

import hashlib
import os
import pickle
import stat
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits
from torchvision.datasets import CIFAR10
from training_images import write_folder, write_image

from pyside.errors import ImageDataError
from pyside.training.archives import extract_images
from pyside.training.sources import ImageSet, check_known_classes, class_order, open_images


def found(data: Path | str) -> ImageSet:
    with open_images(str(data)) as images:
        return images


def zipped(folder: Path, archive: Path, *, prefix: str = "") -> Path:
    with zipfile.ZipFile(archive, "w") as opened:
        for path in sorted(folder.rglob("*")):
            opened.write(path, prefix + path.relative_to(folder).as_posix())
    return archive


def test_one_folder_per_class(tmp_path: Path) -> None:
    write_folder(tmp_path / "pets", {"dog": 2, "cat/kittens": 1, "cat": 1})
    images = found(tmp_path / "pets")
    assert images.name == "pets"
    assert not images.divided
    assert images.ids == ("cat/000.png", "cat/kittens/000.png", "dog/000.png", "dog/001.png")
    assert images.labels == ("cat", "cat", "dog", "dog")


def test_train_and_test_folders(tmp_path: Path) -> None:
    counts = {"train/a": 2, "train/b": 2, "val/a": 1, "test/a": 1, "test/b": 1}
    images = found(write_folder(tmp_path, counts))
    assert images.divided
    parts = dict(zip(images.ids, images.parts, strict=True))
    assert [parts[f"{part}/a/000.png"] for part in ("train", "val", "test")] == [
        "train",
        "val",
        "test",
    ]


def test_hidden_folders_and_files_and_other_files_are_passed_over(tmp_path: Path) -> None:
    write_folder(tmp_path, {"a": 1, "b": 1, ".ipynb_checkpoints": 1, "__MACOSX": 1})
    write_image(tmp_path / "a" / "._000.png")
    write_image(tmp_path / "a" / ".ipynb_checkpoints" / "x.png")
    (tmp_path / "a" / "notes.txt").write_text("about")
    assert found(tmp_path).ids == ("a/000.png", "b/000.png")


def test_classes_named_as_numbers_are_sorted_by_code_point_and_kept_as_text(
    tmp_path: Path,
) -> None:
    images = found(write_folder(tmp_path, {"2": 1, "10": 1, "01": 1}))
    assert class_order(images) == ("01", "10", "2")
    assert class_order(images, ["01", "2", "10"]) == ("01", "2", "10")


def test_other_classes_than_there_are_cannot_be_asked_for(tmp_path: Path) -> None:
    images = found(write_folder(tmp_path, {"a": 1, "b": 1}))
    with pytest.raises(ImageDataError, match=r"'c' not in the data; .*'b' not asked for"):
        class_order(images, ["a", "c"])


def test_a_test_folder_may_lack_a_class_but_not_add_one(tmp_path: Path) -> None:
    images = found(write_folder(tmp_path, {"train/a": 1, "train/b": 1, "test/b": 1}))
    assert class_order(images) == ("a", "b")
    write_image(tmp_path / "test" / "zebra" / "z.png")
    with pytest.raises(ImageDataError, match=r"'zebra', as in 'test/zebra/z\.png'"):
        class_order(found(tmp_path))


def test_unknown_classes_are_named(tmp_path: Path) -> None:
    images = found(write_folder(tmp_path, {"a": 1, "b": 1}))
    check_known_classes(images, ["b", "a", "c"])
    with pytest.raises(ImageDataError, match="unknown class 'b'"):
        check_known_classes(images, ["a"])


def test_one_class_is_too_few(tmp_path: Path) -> None:
    with pytest.raises(ImageDataError, match="two classes"):
        class_order(found(write_folder(tmp_path, {"a": 3})))


def test_a_class_called_train_is_a_class(tmp_path: Path) -> None:
    assert class_order(found(write_folder(tmp_path, {"bus": 1, "train": 1}))) == ("bus", "train")


@pytest.mark.parametrize("make", ["nothing", "no images", "loose images"])
def test_a_folder_without_images_in_classes(tmp_path: Path, make: str) -> None:
    if make == "no images":
        (tmp_path / "a").mkdir()
        (tmp_path / "a" / "notes.txt").touch()
    if make == "loose images":
        write_image(tmp_path / "x.png")
    with pytest.raises(ImageDataError) as caught:
        found(tmp_path)
    assert caught.value.found
    assert caught.value.fix


def test_an_empty_class_folder_is_named(tmp_path: Path) -> None:
    write_folder(tmp_path, {"train/a": 1, "train/b": 1, "test/a": 1})
    (tmp_path / "train" / "c").mkdir()
    with pytest.raises(ImageDataError, match="'c' without images in 'train'"):
        found(tmp_path)


def test_a_path_that_does_not_exist() -> None:
    with pytest.raises(ImageDataError, match=r"(?s)'/no/such' does not exist.*digits"):
        found("/no/such")


@pytest.mark.parametrize("prefix", ["", "wrapped/"])
def test_a_zip_holds_what_its_folder_holds(tmp_path: Path, prefix: str) -> None:
    folder = write_folder(tmp_path / "in", {"train/a": 2, "train/b": 1, "test/b": 1})
    write_image(folder / "__MACOSX" / "train" / "a" / "._x.png")
    archive = zipped(folder, tmp_path / "pets.zip", prefix=prefix)
    images, expected = found(archive), found(folder)
    assert images.name == "pets"
    assert (images.ids, images.labels, images.parts) == (
        expected.ids,
        expected.labels,
        expected.parts,
    )


def test_an_unpacked_zip_is_gone_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = zipped(write_folder(tmp_path / "in", {"a": 1, "b": 1}), tmp_path / "x.zip")
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    with open_images(str(archive)) as images:
        assert isinstance(images.items[0], Path)
        assert images.items[0].is_relative_to(tmp_path / "tmp")
    assert not list((tmp_path / "tmp").iterdir())


@pytest.mark.parametrize(
    "name", ["/etc/a.png", "../a.png", "a/../../b.png", "C:/a.png", "a\\..\\b.png"]
)
def test_a_zip_cannot_lead_out_of_its_folder(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        archive.writestr("good/a.png", b"x")
        archive.writestr(name, b"x")
    (tmp_path / "out").mkdir()
    with pytest.raises(ImageDataError, match="stay inside"):
        extract_images(tmp_path / "evil.zip", tmp_path / "out")
    assert not list((tmp_path / "out").iterdir())


def test_a_zip_cannot_hold_links(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("a/link.png")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(ImageDataError, match="a link"):
        extract_images(tmp_path / "evil.zip", tmp_path)


def test_a_zip_cannot_unpack_to_more_than_the_limit(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/zeros.png", bytes(100_000))
    (tmp_path / "out").mkdir()
    with pytest.raises(ImageDataError, match="100,000 bytes"):
        extract_images(tmp_path / "bomb.zip", tmp_path / "out", max_bytes=99_999)
    extract_images(tmp_path / "bomb.zip", tmp_path / "out", max_bytes=100_000)


def test_a_zip_cannot_repeat_a_name(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "twice.zip", "w") as archive:
        archive.writestr("a/x.png", b"1")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a/x.png", b"2")
    with pytest.raises(ImageDataError, match=r"'a/x\.png'"):
        extract_images(tmp_path / "twice.zip", tmp_path)


def test_a_damaged_zip_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "cut.zip").write_bytes(b"PK\x03\x04 no more")
    with pytest.raises(ImageDataError, match=r"cut\.zip"):
        found(tmp_path / "cut.zip")
    with zipfile.ZipFile(tmp_path / "flip.zip", "w") as archive:
        archive.writestr("a/x.png", b"0123456789")
    content = (tmp_path / "flip.zip").read_bytes().replace(b"0123456789", b"0123456780")
    (tmp_path / "flip.zip").write_bytes(content)
    with pytest.raises(ImageDataError, match="CRC"):
        found(tmp_path / "flip.zip")


def test_a_name_that_utf8_cannot_hold_still_gives_an_id(tmp_path: Path) -> None:
    write_folder(tmp_path, {"a": 1, "b": 1})
    odd = os.fsencode(tmp_path / "a") + b"/\xff.png"
    (tmp_path / "a" / "000.png").rename(os.fsdecode(odd))
    assert found(tmp_path).ids == ("a/\\xff.png", "b/000.png")


def test_digits_are_those_of_scikit_learn() -> None:
    images, reference = found("digits"), load_digits()
    assert class_order(images) == tuple("0123456789")
    assert images.labels == tuple(str(label) for label in reference.target)
    assert images.ids[:2] == ("digits-0000", "digits-0001")
    # 16 levels of ink to 255
    expected = np.round(reference.images[5] * 255 / 16)
    assert np.array_equal(np.asarray(images.items[5]), expected)


def write_cifar10(root: Path, per_batch: int = 4) -> Path:
    folder = root / "cifar-10-batches-py"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    names = ["airplane", "automobile", "bird", "cat", "deer"]
    names += ["dog", "frog", "horse", "ship", "truck"]
    files = [*(f"data_batch_{number}" for number in range(1, 6)), "test_batch"]
    for file in files:
        batch = {
            "data": rng.integers(0, 256, size=(per_batch, 3072), dtype=np.uint8),
            "labels": rng.integers(0, 10, size=per_batch).tolist(),
        }
        (folder / file).write_bytes(pickle.dumps(batch, protocol=2))
    (folder / "batches.meta").write_bytes(pickle.dumps({"label_names": names}, protocol=2))
    return root


@pytest.mark.parametrize("inside", [False, True])
def test_cifar10_is_read_as_torchvision_reads_it(tmp_path: Path, inside: bool) -> None:
    folder = write_cifar10(tmp_path) / "cifar-10-batches-py"

    def digest(name: str) -> str:
        return hashlib.md5((folder / name).read_bytes()).hexdigest()

    class SmallCIFAR10(CIFAR10):  # type: ignore[misc]
        train_list = [[f"data_batch_{n}", digest(f"data_batch_{n}")] for n in range(1, 6)]  # noqa: RUF012
        test_list = [["test_batch", digest("test_batch")]]  # noqa: RUF012
        meta = {  # noqa: RUF012
            "filename": "batches.meta",
            "key": "label_names",
            "md5": digest("batches.meta"),
        }

    images = found(f"cifar10:{folder if inside else tmp_path}")
    for part in ("train", "test"):
        reference = SmallCIFAR10(str(tmp_path), train=part == "train", download=False)
        chosen = images.take(i for i, p in enumerate(images.parts) if p == part)
        assert np.array_equal(np.stack([np.asarray(item) for item in chosen.items]), reference.data)
        assert list(chosen.labels) == [reference.classes[target] for target in reference.targets]
    assert len(set(images.ids)) == len(images) == 24


class Attack:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("true",)


def test_cifar10_pickles_cannot_run_code(tmp_path: Path) -> None:
    folder = write_cifar10(tmp_path) / "cifar-10-batches-py"
    (folder / "test_batch").write_bytes(pickle.dumps(Attack(), protocol=2))
    with pytest.raises(ImageDataError, match="system does not belong"):
        found(f"cifar10:{tmp_path}")


def test_cifar10_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ImageDataError, match="cifar-10-batches-py"):
        found(f"cifar10:{tmp_path}")


def test_train_and_test_are_parts_in_any_case(tmp_path: Path) -> None:
    write_folder(tmp_path / "Train", {"a": 2, "b": 2})
    write_folder(tmp_path / "TEST", {"a": 1, "b": 1})
    images = found(tmp_path)
    assert set(images.labels) == {"a", "b"}
    assert sorted(set(images.parts)) == ["test", "train"]


def test_a_class_folder_whose_name_is_no_unicode_is_refused(tmp_path: Path) -> None:
    write_folder(tmp_path, {"a": 2})
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/b\xff")).mkdir()
    with pytest.raises(ImageDataError, match="valid Unicode"):
        found(tmp_path)
