import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** What is done in place of one synchronous call of `node:fs`; `call` makes it, `real` is the function. */
export type Around = (name: string, given: readonly unknown[], call: () => unknown, real: unknown) => unknown;

/** Puts something around every synchronous call of `node:fs`, of all modules. */
export function wrapAll(around: Around): void {
  for (const [name, real] of Object.entries(fs)) {
    if (!name.endsWith("Sync") || typeof real !== "function") continue;
    const wrapped = (...given: unknown[]): unknown =>
      around(name, given, () => Reflect.apply(real, fs, given), real);
    Object.defineProperty(fs, name, { value: Object.assign(wrapped, { native: wrapped }) });
  }
  syncBuiltinESMExports();
}
