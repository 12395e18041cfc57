import { type AbsolutePath, byPath, isInside, joinPath, pathToBytes } from "../../profile/path.ts";
import type { DeviceNodes, Facts, Launcher } from "../facts.ts";
import type { Input, MountPlan, Plan } from "../plan.ts";
import { DEVICES } from "./views.ts";

/** Input for building a shelter. */
export interface ShelterNeeds {
  readonly writable: readonly AbsolutePath[];
  readonly launcher: Pick<Launcher, "path" | "options">;
  readonly devices: DeviceNodes;
  readonly deviceNodes: Facts["deviceNodes"];
}

/**
 * The same launch, set up so that only the call's own writable folders of the host can be written. A second launcher
 * wraps the first and shows it everything else read-only. During set-up another process with write access to a root can
 * replace a mount point or a bound folder by a link. The launcher then makes an empty file or folder at the link's
 * target, before the proof finds the mount missing. In a shelter that target is read-only.
 * - `/proc` stays writable: below a read-only one no new one may be mounted (fs/namespace.c, `mnt_already_visible`).
 * - The inner launcher is the first process of a namespace: its children end with it. A child that it has just made
 *   waits for it, and would wait forever if the launcher is killed then (bubblewrap.c, `child_wait_fd`).
 * - Device nodes are bound one by one, so that they stay devices and nothing can be made beside them.
 * - Writable folders come by descriptor where the launcher has `--bind-fd` (0.10, and earlier where it was patched in):
 *   they are those that were opened without following a link, wherever their paths lead by then.
 * A plan without a start program is never started and stays as it is.
 */
export function shelter(plan: Plan, needs: ShelterNeeds): Plan {
  return plan.kind === "rules" ? plan : withLauncherAround(plan, needs);
}

interface Stage {
  readonly options: readonly string[];
  readonly words: readonly string[];
}

/** The same launch inside a second launcher, which may start another program first that becomes the inner one. */
export function withLauncherAround(
  plan: MountPlan,
  { writable, launcher, devices, deviceNodes }: ShelterNeeds,
  stage: Stage = { options: [], words: [] },
): MountPlan {
  const taken = [
    // The descriptors of the start program and the program: the start program's own, and the sizes of a terminal.
    ...plan.expects.descriptors,
    ...plan.inputs.map((input) => input.fd),
    ...(plan.tree?.doors ?? []),
  ];
  const args = 1 + Math.max(...taken);
  const folders: readonly Input[] = launcher.options.has("bind-fd")
    ? outermost(writable).map((folder, at) => ({ fd: args + 1 + at, folder }))
    : [];
  const options = shelterOptions(devices, [
    ...deviceNodes.flatMap(({ source }) => ["--dev-bind", source, source]),
    ...stage.options,
    ...(folders.length > 0 ? [] : outermost(writable).flatMap((path) => ["--bind", path, path])),
    ...folders.flatMap((one) => ("folder" in one ? ["--bind-fd", String(one.fd), one.folder] : [])),
  ]);
  return {
    ...plan,
    file: launcher.path,
    argv: ["--args", String(args), "--", ...stage.words, plan.file, ...plan.argv],
    inputs: [...plan.inputs, { fd: args, bytes: pathToBytes(`${options.join("\0")}\0`) }, ...folders],
    launchers: plan.launchers + 1,
  };
}

/** The options of the outer launcher; `binds` are the mounts that can be written. */
export function shelterOptions(devices: DeviceNodes, binds: readonly string[]): readonly string[] {
  const nodes = DEVICES.map((name) => `/dev/${name}`);
  const made = devices.kind === "made" ? DEVICES.map((name) => joinPath(devices.folder, name)) : [];
  return [
    ...["--unshare-user", "--unshare-pid", "--as-pid-1", "--die-with-parent"],
    ...["--ro-bind", "/", "/", "--bind", "/proc", "/proc"],
    ...[...nodes, ...made].flatMap((node) => ["--dev-bind", node, node]),
    ...binds,
  ];
}

function outermost(folders: readonly AbsolutePath[]): readonly AbsolutePath[] {
  const sorted = [...new Set(folders)].sort(byPath);
  return sorted.filter((folder) => !sorted.some((other) => other !== folder && isInside(folder, other)));
}
