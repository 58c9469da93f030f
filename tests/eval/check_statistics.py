#!/usr/bin/env python3
"""Prints what SciPy says of the samples that src/eval/statistics/tests.rs tests; `pip install scipy`.

The bootstrap and the permutation test draw other numbers than ours, so they agree up to the error of 2,000 draws.
"""

import numpy
from scipy import stats

# Agresti, Categorical Data Analysis (2002), table 10.1, approval of the prime minister: 86 and 150 changed their mind.
for only_one, only_other in [(86, 150), (1, 9), (5, 5), (0, 6), (0, 0)]:
    both = only_one + only_other
    p = stats.binomtest(only_one, both).pvalue if both else 1.0
    print(f"mcnemar {only_one} {only_other}: {p:.6e}")

# Share of draws beyond each end (Hesterberg 2015, section 4.4: alpha' for the expanded percentile).
for n in (5, 10, 20, 40, 100):
    t = stats.t.ppf(0.025, n - 1)
    print(f"outer {n}: {stats.norm.cdf(t * (n / (n - 1)) ** 0.5):.6f}")

one = numpy.array([(2, 3), (0, 2), (4, 5), (2, 2), (0, 1), (2, 5), (4, 4), (2, 4), (0, 3), (2, 3)], float)
other = numpy.array([(0, 2), (0, 3), (2, 5), (2, 3), (0, 1), (0, 4), (2, 4), (2, 5), (0, 2), (2, 4)], float)


def of(cases):
    return cases[:, 0].sum() / cases[:, 1].sum()


def by_columns(above, below, axis=-1):
    return above.sum(axis=axis) / below.sum(axis=axis)


level = 1 - 2 * stats.norm.cdf(stats.t.ppf(0.025, 9) * (10 / 9) ** 0.5)
interval = stats.bootstrap((one[:, 0], one[:, 1]), by_columns, paired=True, method="percentile", n_resamples=100_000,
                           confidence_level=level, rng=1).confidence_interval
print(f"figure: {of(one):.6f} [{interval.low:.3f}, {interval.high:.3f}]")

draws = numpy.random.default_rng(1)
swaps = draws.integers(0, 2, (200_000, len(one)))[..., None]
first, second = numpy.where(swaps, one, other).sum(1), numpy.where(swaps, other, one).sum(1)
by_chance = numpy.abs(first[:, 0] / first[:, 1] - second[:, 0] / second[:, 1])
observed = of(one) - of(other)
print(f"difference: {observed:.6f} p {(by_chance >= abs(observed) - 1e-9).mean():.4f}")
