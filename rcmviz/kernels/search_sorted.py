"""A number looked up among ascending ones."""

from rcmviz.kernels.kernel import kernel


@kernel(error_model="numpy", _nrt=False, inline="always")
def place(numbers, low, high, wanted):
    """The first place in the ascending ``numbers[low:high]`` whose number is not below ``wanted``, ``high`` if none is.

    ``np.searchsorted`` takes two seconds to compile, as it compares complex numbers too.
    """
    while low < high:
        middle = (low + high) >> 1
        if numbers[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@kernel(error_model="numpy", _nrt=False, inline="always")
def find(numbers, low, high, wanted):
    """The place of ``wanted`` in the ascending ``numbers[low:high]``, or −1."""
    found = place(numbers, low, high, wanted)
    return found if found < high and numbers[found] == wanted else -1
