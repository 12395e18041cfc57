import { type Facts, nodeAt } from "../backend/facts.ts";
import type { Json } from "../policy/canonical-json.ts";
import type { GrantKey } from "../policy/grant.ts";
import { argsHashOf, cacheKeyOf } from "../policy/hashes.ts";
import { jsonDigest, type TextDigests } from "../policy/json-digest.ts";
import { spelledOut } from "../policy/spelled-out.ts";
import type { ProfileDigest } from "../profile/canonical.ts";
import type { AbsolutePath } from "../profile/path.ts";
import { type Call, jsonPorts, type ShellInput, scriptOf, wordsOf } from "../tool/call.ts";
import type { ProgramStart } from "../tool/launch.ts";

/** The program that a call would run: its path, the identity of its file, and whether it exists. */
export interface ProgramFacts {
  /** The path found inside, by PATH or as given; null if nothing is there. */
  readonly path: AbsolutePath | null;
  readonly real: AbsolutePath | null;
  readonly id: string | null;
  /** `contentIdOf` the file if it lies in a writable root; else null. */
  readonly content: string | null;
}

/** Facts of a call, and its grants with approval. */
export interface BoundFacts {
  readonly facts: Facts;
  readonly cwd: AbsolutePath;
  readonly program: ProgramFacts;
  /** The programs that a shell would start, other than the shell itself. */
  readonly commands: readonly { readonly program: ProgramFacts }[];
  readonly granted: ProfileDigest;
  readonly env: ProgramStart["env"] | null;
  readonly atHome?: ProgramStart["atHome"];
  readonly roots: readonly AbsolutePath[];
}

/** The keys of a call: `argsHash` binds one approval, `grantKey` an approval for the session. */
export interface Binding {
  readonly argsHash: string;
  readonly grantKey: GrantKey;
}

/**
 * Binds an approval to exactly this call: tool, agent, words, folder, ports, stdin, profile, environment, HOME files
 * and root identities. Covers each program file (its own, and a shell's), with its content if tools may write it.
 */
export function bindingOf(call: Call, found: BoundFacts): Binding {
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

/** The input that rules on arguments match. Words that are not UTF-8 are spelled out. */
export function spelledInput(input: ShellInput): { readonly [key: string]: Json } {
  const more = { ...(input.cwd === undefined ? {} : { cwd: spelledOut(input.cwd) }), ...jsonPorts(input) };
  if ("script" in input) return { script: spelledOut(input.script), ...more };
  return { argv: input.argv.map(spelledOut), ...more };
}
