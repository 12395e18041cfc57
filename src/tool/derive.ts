import { coversEnv } from "../profile/env-pattern.ts";
import { type AbsolutePath, isInside } from "../profile/path.ts";
import { literalPattern } from "../profile/pattern.ts";
import { type FileEntry, type Mask, normalProfile, type Profile } from "../profile/profile.ts";
import { limitsFrom, networkFrom } from "../profile/sections.ts";
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
 * environment names, the network and the limits. A runtime inside a root (listed by hand) has that root's mode.
 */
export function deriveShellNeeds(settings: ToolSettings): Needs {
  return { unasked: deriveProfile(settings, false), onYes: deriveProfile(settings, true) };
}

function deriveProfile(settings: ToolSettings, isApproved: boolean): Profile {
  const { roots, runtimes, sandbox, shell, ownFiles } = settings;
  const granted = roots.map(
    (root): FileEntry => ({ path: root.path, access: accessOf(root, isApproved), suffixes: root.suffixes }),
  );
  const shown = granted.filter((entry) => entry.access !== "none" && entry.suffixes === "any");
  const needed = runtimes
    .flatMap((runtime) => runtime.read)
    .filter((path) => !shown.some((entry) => isInside(path, entry.path)));
  return normalProfile({
    files: [...needed.map((path): FileEntry => ({ path, access: "read", suffixes: "any" })), ...granted],
    masks: ownFiles.map(
      (path): Mask => ({ pattern: literalPattern(path), atMost: "read", ignoreCase: false }),
    ),
    network: networkFrom(shell.network),
    env: [...sandbox.env.pass, ...Object.keys(sandbox.env.set)],
    terminal: shell.terminal,
    limits: limitsFrom(sandbox.limits),
  });
}

function accessOf(root: Root, isApproved: boolean): FileEntry["access"] {
  if (root.readApproval && !isApproved) return "none";
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
