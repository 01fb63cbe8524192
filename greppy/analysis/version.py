"""The version of the analysis: chunks, terms and symbols of the same bytes may differ only between versions.

Raise it with every change of `greppy.analysis`, of its queries or of the kernels' runs and parts; indexes of another
version are rebuilt, not converted.
"""

ANALYZER = 7
