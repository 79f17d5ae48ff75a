"""A stream of words, longer than any memory, decoded in chunks: in this process or by the workers of a Dask cluster."""

from collections import deque
from itertools import islice

from rcmviz.core.inference.batch import infer_stacked
from rcmviz.core.models.scores import stack_rows
from rcmviz.core.shared import checks
from rcmviz.experiments.cells import client_of

AHEAD = 2  # chunks sent for each thread of the cluster, so that the next is ready when one is decoded


def infer_stream(model, log_emits, method="rcms", budget=10, *, size=1_000, scheduler=None, **options):
    """``rv.infer_batch`` of chunks of ``size`` words of a stream → a ``Batch`` for each chunk, in the stream's order.

    ``log_emits`` is read as answers are taken: one chunk is in memory here, on a cluster ``AHEAD`` for each thread of
    its workers · ``scheduler`` of Dask, as ``tcp://host:8786``; its workers are sent the model once, and take a thread
    of theirs for each chunk · ``options`` of ``rv.infer_batch``.
    ValueError as of ``rv.infer_batch``, or where the cluster does not answer.

    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0})
    >>> words = ([[1.0, 0.0]] * length for length in (2, 1, 3))
    >>> [len(batch.labels) for batch in infer_stream(model, words, size=2)]
    [2, 1]
    """
    size = checks.whole("size", size, 1)
    words = iter(log_emits)
    chunks = (stack_rows(chunk, model.labels) for chunk in iter(lambda: list(islice(words, size)), []))
    with client_of(scheduler) as client:
        if client is None:
            for chunk in chunks:
                yield infer_stacked(model, *chunk, method, budget, **options)
        else:
            yield from _over(client, model, chunks, (method, budget), {"threads": 1} | options)


def _over(client, model, chunks, how, options):
    there = client.scatter(model, broadcast=True)
    most = AHEAD * max(1, sum(client.nthreads().values()))
    waiting = deque()
    for chunk in chunks:
        if len(waiting) == most:
            yield waiting.popleft().result()
        waiting.append(client.submit(infer_stacked, there, *chunk, *how, **options, pure=False))
    while waiting:
        yield waiting.popleft().result()
