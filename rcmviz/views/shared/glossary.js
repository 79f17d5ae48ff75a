// @ts-check
// Definitions of terms on screen. The braces and everything in between are JSON, which words.py reads too;
// docs/glossary.md begins each entry with the same sentence, and a test compares them. "forms" are other spellings of a
// term; a plural with s needs none. For a term that is also an everyday word, "only" lists the phrases in which it is
// the term.

export const GLOSSARY = {
  "label": { "is": "what is predicted at a position: a letter, a word, a tag." },
  "position": { "is": "a place of the input, 1 … T, that gets one label." },
  "output": { "is": "one label per position." },
  "gold": { "is": "the right output, if it is known." },
  "decoded": { "is": "the most probable output of a method, its answer." },
  "emission": { "is": "log score of how well a label fits what was observed, such as the pixels of a letter." },
  "window": { "is": "the last n labels and the next one; the model has a weight for each window." },
  "context": { "is": "the last labels so far, as many as are remembered: *ol has forgotten all labels before ol." },
  "complete history": {
    "is": "a context that has forgotten nothing; written without a star.",
    "forms": ["full history"]
  },
  "root": { "is": "the context that has forgotten everything, written *." },
  "ancestor": { "is": "a context that another one ends in: *l is an ancestor of *ol." },
  "least ancestor": { "is": "the longest ancestor that exists: mass that moves there forgets the least." },
  "candidate": { "is": "a context extended by one label, which may become a context at the next position." },
  "mass": {
    "is": "a sum of exp(score) over outputs, shown as a share of the mass of all candidates at the position.",
    "forms": ["masses"]
  },
  "forward mass": {
    "is": "the mass of all beginnings of outputs that a context or candidate represents.",
    "forms": ["forward"]
  },
  "backward mass": { "is": "the mass of all continuations from a context to the end of the output." },
  "posterior mass": {
    "is": "the probability that the output goes through a context: forward × backward mass / Z.",
    "forms": ["posterior", "posteriors"]
  },
  "own mass": { "is": "the mass of a context alone, without the contexts that end in it." },
  "subtree mass": { "is": "the mass of a context and of all contexts that end in it.", "forms": ["subtree"] },
  "growth": { "is": "the factor by which the total mass changes from one position to the next." },
  "budget": { "is": "the number of candidates that may become contexts at a position, not counting the root." },
  "rank": { "is": "the place of a candidate in descending order of mass, or of estimated posterior." },
  "estimated posterior": {
    "is": "mass × the backward message of the previous pass, as a share; ranks candidates in later passes."
  },
  "kept": { "is": "a kept candidate becomes a context of its own." },
  "merged": {
    "is": "a merged candidate gives its mass to its least ancestor: only its beginning is forgotten.",
    "forms": ["merge", "merges"]
  },
  "joined": {
    "is": "a joined candidate has the same last n labels as another one, so the model cannot distinguish them."
  },
  "dropped": { "is": "a dropped candidate is discarded, and its outputs are lost.", "forms": ["drops"] },
  "RCMS": {
    "is": "reified context model selection: keeps the heaviest candidates and merges the others into ancestors."
  },
  "beam": {
    "is": "beam search: keeps the heaviest complete histories and drops the others.",
    "forms": ["beam search"]
  },
  "exact": {
    "is": "keeps every context that the model can distinguish, however many there are.",
    "only": ["exact inference", "exact search"]
  },
  "recombining beam": { "is": "a beam that joins histories with the same last n labels." },
  "stochastic beam": { "is": "a beam that draws distinct outputs at random, each as likely as under RCMS." },
  "importance sampling": { "is": "draws outputs from RCMS and weights them to the full model, without bias." },
  "SMC": { "is": "sequential Monte Carlo: particles are extended label by label and resampled by weight." },
  "lost": {
    "is": "the gold is lost once a method has dropped it: the method can no longer find it.",
    "only": ["lost at position", "lost at frame", "lost the gold", "gold is lost", "gold lost"]
  },
  "Z": { "is": "the mass of all outputs; probabilities are masses divided by it." },
  "log Z": { "is": "the log of the mass of all outputs in a method's lattice." },
  "log Z so far": { "is": "the log of the forward mass of all labels up to the position." },
  "entropy": { "is": "how evenly mass is spread, in nats: 0 if all of it is in one place." },
  "nat": { "is": "the unit of natural logarithms: a factor of e is one nat." },
  "confidence": { "is": "the probability of the decoded output under the method's own model." },
  "full model": { "is": "the model with whole histories as contexts: nothing is merged, nothing dropped." },
  "model error": { "is": "a wrong output that the full model scores at least as high as the gold." },
  "search error": { "is": "a wrong output that the full model scores lower than the gold." },
  "smallest budget": { "is": "the smallest budget whose output is the gold; larger ones may lose it again." },
  "what if": { "is": "an edit to try: a pinned or forbidden label or context, or another budget." },
  "pin": { "is": "keep a label or a context at a position, whatever its mass." },
  "forbid": { "is": "exclude a label or a context at a position, whatever its mass." },
  "pass": {
    "is": "one run over all positions, or over a whole text; a later pass uses the results of the previous one.",
    "forms": ["passes"]
  },
  "perplexity": {
    "is": "exp of the mean −log p per word: a choice among this number of equally likely words is as hard."
  },
  "log-likelihood": { "is": "the mean log probability that a model gives to the right outputs; 0 is certainty." },
  "gradient norm": { "is": "the length of the gradient of the training objective; near 0 little is left to learn." },
  "accuracy": { "is": "the fraction of sequences whose labels are all right." },
  "precision": { "is": "the fraction of the given answers that are right." },
  "recall": { "is": "the largest fraction of words that can be answered at a given precision." },
  "bound": { "is": "a number that the true value is proved not to exceed, or not to fall below." },
  "certificate": { "is": "a proof that no better output exists: the upper bound equals the best score found." },
  "slack": { "is": "how much an edge of the automaton overestimates the model." },
  "automaton": { "is": "contexts as states and labels as edges, which together score every output." },
  "weighted draw": { "is": "a random output, weighted by its probability in the full model over that in the lattice." },
  "effective sample size": { "is": "the number of unweighted draws that a weighted sample is worth." },
  "EM": { "is": "expectation maximisation: expected counts under the model give the next model, and so on." },
  "EM pass": { "is": "one iteration of EM over the whole text.", "forms": ["EM passes"] },
  "repaired beam": { "is": "beam search with a root that takes in dropped mass at a price, the root weight." },
  "arc": { "is": "one context with one next label, with its log score and its target." },
  "expected count": { "is": "the mean number of times that a window occurs in an output." },
  "fold": {
    "is": "a tenth of the data; fold 1 is the test.",
    "only": ["fold 0", "fold 1", "fold 2", "test fold", "folds of the data"]
  },
  "moments": {
    "is": "the counts of each word, and of each pair of words at each distance, that a field is trained on."
  },
  "pseudo-likelihood": { "is": "the product of the probabilities of each word given its neighbours." },
  "back-off": { "is": "a history's factor on the shorter history's probability of a word not listed after it." },
  "refine": { "is": "raise the orders along a rejected path and add the states that this needs." },
  "gap": { "is": "the difference between the upper bound and the best score found." },
  "log q": { "is": "the upper bound on the log score of a path; never below log p." },
  "log p": { "is": "the model's log score of a path, observations included." },
  "AR-100": { "is": "the acceptance rate over the last 100 trials." },
  "policy": {
    "is": "chooses an action, the next label, in a state: a position and the last n labels.",
    "forms": ["policies"]
  }
};
