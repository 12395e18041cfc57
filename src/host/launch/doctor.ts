import { existsSync, readFileSync } from "node:fs";
import { hostname, release } from "node:os";
import { HOST_NAME } from "../../backend/bubblewrap/identity.ts";
import type { Launcher } from "../../backend/facts.ts";
import { standardProgram } from "../../backend/seccomp/standard.ts";
import { CLOSED } from "../../profile/profile.ts";
import type { Host } from "../look/host.ts";
import { orNull } from "../or-null.ts";
import { inheritedDescriptors } from "./inherited.ts";
import { explainSetupFailure, type SetupFailure } from "./setup-failure.ts";
import { type LauncherChild, launch, type SpawnOptions } from "./spawn.ts";
import { readableAt, writableAt } from "./streams.ts";

/** The properties of this machine that matter to sandboxes. */
export interface Survey {
  readonly kernel: string;
  /** The version that limits on a whole tree of processes would use: 2, 1 or none. */
  readonly cgroups: 2 | 1 | null;
  /** The containers and sandboxes around this process: `docker`, `flatpak`, `cofferdam`, … */
  readonly inside: readonly string[];
  /** Kernel settings that keep ordinary users from creating namespaces, as `name = value`. */
  readonly restrictions: readonly string[];
  /** Descriptors that this process inherited; they are covered in every sandbox. */
  readonly leaked: readonly number[];
}

/** Surveys the machine without starting anything. */
export function surveyMachine(host: Host): Survey {
  return {
    kernel: release(),
    cgroups: existsSync("/sys/fs/cgroup/cgroup.controllers")
      ? 2
      : existsSync("/sys/fs/cgroup/memory")
        ? 1
        : null,
    inside: surroundingsOf(host),
    restrictions: RESTRICTING.flatMap(([path, value]) =>
      textOf(path).trim() === value
        ? [`${path.slice("/proc/sys/".length).replaceAll("/", ".")} = ${value}`]
        : [],
    ),
    leaked: inheritedDescriptors(),
  };
}

const RESTRICTING = [
  ["/proc/sys/kernel/unprivileged_userns_clone", "0"],
  ["/proc/sys/user/max_user_namespaces", "0"],
  ["/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"],
] as const;

/** Files and variables by which container engines and sandboxes identify themselves. */
function surroundingsOf(host: Host): readonly string[] {
  const status = textOf("/proc/self/status");
  const isFiltered = /^NoNewPrivs:\s*1$/m.test(status) && /^Seccomp:\s*2$/m.test(status);
  const signs: readonly (readonly [string, boolean])[] = [
    ["cofferdam", isFiltered && hostname() === HOST_NAME],
    ["docker", existsSync("/.dockerenv")],
    ["podman", existsSync("/run/.containerenv")],
    ["kubernetes", host.env["KUBERNETES_SERVICE_HOST"] !== undefined],
    ["flatpak", existsSync("/.flatpak-info")],
    ["snap", host.env["SNAP"] !== undefined],
    ["WSL", /microsoft/i.test(release())],
  ];
  const named = textOf("/run/systemd/container").trim();
  return [
    ...new Set([...signs.flatMap(([name, isSo]) => (isSo ? [name] : [])), ...(named === "" ? [] : [named])]),
  ];
}

/** One part of a sandbox, tested by itself. `isNeeded`: without it there is no sandbox at all. */
export interface SandboxProbe {
  readonly name: string;
  readonly isNeeded: boolean;
  readonly result:
    | { readonly kind: "works" }
    | { readonly kind: "fails"; readonly failure: SetupFailure }
    | { readonly kind: "not-tried"; readonly reason: string };
}

interface Rung {
  readonly name: string;
  readonly argv: readonly string[];
  /** An option that an old launcher may lack, and its replacement. */
  readonly optional: { readonly option: string; readonly without: string } | null;
}

/** Each rung needs the first; the last tests all together. */
const RUNGS: readonly Rung[] = [
  { name: "user namespace", argv: [], optional: null },
  { name: "network namespace", argv: ["--unshare-net"], optional: null },
  { name: "processes and /proc", argv: ["--unshare-pid", "--proc", "/proc"], optional: null },
  { name: "devices", argv: ["--dev", "/dev"], optional: null },
  { name: "system call filter", argv: ["--seccomp", "3"], optional: null },
  {
    name: "no namespaces inside",
    argv: ["--disable-userns"],
    optional: { option: "disable-userns", without: "the system call filter refuses them" },
  },
  {
    name: "bounded scratch space",
    argv: ["--size", "65536", "--tmpfs", "/tmp"],
    optional: { option: "size", without: "scratch space is as large as memory" },
  },
];

const PROBE_MS = 10_000;

/**
 * Tests each part of a sandbox by a launch of its own, as the user that tools run as, in the order that a plan needs
 * them. If the first fails, the others, which need it, are not tried.
 */
export async function climbLadder(
  host: Host,
  launcher: Launcher,
  runAs: SpawnOptions["runAs"],
): Promise<readonly SandboxProbe[]> {
  const probes: SandboxProbe[] = [];
  const usable = RUNGS.filter(({ optional }) => optional === null || launcher.options.has(optional.option));
  const together: Rung = { name: "all together", argv: usable.flatMap((rung) => rung.argv), optional: null };
  for (const rung of [...RUNGS, together]) {
    const { name, argv, optional } = rung;
    const isNeeded = optional === null;
    if (probes[0]?.result.kind === "fails")
      probes.push({ name, isNeeded, result: { kind: "not-tried", reason: "it needs the first" } });
    else if (rung !== together && !usable.includes(rung)) {
      probes.push({
        name,
        isNeeded,
        result: {
          kind: "not-tried",
          reason: `this bubblewrap has no --${optional?.option}: ${optional?.without}`,
        },
      });
    } else probes.push({ name, isNeeded, result: await tryLaunch(host, launcher, argv, runAs) });
  }
  return probes;
}

async function tryLaunch(
  host: Host,
  launcher: Launcher,
  argv: readonly string[],
  runAs: SpawnOptions["runAs"],
): Promise<SandboxProbe["result"]> {
  const all = [
    "--unshare-user",
    "--cap-drop",
    "ALL",
    "--die-with-parent",
    "--ro-bind",
    "/",
    "/",
    ...argv,
    "--",
    launcher.shell,
    "-c",
    ":",
  ];
  const child = launch(launcher.path, all, { stdio: ["ignore", "ignore", "pipe", "pipe"], runAs });
  const timer = setTimeout(() => child.kill("SIGKILL"), PROBE_MS);
  try {
    const said = wordsOf(child);
    writableAt(child, 3).end(standardProgram(host.arch, CLOSED));
    const status = await endOf(child);
    return status === 0 ? { kind: "works" } : { kind: "fails", failure: explainSetupFailure(await said) };
  } finally {
    clearTimeout(timer);
  }
}

async function wordsOf(child: LauncherChild): Promise<string> {
  let text = "";
  for await (const chunk of readableAt(child, 2)) text += String(chunk);
  return text;
}

function endOf(child: LauncherChild): Promise<number> {
  return new Promise((resolve) => {
    child.once("error", () => resolve(-1));
    child.once("close", (code) => resolve(code ?? -1));
  });
}

function textOf(path: string): string {
  return orNull(() => readFileSync(path, "utf8")) ?? "";
}
