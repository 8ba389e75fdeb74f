// The element of an availability, loaded when it is needed.

import "../client/define-availability.js";
