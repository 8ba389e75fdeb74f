// What bundle.py defines for worker.js.

declare const SHELL: { version: string; files: string[] };
