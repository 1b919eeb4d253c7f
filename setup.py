"""What pyproject.toml cannot say: the wheel holds a compiled library, for any Python 3."""

from __future__ import annotations

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel


class PlatformDistribution(Distribution):
    """Not pure Python: the compiled core belongs to one platform."""

    def has_ext_modules(self) -> bool:
        """Tell setuptools so."""
        return True


class AnyPythonWheel(bdist_wheel):
    """The core knows no Python, so one wheel serves every version."""

    def get_tag(self) -> tuple[str, str, str]:
        """`py3-none-PLATFORM`."""
        return "py3", "none", super().get_tag()[2]


setup(distclass=PlatformDistribution, cmdclass={"bdist_wheel": AnyPythonWheel})
