"""The values that a reading has to give are shown where they differ."""

import pytest

pytest.register_assert_rewrite("kinds")
