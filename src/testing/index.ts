import "../host/require-node.ts";

export { type Derivation, type DerivedProfile, type DeriveOptions, deriveFor } from "./derive-for.ts";
export { type ProfileMatchers, profileMatchers, type TestedOperation } from "./matchers.ts";
export { printReadable, profileSerializer } from "./serializer.ts";
