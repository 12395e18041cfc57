import "../../support/worker/as-macos.ts";

/* As in by-paths.test.ts: what takes its time. */
await import("./frames.test.ts");
await import("./lines.test.ts");
await import("./list.slow.test.ts");
await import("./search.slow.test.ts");
