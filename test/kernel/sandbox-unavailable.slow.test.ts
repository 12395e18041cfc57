import { chownSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { compileSeccomp } from "../../src/backend/seccomp/policy.ts";
import { knownPath } from "../../src/profile/path.ts";
import type { Reply } from "../support/battery/job.ts";
import { itUnless, notRoot, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER, checkoutFor, PEOPLE, runFile } from "../support/battery/people.ts";
import { Place, type Settings, type Start } from "../support/battery/place.ts";
import { rowsOf } from "../support/battery/rows-of.ts";
import {
  FAILING,
  IN_A_SANDBOX,
  OPEN,
  turning,
  WITHOUT_NAMESPACES,
  withoutFilters,
} from "../support/battery/stand-ins.ts";

sandboxMustWork("machines without a sandbox");

/** A machine that can't build the sandbox: how the test makes it, and what the error says. */
interface Lack {
  readonly name: string;
  /** A stand-in must be root's own, so only root can put one anywhere. */
  readonly isStandIn: boolean;
  readonly start: (place: Place) => Partial<Start> & { readonly helperFolders?: readonly string[] };
  readonly says: RegExp;
  /** Of an ordinary user, it shows root's files as nobody's: then no config can be trusted either, whatever it says. */
  readonly hidesRoot?: true;
}

const IS_ROOT = process.getuid?.() === 0;

/** Root's own whoever supervises, or it would not be taken for a helper. */
const standIn = (text: string) => (place: Place) => {
  const folder = place.folder("helpers");
  const file = place.file("helpers/bwrap", text, 0o755);
  if (IS_ROOT) for (const path of [folder, file]) chownSync(path, 0, 0);
  return { helperFolders: [folder, "/usr/bin"] };
};

const NO_FILTERS = compileSeccomp(
  {
    abi32: false,
    rules: [
      {
        call: { x64: 157, arm64: 167, i386: "absent", arm: "absent" },
        errno: "EPERM",
        when: [{ kind: "one-of", argument: 0, values: [22] }],
      },
    ],
  },
  process.arch === "arm64" ? "arm64" : "x64",
);

const LACKS: readonly Lack[] = [
  {
    name: "bwrap is not installed",
    isStandIn: false,
    start: (place) => ({ helperFolders: [place.folder("empty")] }),
    says: /not installed/,
  },
  {
    name: "user namespaces are switched off",
    isStandIn: false,
    start: () => ({ under: WITHOUT_NAMESPACES }),
    says: /already runs in a sandbox/,
    hidesRoot: true,
  },
  {
    name: "this already runs in a sandbox",
    isStandIn: false,
    start: () => ({ under: IN_A_SANDBOX }),
    says: /already runs in a sandbox/,
    hidesRoot: true,
  },
  {
    name: "no filter can be set",
    isStandIn: false,
    start: () => ({ under: withoutFilters(NO_FILTERS) }),
    says: /seccomp|SECCOMP/,
  },
  { name: "bwrap fails", isStandIn: true, start: standIn(FAILING), says: /AppArmor/ },
  { name: "bwrap isolates nothing", isStandIn: true, start: standIn(OPEN), says: /differs from the plan/ },
];

type Sandbox = NonNullable<Settings["sandbox"]>;
const EARLY: readonly Sandbox[] = [{}, { require_os_sandbox: true, os_sandbox_fallback: "fail_fast" }];
const LATE: readonly Sandbox[] = [{ os_sandbox_fallback: "refuse_tools" }, { require_os_sandbox: false }];

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  /** What a supervisor on such a machine replies to two calls, and whether any of them ran. */
  async function replies(
    { start }: Lack,
    sandbox: Sandbox,
    { isFirst = true } = {},
  ): Promise<readonly [kinds: string, replies: readonly Reply[], ran: boolean]> {
    using place = new Place(person, { isFirst });
    const { helperFolders = null, ...how } = start(place);
    const argv = ["sh", "-c", `: > ${place.ws}/ran; : > ran`];
    const folders = helperFolders === null ? null : [...helperFolders];
    const all = await place.run({
      ...how,
      settings: { sandbox },
      job: { helperFolders: folders, calls: [{ argv }, { argv }] },
    });
    return [
      all.map(({ kind }) => kind).join(),
      all.filter(({ kind }) => kind !== "made"),
      existsSync(join(place.ws, "ran")),
    ];
  }

  for (const lack of LACKS) {
    const reason = lack.isStandIn && !IS_ROOT ? "it needs root" : null;
    const isAlwaysEarly = lack.hidesRoot === true && person.uid !== 0;
    const refusal = { code: "SANDBOX_UNAVAILABLE", message: expect.stringMatching(lack.says) };

    itUnless(
      reason,
      `proof: where ${lack.name} no supervisor is made and nothing runs, by default and with \`fail_fast\``,
      async () => {
        const modes = rowsOf(person, isAlwaysEarly ? [...EARLY, ...LATE] : EARLY);
        const found = await Promise.all(modes.map((sandbox) => replies(lack, sandbox)));
        expect(found).toEqual(modes.map(() => ["threw", [expect.objectContaining(refusal)], false]));
      },
    );

    // Where no config can be trusted, all modes are early: the test above tries them.
    if (isAlwaysEarly) continue;
    itUnless(
      reason,
      `proof: where ${lack.name} each call is refused and nothing runs, with \`refuse_tools\` and with \`require_os_sandbox: false\``,
      async () => {
        const modes = rowsOf(person, LATE);
        const found = await Promise.all(modes.map((sandbox) => replies(lack, sandbox)));
        const each = expect.objectContaining(refusal);
        expect(found).toEqual(modes.map(() => ["made,denied,denied", [each, each], false]));
      },
    );
  }

  it.each(
    rowsOf(
      person,
      LACKS.filter(({ isStandIn }) => IS_ROOT || !isStandIn),
    ).map((lack) => [lack.name, lack] as const),
  )("proof: where %s, and the sandbox worked before, nothing runs in any mode", async (_name, lack) => {
    for (const sandbox of [...EARLY, ...LATE]) {
      const [kinds, , ran] = await replies(lack, sandbox, { isFirst: false });
      expect([kinds.includes("ran"), ran]).toEqual([false, false]);
    }
  });

  it("proof: this program inside itself says so, and nothing runs", async () => {
    using place = new Place(person);
    const { node, folder } = checkoutFor(person);
    const inner = {
      config: null,
      cwd: place.folder("ws/inner"),
      profiles: [],
      helperFolders: null,
      home: null,
      calls: [{ argv: ["sh", "-c", ": > ran"] }],
    };
    const job = place.file("ws/inner.json", JSON.stringify(inner));
    const state = `XDG_STATE_HOME=${place.folder("ws/state")}`;
    const argv = [
      "env",
      state,
      `PATH=${dirname(node)}:/usr/bin`,
      ...runFile({ node, folder }, "driver.ts"),
      job,
    ];
    const paths = {
      ws: { root: place.ws, mode: "rw", write_approval: false },
      checkout: { root: folder, mode: "ro" },
    };
    const runtimes = ["system", { name: "node", read: [dirname(node)] }];
    const [made, reply] = await place.run({
      settings: { sandbox: { paths, runtimes } },
      job: { calls: [{ argv }] },
    });
    expect([made, reply]).toMatchObject([{ kind: "made" }, { kind: "ran", code: 0 }]);
    const said: unknown = JSON.parse(reply?.kind === "ran" ? reply.stdout : "null");
    expect(said).toMatchObject({
      kind: "threw",
      code: "SANDBOX_UNAVAILABLE",
      message: expect.stringMatching(/already runs in a sandbox|an outer sandbox/),
    });
    expect(existsSync(join(place.ws, "inner/ran"))).toBe(false);
  });

  it("proof: where the sandbox works, the same calls run in every mode (S1-26)", async () => {
    const here: Lack = { name: "nothing lacks", isStandIn: false, start: () => ({}), says: /./ };
    for (const sandbox of rowsOf(person, [...EARLY, ...LATE])) {
      const [kinds, , ran] = await replies(here, sandbox);
      expect([kinds, ran]).toEqual(["made,ran,ran", true]);
    }
  });
});

describe.skipIf(unusable !== null)("a sandbox that stops working", () => {
  itUnless(
    notRoot,
    "proof: a launcher that isolates nothing any more is found out at the next call, and nothing runs",
    async () => {
      using place = new Place(CALLER);
      const folder = knownPath(place.folder("helpers"));
      place.file("helpers/bwrap", turning(`${place.top}/switch`), 0o755);
      for (const sandbox of [{}, { require_os_sandbox: false }]) {
        await using supervisor = await place.supervisor(
          { sandbox },
          { helperFolders: [folder, knownPath("/usr/bin")] },
        );
        const session = supervisor.session({ caller: "person" });
        expect(
          await session.call("shell", { argv: ["sh", "-c", `: > ${place.ws}/ran && rm ${place.ws}/ran`] }),
        ).toMatchObject({ kind: "done" });
        place.file("switch", "");
        await expect(
          session.call("shell", { argv: ["sh", "-c", `: > ${place.ws}/ran`] }),
        ).rejects.toMatchObject({
          code: "SANDBOX_UNAVAILABLE",
          message: expect.stringContaining("differs from the plan"),
        });
        expect(existsSync(join(place.ws, "ran"))).toBe(false);
        place.remove("switch");
      }
    },
  );
});
