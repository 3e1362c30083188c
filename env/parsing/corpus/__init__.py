"""Corpora: folders of files with a manifest, and the programs that build them."""
