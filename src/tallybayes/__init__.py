"""Naive Bayes whose model is a tally."""
