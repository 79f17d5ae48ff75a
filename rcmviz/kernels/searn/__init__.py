"""Kernels of learning to search: roll-outs of policies, losses of outputs, cost-sensitive classification."""
