import { visible } from "../errors.ts";
import { type Access, isAtMost } from "./access.ts";
import { pathRuler } from "./access-to.ts";
import { printDeviceGroup } from "./devices.ts";
import { coversEnv } from "./env-pattern.ts";
import { LIMITS } from "./limits.ts";
import { printMacosGroup } from "./macos.ts";
import { networkOutside } from "./network-outside.ts";
import type { AbsolutePath } from "./path.ts";
import { isPortIn, listedPorts } from "./ports.ts";
import type { Profile } from "./profile.ts";
import { listedSockets, mayConnect } from "./sockets.ts";
import { printSyscallGroup } from "./syscalls.ts";

/** One permission that was needed and not granted. */
export type Shortfall =
  | {
      readonly field: "files";
      readonly path: AbsolutePath;
      readonly wanted: Access;
      readonly granted: Access;
    }
  | {
      readonly field:
        | "network"
        | "sockets"
        | "env"
        | "terminal"
        | "syscalls"
        | "devices"
        | "macos"
        | "ports"
        | "limits";
      readonly what: string;
    };

/** The need minus the grants, clause by clause of the need: missing permissions to report. Empty if all was granted. */
export function shortfall(need: Profile, granted: Profile): readonly Shortfall[] {
  const [wantedAt, grantedAt] = [pathRuler(need), pathRuler(granted)];
  const facts = { kind: "folder", bornInside: false } as const;
  const files = need.files.flatMap(({ path }): Shortfall[] => {
    const [wanted, given] = [wantedAt(path, facts).access, grantedAt(path, facts).access];
    return isAtMost(wanted, given) ? [] : [{ field: "files", path, wanted, granted: given }];
  });
  const sockets =
    need.sockets === "any"
      ? granted.sockets === "any"
        ? []
        : ["any socket"]
      : listedSockets(need.sockets).filter((path) => !mayConnect(granted.sockets, path));
  const target = networkOutside(need.network, granted.network);
  return [
    ...files,
    ...(target === null
      ? []
      : [
          {
            field: "network",
            what:
              target === "host"
                ? "the machine's own network"
                : `${target.host}:${target.port}${target.proxy === undefined ? "" : ` through the proxy ${target.proxy}`}`,
          } as const,
        ]),
    ...sockets.map((what) => ({ field: "sockets", what }) as const),
    ...need.env
      .filter((pattern) => !coversEnv(granted.env, pattern))
      .map((what) => ({ field: "env", what }) as const),
    ...(need.terminal && !granted.terminal ? [{ field: "terminal", what: "a terminal" } as const] : []),
    ...need.syscalls
      .filter((group) => !granted.syscalls.includes(group))
      .map((group) => ({ field: "syscalls", what: `${group} (${printSyscallGroup(group)})` }) as const),
    ...need.devices
      .filter((group) => !granted.devices.includes(group))
      .map((group) => ({ field: "devices", what: `${group} (${printDeviceGroup(group)})` }) as const),
    ...need.macos
      .filter((group) => !granted.macos.includes(group))
      .map((group) => ({ field: "macos", what: `${group} (${printMacosGroup(group)})` }) as const),
    ...listedPorts(need.ports)
      .filter((port) => !isPortIn(granted.ports, port))
      .map((port) => ({ field: "ports", what: String(port) }) as const),
    ...LIMITS.filter(
      (name) =>
        (need.limits[name] ?? Number.POSITIVE_INFINITY) >
          (granted.limits[name] ?? Number.POSITIVE_INFINITY) && need.limits[name] !== undefined,
    ).map((what) => ({ field: "limits", what }) as const),
  ];
}

/** One shortfall in words. */
export function printShortfall(one: Shortfall): string {
  return one.field === "files"
    ? `${visible(one.path)}: needs ${one.wanted}, but ${one.granted} is granted`
    : `${one.field}: ${one.what} is not granted`;
}
