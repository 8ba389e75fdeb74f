# Seconds for a part of a test run: only a hung process takes as long, however busy the machine is.
# Limits within tests are shorter, so that a report names the test.
HUNG=10800
