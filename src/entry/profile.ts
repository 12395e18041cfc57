// The entry `cofferdam/profile`: parses, intersects, compares and explains profiles.
import "../host/require-node.ts";

export type {
  Approximation,
  Enforcement,
  EnforcementReport,
  PlanClause,
  PROTECTIONS,
  Protection,
  ShownDevice,
} from "../backend/plan.ts";
export type { EffectiveProfile } from "../decide/call-policy.ts";
export { type CallExplanation, explainCall } from "../decide/explain.ts";
export type { Prepared, PreparedRun } from "../decide/prepare.ts";
export type { Receipt } from "../decide/receipt.ts";
export type { Access } from "../profile/access.ts";
export { accessTo, type Kind, type PathFacts } from "../profile/access-to.ts";
export { digest, type ProfileDigest, parseProfile, printProfile } from "../profile/canonical.ts";
export { type Comparison, compare, isWithin, type Witness } from "../profile/compare.ts";
export type { DeviceGroup, Devices } from "../profile/devices.ts";
export type { EnvPattern } from "../profile/env-pattern.ts";
export type { ExecutedNames, RunsWhen } from "../profile/executed.ts";
export {
  type Explanation,
  explain,
  type Layer,
  type LayerAnswer,
  type ProfileQuestion,
} from "../profile/explain.ts";
export type { ConnectTarget, HostRule } from "../profile/host-rule.ts";
export { intersect, intersectAll } from "../profile/intersect.ts";
export { LIMITS, type LimitName, type Limits } from "../profile/limits.ts";
export type { Macos, MacosGroup } from "../profile/macos.ts";
export type { HostList, Network } from "../profile/network.ts";
export { type AbsolutePath, absolutePath, isAbsolutePath } from "../profile/path.ts";
export type { NamePiece, Pattern, PatternSegment } from "../profile/pattern.ts";
export type { Ports } from "../profile/ports.ts";
export {
  CLOSED,
  type FileEntry,
  type Mask,
  normalProfile,
  OPEN,
  type Profile,
  type ProfileParts,
} from "../profile/profile.ts";
export type { Shortfall } from "../profile/shortfall.ts";
export type { Sockets } from "../profile/sockets.ts";
export type { Suffix, Suffixes } from "../profile/suffix.ts";
export type { SyscallGroup, Syscalls } from "../profile/syscalls.ts";
export type { Proxies } from "../profile/upstream.ts";
export type { FileAtHome, GivenFile, ProgramStart } from "../tool/launch.ts";
