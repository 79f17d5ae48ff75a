"""What hatchling does beside its own work on a wheel: it takes compiled kernels along, where there are any to take.

``scripts/build_wheel.py`` says in ``RCMVIZ_WHEEL_KERNELS`` where they are. Such a wheel is one for a version of Python
and a platform, as they are; without them it is the wheel for all.
"""

import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

KERNELS = "RCMVIZ_WHEEL_KERNELS"


class TakeKernels(BuildHookInterface):
    def initialize(self, version, build_data):
        folder = os.environ.get(KERNELS)
        if folder and version != "editable":
            build_data["force_include"][folder] = "rcmviz/kernels/compiled"
            build_data["pure_python"], build_data["infer_tag"] = False, True
