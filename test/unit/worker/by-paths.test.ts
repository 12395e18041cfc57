import "../../support/worker/as-macos.ts";

/* What holds of the worker, once more with paths instead of descriptors. */
await import("./move.test.ts");
await import("./races.test.ts");
await import("./walk.test.ts");
await import("./write.test.ts");
