import { spawn } from "node:child_process";
import { setPriority } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { plantFiles } from "../support/search/figures.ts";

sandboxMustWork("searches on a busy machine");

const [BUSY, FILES] = [12, 5_000];
/** Each supervisor's first call reads all folders. */
const CALLS_EACH = 10;
const TIME_MS = 3_600_000;

/** Processes that want all the time of all processors, until they are disposed of. */
function busyProcesses(count: number): Disposable {
  const children = Array.from({ length: count }, () =>
    spawn("/bin/sh", ["-c", "while :; do :; done"], { stdio: "ignore" }),
  );
  return {
    [Symbol.dispose]: () => {
      for (const child of children) child.kill("SIGKILL");
    },
  };
}

it.skipIf(unusable !== null).each([
  [0, 200],
  [10, 40],
])(
  "at niceness %s none of %s calls beside busy processes is refused",
  async (niceness, calls) => {
    using place = new Place(CALLER);
    plantFiles(join(place.ws, "src"), FILES);
    place.file("ws/src/.envrc", "held\n");
    using _ = busyProcesses(BUSY);
    setPriority(niceness);
    try {
      const kinds: string[] = [];
      while (kinds.length < calls) {
        await using supervisor = await place.supervisor({ shell: { default: { approval: false } } });
        await using session = supervisor.session({ caller: "person" });
        for (let call = 0; call < CALLS_EACH; call += 1) {
          const file = `src/p0/d${call}/file-0.ts`;
          const outcome = await session.call("shell", { argv: ["sh", "-c", `echo x > ${file}`] });
          kinds.push(outcome.kind);
        }
      }
      expect(new Set(kinds)).toEqual(new Set(["done"]));
    } finally {
      if (process.getuid?.() === 0) setPriority(0);
    }
  },
  TIME_MS,
);
