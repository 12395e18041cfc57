/**
 * Test files that have a process of their own, each with what it does to it or asks of it. All others share one with the files
 * before them, and what those imported, which saves a third of their time.
 */
export const ALONE: Readonly<Record<string, string>> = {
  "examples/**/*.test.ts": "starts what users start",
  "test/kernel/*.test.ts": "starts sandboxes, minds signals, counts descriptors",
  "test/unit/host/search-memory.test.ts": "bounds memory",
  "test/unit/http/*.{slow,long}.test.ts": "measures, or starts a browser",
  "test/unit/selftest/ground.test.ts": "has other variables",
  "test/unit/store/sqlite-load.test.ts": "looks at what was imported so far",
  "test/unit/call/file-worker.test.ts": "has a module replaced",
  "test/unit/worker/by-paths*.test.ts": "works as if this were macOS",
};
