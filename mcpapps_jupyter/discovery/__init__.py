"""Which apps there are: where manifests lie, reading them all, other hosts' files, and whom to trust."""

from mcpapps_jupyter.discovery.content import file_content
from mcpapps_jupyter.discovery.manifests import Found, read_manifest, scan
from mcpapps_jupyter.discovery.places import MANIFEST_NAME, SearchPath, search_paths
from mcpapps_jupyter.discovery.servers_file import read_servers_file
from mcpapps_jupyter.discovery.trust import CodeFile, TrustStore, unconfirmed

__all__ = [
    "MANIFEST_NAME",
    "CodeFile",
    "Found",
    "SearchPath",
    "TrustStore",
    "file_content",
    "read_manifest",
    "read_servers_file",
    "scan",
    "search_paths",
    "unconfirmed",
]
