import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { BOUNDS } from "../attacks/bounds.ts";
import { ACCENTED } from "../attacks/mac/names.ts";
import { CofferdamError, visible } from "../errors.ts";
import { shortPlace } from "../host/launch/mac/short-place.ts";
import { makeTemporary } from "../host/launch/own-temporary.ts";
import type { Host } from "../host/look/host.ts";
import { realPathOf } from "../host/look/nodes.ts";
import { codeOf } from "../host/system-error.ts";
import { type AbsolutePath, knownPath } from "../profile/path.ts";

/** The folders of one selftest, and the inputs of a supervisor over them. Disposal removes all of it. */
export interface SelftestFolders extends Disposable {
  readonly ws: AbsolutePath;
  readonly docs: AbsolutePath;
  readonly notes: AbsolutePath;
  readonly outside: AbsolutePath;
  readonly config: AbsolutePath;
  readonly profile: AbsolutePath;
  /** A config with permissions for controls that no call has by default; the same config if there are none. */
  readonly wider: AbsolutePath;
}

/** The purpose of folders. `word` is the value of the one variable that is set inside. */
export interface Purpose {
  readonly word: string;
  readonly asRoot: boolean;
  readonly platform: Host["platform"];
}

/** Controls have folders of their own below `ws/free`, by number: none finds files that another one made. */
const CONTROLS = 16;

/** Makes the folders among the system's temporaries, and removes those of killed runs. Throws `SANDBOX_UNAVAILABLE`. */
export function prepareGround(purpose: Purpose): SelftestFolders {
  const place = placeFor(purpose);
  let made: AbsolutePath | null = null;
  try {
    made = makeTemporary(place, PREFIXES[purpose.platform]);
    return groundIn(made, purpose);
  } catch (cause) {
    if (made !== null) rmSync(made, { recursive: true, force: true });
    if (codeOf(cause) === "") throw cause;
    throw new CofferdamError(
      "SANDBOX_UNAVAILABLE",
      `the selftest's folders can't be made in ${visible(place)}: ${codeOf(cause)}`,
      { hint: "set TMPDIR to a folder with free space that this user can write", cause },
    );
  }
}

/** A call makes sockets in its own place: `/<our name>/s/calls/<process>-<16>/tmp/own`. */
const MAX_BEHIND = 88;

function placeFor({ platform }: Purpose): string {
  const place = resolve(tmpdir());
  return platform === "linux" ? place : (shortPlace(MAX_BEHIND) ?? place);
}

function groundIn(made: AbsolutePath, purpose: Purpose): SelftestFolders {
  const { platform, asRoot } = purpose;
  const top = realPathOf(made) ?? made;
  const at = (name: string): AbsolutePath => knownPath(join(top, name));
  for (const [name, text] of filesOf(top, platform)) write(at(name), text);
  for (const name of PROGRAMS) write(at(name), "#!/bin/sh\nexit 0\n", 0o755);
  for (const name of FOLDERS) mkdirSync(at(name), { recursive: true });
  for (const [name, target] of LINKS) symlinkSync(target.replace("TOP", top), at(name));
  if (platform === "linux" && asRoot && existsSync("/usr/bin/id")) {
    copyFileSync("/usr/bin/id", at("ws/setuid-id"));
    chmodSync(at("ws/setuid-id"), 0o4755);
  }
  write(at("config.yaml"), JSON.stringify(configFor(at, purpose, [])), 0o600);
  write(at("given.yaml"), JSON.stringify(configFor(at, purpose, WIDER[platform])), 0o600);
  write(at("operator.yaml"), JSON.stringify(profileFor(at, platform)), 0o600);
  return {
    ws: at("ws"),
    docs: at("docs"),
    notes: at("notes"),
    outside: at("outside"),
    config: at("config.yaml"),
    profile: at("operator.yaml"),
    wider: at("given.yaml"),
    [Symbol.dispose]: () => rmSync(made, { recursive: true, force: true }),
  };
}

const PREFIXES = { linux: "cofferdam-selftest-", darwin: "cofferdam-s-" } as const;

function write(path: AbsolutePath, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
}

/** Names with an accent are masked on macOS alone, where one can be written in two ways. */
const MASKED = {
  linux: [],
  darwin: [ACCENTED.hidden],
} as const satisfies Record<Host["platform"], readonly string[]>;

/** Additional permissions of macOS besides files and network, as far as controls use them. */
const WIDER = {
  linux: [],
  darwin: ["listen", "processes", "pty", "python"],
} as const satisfies Record<Host["platform"], readonly string[]>;

const PROGRAMS = ["outside/program", "ws/program"];

const MASKED_EVERYWHERE = [
  "locked",
  "deep/a/locked",
  "by-glob.locked",
  "hidden",
  "hidden-by-glob.key",
  "closed/key",
];

function filesOf(
  top: string,
  platform: Host["platform"],
): readonly (readonly [name: string, text: string])[] {
  const secret = "secret\n";
  const masked = [...MASKED_EVERYWHERE, ...MASKED[platform]];
  const controls = Array.from({ length: CONTROLS }, (_, at) => `ws/free/${at}`);
  return [
    ["outside/canary", secret],
    ["ws/inner/canary", secret],
    ["outside/moved", secret],
    ["ws/inner/moved", secret],
    ["docs/page", secret],
    ["notes/note.md", secret],
    ["notes/other.txt", secret],
    ...["ws", ...controls].flatMap((folder) =>
      masked.map((name): [string, string] => [`${folder}/${name}`, secret]),
    ),
    ...controls.map((folder): [string, string] => [`${folder}/docs/page`, secret]),
    ...REPOSITORIES.map(([name, text]): [string, string] => [`ws/${name}`, text.replace("TOP", top)]),
  ];
}

const CONFIG =
  "[core]\n\tbare = false\n\thooksPath = named-hooks\n[include]\n\tpath = ../named-by-config\n\tpath = ../aside/../by-detour\n";
const REPOSITORIES: readonly (readonly [name: string, text: string])[] = [
  ...["repository/.git", "repository/.git/modules/sub", "bare"].flatMap((folder): [string, string][] => [
    [`${folder}/HEAD`, "ref: refs/heads/main\n"],
    [`${folder}/config`, folder === "repository/.git" ? CONFIG : "[core]\n"],
    [`${folder}/hooks/README`, ""],
    [`${folder}/objects/info/README`, ""],
    [`${folder}/refs/README`, ""],
  ]),
  ["repository/.git/worktrees/w/HEAD", "ref: refs/heads/w\n"],
  ["repository/.git/worktrees/w/commondir", "../..\n"],
  ["repository/.git/worktrees/w/gitdir", "TOP/ws/linked/.git\n"],
  ["repository/sub/.git", "gitdir: ../.git/modules/sub\n"],
  ["linked/.git", "gitdir: ../repository/.git/worktrees/w\n"],
  ["repository/aside/README", ""],
  ["repository/.vscode/tasks.json", "{}\n"],
  ["repository/.envrc", "\n"],
];

const FOLDERS = ["ws/base"];

const LINKS: readonly (readonly [name: string, target: string])[] = [
  ["ws/to-outside", "TOP/outside"],
  ["ws/to-inner", "TOP/ws/inner"],
  ...["ws", ...Array.from({ length: CONTROLS }, (_, at) => `ws/free/${at}`)].flatMap(
    (folder): [string, string][] =>
      ["hidden", "hidden-by-glob.key"].map((name) => [`${folder}/to-${name}`, name]),
  ),
];

function configFor(
  at: (name: string) => AbsolutePath,
  { word, platform }: Purpose,
  macos: readonly string[],
): unknown {
  const root = (name: string, mode: "ro" | "rw", more: object = {}): object => {
    return { root: at(name), mode, write_approval: false, ...more };
  };
  return {
    version: 1,
    sandbox: {
      paths: {
        ws: root("ws", "rw"),
        docs: root("docs", "ro"),
        notes: root("notes", "rw", { suffixes: [".md"] }),
      },
      runtimes: ["system"],
      limits: { ...BOUNDS[platform], wall: "4m" },
      ...(macos.length === 0 ? {} : { macos }),
      env: { set: { SELFTEST_GIVEN: word } },
    },
  };
}

function profileFor(at: (name: string) => AbsolutePath, platform: Host["platform"]): unknown {
  const mask = (name: string, at_most: "none" | "read"): object => ({ pattern: at(`ws/${name}`), at_most });
  return {
    profile: "selftest",
    masks: [
      ...["locked", "deep/a/locked", "*.locked", "missing", "no/such/missing", "missing.json"].map((name) =>
        mask(name, "read"),
      ),
      ...["hidden", "*.key", "closed"].map((name) => mask(name, "none")),
      ...(platform === "darwin" ? [mask(ACCENTED.hidden, "none"), mask(ACCENTED.missing, "read")] : []),
    ],
    expect: [
      { deny: "write", path: at("ws/locked") },
      { deny: "read", path: at("ws/hidden") },
    ],
  };
}
