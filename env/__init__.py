"""Environments in which language models learn to read documents.

`env.parsing` and `env.fast_ask` are games on the core modules of this package; they do not know each other. Importing
`env.adapters.gymnasium` registers the Gymnasium ids.
"""
