# SPDX-License-Identifier: BSD-2-Clause
"""What a test registers ends with it: advise would run it in all tests that follow."""
import pytest

from heddle import _context


@pytest.fixture(autouse=True)
def registrations():
    before = _context._rows  # pylint: disable=protected-access
    yield
    _context._rows = before  # pylint: disable=protected-access
    _context._generation += 1  # pylint: disable=protected-access
