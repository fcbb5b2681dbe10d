"""Values between Python and R, by type and exactly, or not at all: see docs/conversion.md.

Vectors are filled from buffers, in one copy. rpy2's own rules are not used: they turn what they do
not know into text, drop one of two columns with one name, and read NA_integer_ as a number.
"""

from pyside.bridge.convert.from_r import from_r
from pyside.bridge.convert.to_r import data_frame, to_r
from pyside.bridge.exact import is_na

__all__ = ["data_frame", "from_r", "is_na", "to_r"]
