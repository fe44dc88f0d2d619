"""The compiled core: Arrow columns in, numbers out. Knows numpy, pyarrow and numba, nothing above them."""
