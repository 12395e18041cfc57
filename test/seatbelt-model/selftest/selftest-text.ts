import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename, join } from "node:path";
import type { AttackTarget } from "../../../src/attacks/attack.ts";
import type { RulePlan } from "../../../src/backend/plan.ts";
import { coveringRegexes } from "../../../src/backend/seatbelt/regex.ts";
import { lookAtCall } from "../../../src/call/look.ts";
import { prepare } from "../../../src/decide/prepare.ts";
import { FactsMemory, lookUpFacts } from "../../../src/host/launch/facts.ts";
import { thisHost } from "../../../src/host/look/host.ts";
import { type AbsolutePath, knownPath, parentOf } from "../../../src/profile/path.ts";
import { literalPattern } from "../../../src/profile/pattern.ts";
import { prepareGround, type SelftestFolders } from "../../../src/selftest/ground.ts";
import { resolvePolicy } from "../../../src/session/resolve-setup.ts";
import { type Call, readShellInput } from "../../../src/tool/call.ts";
import { SOME_TARGET } from "../../support/attack-target.ts";
import { CALL, CALL_PARAMETERS, macFacts } from "../../support/mac/mac-case.ts";
import { macWith } from "../world/mac.ts";
import { type Planted, USER } from "../world/spec.ts";
import type { World } from "../world/world.ts";

/** The selftest's folders on a Mac that does not exist, and what its calls are given there. */
export interface MacGround extends Disposable {
  readonly target: AttackTarget;
  /** The rules of the attacks' call, and of the twins' that are tried under the config that grants more. */
  readonly texts: Readonly<Record<"granted" | "wider", string>>;
  readonly parameters: ReadonlyMap<string, string>;
  /** The Mac, which every case has for itself. */
  readonly world: World;
}

/**
 * Prepares the selftest's folders here, has its call's rules made as on macOS, and puts both where a Mac would have them: in
 * `/private/tmp`, on a disk that takes names in either case for one. `change` alters the profile of the operator before.
 */
export async function macGround(change: Change = {}): Promise<MacGround> {
  const ground = prepareGround({ word: "word", asRoot: false, platform: "darwin" });
  const top = parentOf(ground.ws);
  const moved = `/private/tmp/${basename(top)}`;
  const move = (text: string): string =>
    SPELLINGS.reduce((changed, spell) => changed.replaceAll(spell(top), spell(moved)), text);
  const plans = {
    granted: await planFor(ground, ground.config, change),
    wider: await planFor(ground, ground.wider, change),
  };
  const parameters = new Map([
    ...CALL_PARAMETERS,
    ...Object.entries(plans.granted.rules.parameters).map(([name, value]) => [name, move(value)] as const),
  ]);
  const texts = { granted: move(plans.granted.rules.text), wider: move(plans.wider.rules.text) };
  // Every regex about the folder must have been found: one that was not would be about nothing on the Mac.
  if (/"\^\/\(?\[?[tT]/.test(texts.granted)) throw new Error("a rule is not where a Mac has the folders");
  const at = (name: "ws" | "docs" | "notes" | "outside"): string => move(ground[name]);
  return {
    target: {
      ...SOME_TARGET,
      ws: at("ws"),
      docs: at("docs"),
      notes: at("notes"),
      outside: at("outside"),
      pid: 4_711,
      neighbour: 4_713,
      word: "word",
      port: 4_712,
      home: "/Users/me",
    },
    texts,
    parameters,
    world: macWith(
      [
        { path: moved, kind: "folder", owner: USER },
        ...plantedFrom(top, move),
        { path: `${at("outside")}/socket`, kind: "socket", listener: "host", owner: USER },
        { path: `${at("ws")}/socket`, kind: "socket", listener: "host", owner: USER },
        { path: "/Applications/Preview.app/Contents", kind: "folder" },
        { path: "/private/var/log/system.log", kind: "file", bytes: "log" },
        { path: CALL, kind: "folder", owner: USER, mode: 0o700 },
        { path: `${CALL}/home`, kind: "folder", owner: USER, mode: 0o700 },
        { path: `${CALL}/tmp`, kind: "folder", owner: USER, mode: 0o700 },
      ],
      { cwd: at("ws") },
    ),
    [Symbol.dispose]: () => ground[Symbol.dispose](),
  };
}

/** How rules spell a path: as it is, in a regex, and in one where case does not count. */
const SPELLINGS: readonly ((path: string) => string)[] = [
  (path) => path,
  ...[false, true].map((ignoreCase) => (path: string) => {
    const pattern = literalPattern(knownPath(path));
    const [regex = path] = coveringRegexes([{ pattern, ignoreCase, isNodeAlone: true, root: null }]);
    return regex.replace(/^\^|\$$/g, "");
  }),
];

/** What a mutation takes away before the rules are made. */
export interface Change {
  /** The operator's profile is left out, and with it every mask. */
  readonly hasProfile?: false;
}

/** As a draft does it, on a machine that was not looked at. */
async function planFor(
  ground: SelftestFolders,
  config: AbsolutePath,
  { hasProfile }: Change,
): Promise<RulePlan> {
  const host = thisHost({ platform: "darwin", operatorFolders: [] });
  const profiles = hasProfile === false ? [] : [ground.profile];
  const decided = resolvePolicy({ config, profiles, cwd: ground.ws, host });
  const { policy, cwd } = decided;
  const input = readShellInput({ argv: ["sh", "-s"] });
  const call: Call = {
    callId: "draft",
    runId: "draft",
    sessionId: "draft",
    tool: "shell",
    input,
    use: null,
    caller: "person",
    agent: null,
    stdin: "none",
  };
  const { launcher, user, devices, coversLinks, tree, coreDumps, mac } = macFacts();
  const machine = { launcher, user, devices, coversLinks, tree, coreDumps, mac, links: [], emptyFile: null };
  const of = [policy.withoutApproval.profile, policy.withApproval.profile];
  const facts = await lookUpFacts(host, machine, of, new FactsMemory());
  const { withApproval } = prepare(call, policy, {
    ...lookAtCall(input, policy, cwd),
    facts,
    callerEnv: host.env,
  });
  const { rendering } = withApproval;
  if (rendering.kind !== "plan" || rendering.plan.kind === "mounts")
    throw new Error(JSON.stringify(rendering));
  return rendering.plan;
}

function plantedFrom(folder: string, move: (text: string) => string): readonly Planted[] {
  return readdirSync(folder).flatMap((name): readonly Planted[] => {
    const from = join(folder, name);
    const path = move(from);
    const stats = lstatSync(from);
    const mode = stats.mode & 0o777;
    if (stats.isSymbolicLink())
      return [{ path, kind: "symlink", target: move(readlinkSync(from)), owner: USER }];
    if (stats.isDirectory()) return [{ path, kind: "folder", owner: USER, mode }, ...plantedFrom(from, move)];
    return [{ path, kind: "file", bytes: readFileSync(from, "utf8"), owner: USER, mode }];
  });
}
