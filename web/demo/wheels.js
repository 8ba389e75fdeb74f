// The element of all pickers but calendars, loaded when it is needed.

import "../client/define-wheels.js";
