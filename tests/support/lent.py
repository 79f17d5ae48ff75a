"""Array-like objects as other libraries have them."""


class DLPackOnly:
    """An object without ``__array__`` or any other NumPy protocol."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class WithGradient:
    """An object that refuses conversion to an array, as a tensor with a gradient does."""

    def __array__(self, *_, **__):
        raise RuntimeError("call detach() first")
