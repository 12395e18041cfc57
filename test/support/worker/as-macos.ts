/** Imported before the worker, has it work as on macOS: by paths, and as if names that only differ in case were one. */
Object.defineProperty(process, "platform", { value: "darwin" });
