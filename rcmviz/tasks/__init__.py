"""Raw input of a task to words, images and features: what an ``NgramModel`` and its emissions are made from."""

TEST_FOLD = 1  # of Kassel's words, as in the paper; never trained on, never tuned on
