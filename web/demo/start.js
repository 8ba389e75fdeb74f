// The first script of a bundled page: it works while the others are being loaded.

import "./loading.js";
import "./shell.js";
import "./dial.js";
