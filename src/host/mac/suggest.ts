import { visible } from "../../errors.ts";
import type { Violation } from "./violation.ts";

/** What somebody wanted to do who was refused it, and what a person would have to change for it, as a sentence. */
export interface Suggestion {
  readonly does: "read" | "write" | "connect" | "run" | "trace";
  readonly remedy: string;
}

/** What was refused, in words for a person and a model: `` the kernel refused file-write-create `/Users/ada/.zshrc` ``. */
export function describeViolation({ operation, target }: Violation): string {
  return `the kernel refused ${operation}${target === null ? "" : ` ${visible(target)}`}`;
}

/** What of a config would grant what was refused, or that nothing does. By the first line of a table that fits. */
export function suggestionFor({ operation, target }: Violation): Suggestion {
  const [, does, remedy] =
    TABLE.find(([what]) => what.test(target === null ? operation : `${operation} ${target}`)) ?? OTHERWISE;
  return { does, remedy };
}

type Line = readonly [what: RegExp, does: Suggestion["does"], remedy: string];

const NEVER = "no part of the config grants it; do it without";
const OTHERWISE: Line = [/^/, "run", NEVER];

const NETWORK = "list the host under `shell.network` in the config, if it is meant";
const NAMES = "names are looked up only where `shell.network` in the config gives a network";
const OUTSIDE = "it is never granted: it would have other programs act outside of the walls";
const SECRETS = "it is never granted: it leads to people's passwords and keys";
const WRITABLE = "give the folder `mode: rw` under `sandbox.paths` in the config, if it is meant";
const READABLE = "list the folder under `sandbox.paths` in the config, if it is meant";

/**
 * Operation and target, as one text; of lines that both fit the first speaks. Operations: the names in the kernel's
 * messages, as profiles of Chromium, Firefox and Homebrew have them; services: what those and others grant or refuse.
 */
const TABLE: readonly Line[] = [
  [/^forbidden-exec-sugid\b/, "run", "set-uid programs never start inside: use one that is not set-uid"],
  [
    /^forbidden-sandbox-reinit\b/,
    "run",
    "a sandbox can't be nested: tell the program not to make its own, as by `swift build --disable-sandbox`",
  ],
  [/^forbidden-/, "run", "the system never allows it inside a sandbox; do it without"],
  [/^file-write-setugid\b/, "write", "no file can be made set-uid inside"],
  [/^file-(?:mount|unmount|chroot|revoke)\b/, "run", "file systems are never mounted inside"],
  [
    /^file-link\b/,
    "write",
    "give both folders of the hard link `mode: rw` under `sandbox.paths` in the config, or copy the file",
  ],
  [/^file-(?:write|clone)/, "write", WRITABLE],
  [/^file-(?:read|test-existence|search|map-executable)/, "read", READABLE],
  [
    /^process-exec/,
    "run",
    "list the folder of the program under `sandbox.paths` in the config, if it is meant",
  ],
  [/^network-outbound \/(?:private\/)?var\/run\/mDNSResponder$/, "connect", NAMES],
  [/^network-(?:outbound|bind) \//, "connect", "sockets with a path are granted by no part of the config"],
  [/^network-outbound/, "connect", NETWORK],
  [
    /^network-/,
    "connect",
    "to be connected to takes a network of its own: see `shell.network` in the config",
  ],
  [
    /^mach-lookup com\.apple\.(?:dnssd\.|networkd|SystemConfiguration\.(?:configd|DNSConfiguration)$)/,
    "connect",
    NAMES,
  ],
  [
    /^mach-lookup com\.apple\.(?:SecurityServer|securityd|secd|security\.(?:keychaind|agent))(?:\.|$)/,
    "read",
    SECRETS,
  ],
  [
    /^mach-lookup com\.apple\.(?:.*launchservicesd|CoreServices\.coreservicesd|lsd\.|coreservices\.(?:appleevents|quarantine-resolver)|pasteboard\.|windowserver\.|tccd)/,
    "run",
    OUTSIDE,
  ],
  [/^(?:lsopen|appleevent-send)\b/, "run", OUTSIDE],
  [/^mach-lookup/, "run", "services of the system are granted by no part of the config; do it without"],
  [
    /^(?:signal|process-info|mach-(?:priv|task))/,
    "trace",
    "only processes of the same sandbox can be reached",
  ],
  [/^sysctl-read kern\.procargs2?\b/, "trace", "only processes of the same sandbox can be reached"],
];
