"""Policies that learn from rewards alone: no graph, no context."""
