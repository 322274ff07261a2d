"""Short name of ``mcpapps_jupyter``: ``%load_ext mcpapps`` and ``import mcpapps``."""

from mcpapps_jupyter import *  # noqa: F403
from mcpapps_jupyter import __version__, load_ipython_extension, unload_ipython_extension  # noqa: F401
