"""What schemathesis generates for formats of the platform's description."""

import schemathesis
from hypothesis import strategies

# Text that fits the pattern by chance has a wrong EIP-55 checksum.
schemathesis.openapi.format("evm-address", strategies.from_regex(r"0x[0-9a-f]{40}", fullmatch=True))
