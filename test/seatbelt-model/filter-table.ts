import type { PathRelation } from "./path-sets.ts";
import type { Target, Vnode } from "./query.ts";

/** How a name in a profile is compared with the one that is asked about. */
export type NameKind = "exact" | "prefix" | "regex";

/** What a filter takes, and the operations that may have it: with `*` at its end a name stands for its parts, too. */
export type Spec = { readonly on: readonly string[] } & (
  | { readonly takes: "paths"; readonly relation: PathRelation }
  | { readonly takes: "path-regex" }
  | { readonly takes: "socket-protocol" | "command" }
  | { readonly takes: "names"; readonly how: NameKind }
  | { readonly takes: "vnode-type"; readonly values: readonly Vnode[] }
  | { readonly takes: "target"; readonly values: readonly Target[] }
  | { readonly takes: "socket"; readonly field: "domain" | "type"; readonly values: readonly string[] }
);

const VNODES: readonly Vnode[] = [
  "REGULAR-FILE",
  "DIRECTORY",
  "SYMLINK",
  "CHARACTER-DEVICE",
  "BLOCK-DEVICE",
  "FIFO",
  "SOCKET",
  "TTY",
];
const TARGETS: readonly Target[] = ["self", "same-sandbox", "others"];
const DOMAINS = ["AF_UNIX", "AF_INET", "AF_INET6", "AF_ROUTE", "AF_SYSTEM"];
const TYPES = ["SOCK_STREAM", "SOCK_DGRAM", "SOCK_RAW"];

const WITH_PATHS = ["file*", "process-exec*", "network*"];
const SERVICES = ["mach-lookup", "mach-register"];
const PROPERTIES = ["iokit*"];

/** The filters that are neither made of filters nor about the ends of a connection. */
export const SPECS: ReadonlyMap<string, Spec> = new Map<string, Spec>([
  ["literal", { takes: "paths", relation: "literal", on: WITH_PATHS }],
  ["path", { takes: "paths", relation: "literal", on: WITH_PATHS }],
  ["subpath", { takes: "paths", relation: "subpath", on: WITH_PATHS }],
  ["prefix", { takes: "paths", relation: "prefix", on: WITH_PATHS }],
  ["regex", { takes: "path-regex", on: WITH_PATHS }],
  ["vnode-type", { takes: "vnode-type", values: VNODES, on: ["file*"] }],
  ["extension", { takes: "names", how: "exact", on: ["file*", "mach-lookup"] }],
  [
    "target",
    { takes: "target", values: TARGETS, on: ["signal", "process-info*", "mach-priv*", "mach-task-name"] },
  ],
  ...named("global-name", SERVICES),
  ...named("local-name", SERVICES),
  ...named("xpc-service-name", ["mach-lookup"]),
  ...named("sysctl-name", ["sysctl*"]),
  ...named("ipc-posix-name", ["ipc-posix*"]),
  ["preference-domain", { takes: "names", how: "exact", on: ["user-preference*"] }],
  ["mac-policy-name", { takes: "names", how: "exact", on: ["system-mac-syscall"] }],
  ["iokit-user-client-class", { takes: "names", how: "exact", on: ["iokit-open"] }],
  ["iokit-registry-entry-class", { takes: "names", how: "exact", on: PROPERTIES }],
  ["socket-domain", { takes: "socket", field: "domain", values: DOMAINS, on: ["system-socket"] }],
  ["socket-type", { takes: "socket", field: "type", values: TYPES, on: ["system-socket"] }],
  ["socket-protocol", { takes: "socket-protocol", on: ["system-socket"] }],
  ["ioctl-command", { takes: "command", on: ["file-ioctl"] }],
  ["fsctl-command", { takes: "command", on: ["system-fsctl"] }],
]);

/** Filters that systems have and no question answers. */
export const UNANSWERED: ReadonlySet<string> = new Set([
  "control-name",
  "extension-class",
  "file-mode",
  "mac-syscall-number",
  "mount-relative-literal",
  "mount-relative-regex",
  "path-ancestors",
]);

/** A filter on names with its two other forms. */
function named(name: string, on: readonly string[]): [string, Spec][] {
  return [
    [name, { takes: "names", how: "exact", on }],
    [`${name}-prefix`, { takes: "names", how: "prefix", on }],
    [`${name}-regex`, { takes: "names", how: "regex", on }],
  ];
}
