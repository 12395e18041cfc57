import { visible } from "../../../errors.ts";
import type { Violation } from "./violation.ts";

/** The refused action, and the change that would allow it, as a sentence. */
export interface Suggestion {
  readonly does: "read" | "write" | "connect" | "run" | "trace";
  readonly remedy: string;
}

/** Describes a refusal for a person and a model: `` the kernel refused file-write-create `/Users/ada/.zshrc` ``. */
export function describeViolation({ operation, target }: Violation): string {
  return `the kernel refused ${operation}${target === null ? "" : ` ${visible(target)}`}`;
}

/** The part of a config that would allow the refused operation, or none, by the first fitting line of a table. */
export function suggestionFor({ operation, target }: Violation): Suggestion {
  const [, does, remedy] =
    TABLE.find(([what]) => what.test(target === null ? operation : `${operation} ${target}`)) ?? OTHERWISE;
  return { does, remedy };
}

type Line = readonly [what: RegExp, does: Suggestion["does"], remedy: string];

const NEVER = "no config can grant it: do without it";
const OTHERWISE: Line = [/^/, "run", NEVER];

const NETWORK = "list the host under `shell.network` in the config, if intended";
const NAMES = "names are resolved only if `shell.network` in the config grants a network";
const OUTSIDE = "it is never granted: other programs would act outside the sandbox";
const OTHERS = "only processes of the same sandbox can be reached";
const SECRETS = "it is never granted: it gives access to passwords and keys";
const WRITABLE = "give the folder `mode: rw` under `sandbox.paths` in the config, if intended";
const READABLE = "list the folder under `sandbox.paths` in the config, if intended";

/**
 * Operation and target, as one text; the first fitting line counts. Operations: the names in the kernel's messages, as
 * profiles of Chromium, Firefox and Homebrew have them. Services: those that these and others grant or refuse.
 */
const TABLE: readonly Line[] = [
  [
    /^forbidden-exec-sugid\b/,
    "run",
    "set-uid programs never start in the sandbox: use one that is not set-uid",
  ],
  [
    /^forbidden-sandbox-reinit\b/,
    "run",
    "sandboxes can't be nested: turn off the program's own sandbox, as with `swift build --disable-sandbox`",
  ],
  [/^forbidden-/, "run", "the system never allows it in a sandbox: do without it"],
  [/^file-write-setugid\b/, "write", "no file can be made set-uid in the sandbox"],
  [/^file-(?:mount|unmount|chroot|revoke)\b/, "run", "file systems are never mounted in the sandbox"],
  [
    /^file-link\b/,
    "write",
    "give both folders of the hard link `mode: rw` under `sandbox.paths`, or copy the file",
  ],
  [/^file-(?:write|clone)/, "write", WRITABLE],
  [/^file-(?:read|test-existence|search|map-executable)/, "read", READABLE],
  [/^process-exec/, "run", "list the folder of the program under `sandbox.paths` in the config, if intended"],
  [/^network-outbound \/(?:private\/)?var\/run\/mDNSResponder$/, "connect", NAMES],
  [/^network-(?:outbound|bind) \//, "connect", "no config can grant sockets with a path"],
  [/^network-outbound/, "connect", NETWORK],
  [/^network-/, "connect", "accepting connections needs a network: see `shell.network` in the config"],
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
  [/^mach-lookup/, "run", "no config can grant system services: do without it"],
  [/^(?:signal|process-info|mach-(?:priv|task)|sysctl-read kern\.procargs2?\b)/, "trace", OTHERS],
];
