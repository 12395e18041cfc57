import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { endingOf, startCommand } from "../support/battery/command.ts";
import { childrenOf } from "../support/battery/descendants.ts";
import { notRoot, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER, PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("a supervisor that is the first process");

/** Ends with 1 where a process has ended that nobody waits for. */
const COUNTS = ["/bin/sh", "-c", "! grep -l '^State:[[:space:]]*Z' /proc/[0-9]*/status"];

if (notRoot !== null) console.warn(`no container is made for a supervisor: ${notRoot}`);

describe.skipIf(unusable !== null || notRoot !== null).each(PEOPLE)(
  "as $name, a supervisor that is the first process of a container",
  (person) => {
    const { uid, gid } = person;
    const becomes =
      uid === 0 ? [] : ["/usr/bin/setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--"];
    const container = [
      "/usr/bin/unshare",
      "--pid",
      "--fork",
      "--mount-proc",
      "--kill-child",
      "--",
      ...becomes,
    ];
    const start = { under: container, startedBy: CALLER };
    const settings = { sandbox: { limits: { wall: "300ms" } } };
    const argv = ["sh", "-c", "trap '' TERM; setsid sleep 60 & sleep 60; sleep 60"];

    it("proc: has nobody to wait for in the end, however calls ended", async () => {
      using place = new Place(person);
      const replies = await place.run({
        ...start,
        settings,
        job: {
          calls: [
            { argv },
            { argv },
            { argv: ["sh", "-c", "setsid sleep 60 & exit 3"] },
            { argv: ["sh", "-c", "kill -9 $$"] },
          ],
          steps: [{ tool: "list_dir", input: { path: "ws:" } }, { run: COUNTS }],
        },
      });
      expect(replies.map((one) => (one.kind === "ran" ? one.code : one.kind))).toEqual([
        "made",
        137,
        137,
        3,
        137,
        "told",
      ]);
      // The twin: an orphan that ends is left to it.
      const orphan = ["/bin/sh", "-c", "sleep 0.1 & exit 0"];
      const twin = place.run({
        ...start,
        job: { calls: [], steps: [{ run: orphan }, { run: ["/bin/sleep", "0.5"] }, { run: COUNTS }] },
      });
      await expect(twin).rejects.toThrow("status");
    });

    it("proc: ends by a signal with its status, which the kernel does not see to there", {
      timeout: 60_000,
    }, async () => {
      using place = new Place(person);
      place.config();
      const words = [
        "run",
        "--quiet",
        "--config",
        join(place.top, "config.yaml"),
        "--",
        "sh",
        "-c",
        "trap 'exit 0' TERM; : > up; while :; do sleep 0.05; done",
      ];
      const child = startCommand(place, words, start);
      const ended = endingOf(child);
      while (!existsSync(join(place.ws, "up"))) await pause(10);
      const [first = 0] = childrenOf(child.pid ?? 0);
      process.kill(first, "SIGTERM");
      expect(await ended).toEqual({ status: 143, isBySignal: false });
    });
  },
);
