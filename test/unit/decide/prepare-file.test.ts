import fc from "fast-check";
import { expect, test } from "vitest";
import { backendFor } from "../../../src/backend/all.ts";
import type { Ceiling } from "../../../src/config/config.ts";
import { type CallPolicy, callPolicyFor } from "../../../src/decide/call-policy.ts";
import { type FileCall, prepareFile } from "../../../src/decide/prepare-file.ts";
import type { Action } from "../../../src/policy/action.ts";
import { DEFAULT_APPROVAL, NO_OPERATOR } from "../../../src/policy/approval-section.ts";
import type { Grant } from "../../../src/policy/grant.ts";
import { NOTHING_REMEMBERED } from "../../../src/policy/remembered.ts";
import { isAtMost } from "../../../src/profile/access.ts";
import { accessTo } from "../../../src/profile/access-to.ts";
import { isWithin } from "../../../src/profile/compare.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { OPEN, type Profile } from "../../../src/profile/profile.ts";
import { deriveFileNeeds } from "../../../src/tool/derive.ts";
import type { Root } from "../../../src/tool/facts.ts";
import { FILE_TOOLS } from "../../../src/tool/files/all.ts";
import type { TouchedPath } from "../../../src/tool/files/file-tool.ts";
import { rootOf, shownPath } from "../../../src/tool/files/written-path.ts";
import { law } from "../../laws/law.ts";
import { toolRule } from "../../support/approval/generate-policy.ts";
import { roots, settingsWith } from "../../support/files/settings.ts";
import { profile } from "../../support/generate.ts";
import { masks } from "../../support/worker/tree.ts";

const RANK: Readonly<Record<Action, number>> = { allow: 0, ask: 1, deny: 2 };
const BACKEND = backendFor("linux");

function standingOver(
  given: readonly Root[],
  ceilingOf: Profile,
  more: Partial<CallPolicy> = {},
): CallPolicy {
  if (BACKEND === null) throw new Error("there is no backend");
  const ceiling: Ceiling = {
    layers: [{ name: "ceiling", profile: ceilingOf, sources: new Map() }],
    labels: ["ceiling"],
    profile: ceilingOf,
    approval: NO_OPERATOR,
    executed: [],
    appeared: "report",
    runAs: "any",
  };
  const settings = settingsWith(given, [absolutePath("/w/notes/cofferdam.yaml")]);
  const { sandbox, shell } = settings;
  const config = { approval: DEFAULT_APPROVAL, sandbox, shell, roots: given, workspace: absolutePath("/w") };
  const base = {
    backend: BACKEND,
    settings,
    config,
    ceiling,
    mode: "interactive",
    asksCaller: false,
  } as const;
  return callPolicyFor({ ...base, ...more });
}

const PATHS = [
  "/w/notes/a.md",
  "/w/notes/a.sh",
  "/w/notes/inner/a.md",
  "/w/notes/inner/deep/a.txt",
  "/w/notes/cofferdam.yaml",
  "/docs/a.md",
  "/w/else/a.md",
  "/etc/shadow",
].map(absolutePath);

const NAMES = FILE_TOOLS.map(({ name }) => name);

const VERSIONS: Readonly<Record<string, object>> = {
  read_file: {},
  list_dir: {},
  find_files: { pattern: "*" },
  search_files: { text: "x" },
  write_file: { content: "x" },
  edit_file: { edits: [{ old_text: "a", new_text: "b" }] },
  delete_file: {},
};

interface Use {
  readonly tool: string;
  readonly path: (typeof PATHS)[number];
  readonly other?: (typeof PATHS)[number];
  readonly input?: object;
  readonly agent?: string | null;
  readonly caller?: FileCall["caller"];
  readonly version?: string;
  readonly kind?: TouchedPath["looked"]["kind"];
  readonly folder?: string;
}

/** One use of a tool on a file that is there. */
function callOf(use: Use, given: readonly Root[]): FileCall {
  const { path, other = path, version = "1", kind = "file", folder = "/w/notes", agent = null } = use;
  const tool = FILE_TOOLS.find(({ name }) => name === use.tool);
  if (tool === undefined) throw new Error(use.tool);
  const paths = use.tool === "move_file" ? { from: path, to: other } : { path };
  const read = tool.read({ ...paths, ...VERSIONS[use.tool], ...use.input }, given);
  const targets = read.touches.map((touch, index): TouchedPath => {
    const at = index === 0 ? path : other;
    const looked = { target: at, kind, version, bytes: 1, mode: 0o644, folder, leadsTo: null };
    return { ...touch, path: at, root: rootOf(at, given), shown: shownPath(at, given), looked };
  });
  return { tool, use: read, targets, agent, caller: use.caller ?? "agent", executed: [] };
}

const aPath = fc.constantFrom(...PATHS);
const use: fc.Arbitrary<Use> = fc.record({ tool: fc.constantFrom(...NAMES), path: aPath, other: aPath });
const ceilingOf = fc.oneof(fc.constant(OPEN), profile);

test("what is granted without approval is within what a yes gives, and both within the ceiling; reading within writing", () => {
  fc.assert(
    fc.property(roots, ceilingOf, (given, ceiling) => {
      const { files } = standingOver(given, ceiling);
      for (const kind of ["reading", "writing"] as const) {
        const { withoutApproval, withApproval, needs } = files[kind];
        expect(isWithin(needs.withoutApproval, needs.withApproval)).toBe(true);
        expect(isWithin(withoutApproval.profile, withApproval.profile)).toBe(true);
        expect(isWithin(withApproval.profile, ceiling)).toBe(true);
        expect(isWithin(withApproval.profile, needs.withApproval)).toBe(true);
      }
      for (const side of ["withoutApproval", "withApproval"] as const)
        expect(isWithin(files.reading[side].profile, files.writing[side].profile)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test("those that read are given nothing to write, whatever the roots say, and no file tool a network or a variable", () => {
  fc.assert(
    fc.property(roots, (given) => {
      const { withoutApproval: unasked, withApproval: onYes } = deriveFileNeeds(
        settingsWith(given),
        "reading",
      );
      for (const one of [unasked, onYes]) {
        expect(one.files.filter(({ access }) => access === "write")).toEqual([]);
        expect([one.network, one.env, one.terminal]).toEqual(["none", [], false]);
      }
    }),
  );
});

/** What the roots themselves say of one path; the strictest of all that a use touches counts. */
function saidByRoot(path: (typeof PATHS)[number], need: "read" | "write", given: readonly Root[]): Action {
  const root = rootOf(path, given);
  if (root === null || root.mode === "none") return "deny";
  if (need === "write" && root.mode === "ro") return "deny";
  const asks = root.readApproval || (need === "write" && root.writeApproval);
  return asks ? "ask" : "allow";
}

type Deciding = (
  call: FileCall,
  standing: CallPolicy,
) => { readonly action: Action; readonly isGiven: boolean };

/** As a call is decided: denied also where not even a yes gives what it needs. */
const decide: Deciding = (call, standing) => {
  const { verdict, denials } = prepareFile(call, standing, NOTHING_REMEMBERED);
  return { action: denials.length > 0 ? "deny" : verdict.action, isGiven: denials.length === 0 };
};

law<Deciding, [readonly Root[], Use, readonly unknown[]]>(
  "a verdict is never looser than what the roots say, whatever the project's rules allow",
  (deciding) =>
    fc.property(roots, use, fc.array(toolRule, { maxLength: 3 }), (given, one, rules) => {
      const approval = {
        ...DEFAULT_APPROVAL,
        rules: [...rules, { pattern: "*", action: "allow" } as const],
      };
      const standing = standingOver(given, OPEN);
      const config = { ...standing.config, approval };
      const call = callOf(one, given);
      const { action } = deciding(call, { ...standing, config });
      for (const { path, need } of call.targets)
        expect(RANK[action]).toBeGreaterThanOrEqual(RANK[saidByRoot(path, need, given)]);
    }),
  decide,
  {
    "looks at the first path alone": (call, standing) =>
      decide({ ...call, targets: call.targets.slice(0, 1) }, standing),
    "takes every need for reading": (call, standing) =>
      decide({ ...call, targets: call.targets.map((one) => ({ ...one, need: "read" })) }, standing),
    "asks nobody": (call, standing) => {
      const decided = decide(call, standing);
      return decided.action === "ask" ? { ...decided, action: "allow" } : decided;
    },
    "takes what lies in no root for asked about": (call, standing) => {
      const decided = decide(call, standing);
      return decided.action === "deny" ? { ...decided, action: "ask" } : decided;
    },
  },
);

test("what is allowed without a yes is given without one, and what is asked about with it", () => {
  fc.assert(
    fc.property(roots, ceilingOf, use, (given, ceiling, one) => {
      const standing = standingOver(given, ceiling);
      const call = callOf(one, given);
      const { verdict, denials, withoutApproval, withApproval } = prepareFile(
        call,
        standing,
        NOTHING_REMEMBERED,
      );
      if (verdict.action === "deny" || denials.length > 0) return;
      const { profile: granted } = verdict.action === "allow" ? withoutApproval : withApproval;
      for (const { path, need } of call.targets)
        expect(isAtMost(need, accessTo(granted, path, { kind: "file", bornInside: false }))).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test("a mode never makes a verdict looser than strict does, nor gives what no yes gives", () => {
  fc.assert(
    fc.property(roots, use, (given, one) => {
      const call = callOf(one, given);
      const decided = (mode: CallPolicy["mode"]) => decide(call, standingOver(given, OPEN, { mode }));
      expect(RANK[decided("strict").action]).toBeGreaterThanOrEqual(RANK[decided("interactive").action]);
      expect(decided("approve_all").isGiven).toBe(decided("interactive").isGiven);
      const isOutside = call.targets.some(({ path }) => rootOf(path, given) === null);
      if (isOutside) expect(decided("approve_all").action).toBe("deny");
    }),
    { numRuns: 500 },
  );
});

const ROOTS = settingsWith(
  [
    { path: "/w/notes", name: "notes" },
    { path: "/docs", name: "docs" },
  ].map(({ path, name }) => ({
    name,
    path: absolutePath(path),
    mode: "rw",
    suffixes: "any",
    writeApproval: true,
    readApproval: false,
    at: null,
  })),
).roots;
const WRITE: Use = { tool: "write_file", path: PATHS[0] ?? absolutePath("/") };

test.each<[string, Use]>([
  ["tool", { ...WRITE, tool: "edit_file" }],
  ["target", { ...WRITE, path: absolutePath("/w/notes/b.md") }],
  ["state of the file", { ...WRITE, version: "2" }],
  ["kind of the file", { ...WRITE, kind: "missing" }],
  ["folder that is there", { ...WRITE, folder: "/w" }],
  ["agent", { ...WRITE, agent: "ann" }],
  ["input", { ...WRITE, input: { content: "y" } }],
  ["flag that was left out", { ...WRITE, input: { create_folders: false } }],
])("an approval is bound to the %s", (_, changed) => {
  const standing = standingOver(ROOTS, OPEN);
  const hashOf = (one: Use): string => prepareFile(callOf(one, ROOTS), standing, NOTHING_REMEMBERED).argsHash;
  expect(hashOf(WRITE)).toBe(hashOf({ ...WRITE }));
  expect(hashOf(changed)).not.toBe(hashOf(WRITE));
});

test("an approval is bound to what it grants, and to both ends of a move", () => {
  const [a, b] = [absolutePath("/w/notes/a"), absolutePath("/w/notes/b")];
  const move: Use = { tool: "move_file", path: a, other: b };
  const hashOf = (one: Use, given = ROOTS) =>
    prepareFile(callOf(one, given), standingOver(given, OPEN), NOTHING_REMEMBERED).argsHash;
  const hashes = [
    hashOf(move),
    hashOf({ ...move, path: b, other: a }),
    hashOf({ ...move, other: absolutePath("/docs/b") }),
    hashOf(move, ROOTS.slice(0, 1)),
  ];
  expect(new Set(hashes).size).toBe(4);
});

test("a yes for the session covers one tool and its places, whatever else is said", () => {
  const standing = standingOver(ROOTS, OPEN);
  const keyOf = (one: Use) => prepareFile(callOf(one, ROOTS), standing, NOTHING_REMEMBERED).grantKey();
  expect(keyOf({ ...WRITE, input: { content: "y" }, version: "2" })).toEqual(keyOf(WRITE));
  expect(keyOf({ ...WRITE, path: absolutePath("/w/notes/b.md") })).not.toEqual(keyOf(WRITE));
  expect(keyOf({ ...WRITE, tool: "edit_file" })).not.toEqual(keyOf(WRITE));
});

test("a yes for the session answers under the profile that it was given for, and where an operator lets it", () => {
  const standing = standingOver(ROOTS, OPEN);
  const call = callOf(WRITE, ROOTS);
  const asked = prepareFile(call, standing, NOTHING_REMEMBERED);
  expect(asked.verdict.action).toBe("ask");
  const told = { grantId: "1", sessionId: "1", tool: WRITE.tool, covers: "", by: "ann", grantedAt: 0 };
  const grant: Grant = { kind: "call", ...told, key: asked.grantKey() };
  const actionUnder = (one: CallPolicy): Action =>
    prepareFile(call, one, { ...NOTHING_REMEMBERED, grants: [grant] }).verdict.action;
  expect(actionUnder(standing)).toBe("allow");
  const masked: Profile = { ...OPEN, masks: masks("**/*.sh") };
  expect(actionUnder(standingOver(ROOTS, masked))).toBe("ask");
  const approval = { ...NO_OPERATOR, sessionGrants: false };
  expect(actionUnder({ ...standing, ceiling: { ...standing.ceiling, approval } })).toBe("ask");
});
