"""Arrays as other libraries have them."""


class DLPackOnly:
    """What has neither ``__array__`` nor anything else of numpy's."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class WithGradient:
    """What refuses to be an array, as a tensor does that has a gradient."""

    def __array__(self, *_, **__):
        raise RuntimeError("call detach() first")
