import fc from "fast-check";
import type { Kernel } from "./kernel.ts";

/** Any kernel that the sources leave room for, each option by itself. */
export const kernels: fc.Arbitrary<Kernel> = fc.record({
  traversalChecks: fc.constantFrom("nothing", "hops", "hops-and-ancestors"),
  firmlinkPaths: fc.constantFrom("canonical", "as-given"),
  openAtChecksFolder: fc.boolean(),
  createChecksData: fc.boolean(),
  accessChecksRights: fc.boolean(),
  chdirChecksMetadata: fc.boolean(),
  getcwdChecksAncestors: fc.boolean(),
  linkChecks: fc.constantFrom("source-and-destination", "source-only", "destination-only"),
  cloneChecks: fc.constantFrom("clone-and-data", "data", "clone", "nothing"),
  clonesFolders: fc.boolean(),
  renameChecksReplaced: fc.boolean(),
  replacedName: fc.constantFrom("on-disk", "as-given"),
  swapChecks: fc.constantFrom("both-ways", "as-rename"),
  execChecksImage: fc.boolean(),
  setugidChecksMode: fc.boolean(),
  inetSocketChecks: fc.boolean(),
  bindChecksCreate: fc.boolean(),
  unixListenChecksInbound: fc.boolean(),
  anyIsLocalhost: fc.boolean(),
  ownIsLocalhost: fc.boolean(),
});
