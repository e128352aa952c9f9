"""What holds for every test."""

import os

# Before scikit-learn is imported: one of its checks is skipped without it.
os.environ["SCIPY_ARRAY_API"] = "1"

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Let no test be skipped, nor be expected to fail."""
    report = yield
    if report.skipped:
        report.outcome = "failed"
        report.longrepr = f"no test may be skipped or expected to fail: {report.longrepr}"
    return report
