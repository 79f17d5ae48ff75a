"""Small ARPA files for the tests, written by us."""

TINY = r"""made by hand, to be read by a machine
\data\
ngram 1=5
ngram 2=5
ngram 3=2

\1-grams:
-0.7	</s>
-99	<s>	-0.25
-1.5	<unk>	-0.125
-0.5	the	-0.5
-0.625	cat	0.0625

\2-grams:
-0.25	<s> the	-0.375
-1e-2	the cat	-.5
-0.5	cat </s>
-3	<unk> cat	-1
-1.25	cat the

\3-grams:
-0.125	<s> the cat
-0.0625	the cat </s>

\end\
"""
MAXIMA = r"""MAX-ARPA: all four columns
\data\
ngram 1=2
ngram 2=1

\1-grams:
-0.5	a	-0.25	-0.25	0
-0.5	b	0	-0.5	0

\2-grams:
-0.25	a b

\end\
"""
