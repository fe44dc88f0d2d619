"""The peers by name: each a function of the options it shares with the metric it is compared with."""

from collections.abc import Callable, Mapping

from gistmark.bench.peer import Peer
from gistmark.bench.peers.abstraction import plain_abstraction
from gistmark.bench.peers.datastats import summeval
from gistmark.bench.peers.nltk import nltk_meteor
from gistmark.bench.peers.rouge import rapidrouge, rouge_score, rouge_score_rs
from gistmark.bench.peers.rouge_metric import rouge_metric
from gistmark.bench.peers.rouge_rust import rouge_rust
from gistmark.bench.peers.sacrebleu import sacrebleu, sacrebleu_chrf, sacrebleu_ter

PEERS: Mapping[str, Callable[..., Peer]] = {
    factory.__name__: factory
    for factory in (
        rouge_score,
        rouge_score_rs,
        rapidrouge,
        rouge_rust,
        rouge_metric,
        sacrebleu,
        sacrebleu_chrf,
        sacrebleu_ter,
        nltk_meteor,
        summeval,
        plain_abstraction,
    )
}
