"""The command `phlexor` of a wheel: the program inside it takes the place of this process. Needs no NumPy."""

import os
import sys
from pathlib import Path


def main() -> None:
    here = Path(__file__).resolve().parent
    program = str(here / "phlexor" / "bin" / "phlexor")
    os.environ.setdefault("FONTCONFIG_FILE", str(here / "phlexor.libs" / "fonts.conf"))
    # commands in Python use this one, whether or not its environment is active
    os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", os.defpath)
    try:
        os.execv(program, ["phlexor", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"phlexor: {program}: {error.strerror}; install the wheel again")
