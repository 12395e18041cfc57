import { chmodSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { cli } from "./cli.ts";
import { CONFIG, PROFILE } from "./config.ts";
import type { Situation } from "./row.ts";

export const PROJECT = "home/ann/project";
const WS = "ws: { root: ., mode: rw, write_approval: false }";
export const NAMED = ["--config", "cofferdam.yaml"];

/** The parts of a config besides its one root, and the files that exist. */
interface Given {
  readonly paths?: string;
  readonly runtimes?: string;
  readonly sandbox?: string;
  readonly more?: string;
  readonly profile?: string;
  /** Links by where they lead: from the project's folder, or absolute. */
  readonly links?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly besides?: RegExp;
  readonly env?: Readonly<Record<string, string>>;
}

/** A command that is run under a config, in a real sandbox. */
export const command =
  (words: readonly string[], given: Given = {}, options: readonly string[] = []): Situation =>
  (at, told) => {
    prepared(at, given);
    return cli(
      ["run", ...(given.cwd === undefined ? NAMED : ["--config", at.at(CONFIG)]), ...options, "--", ...words],
      given,
    )(at, told);
  };

/** A tool that is called under a config, in a real sandbox. */
export const tool =
  (name: string, input: unknown, given: Given = {}): Situation =>
  (at, told) => {
    prepared(at, given);
    return cli(["call", ...NAMED, name, JSON.stringify(input)], given)(at, told);
  };

function prepared(at: Parameters<Situation>[0], given: Given): void {
  const { paths = "", runtimes = "system", sandbox = "", more = "", profile, links = {}, files = {} } = given;
  const text = `version: 1\nsandbox: { runtimes: [${runtimes}], paths: { ${WS}${paths} }${sandbox} }\n${more}\n`;
  at.write({
    ...files,
    [CONFIG]: text.replaceAll("HOME", at.home),
    ...(profile === undefined ? {} : { [PROFILE]: `profile: own\n${profile}\n` }),
  });
  for (const [from, to] of Object.entries(links)) {
    if (existsSync(at.at(from))) continue;
    mkdirSync(dirname(at.at(from)), { recursive: true });
    symlinkSync(to.startsWith("/") ? to : at.at(to), at.at(from));
  }
}

export const script =
  (text: string, mode = 0o755) =>
  (then: Situation): Situation =>
  (at, told) => {
    at.write({ [`${PROJECT}/tool`]: text });
    chmodSync(at.at(`${PROJECT}/tool`), mode);
    return then(at, told);
  };

/** A program in a folder of its own, outside of the project. */
export const ownTool = (at: Parameters<Situation>[0]): void => {
  at.write({ "srv/own/bin/own-tool": "#!/bin/sh\n" });
  chmodSync(at.at("srv/own/bin/own-tool"), 0o755);
};

export const UNASKED = "shell: { default: { approval: false } }";
export const DOCS = { "home/ann/docs/a.txt": "a\n" };
export const docs = (more: string): string => `, docs: { root: HOME/docs, ${more} }`;
export const NOTE = { [`${PROJECT}/note.txt`]: "one two two\n" };
