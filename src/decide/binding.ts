import { type Facts, nodeAt } from "../backend/facts.ts";
import { type BoundCall, type BoundPart, boundPart, type CallOrigin, inOrder } from "../policy/bound-call.ts";
import type { Json } from "../policy/canonical-json.ts";
import type { GrantKey } from "../policy/grant.ts";
import { cacheKeyOf, partsHash } from "../policy/hashes.ts";
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
  readonly commands: readonly {
    readonly words: readonly [string, ...string[]];
    readonly program: ProgramFacts;
  }[];
  readonly granted: ProfileDigest;
  readonly env: ProgramStart["env"] | null;
  readonly atHome?: ProgramStart["atHome"];
  readonly roots: readonly AbsolutePath[];
  /** The folder of the config. */
  readonly project: string;
  readonly origin: CallOrigin | null;
}

/** The keys of a call: `argsHash` binds one approval, `grantKey` an approval for the session. */
export interface Binding {
  readonly argsHash: string;
  readonly grantKey: GrantKey;
  readonly bound: BoundCall;
}

/**
 * Binds an approval to exactly this call: tool, agent, words, folder, ports, stdin, profile, environment, HOME files
 * and root identities. Covers each program file (its own, and a shell's), with its content if tools may write it.
 * `argsHash` is made of the parts alone, so each change of it is a change of a part.
 */
export function bindingOf(call: Call, found: BoundFacts): Binding {
  const { facts, cwd, program, commands, granted, env, atHome = [], roots, project, origin } = found;
  const { tool, agent, use, input, stdin } = call;
  const digests: TextDigests = new Map();
  const words = wordsOf(input).map(spelledOut);
  const payload = { words, cwd: spelledOut(cwd), stdin, ...jsonPorts(input) };
  const around = inOrder([
    boundPart("program", wordsOf(input)[0], bound(program)),
    ...(scriptOf(input) === null ? [] : programParts(commands)),
    ...Object.entries(env ?? {}).map(([name, value]) => boundPart("variable", name, spelledOut(value))),
    ...atHome.map(({ name, text }) => boundPart("home", name, text, digests)),
    ...roots.map((path) => {
      const node = nodeAt(facts, path);
      return boundPart("root", path, node.kind === "missing" ? null : node.id);
    }),
  ]);
  const written = use === null ? { words, stdin, ...jsonPorts(input) } : { args: use.args, stdin };
  const writtenPart = boundPart("input", null, written, digests);
  const parts = [
    writtenPart,
    // The words and ports of a tool follow from its arguments by its own code.
    ...(use === null
      ? []
      : [boundPart("tool", null, { version: use.version, words, ...jsonPorts(input) }, digests)]),
    boundPart("folder", null, payload.cwd),
    ...around,
    boundPart("access", null, granted),
  ];
  const folder = use === null ? spelledOut(input.cwd ?? "") : "";
  return {
    argsHash: partsHash({ tool, agent }, parts),
    grantKey: {
      cacheKey: cacheKeyOf(tool, use === null ? payload : use.payload, digests),
      toolVersion: use?.version ?? "",
      program: jsonDigest(around),
      granted,
    },
    bound: { key: jsonDigest([project, tool, agent, writtenPart.digest, folder]), parts, origin },
  };
}

/** The programs that a script starts, each once. One that was not found has no part: found later, it is a new one. */
function programParts(commands: BoundFacts["commands"]): readonly BoundPart[] {
  const known = new Map(commands.map(({ words: [word], program }) => [word, program]));
  return [...known].flatMap(([word, program]) =>
    program.path === null ? [] : [boundPart("program", word, bound(program))],
  );
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
