"""Neural metrics: batched torch stages that feed the same columns as all others.

`Checkpoint` says which model and how it is loaded, `load` gives a `Stage`, `Pieces` makes its inputs of texts, and
`forward` runs them in batches of similar length. A metric's `Run` holds its stage between `open` and `close`.
"""
