"""The Markov fields, and the taggers by fields, that come with rcmviz."""

from __future__ import annotations

from os import PathLike

from rcmviz.core.models.shipped import MRF, MRF_TAGGER, find_model_file, shipped_names
from rcmviz.mrf.field import MarkovField
from rcmviz.mrf.tagger import FieldTagger


def shipped_fields() -> list[str]:
    """Names of the shipped Markov fields."""
    return [name for name in shipped_names() if name.startswith(MRF)]


def load_field(name: str | PathLike) -> MarkovField:
    """Load a Markov field that comes with rcmviz, or one from a file.

    Parameters
    ----------
    name : str or path
        Name of a shipped field, such as ``"mrf-english"``, or the path of an ``.npz`` file.

    Returns
    -------
    MarkovField
        The field.

    Raises
    ------
    ValueError
        There is no such field, or the file is none; the message lists the names.

    Examples
    --------
    >>> import rcmviz as rv
    >>> rv.load_field("mrf-english").neighbours("tea", 1)[0][0]
    'coffee'
    """
    return MarkovField.load(find_model_file(name, "field", shipped_fields(), "an .npz file"))


def shipped_field_taggers() -> list[str]:
    """Names of the shipped taggers by fields."""
    return [name for name in shipped_names() if name.startswith(MRF_TAGGER)]


def load_field_tagger(name: str | PathLike) -> FieldTagger:
    """Load a tagger by a Markov field that comes with rcmviz, or one from a file.

    Parameters
    ----------
    name : str or path
        Name of a shipped one, such as ``"mrftagger-ewt"``, or the path of an ``.npz`` file.

    Returns
    -------
    FieldTagger
        The tagger.

    Raises
    ------
    ValueError
        There is no such tagger, or the file is none; the message lists the names.

    Examples
    --------
    >>> import rcmviz as rv
    >>> rv.load_field_tagger("mrftagger-ewt").predict([["the", "dog", "."]])
    [['DT', 'NN', '.']]
    """
    return FieldTagger.load(find_model_file(name, "tagger by a field", shipped_field_taggers(), "an .npz file"))
