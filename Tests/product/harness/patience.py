"""How long tests wait for what must happen."""

import os

#: Seconds. Only a hung process takes as long, however busy the machine is. Who repairs a test on a
#: quiet machine may set less.
PATIENCE = int(os.environ.get("PATIENCE", "600"))
