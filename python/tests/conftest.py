"""What holds for every test."""

import os

# Before scikit-learn is imported: one of its checks is skipped without it.
os.environ["SCIPY_ARRAY_API"] = "1"
