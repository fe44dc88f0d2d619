"""Which model a metric runs, said so that a signature can repeat it."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

from gistmark_engine.errors import OptionError

Dtype = Literal["auto", "float32", "bfloat16", "float16"]

_SAMPLES, _SAMPLE = 64, 4096
_DEVICE = r"\s*(?:cpu|cuda(?::\d+)?)\s*"
_DEVICES = re.compile(f"{_DEVICE}(?:,{_DEVICE})*")


@dataclass(frozen=True)
class Checkpoint:
    """A model by name, and how it is loaded.

    model     a folder with config.json, model.safetensors and the tokenizer's files; or a name at Hugging Face's hub,
              which transformers looks up in its cache and downloads unless HF_HUB_OFFLINE is set
    revision  branch, tag or commit of a hub name
    dtype     "auto": bfloat16 on a GPU (float16 on one before Ampere), float32 elsewhere
    device    such as "cpu", "cuda:1" or "cuda:0,cuda:1"; None: every GPU there is, else the CPU
    pickled   accept weights that are no safetensors; reading them may run code that they hold
    remote    accept model code that comes with the weights

    Raises `OptionError` for a path where no model lies, and for a device that is none on any machine.
    """

    model: str
    revision: str | None = None
    dtype: Dtype = "auto"
    device: str | None = None
    pickled: bool = False
    remote: bool = False

    def __post_init__(self) -> None:
        if self.device is not None and not _DEVICES.fullmatch(self.device):
            raise OptionError(f"device is cpu, cuda, cuda:0 and so on, or several by comma, not {self.device!r}")
        folder = self.folder
        if folder is None:
            return
        if not (folder / "config.json").is_file():
            raise OptionError(f"{folder} holds no config.json: set model to a folder that a model was saved in")
        if not self.pickled and not any(folder.glob("*.safetensors")):
            raise OptionError(f"{folder} holds no *.safetensors; to read weights that may run code, set pickled=True")
        if self.revision is not None:
            raise OptionError(f"revision is for names at the hub, and {folder} is a folder")

    @property
    def folder(self) -> Path | None:
        """The folder the model lies in; None for a name at the hub."""
        path = Path(self.model).expanduser()
        written_as_path = path.is_absolute() or self.model[:1] in ("", ".", "~") or self.model.count("/") > 1
        return path if written_as_path or path.exists() else None

    @property
    def source(self) -> str:
        """What transformers is to load."""
        return str(self.folder or self.model)

    @property
    def name(self) -> str:
        """The name at the hub, or the folder's own."""
        return self.folder.resolve().name if self.folder else self.model

    @cached_property
    def digest(self) -> str:
        """Eight digits that tell a folder's model from others of its name: of its configuration and samples of its
        weights; the revision of a name at the hub."""
        if self.folder is None:
            return self.revision or "main"
        digest = hashlib.sha256((self.folder / "config.json").read_bytes())
        files = [*self.folder.glob("*.safetensors"), *self.folder.glob("*.bin"), *self.folder.glob("tokenizer*.json")]
        for path in sorted(files):
            _add_samples(digest, path)
        return digest.hexdigest()[:8]

    @cached_property
    def precision(self) -> str:
        """The dtype that "auto" stands for on this machine."""
        if self.dtype != "auto":
            return self.dtype
        from gistmark.models.devices import devices, half_of

        where = devices(self.device)
        return half_of(where) if where[0].startswith("cuda") else "float32"

    @property
    def signature(self) -> dict[str, object]:
        """What of it enters a metric's signature."""
        versions = {name: _version(name) for name in ("torch", "transformers")}
        return {"model": f"{self.name}@{self.digest}", "dtype": self.precision, **versions}


def checkpoint_of(
    metric: str,
    model: str | Path | None,
    revision: str | None,
    dtype: Dtype,
    device: str | None,
    pickled: bool,
    remote: bool,
    batch_tokens: int | None,
) -> Checkpoint | None:
    """The checkpoint that a factory's options name, None without a model. Raises `OptionError` for an empty batch."""
    if batch_tokens is not None and batch_tokens < 1:
        raise OptionError(f"{metric}: batch_tokens must be at least 1, not {batch_tokens}")
    return None if model is None else Checkpoint(str(model), revision, dtype, device, pickled, remote)


def _add_samples(digest: Any, path: Path) -> None:
    """Take into `digest` a file's name and size, its beginning, and samples from all over it."""
    size = path.stat().st_size
    digest.update(f"{path.name} {size}".encode())
    with path.open("rb") as file:
        for sample in range(_SAMPLES):
            file.seek(size * sample // _SAMPLES)
            digest.update(file.read(_SAMPLE))


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "none"
