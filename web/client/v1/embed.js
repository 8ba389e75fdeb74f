// The stable address. A bundle has the same, minified.
import "../embed.js";
