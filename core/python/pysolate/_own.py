"""The builtins as they were when the package was loaded.

A program may replace `builtins.len`; the runtime must not notice. A module that starts with

    from ._own import __builtins__

has its functions look builtins up here.
"""
import builtins

__builtins__ = dict(vars(builtins))
