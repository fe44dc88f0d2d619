"""A checkpoint's model and tokenizer in memory, ready to run."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from gistmark.models.checkpoint import Checkpoint
from gistmark.models.devices import batch_tokens, devices, torch_module
from gistmark.models.linear import quicken
from gistmark.models.pieces import Pieces, limit_of
from gistmark.models.stage import Stage
from gistmark_engine.errors import MissingExtra, OptionError

Task = Literal["encoder", "masked_lm", "question_answering", "classification"]

_CLASSES: dict[Task, str] = {
    "encoder": "AutoModel",
    "masked_lm": "AutoModelForMaskedLM",
    "question_answering": "AutoModelForQuestionAnswering",
    "classification": "AutoModelForSequenceClassification",
}
_SPACE_BEFORE = ("Roberta", "GPT2")
"""Tokenizers (by how their class's name begins) whose first word is cut like the others only after a space."""


def load(
    checkpoint: Checkpoint,
    task: Task = "encoder",
    layer: int | None = None,
    tokens: int | None = None,
    trained: bool = False,
) -> Stage:
    """The model of a checkpoint on every device it is to run on.

    task    what the model ends in; of an encoder-decoder, "encoder" is the first half
    layer   0 to the number of layers: those above it are not loaded, so an encoder's output is that of layer `layer`
    tokens  of a batch; None: what suits the device
    trained  copies of it will be trained; otherwise its linear layers are laid out for reading on a CPU

    Raises `MissingExtra` without torch or transformers, `OptionError` for a model that is not there, that has fewer
    layers, or whose checkpoint lacks weights for `task`.
    """
    torch = torch_module()
    transformers = _transformers()
    where = devices(checkpoint.device)
    options: dict[str, Any] = {"revision": checkpoint.revision, "trust_remote_code": checkpoint.remote}
    with _quiet(transformers), _explained(checkpoint):
        config = transformers.AutoConfig.from_pretrained(checkpoint.source, **options)
        if layer is not None:
            _shorten(config, layer, checkpoint)
        tokenizer = _tokenizer(transformers, checkpoint, options)
        model, info = getattr(transformers, _CLASSES[task]).from_pretrained(
            checkpoint.source,
            config=config,
            dtype=getattr(torch, checkpoint.precision),
            use_safetensors=None if checkpoint.pickled else True,
            output_loading_info=True,
            **options,
        )
    _check_complete(info["missing_keys"], checkpoint, task)
    if task == "encoder" and config.is_encoder_decoder:
        model = model.get_encoder()
    models = [model.eval().to(where[0]), *(copy.deepcopy(model).to(device) for device in where[1:])]
    for one in models:
        if not trained and one.device.type == "cpu" and one.dtype == torch.float32:
            quicken(one)
    return Stage(checkpoint, Pieces(tokenizer, limit_of(config)), models, tokens or batch_tokens(where[0]))


def _transformers() -> Any:
    try:
        import transformers
    except ImportError:
        raise MissingExtra("a metric that runs a model", "models") from None
    return transformers


def _tokenizer(transformers: Any, checkpoint: Checkpoint, options: dict[str, Any]) -> Any:
    tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint.source, **options)
    if type(tokenizer).__name__.startswith(_SPACE_BEFORE):
        tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint.source, add_prefix_space=True, **options)
    return tokenizer


def _shorten(config: Any, layer: int, checkpoint: Checkpoint) -> None:
    """Make `config` that of a model which ends at `layer`."""
    name = "encoder_layers" if hasattr(config, "encoder_layers") else "num_hidden_layers"
    layers = getattr(config, name)
    if not 0 <= layer <= layers:
        raise OptionError(f"{checkpoint.name} has {layers} layers; layer is 0 to {layers}, not {layer}")
    setattr(config, name, layer)
    if name == "encoder_layers":
        config.num_hidden_layers = layer


def _check_complete(missing: Any, checkpoint: Checkpoint, task: Task) -> None:
    """A head that was not in the checkpoint would be random numbers."""
    needed = [key for key in missing if "pooler" not in key and "position_ids" not in key]
    if needed:
        raise OptionError(
            f"{checkpoint.source} holds no weights for {', '.join(sorted(needed)[:3])}: it is no {task} model"
        )


@contextmanager
def _explained(checkpoint: Checkpoint) -> Iterator[None]:
    """What transformers finds missing, as one sentence that names the option to set."""
    try:
        yield
    except (OSError, ValueError) as error:
        if isinstance(error, OptionError):
            raise
        what = str(error).strip().splitlines()[0]
        raise OptionError(
            f"model {checkpoint.model!r} cannot be loaded: {what} Set model to a folder with config.json, "
            "*.safetensors and the tokenizer's files, or to a hub name that is in the cache or may be downloaded."
        ) from error


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """No progress bars, and no warnings about the layers left out."""
    logging = transformers.utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
