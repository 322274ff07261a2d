"""Stands before the package of this name, which jsonschema does without where it is not installed.

JupyterLab brings it along. Only the IRI format needs it, which nothing here checks, and each kernel would
spend a second of processor time on its grammar.
"""

raise ImportError(__doc__)
