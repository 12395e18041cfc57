import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { findInstallation } from "../../src/host/look/installation.ts";
import { createSupervisor, type Outcome, type Session } from "../../src/index.ts";
import { knownPath } from "../../src/profile/path.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { isThere } from "../support/quarantine/planting.ts";

sandboxMustWork("the product's own code, moved");

const PACKAGES = "a/b/node_modules";
const FILES = {
  [`${PACKAGES}/cofferdam/package.json`]: "{}",
  [`${PACKAGES}/cofferdam/main.js`]: "ours\n",
  // As pnpm makes commands.
  [`${PACKAGES}/.bin/node`]: "#!/bin/sh\n",
};
const OWN = ["cofferdam", "cofferdam/main.js", ".bin/cofferdam", ".bin/node"];

/** Has a command run in a root in which the product is installed, and somebody outside do something meanwhile. */
async function whileRunning(line: string, work: (place: Place) => void) {
  const place = new Place(CALLER);
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(place.ws, path)), { recursive: true });
    writeFileSync(join(place.ws, path), text);
  }
  symlinkSync("../cofferdam/main.js", join(place.ws, PACKAGES, ".bin/cofferdam"));
  const at = (path: string) => knownPath(join(place.ws, path));
  const installed = findInstallation({
    folder: at(`${PACKAGES}/cofferdam`),
    plugAndPlay: null,
    execPath: knownPath(process.execPath),
    execArgv: [],
    libraries: [],
    compileCache: null,
    program: null,
    env: {},
    cwd: knownPath("/"),
    homes: [],
  });
  await using supervisor = await createSupervisor({
    config: place.config({ shell: { default: { approval: false } } }),
    cwd: at("."),
    host: place.host({ installation: () => installed }),
  });
  await using session = supervisor.session();
  const calling = started(session, `touch ready; while ! [ -e go ]; do sleep 0.05; done; ${line}`);
  while (!isThere(place, "ready")) await pause(10);
  work(place);
  writeFileSync(at("go"), "");
  return { place, outcome: await calling, [Symbol.dispose]: () => place[Symbol.dispose]() };
}

function started(session: Session, script: string): Promise<Outcome> {
  return session.call("shell", { argv: ["sh", "-c", script] });
}

const PLANT = `mkdir -p t/node_modules/.bin t/node_modules/cofferdam u/node_modules
echo evil > t/node_modules/cofferdam/main.js; ln -s ../cofferdam/main.js t/node_modules/.bin/cofferdam
echo evil > t/node_modules/.bin/node; ln -s ../../a/b/node_modules/cofferdam u/node_modules/cofferdam`;
const PLANTED = ["t/node_modules/cofferdam", "t/node_modules/.bin/cofferdam", "t/node_modules/.bin/node"];

describe.skipIf(unusable !== null)("own: moved by somebody outside while a call runs", () => {
  it("own: the product stays where it was moved to; what the call made under its names is taken", async () => {
    using ran = await whileRunning(PLANT, ({ ws }) => renameSync(join(ws, "a"), join(ws, "a7")));
    const { place, outcome } = ran;
    expect(outcome.kind).toBe("done");
    const moved = OWN.map((name) => `a7/b/node_modules/${name}`);
    expect(moved.filter((path) => !isThere(place, path))).toEqual([]);
    expect([...PLANTED, "u/node_modules/cofferdam"].filter((path) => isThere(place, path))).toEqual([]);
  });

  it("own: a copy of it that somebody made is none of it: who made that can't be told", async () => {
    using copied = await whileRunning("true", (place) => void place.plainly("cp -a a a7"));
    expect(OWN.filter((name) => isThere(copied.place, `a7/b/node_modules/${name}`))).toEqual([]);
    expect(OWN.filter((name) => !isThere(copied.place, `${PACKAGES}/${name}`))).toEqual([]);
  });
});
