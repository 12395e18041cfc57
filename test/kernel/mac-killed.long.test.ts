import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { knownPath } from "../../src/profile/path.ts";
import { CALLER, compileCacheFor } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { end, leftAfter, processesWith } from "../support/battery/processes.ts";
import { RulesPlace } from "../support/mac/rules.ts";
import { noStandIn, StandIn, standInMustWork } from "../support/mac/stand-in.ts";

standInMustWork("killed supervisors on macOS");

const DRIVER = fileURLToPath(new URL("../../dist/battery/killed-driver.js", import.meta.url));

/** A start program that was left tries every pid that there can be. */
const ENDING_MS = 30_000;

describe.skipIf(noStandIn !== null)("a supervisor on macOS that is killed", () => {
  let place: Place;
  let standIn: StandIn;
  let word = "";
  beforeEach(() => {
    place = new Place(CALLER);
    standIn = new StandIn();
    word = randomBytes(12).toString("hex");
  });
  afterEach(() => {
    end(processesWith(word));
    place[Symbol.dispose]();
    standIn[Symbol.dispose]();
  });

  function start(script: string): ChildProcess {
    const config = place.config({ sandbox: { require_os_sandbox: false } });
    return spawn(process.execPath, [DRIVER, config, place.ws, standIn.folder, script], {
      cwd: place.ws,
      env: {
        PATH: "/usr/bin:/bin",
        XDG_STATE_HOME: place.state,
        NODE_COMPILE_CACHE: compileCacheFor(CALLER),
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
  }

  it("proc, fs.residue: at any instant leaves nothing that runs, and the next one sweeps the rest", async () => {
    const script = `perl -MPOSIX -e 'setsid; sleep 600' ${word} & setsid sleep 600 & sleep 0.2 # ${word}`;
    for (let at = 0; at < 8; at += 1) {
      const supervisor = start(script);
      if (at > 1 && supervisor.stdout !== null) await once(supervisor.stdout, "data");
      await pause(Math.random() * 1_000);
      supervisor.kill("SIGKILL");
      await once(supervisor, "close");
      expect(await leftAfter(ENDING_MS, word, standIn.folder)).toEqual([]);
    }
    const helperFolders = [standIn.folder, knownPath("/usr/bin"), knownPath("/bin")];
    await using _next = await place.supervisor(
      { sandbox: { require_os_sandbox: false } },
      { platform: "darwin", helperFolders },
    );
    expect(readdirSync(join(place.state, "cofferdam/calls"))).toEqual([]);
  }, 300_000);
});

describe.skipIf(noStandIn !== null)("behind rules", () => {
  it("fs.residue, proc: after fifty calls nothing is left, neither a folder nor a process", async () => {
    using place = new RulesPlace();
    const word = randomBytes(12).toString("hex");
    for (let at = 0; at < 50; at += 1) {
      const line = `echo ${at} >$TMPDIR/a; mkdir -p $HOME/b/c; sleep 600 & exit ${at % 3}`;
      expect((await place.run({ argv: ["/bin/sh", "-c", line, word] })).code).toBe(at % 3);
    }
    expect(processesWith(word, place.top)).toEqual([]);
    expect(place.left()).toEqual([]);
  }, 300_000);
});
