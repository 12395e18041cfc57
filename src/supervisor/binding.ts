import { type Facts, nodeAt } from "../backend/facts.ts";
import type { Json } from "../policy/canonical-json.ts";
import type { GrantKey } from "../policy/grant.ts";
import { argsHashOf, cacheKeyOf } from "../policy/hashes.ts";
import { jsonDigest, type TextDigests } from "../policy/json-digest.ts";
import { spelledOut } from "../policy/spelled-out.ts";
import type { ProfileDigest } from "../profile/canonical.ts";
import type { AbsolutePath } from "../profile/path.ts";
import { type Call, jsonPorts, type ShellInput, scriptOf, wordsOf } from "../tool/call.ts";
import type { Launch } from "../tool/launch.ts";

/** The program that a call would run: by which path, which file that is, and whether it is there at all. */
export interface ProgramFacts {
  /** As found inside, by PATH or by its path; null when nothing is there. */
  readonly path: AbsolutePath | null;
  readonly real: AbsolutePath | null;
  readonly id: string | null;
  /** What the file holds, as `contentIdOf` tells it, when it lies in a writable root; else null. */
  readonly content: string | null;
}

/** What was found of a call, and what it gets on a yes. */
export interface Found {
  readonly facts: Facts;
  readonly cwd: AbsolutePath;
  readonly program: ProgramFacts;
  /** The programs that a shell would start, beside itself. */
  readonly commands: readonly { readonly program: ProgramFacts }[];
  readonly granted: ProfileDigest;
  readonly env: Launch["env"] | null;
  readonly atHome?: Launch["atHome"];
  readonly roots: readonly AbsolutePath[];
}

/** What one yes is bound to, and what a yes for the session would be. */
export interface Binding {
  readonly argsHash: string;
  readonly grantKey: GrantKey;
}

/**
 * Binds an approval to exactly this call: tool and agent, words, place, ports and standard input; which file the program is, and
 * each that a shell would start, and what they hold where tools could have written them; the profile, the environment, the files made for it in HOME, and which folders the roots are.
 */
export function bindingOf(call: Call, found: Found): Binding {
  const { facts, cwd, program, commands, granted, env, atHome = [], roots } = found;
  const payload = {
    words: wordsOf(call.input).map(spelledOut),
    cwd: spelledOut(cwd),
    stdin: call.stdin,
    ...jsonPorts(call.input),
  };
  const around = {
    program: bound(program),
    ...(scriptOf(call.input) === null ? {} : { programs: commands.map((one) => bound(one.program)) }),
    env: jsonDigest(
      Object.fromEntries(Object.entries(env ?? {}).map(([name, value]) => [name, spelledOut(value)])),
    ),
    ...(atHome.length === 0 ? {} : { home: jsonDigest(atHome.map(({ name, text }) => [name, text])) }),
    roots: roots.map((path) => {
      const node = nodeAt(facts, path);
      return { path, id: node.kind === "missing" ? null : node.id };
    }),
  };
  const { tool, agent, use } = call;
  const own = use === null ? {} : { version: use.version, args: use.args };
  const digests: TextDigests = new Map();
  return {
    argsHash: argsHashOf({ tool, agent, ...own, ...payload, ...around, granted }, digests),
    grantKey: {
      cacheKey: cacheKeyOf(tool, use === null ? payload : use.payload, digests),
      toolVersion: use?.version ?? "",
      program: jsonDigest(around),
      granted,
    },
  };
}

function bound({ path, real, id, content }: ProgramFacts): { readonly [key: string]: Json } {
  return { path, real, id, content };
}

/** The input as rules on arguments see it: words that are not UTF-8 are spelled out. */
export function spelledInput(input: ShellInput): { readonly [key: string]: Json } {
  const more = { ...(input.cwd === undefined ? {} : { cwd: spelledOut(input.cwd) }), ...jsonPorts(input) };
  if ("script" in input) return { script: spelledOut(input.script), ...more };
  return { argv: input.argv.map(spelledOut), ...more };
}
