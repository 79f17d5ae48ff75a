"""Models of trainings by the name of a checkpoint: from the memory of a run, or trained again."""

import rcmviz as rv
from pages.learn.checkpoint import read_checkpoint
from pages.learn.data import load_data
from rcmviz.jobs.host import this_host
from rcmviz.jobs.replay import retrained
from rcmviz.jobs.sequences import seconds_needed

LONGEST = 20.0  # seconds that a link may make the server train


def is_checkpoint(name):
    """Whether a model's name has the form of a checkpoint."""
    return "," in name


def known_models(query):
    """The models that a link may name: the shipped ones and, where it names one, a checkpoint."""
    try:
        read_checkpoint(query.get("model", ""))
    except ValueError:
        return rv.shipped_models()
    return [*rv.shipped_models(), query["model"]]


def trained_model(name):
    """The model of a checkpoint; ValueError where it would take too long, or its data is gone."""
    source, training, step = read_checkpoint(name)
    for checkpoint in this_host().checkpoints(str(source), training):
        if checkpoint.step == step:
            return checkpoint.copy()
    data = load_data(source)
    if step > training.epochs * len(data.train):
        raise ValueError(f"step {step:,} is behind the end of its training; open it on Learn and choose another")
    seconds = seconds_needed(data.train, training) * step / (training.epochs * len(data.train))
    if seconds > LONGEST:
        raise ValueError(
            f"the training of this checkpoint is over, and to train it again would take about {seconds:,.0f} s; "
            "start it on Learn and open the checkpoint from there"
        )
    return retrained(data.train, training, step, data.info)


def steps_in_memory(name):
    """The steps of the checkpoints that are remembered of the same training, ascending."""
    source, training, _ = read_checkpoint(name)
    return [checkpoint.step for checkpoint in this_host().checkpoints(str(source), training)]
