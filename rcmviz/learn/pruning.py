"""Models without the weights that hardly count: most features meet few labels, and the rest of their rows is noise."""

from dataclasses import replace

import numpy as np

from rcmviz.core import checks


def pruned(encoder, model, least):
    """Encoder and model without weights nearer to 0 than ``least``, and without features and windows of no other."""
    checks.non_negative("min_weight", least)
    if least == 0:
        return encoder, model
    emission = np.where(np.abs(model.emission) < least, 0, model.emission)
    weights = np.where(np.abs(model.weights) < least, 0, model.weights)
    rows = np.any(weights != 0, axis=1)
    if encoder.names is not None:
        kept = np.any(emission != 0, axis=1)
        kept[-1] = True  # the bias
        emission = emission[kept]
        names = tuple(name for name, stays in zip(encoder.names, kept[:-1].tolist(), strict=True) if stays)
        encoder = replace(encoder, F=len(names), names=names)
    info = model.info | {"encoder": encoder.to_dict()}
    return encoder, replace(model, keys=model.keys[rows], weights=weights[rows], emission=emission, info=info)
