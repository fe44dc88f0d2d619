"""Odds of winning by personalisation and model: logistic regression through statsmodels, with clustered errors."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from gistmark.studies.extras import check_regression
from gistmark_engine.errors import InputError, OptionError

Form = Literal["sides", "paired"]
Cluster = Literal["match", "annotator"]
Effect = tuple[float | None, ...]

SEPARATED = 15.0  # a coefficient beyond this means that the likelihood has no maximum


def odds_ratios(
    matches: pl.DataFrame,
    base: str,
    form: Form = "paired",
    cluster: Cluster = "annotator",
    ridge: float | None = None,
) -> pl.DataFrame:
    """Odds ratios of winning, one row an effect, with Wald intervals and two-sided normal p-values.

    matches  as from `sessions.matches_frame`, of exactly two models; those that ended in neither are left out
    base     the reference model; the other one is called `other` here
    form     "paired": one row a decided match, y = left won, x = left minus right, no intercept (conditional logit;
             for inference). "sides": each decided match twice, once a side, with intercept and the round (the paper's
             form): its two rows are one decision, and each side's odds are averaged over the opponents it happened to
             meet, so that its effects are not those of a direct comparison.
    cluster  what the sandwich errors treat as one observation
    ridge    what takes the place of a separated fit: the most probable coefficients where each but the intercept has a
             normal prior of mean 0 and this precision. None: nothing does. They are drawn towards an odds ratio of 1 and
             have neither interval nor p

    Effects: "personalised, base" exp(b_p); "personalised, other" exp(b_p + b_pm); "interaction" exp(b_pm); "other,
    generic" exp(b_m); "other, personalised" exp(b_m + b_pm); in the sides form "final" exp(b_f). Interaction and
    simple effect are different numbers: neither is "the" effect of personalisation in the other model.

    Columns: effect, odds_ratio, low, high, p, n (decided matches), status: ok; "separated" where a coefficient exceeds
    15, the information matrix is singular or no maximum is found in 50 Newton steps, "one_cluster" where errors cannot
    be clustered; every number is null in both. "ridge": separated, the odds ratio that of `ridge`.
    """
    if form not in ("sides", "paired") or cluster not in ("match", "annotator"):
        raise OptionError(f"form is 'sides' or 'paired', cluster 'match' or 'annotator' (found {form!r}, {cluster!r})")
    if ridge is not None and not 0 < ridge < float("inf"):
        raise OptionError(f"ridge is a precision above 0, or None, not {ridge!r}")
    decided = matches.filter(pl.col("human") != "neither")
    design, won, clusters = _paired(decided, base, cluster) if form == "paired" else _sides(decided, base, cluster)
    contrasts = _contrasts(list(design), _other(matches, base), base)
    x = np.column_stack(list(design.values()))
    effect: Callable[[NDArray[np.float64]], Effect] = _no_effect
    status = "one_cluster"
    if np.unique(clusters).size > 1:
        fitted = _fit(x, won, clusters)
        effect, status = (partial(_effect, fitted), "ok") if fitted else (_no_effect, "separated")
    if status == "separated" and ridge is not None and won.size:
        effect, status = partial(_penalised_effect, _fit_ridge(x, won, ridge, list(design))), "ridge"
    numbers = dict.fromkeys(("odds_ratio", "low", "high", "p"), pl.Float64)
    rows = pl.DataFrame([effect(weights) for weights in contrasts.values()], schema=numbers, orient="row")
    effects = pl.Series("effect", list(contrasts))
    return rows.select(effects, pl.all(), n=pl.lit(decided.height, pl.Int64), status=pl.lit(status))


def _other(matches: pl.DataFrame, base: str) -> str:
    """The model that is not the base."""
    models = sorted(set(matches["model_left"]) | set(matches["model_right"]))
    if len(models) != 2 or base not in models:
        raise InputError(f"the regression compares two models, {base!r} one of them", column="model", value=models)
    return str(models[1 - models.index(base)])


def _effects(matches: pl.DataFrame, base: str, side: str) -> dict[str, NDArray[np.float64]]:
    """Indicators of one side: personalised, other model, both."""
    personalised = matches[f"personalised_{side}"].to_numpy().astype(np.float64)
    model = (matches[f"model_{side}"] != base).to_numpy().astype(np.float64)
    return {"personalised": personalised, "model": model, "both": personalised * model}


def _paired(
    decided: pl.DataFrame, base: str, cluster: Cluster
) -> tuple[dict[str, NDArray[np.float64]], NDArray[np.float64], NDArray[np.int64]]:
    """Design, outcome and clusters of one row a match."""
    left, right = _effects(decided, base, "left"), _effects(decided, base, "right")
    won = (decided["human"] == "left").to_numpy().astype(np.float64)
    return {name: left[name] - right[name] for name in left}, won, _codes(decided[cluster])


def _sides(
    decided: pl.DataFrame, base: str, cluster: Cluster
) -> tuple[dict[str, NDArray[np.float64]], NDArray[np.float64], NDArray[np.int64]]:
    """Design, outcome and clusters of two rows a match."""
    left, right = _effects(decided, base, "left"), _effects(decided, base, "right")
    columns = {name: np.concatenate([left[name], right[name]]) for name in left}
    columns["final"] = np.tile(decided["final"].to_numpy().astype(np.float64), 2)
    won = (decided["human"] == "left").to_numpy().astype(np.float64)
    design = {"intercept": np.ones(2 * decided.height)} | columns
    return design, np.concatenate([won, 1.0 - won]), np.tile(_codes(decided[cluster]), 2)


def _codes(labels: pl.Series) -> NDArray[np.int64]:
    """Cluster labels as integers."""
    return labels.rank("dense").cast(pl.Int64).to_numpy()


def _contrasts(terms: Sequence[str], other: str, base: str) -> dict[str, NDArray[np.float64]]:
    """The weights of the coefficients whose sum is the logarithm of each effect's odds ratio."""
    sums: Mapping[str, tuple[str, ...]] = {
        f"personalised, {base}": ("personalised",),
        f"personalised, {other}": ("personalised", "both"),
        "interaction": ("both",),
        f"{other}, generic": ("model",),
        f"{other}, personalised": ("model", "both"),
        "final": ("final",),
    }
    return {
        effect: np.array([float(term in parts) for term in terms])
        for effect, parts in sums.items()
        if set(parts) <= set(terms)
    }


def _fit(x: NDArray[np.float64], won: NDArray[np.float64], clusters: NDArray[np.int64]) -> Any:
    """The fitted model of statsmodels, or None where the likelihood has no maximum or no single one."""
    check_regression()
    from statsmodels.discrete.discrete_model import Logit

    if won.size == 0 or np.linalg.matrix_rank(x) < x.shape[1]:
        return None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            errors = {"cov_type": "cluster", "cov_kwds": {"groups": clusters}}
            fitted = Logit(won, x).fit(method="newton", maxiter=50, tol=1e-10, disp=0, **errors)
        except np.linalg.LinAlgError:
            return None
    sound = fitted.mle_retvals["converged"] and np.all(np.abs(fitted.params) <= SEPARATED)
    return fitted if sound and np.all(np.isfinite(fitted.cov_params())) else None


def _fit_ridge(
    x: NDArray[np.float64], won: NDArray[np.float64], ridge: float, terms: Sequence[str]
) -> NDArray[np.float64]:
    """The coefficients that maximise log-likelihood − ridge/2 · their squares; the intercept's is free.

    By the coordinate descent of statsmodels, which stops within about 0.002 of the maximum.
    """
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM

    penalty = np.array([0.0 if term == "intercept" else ridge / won.size for term in terms])
    options = {"L1_wt": 0.0, "maxiter": 500, "cnvrg_tol": 1e-12}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        fitted = GLM(won, x, family=Binomial()).fit_regularized(alpha=penalty, **options)
    coefficients: NDArray[np.float64] = np.asarray(fitted.params, np.float64)
    return coefficients


def _effect(fitted: Any, weights: NDArray[np.float64]) -> Effect:
    """Odds ratio, bounds and p of one effect."""
    test = fitted.t_test(weights)
    low, high = np.exp(test.conf_int()[0])
    return float(np.exp(test.effect[0])), float(low), float(high), float(test.pvalue)


def _penalised_effect(coefficients: NDArray[np.float64], weights: NDArray[np.float64]) -> Effect:
    """The odds ratio of one effect, and no more."""
    return float(np.exp(weights @ coefficients)), None, None, None


def _no_effect(_: NDArray[np.float64]) -> Effect:
    return None, None, None, None
