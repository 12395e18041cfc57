// The entry `cofferdam/testing`: matchers and snapshots for tests: what a config permits.
import "../host/require-node.ts";

export { type Derivation, type DerivedProfile, type DeriveOptions, deriveFor } from "./derive-for.ts";
export {
  type MatcherResult,
  type ProfileMatchers,
  profileMatchers,
  type TestedOperation,
} from "./matchers.ts";
export { printReadable, profileSerializer } from "./serializer.ts";
