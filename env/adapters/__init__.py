"""Thin wrappers that offer the environments to other libraries; they hold no logic."""
