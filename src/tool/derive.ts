import { coversEnv } from "../profile/env-pattern.ts";
import { type Macos, normalMacos } from "../profile/macos.ts";
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
import { limitsFrom, networkFrom } from "../profile/sections.ts";
import { proxiesOf, type Upstream } from "../profile/upstream.ts";
import type { Root, Runtime } from "./facts.ts";
import type { Launch } from "./launch.ts";
import { mayPass } from "./obeyed-names.ts";
import type { SandboxSection, ShellSection } from "./settings.ts";

/** What the derivation reads of a config. */
export interface ToolSettings {
  readonly roots: readonly Root[];
  readonly runtimes: readonly Runtime[];
  readonly sandbox: SandboxSection;
  readonly shell: ShellSection;
  /** Config and profile files: what lies in a root may be read, never changed. */
  readonly ownFiles: readonly AbsolutePath[];
  /** The proxies that listed hosts are reached by, as far as operators let them be; left out where nobody names one. */
  readonly upstream?: Upstream;
}

/**
 * What a call gets when a rule or the tool let it pass (`unasked`), and when a person said yes (`onYes`). For every
 * config, `unasked` is within `onYes`.
 */
export interface Needs {
  readonly unasked: Profile;
  readonly onYes: Profile;
}

/**
 * The profiles that the shell tool needs, never looser than the tool's config: each root with its mode (in `unasked`, a
 * root with `write_approval` is read-only and one with `read_approval` invisible), the runtimes to read, the listed
 * environment names, the network, the groups of system calls, of devices and of macOS, and the limits. A runtime inside a root (listed by hand) has that root's mode.
 */
export function deriveShellNeeds(settings: ToolSettings): Needs {
  return { unasked: deriveProfile(settings, false), onYes: deriveProfile(settings, true) };
}

/** What a tool on files does with them at most. */
export type FileWork = "reading" | "writing";

/**
 * The profiles that tools on files need: the roots alone, to read for those that only read, else each with its mode. No
 * runtime, network, unix socket, environment or terminal: what works on the files inside is ours, and no tool reaches it.
 */
export function deriveFileNeeds(settings: ToolSettings, work: FileWork): Needs {
  const need = (isApproved: boolean): Profile =>
    normalProfile({
      files: rootEntries(settings.roots, isApproved).map((entry) =>
        work === "reading" && entry.access === "write" ? { ...entry, access: "read" } : entry,
      ),
      masks: ownMasks(settings),
      limits: limitsFrom(settings.sandbox.limits),
    });
  return { unasked: need(false), onYes: need(true) };
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

/** The network of commands, by the proxies that it has. */
function networkBy({ shell, upstream }: ToolSettings): Network {
  const network = networkFrom(shell.network);
  if (typeof network === "string" || upstream === undefined) return network;
  return { ...network, proxies: proxiesOf(upstream) };
}

/** The groups of macOS that the config lists, and those that its runtimes bring along. */
export function macosGroups({ runtimes, sandbox }: Pick<ToolSettings, "runtimes" | "sandbox">): Macos {
  return normalMacos([...sandbox.macos, ...runtimes.flatMap((runtime) => runtime.macos)]);
}

function isShownWhole({ access, suffixes }: FileEntry): boolean {
  return access !== "none" && suffixes === "any";
}

function accessOf(root: Root, isApproved: boolean): FileEntry["access"] {
  if (root.mode === "none" || (root.readApproval && !isApproved)) return "none";
  if (root.mode === "ro") return "read";
  return root.writeApproval && !isApproved ? "read" : "write";
}

/** Whom the environment inside speaks of. */
export interface Person {
  readonly uid: number;
  readonly home: AbsolutePath;
}

/**
 * The whole environment of a call. Ours come first and are views, not grants: HOME, PATH, TMPDIR, USER, LOGNAME, SHELL,
 * and what runtimes need. Then what the caller has under granted names, of those that programs obey only what is listed by
 * its whole name, and nothing that bash obeys; then what the config sets.
 */
export function deriveEnvironment(
  settings: ToolSettings,
  granted: Profile,
  person: Person,
  callerEnv: Readonly<Record<string, string | undefined>>,
): Launch["env"] {
  const user = person.uid === 0 ? "root" : "user";
  const passed = Object.entries(callerEnv).flatMap(([name, value]): [string, string][] =>
    value !== undefined && mayPass(settings.sandbox.env.pass, name) && coversEnv(granted.env, name)
      ? [[name, value]]
      : [],
  );
  const set = Object.entries(settings.sandbox.env.set).filter(([name]) => coversEnv(granted.env, name));
  return {
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
