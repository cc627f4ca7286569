"""``python3 -m phlexor COMMAND``: the commands of the program `phlexor` that need no equation.

The program reads their options first, and answers for help; it starts this where there is something to do.
"""

import sys

from ._command import main

sys.exit(main(sys.argv[1:]))
