import type { Facts } from "../backend/facts.ts";
import { nodeAt } from "../backend/facts.ts";
import type { NotEnforceable } from "../backend/plan.ts";
import { visible } from "../errors.ts";
import { type Access, isAtMost } from "../profile/access.ts";
import { accessTo } from "../profile/access-to.ts";
import { type AbsolutePath, isInside, knownPath } from "../profile/path.ts";
import { normalPorts, printPorts } from "../profile/ports.ts";
import type { Profile } from "../profile/profile.ts";
import type { Call } from "../tool/call.ts";
import type { ToolSettings } from "../tool/derive.ts";
import type { CallPolicy } from "./call-policy.ts";

/** Programs start without these: the machine's configuration (with its real path on macOS) and package data. */
const CONFIG = ["/etc", "/private/etc", "/var/lib"].map(knownPath);

/** Rejects a ceiling that hides files every program needs to start: each call would fail in its own odd way. */
export function cutRuntime(settings: ToolSettings, granted: Profile, facts: Facts): NotEnforceable | null {
  const needed = settings.runtimes
    .flatMap((runtime) => runtime.read)
    .filter((path) => !CONFIG.some((folder) => isInside(path, folder)));
  for (const path of needed) {
    const { kind } = nodeAt(facts, path);
    const given: Access = accessTo(granted, path, {
      kind: kind === "file" ? "file" : "folder",
      bornInside: false,
    });
    if (kind !== "missing" && !isAtMost("read", given)) {
      return {
        field: "files",
        reason: `operator profiles hide ${path}, which programs need to start`,
        remedy: 'add `{ path: "${runtime}", access: read }` to `files` of the profile that lacks it',
      };
    }
  }
  return null;
}

/** The refusal of a call that starts in a folder no tool may see. */
export function outsideRoots({ use }: Call, cwd: AbsolutePath, { settings }: CallPolicy): NotEnforceable {
  const open = settings.roots.filter((root) => root.mode !== "none");
  const roots = open.map((root) => root.path).join(", ");
  if (use !== null)
    return {
      field: "files",
      reason: `the folder ${cwd} is in no root that the tool needs`,
      remedy: `set \`cwd\` in the tool's \`needs\`${roots === "" ? "" : ` to a folder in one of ${roots}`}`,
    };
  return {
    field: "files",
    reason: `the current folder ${visible(cwd)} is outside every folder in \`sandbox.paths\``,
    remedy: roots === "" ? "grant a folder under `sandbox.paths`" : `change to one of: ${roots}`,
  };
}

/** The refusal of a requested port that can't be opened. */
export function closedPort(
  port: number,
  asked: readonly number[],
  { settings: { shell } }: CallPolicy,
): NotEnforceable {
  return shell.ports.includes(port)
    ? {
        field: "ports",
        reason: `operator profiles do not allow the port ${port}`,
        remedy: `run \`cofferdam explain port ${port}\` to find the profile, and list the port under its \`ports\``,
      }
    : {
        field: "ports",
        reason: `the config does not list the port ${port}`,
        remedy: `write \`shell: { ports: [${printPorts(normalPorts([...shell.ports, ...asked]))}] }\` in the config`,
      };
}
