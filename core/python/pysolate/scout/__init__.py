"""The scout: runs ahead of a program without effects and submits its coming tool calls early (design, section 4)."""
from .interface import Host, Limits, ToolInfo
from .scout import Scout

__all__ = ["Host", "Limits", "Scout", "ToolInfo"]
