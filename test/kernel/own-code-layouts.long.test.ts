import { lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER, checkoutFor, ORDINARY } from "../support/battery/people.ts";
import type { Layout } from "../support/layouts/layout.ts";
import { LAYOUTS, WORKSPACE } from "../support/layouts/layouts.ts";
import { Site } from "../support/layouts/site.ts";
import {
  attackFromInside,
  attackFromOutside,
  prepare,
  runAgent,
  type Tried,
} from "../support/layouts/trial.ts";
import { Workshop } from "../support/layouts/workshop.ts";

const WITH_REGISTRY = process.env["COFFERDAM_TEST_INSTALL"] === "1";
const TIME_MS = 120_000;

if (!WITH_REGISTRY)
  console.warn("installed layouts: not tried, COFFERDAM_TEST_INSTALL=1 installs packages of npm's registry");
else sandboxMustWork("installed layouts");

describe.runIf(WITH_REGISTRY && unusable === null)("own: as people install it", () => {
  const shop = new Workshop(checkoutFor(ORDINARY).node);
  afterAll(() => shop[Symbol.dispose](), TIME_MS);
  beforeAll(() => shop.open(), TIME_MS);

  it.each(LAYOUTS)(
    "own: by $name: nothing in a root changes or stands in for what is run; outside everything does",
    {
      timeout: TIME_MS,
    },
    async (layout) => {
      const site = await installed(layout);
      const trial = { layout, site, person: CALLER, root: layout.root?.(site) ?? site.project };
      expectHeld(await attackFromInside(trial));
      if (layout.refusedAround !== undefined) {
        const { agent, changed, ran } = await attackFromInside({ ...trial, root: site.all });
        expect(agent.refused).toMatch(/^ROOT_REFUSED: .*, a hard link to .*--package-import-method=copy/);
        expect([changed, ran]).toEqual([[], []]);
      }
      const twin = await attackFromOutside(trial);
      expect(twin.attack?.tried).toBe(twin.attack?.done.length);
      const unseen = layout.runs.filter((name) => !twin.ran.some((mark) => mark.includes(name)));
      expect(unseen).toEqual([]);
    },
  );

  it.each(["npm", "pnpm"])(
    "own: by %s: a root elsewhere reaches nothing of it",
    { timeout: TIME_MS },
    async (name) => {
      const layout = layoutOf(name);
      const site = await installed(layout, "elsewhere");
      expectHeld(await attackFromInside({ layout, site, person: CALLER, root: site.elsewhere }));
    },
  );

  it("own: by pnpm with copies: a root that holds the store, too, changes nothing", {
    timeout: TIME_MS,
  }, async () => {
    const layout = layoutOf("pnpm, with copies");
    const site = await installed(layout, "around");
    expectHeld(await attackFromInside({ layout, site, person: CALLER, root: site.all }));
  });

  it.skipIf(CALLER.runAs === ORDINARY.runAs)(
    "own: by npm, for an ordinary user, whose files they all are",
    {
      timeout: TIME_MS,
    },
    async () => {
      const layout = layoutOf("npm");
      const site = await installed(layout, "user");
      expectHeld(await attackFromInside({ layout, site, person: ORDINARY, root: site.project }));
    },
  );

  it("own: `npm ci` of workspaces is refused before it empties any of them; outside it does", {
    timeout: TIME_MS,
  }, async () => {
    const layout = layoutOf(WORKSPACE);
    const site = await installed(layout, "ci");
    const nested = join(site.project, "packages/other/node_modules/is-number");
    const trial = { layout: withOwnNode(layout), site, person: CALLER, root: site.project };
    prepare(trial);
    const before = treeOf(site.project);
    const reply = await runAgent(trial, [
      ["shell", { argv: ["npm", "ci", "--offline", "--ignore-scripts"] }],
      ["shell", { argv: ["rm", "-r", "packages/other/node_modules"] }],
    ]);
    expect(reply).toMatchObject({ refused: null, calls: [expect.anything(), expect.anything()] });
    for (const [at, ended] of reply.calls.entries()) {
      expect(ended, `call ${at}`).toMatch(/^failed/);
      expect(ended).toContain(
        "do it outside the sandbox, or install cofferdam elsewhere: `npm install --global cofferdam`, and `npm uninstall cofferdam` here",
      );
    }
    expect(treeOf(site.project)).toEqual(before);
    const { ino } = lstatSync(nested);
    await site.manage("npm", ["ci", "--ignore-scripts"]);
    expect(lstatSync(nested).ino).not.toBe(ino);
  });

  async function installed(layout: Layout, more = ""): Promise<Site> {
    const site = new Site(shop, `${layout.name} ${more}`);
    await layout.install(site);
    return site;
  }
});

function layoutOf(name: string): Layout {
  return LAYOUTS.find((one) => one.name === name) ?? expect.unreachable();
}

/** With the Node of these tests, which has npm beside it. */
function withOwnNode(layout: Layout): Layout {
  return {
    ...layout,
    starter: () => [process.execPath],
    env: () => ({ PATH: `${dirname(process.execPath)}:/usr/bin:/bin` }),
  };
}

/** Every attack was made, and none of them came to anything: only what decides about no code could be made. */
function expectHeld({ agent, attack, changed, ran, starts }: Tried): void {
  expect(agent.refused).toBeNull();
  const [command, ...others] = agent.calls;
  const [write, git] = others.slice(-3);
  expect([command, write, git]).toEqual(["done", "done", "failed"]);
  for (const call of others.slice(0, -3)) expect(call).toMatch(/^denied/);
  expect(attack?.tried).toBeGreaterThan(0);
  expect(attack?.done.filter((act) => !act.startsWith("make "))).toEqual([]);
  expect([changed, ran]).toEqual([[], []]);
  for (const part of agent.loaded) expect(part).toMatch(/^loaded$|MODULE_NOT_FOUND$/);
  // A start may want an optional package, and say that it is not there.
  const failed = starts.filter(
    ({ status, stderr }) => status !== 0 && !(status === 64 && stderr.includes("missing package")),
  );
  expect(failed.map(({ status, stderr }) => `${status} ${stderr}`)).toEqual([]);
}

/** Every path below a folder with the file that it is. */
function treeOf(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => path.includes("node_modules"))
    .map((path) => `${path} ${lstatSync(path).ino}`)
    .sort();
}
