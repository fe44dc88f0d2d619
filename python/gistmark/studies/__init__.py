"""Studies of metrics: how they respond to perturbations and whether they agree with readers."""
