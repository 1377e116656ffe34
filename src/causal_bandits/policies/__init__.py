"""Bandit algorithms, one file each; `registry` names them for config files."""
