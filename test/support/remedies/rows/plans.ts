import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createDraft } from "../../../../src/session/draft.ts";
import { command, NAMED, PROJECT } from "../calls.ts";
import { cli } from "../cli.ts";
import { CONFIG, PROFILE } from "../config.ts";
import type { Row, Situation } from "../row.ts";

/** What is done to the machine's files before the situation. */
const first =
  (act: (at: Parameters<Situation>[0], told: string) => unknown, then: Situation): Situation =>
  async (at, told) => {
    await act(at, told);
    return then(at, told);
  };

/** The findings of `check` for a config with these roots. `files` are written first; `profile` is an operator's. */
const checked = (
  paths: string,
  files: Readonly<Record<string, string>> = {},
  profile: string | null = null,
): Situation =>
  first(
    (at) =>
      at.write({
        ...files,
        [CONFIG]: `version: 1\nsandbox: { runtimes: [system], paths: { ${paths} } }\n`,
        ...(profile === null ? {} : { [PROFILE]: `profile: own\n${profile}\n` }),
      }),
    cli(["check", ...NAMED]),
  );

const WS = "ws: { root: ., mode: rw, write_approval: false }";
const SUB = "ws: { root: ./f0, mode: rw, write_approval: false }";

/** The files of `count` folders in the project: each folder has one file of this name. */
const folders = (count: number, name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${PROJECT}/f${at}/${name}`, ""]));

const KEYS = "masks: [{ pattern: '**/*.key', at_most: none }]";
const SECRET = "masks: [{ pattern: '${workspace}/a/b/secret', at_most: read }]";

const git = (at: Parameters<Situation>[0], ...words: readonly string[]): void =>
  void execFileSync("git", words, { cwd: at.project, stdio: "ignore" });

/** A line of many programs, none of which anybody knows, judged by rules that forbid many others. */
const judged =
  (programs: number): Situation =>
  async (at) => {
    const rules = Array.from({ length: 200 }, (_, index) => `{ pattern: no-such-${index}, allowed: false }`);
    at.write({
      [CONFIG]: `version: 1\nsandbox: { runtimes: [], paths: { ${WS} } }\nshell: { rules: [${rules.join(", ")}] }\n`,
    });
    const script = Array.from({ length: programs }, (_, index) => `unknown-${index}`).join("; ");
    await createDraft({ host: at.host, config: at.at(CONFIG) }).prepare({ script });
  };

/** What is trusted is a config with so many patterns of its own profile. */
const trusting = (patterns: number): Situation =>
  first(
    (at) =>
      at.write({
        [CONFIG]: `version: 1\nsandbox: { runtimes: [system], os_profile: [./own.yaml], paths: { ${WS} } }\n`,
        [`${PROJECT}/own.yaml`]: `profile: one\nmasks:\n${Array.from({ length: patterns }, (_, index) => `  - { pattern: "x${index}${`/${"y".repeat(200)}`.repeat(5)}", at_most: read }\n`).join("")}`,
      }),
    cli(["trust", "--yes"]),
  );

const REPORTED = { runtimes: "system, git", sandbox: ", appeared: report" };

/** What is told of a plan before anything is run. */
export const OF_PLANS: readonly Row[] = [
  [
    "list smaller folders under `sandbox.paths`, or fewer runtimes",
    checked(WS, folders(90, "x.key"), KEYS),
    checked(SUB, {}, KEYS),
  ],
  [
    "list smaller folders as roots, so that they contain fewer protected files",
    checked(WS, folders(300, "x.key"), KEYS),
    checked(SUB, {}, KEYS),
  ],
  [
    "create the folder {} outside the sandbox: then only {} can't be created",
    checked(WS, {}, SECRET),
    first(
      (_at, told) => {
        const [, folder = ""] = /create the folder (.*) outside/.exec(told) ?? [];
        mkdirSync(folder, { recursive: true });
      },
      checked(WS, {}, SECRET),
    ),
  ],
  [
    "repair or remove that file, or move its folder out of the roots",
    first((at) => {
      git(at, "init", "-q");
      appendFileSync(at.at(`${PROJECT}/.git/config`), "[include]\npath = ../inc\0x\n");
    }, checked(WS)),
    first((at) => writeFileSync(at.at(`${PROJECT}/.git/config`), "[core]\nbare = false\n"), checked(WS)),
  ],
  ["split it into several calls, or write it to a file and run that", judged(600), judged(200)],
  [
    "name fewer or shorter profiles in `os_profile`, or name the config with `--config`",
    trusting(700),
    trusting(3),
  ],
  [
    "remove the link, or replace it with a folder",
    first(
      (at) => {
        at.write(
          Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`${PROJECT}/real/${index}`, ""])),
        );
        symlinkSync("real", at.at(`${PROJECT}/keep`));
      },
      checked(WS, {}, "masks: [{ pattern: '**/keep/*.x', at_most: read }]"),
    ),
    first(
      (at) => {
        execFileSync("rm", [at.at(`${PROJECT}/keep`)]);
        mkdirSync(at.at(`${PROJECT}/keep`));
      },
      checked(WS, {}, "masks: [{ pattern: '**/keep/*.x', at_most: read }]"),
    ),
  ],
];

/** Remedies after a call that made a file which git obeys. */
export const OF_REPOSITORIES: readonly Row[] = [
  [
    "review it before you use git in that folder",
    command(["sh", "-c", "git init -q new && git -C new config core.fsmonitor x"], REPORTED),
    command(["cat", "new/.git/config"]),
  ],
  [
    "delete it before you use git there, unless it is intended",
    command(["sh", "-c", "git init -q new && ln -s /tmp/x new/.git/refs/heads/l"], REPORTED),
    first(
      (at) => execFileSync("rm", [at.at(`${PROJECT}/new/.git/refs/heads/l`)]),
      command(["git", "-C", "new", "status"], REPORTED),
    ),
  ],
];
