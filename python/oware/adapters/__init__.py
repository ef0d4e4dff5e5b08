"""Oware in the form that other frameworks want it: one module a framework.

A module here is imported only when asked for, as it imports its framework. Each needs an extra of
its own, which the error names when it is missing: `pip install "oware[pettingzoo]"`.
"""

from __future__ import annotations
