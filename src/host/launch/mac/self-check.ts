import { chownSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Host } from "../../look/host.ts";
import { closingServer } from "../closing-server.ts";
import type { MachineFacts } from "../facts.ts";
import { BEHIND_PREFIX, makeTemporary } from "../own-temporary.ts";
import type { AttackPlace, StartScript } from "../platform-parts.ts";
import type { PlanRunOptions } from "../run-options.ts";
import { ask } from "../spawn.ts";
import type { Surroundings } from "../surroundings.ts";
import { trialAnswers, trialScript } from "../trial-script.ts";
import { SHARED, shortPlace } from "./short-place.ts";
import { ruleSurroundings } from "./surroundings.ts";

/** Time limit of the controls, in milliseconds. */
const MAX_MS = 30_000;

/** Targets of the attacks, and equal ones for the controls, which run outside. */
const FILES = {
  ...{ "outside/canary": "secret\n", "outside/moved": "", "outside/program": "#!/bin/sh\nexit 0\n" },
  ...{ "ws/inner/canary": "secret\n", "ws/inner/moved": "", "ws/program": "#!/bin/sh\nexit 0\n" },
};

/** Runs the action with targets beside another sandbox. The folder is the tools' user's: only the sandbox refuses. */
export async function inAttackPlace<Value>(
  host: Host,
  machine: MachineFacts,
  start: StartScript,
  work: (place: AttackPlace) => Promise<Value>,
): Promise<Value> {
  const { user, launcher } = machine;
  const runAs = user.isCaller ? null : user;
  using folder = makePlace(runAs);
  const top = folder.path;
  const [outside, ws] = [join(top, "outside"), join(top, "ws")];
  for (const path of [outside, ws, join(ws, "inner")]) mkdirSync(path, { mode: 0o700 });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(top, name), text, { mode: 0o700 });
  using surroundings = await ruleSurroundings(host, machine);
  using server = await closingServer();
  using _socket = await closingServer({ path: join(outside, "socket") });
  if (runAs !== null)
    for (const name of ["", ...readdirSync(top, { recursive: true, encoding: "utf8" })])
      chownSync(join(top, name), runAs.uid, runAs.gid);
  await using neighbour = await startNeighbour(start, surroundings);
  const namesIn = (): string => readdirSync(outside).sort().join();
  const names = namesIn();
  return await work({
    options: { surroundings },
    target: {
      ...{ outside, ws, port: server.port, shell: launcher.shell, comm: "" },
      ...{ pid: surroundings.rules?.outsider.pid() ?? 0, neighbour: neighbour.pid },
    },
    tryControls: async (attacks) => {
      const script = trialScript(attacks.map(({ control }) => control.line));
      const words = ["-c", `PATH=/usr/bin:/bin; ${script}`];
      return trialAnswers((await ask(launcher.shell, words, { timeoutMs: MAX_MS, runAs })).stdout);
    },
    tryFeatures: async () => ({ hasShelter: true, coversLinks: false }),
    isTouched: () =>
      namesIn() !== names || readFileSync(join(outside, "canary"), "utf8") !== FILES["outside/canary"],
  });
}

const PREFIX = "cofferdam-a-";

/** A folder that another user than the supervisor can enter, with a path short enough for sockets. */
function makePlace(runAs: PlanRunOptions["runAs"]) {
  const behind = `/${PREFIX}`.length + BEHIND_PREFIX + "/outside/socket".length;
  const place = shortPlace(behind, ...(runAs === null ? [] : [SHARED])) ?? tmpdir();
  const path = makeTemporary(place, PREFIX);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

async function startNeighbour(start: StartScript, surroundings: Surroundings) {
  const proven = Promise.withResolvers<number>();
  const stop = new AbortController();
  const ended = start("read -r _", {
    surroundings,
    stdin: "held",
    signal: stop.signal,
    onProven: ({ init }) => proven.resolve(init.pid),
  });
  ended.catch(proven.reject);
  return {
    pid: await proven.promise,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await ended.catch(() => undefined);
    },
  };
}
