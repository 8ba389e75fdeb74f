"""How long tests wait for what must happen."""

#: Seconds. Only a hung process takes as long, however busy the machine is.
PATIENCE = 600
