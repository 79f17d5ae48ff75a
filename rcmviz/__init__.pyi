"""The public names and their homes: one line each, read by type checkers and by ``__init__.py``."""

from rcmviz import plot as plot
from rcmviz.ars.decode import ars_decode as ars_decode
from rcmviz.ars.decode import ars_kbest as ars_kbest
from rcmviz.ars.decode import ars_sample as ars_sample
from rcmviz.core.batch import infer_batch as infer_batch
from rcmviz.core.build import beam as beam
from rcmviz.core.build import exact as exact
from rcmviz.core.build import greedy as greedy
from rcmviz.core.build import rcms as rcms
from rcmviz.core.graph import to_networkx as to_networkx
from rcmviz.core.infer import entropy as entropy
from rcmviz.core.infer import expected_counts as expected_counts
from rcmviz.core.infer import kbest as kbest
from rcmviz.core.infer import log_prob as log_prob
from rcmviz.core.infer import log_z as log_z
from rcmviz.core.infer import mass as mass
from rcmviz.core.infer import posterior as posterior
from rcmviz.core.infer import sample as sample
from rcmviz.core.infer import viterbi as viterbi
from rcmviz.core.lattice import Lattice as Lattice
from rcmviz.core.model import NgramModel as NgramModel
from rcmviz.core.problem import Problem as Problem
from rcmviz.core.problem_file import read_problem as read_problem
from rcmviz.core.shipped import load_model as load_model
from rcmviz.core.shipped import shipped_models as shipped_models
from rcmviz.core.store import read_lattice as read_lattice
from rcmviz.core.store import read_trace as read_trace
from rcmviz.core.trace import Trace as Trace
from rcmviz.learn.classifier import SequenceClassifier as SequenceClassifier
from rcmviz.learn.settings import Training as Training
from rcmviz.learn.trainer import Trainer as Trainer
from rcmviz.learn.trainer import train as train
from rcmviz.lm.arpa import read_arpa as read_arpa
from rcmviz.lm.hmm import HMM as HMM
from rcmviz.lm.language_model import LanguageModel as LanguageModel
from rcmviz.lm.shipped import load_lm as load_lm
from rcmviz.lm.train import train_lm as train_lm
from rcmviz.mrf.field import MarkovField as MarkovField
from rcmviz.mrf.shipped import load_field as load_field
from rcmviz.mrf.tagger import FieldTagger as FieldTagger
from rcmviz.sequences.file import read_sequences as read_sequences
from rcmviz.sequences.table import Sequences as Sequences
from rcmviz.tasks.tagging.shipped import load_tagger as load_tagger
from rcmviz.views.shared.export import export_html as export_html

__version__: str
