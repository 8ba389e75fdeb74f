// The stable address. A bundle has a file here that imports a hashed one.
export * from "../define-availability.js";
