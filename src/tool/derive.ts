import { coversEnv } from "../profile/env-pattern.ts";
import { meetGroups } from "../profile/groups.ts";
import { limitsFrom } from "../profile/limits-section.ts";
import { MACOS_GROUPS, type Macos } from "../profile/macos.ts";
import type { Network } from "../profile/network.ts";
import type { AbsolutePath } from "../profile/path.ts";
import { literalPattern } from "../profile/pattern.ts";
import {
  type FileEntry,
  indexEntries,
  type Mask,
  nearestEntry,
  normalProfile,
  type Profile,
} from "../profile/profile.ts";
import { networkFrom } from "../profile/sections.ts";
import { proxiesOf, type Upstream } from "../profile/upstream.ts";
import type { Root, Runtime } from "./facts.ts";
import type { ProgramStart } from "./launch.ts";
import { mayPass } from "./obeyed-names.ts";
import type { SandboxSection, ShellSection } from "./settings.ts";

/** The part of a config that the derivation reads. */
export interface ToolSettings {
  readonly roots: readonly Root[];
  readonly runtimes: readonly Runtime[];
  readonly sandbox: SandboxSection;
  readonly shell: ShellSection;
  /** Config and profile files: those inside a root are readable, never writable. */
  readonly ownFiles: readonly AbsolutePath[];
  /** The proxies for listed hosts, as far as operators allow them; absent if none is configured. */
  readonly upstream?: Upstream;
  readonly whyNoRoot?: WhyNoRoot;
}

/** Why no config can make a folder of the machine a root, or a writable one; null if one can, or if it is unknown. */
export type WhyNoRoot = (folder: AbsolutePath, mode: Root["mode"]) => string | null;

/**
 * The profiles of a call without and with a person's approval. For every config, `withoutApproval` is within
 * `withApproval`.
 */
export interface Needs {
  readonly withoutApproval: Profile;
  readonly withApproval: Profile;
}

/**
 * The profiles of the shell tool, never looser than the tool's config. They hold each root with its mode, the runtimes
 * to read, the listed environment names, the network, the groups of system calls, of devices and of macOS, and the
 * limits. Without approval, a root with `write_approval` is read-only and one with `read_approval` invisible. A runtime
 * inside a root (listed by hand) has that root's mode.
 */
export function deriveShellNeeds(settings: ToolSettings): Needs {
  return { withoutApproval: deriveProfile(settings, false), withApproval: deriveProfile(settings, true) };
}

/** The most that a file tool does with files. */
export type FileWork = "reading" | "writing";

/** The profiles of file tools: only the roots, as the worker inside is our own. `reading` makes them read-only. */
export function deriveFileNeeds(settings: ToolSettings, work: FileWork): Needs {
  const need = (isApproved: boolean): Profile =>
    normalProfile({
      files: rootEntries(settings.roots, isApproved).map((entry) =>
        work === "reading" && entry.access === "write" ? { ...entry, access: "read" } : entry,
      ),
      masks: ownMasks(settings),
      limits: limitsFrom(settings.sandbox.limits),
    });
  return { withoutApproval: need(false), withApproval: need(true) };
}

function rootEntries(roots: readonly Root[], isApproved: boolean): readonly FileEntry[] {
  return roots.map(
    (root): FileEntry => ({ path: root.path, access: accessOf(root, isApproved), suffixes: root.suffixes }),
  );
}

function ownMasks({ ownFiles }: ToolSettings): readonly Mask[] {
  return ownFiles.map((path) => ({ pattern: literalPattern(path), atMost: "read", ignoreCase: false }));
}

function deriveProfile(settings: ToolSettings, isApproved: boolean): Profile {
  const { runtimes, sandbox, shell } = settings;
  const granted = rootEntries(settings.roots, isApproved);
  const roots = indexEntries(granted);
  const needed = runtimes
    .flatMap((runtime) => runtime.read)
    .filter((path) => !isShownWhole(nearestEntry(roots, path)));
  return normalProfile({
    files: [...needed.map((path): FileEntry => ({ path, access: "read", suffixes: "any" })), ...granted],
    masks: ownMasks(settings),
    network: networkBy(settings),
    sockets: [],
    env: [...sandbox.env.pass, ...Object.keys(sandbox.env.set)],
    terminal: shell.terminal ?? false,
    syscalls: sandbox.syscalls,
    devices: sandbox.devices,
    macos: macosGroups(settings),
    ports: shell.ports,
    limits: limitsFrom(sandbox.limits),
  });
}

function networkBy({ shell, upstream }: ToolSettings): Network {
  const network = networkFrom(shell.network);
  if (typeof network === "string" || upstream === undefined) return network;
  return { ...network, proxies: proxiesOf(upstream) };
}

/** The groups of macOS that the config lists, and those of its runtimes. */
export function macosGroups({ runtimes, sandbox }: Pick<ToolSettings, "runtimes" | "sandbox">): Macos {
  return meetGroups(MACOS_GROUPS, [...sandbox.macos, ...runtimes.flatMap((runtime) => runtime.macos)]);
}

function isShownWhole({ access, suffixes }: FileEntry): boolean {
  return access !== "none" && suffixes === "any";
}

function accessOf(root: Root, isApproved: boolean): FileEntry["access"] {
  if (root.mode === "none" || (root.readApproval && !isApproved)) return "none";
  if (root.mode === "ro") return "read";
  return root.writeApproval && !isApproved ? "read" : "write";
}

/** npm repeats failed downloads for more than a minute: without a network it is told to fail at once. */
const NPM_OFFLINE = { npm_config_fetch_retries: "0" } as const;

/** The user that the environment inside describes. */
export interface Person {
  readonly uid: number;
  readonly home: AbsolutePath;
}

/**
 * The whole environment of a call. Our own variables come first and are views, not grants: HOME, PATH, TMPDIR, USER,
 * LOGNAME, SHELL, those of runtimes, and npm's number of retries without a network. Then the caller's variables under granted names: those that programs obey only
 * if listed by whole name, those that bash obeys never. The config's values come last.
 */
export function deriveEnvironment(
  settings: ToolSettings,
  granted: Profile,
  person: Person,
  callerEnv: Readonly<Record<string, string | undefined>>,
): ProgramStart["env"] {
  const user = person.uid === 0 ? "root" : "user";
  const passed = passedVariables(settings, granted, callerEnv);
  const set = Object.entries(settings.sandbox.env.set).filter(([name]) => coversEnv(granted.env, name));
  const isOffline = granted.network === "none" && settings.runtimes.some(({ name }) => name === "node");
  return {
    ...(isOffline ? NPM_OFFLINE : {}),
    ...Object.fromEntries(passed),
    HOME: person.home,
    PATH: [...new Set(settings.runtimes.flatMap((runtime) => runtime.path))].join(":"),
    TMPDIR: "/tmp",
    USER: user,
    LOGNAME: user,
    SHELL: "/bin/sh",
    ...Object.fromEntries(settings.runtimes.flatMap((runtime) => Object.entries(runtime.env))),
    ...Object.fromEntries(set),
  };
}

/** The caller's variables that a call receives, unless a variable of ours or of the config has the same name. */
export function passedVariables(
  { sandbox }: Pick<ToolSettings, "sandbox">,
  granted: Pick<Profile, "env">,
  callerEnv: Readonly<Record<string, string | undefined>>,
): readonly (readonly [name: string, value: string])[] {
  return Object.entries(callerEnv).flatMap(([name, value]): [string, string][] =>
    value !== undefined && mayPass(sandbox.env.pass, name) && coversEnv(granted.env, name)
      ? [[name, value]]
      : [],
  );
}
