"""A number looked up among ascending ones."""

from numba import njit


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def find(numbers, low, high, wanted):
    """The place of ``wanted`` in the ascending ``numbers[low:high]``, or −1."""
    end = high
    while low < high:
        middle = (low + high) >> 1
        if numbers[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < end and numbers[low] == wanted else -1
