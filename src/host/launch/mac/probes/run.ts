import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Launcher } from "../../../../backend/facts.ts";
import { CofferdamError, visible } from "../../../../errors.ts";
import { BEHIND_PREFIX, makeTemporary } from "../../own-temporary.ts";
import { ask } from "../../spawn.ts";
import { trialAnswers, trialScript } from "../../trial-script.ts";
import { shortPlace } from "../short-place.ts";
import { lineOf } from "./act.ts";
import { probesFor } from "./all.ts";
import {
  type At,
  interpret,
  type KernelProbe,
  type ProbeAnswer,
  type ProbeFinding,
  type Trial,
} from "./probe.ts";

/** Time limit for the acts of one trial, in milliseconds, and the maximum of trials at the same time. */
const TRIAL_MS = 10_000;
const AT_ONCE = 4;

const PREFIX = "cofferdam-p-";

const MAX_BEHIND = `/${PREFIX}`.length + BEHIND_PREFIX + "/12/o/s".length;

/** A finding, and its duration in milliseconds. */
export interface Probed extends ProbeFinding {
  readonly tookMs: number;
}

/**
 * Runs every probe: each trial in a sandbox of its own, and its acts once more without one, on loopback and in a
 * temporary folder. Throws `SANDBOX_UNAVAILABLE` if there is no such folder.
 */
export async function runProbes(
  launcher: Pick<Launcher, "path" | "shell">,
  probes = probesFor(ownAddress()),
): Promise<readonly Probed[]> {
  const top = makePlace();
  try {
    const numbered = probes.flatMap((probe) => probe.trials.map((trial) => ({ probe, trial })));
    const tried: Tried[] = [];
    for (let at = 0; at < numbered.length; at += AT_ONCE) {
      const some = numbered.slice(at, at + AT_ONCE);
      tried.push(
        ...(await Promise.all(
          some.map(({ probe, trial }, more) => tryOne(launcher, probe, trial, join(top, String(at + more)))),
        )),
      );
    }
    return probes.map((probe) => found(probe, tried));
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

interface Tried {
  readonly probe: KernelProbe;
  readonly answers: readonly (readonly [act: string, answer: ProbeAnswer])[];
  readonly tookMs: number;
}

function found(probe: KernelProbe, tried: readonly Tried[]): Probed {
  const own = tried.filter((one) => one.probe === probe);
  const answers = new Map(own.flatMap((one) => one.answers));
  const tookMs = Math.round(own.reduce((sum, one) => sum + one.tookMs, 0));
  return { ...interpret(probe, answers), tookMs };
}

async function tryOne(
  { path, shell }: Pick<Launcher, "path" | "shell">,
  probe: KernelProbe,
  trial: Trial,
  folder: string,
): Promise<Tried> {
  const [inside, outside] = [join(folder, "i"), join(folder, "o")];
  const [at, beside] = [inside, outside].map(
    (one): At =>
      (name) =>
        join(one, name),
  );
  const servers = [...(await prepare(trial, inside)), ...(await prepare(trial, outside))];
  try {
    const rules = join(folder, "rules.sb");
    writeFileSync(rules, trial.text(at ?? String));
    const given = Object.entries(trial.parameters?.(at ?? String) ?? {}).flatMap(([name, value]) => [
      "-D",
      `${name}=${value}`,
    ]);
    const began = performance.now();
    const { status, stdout } = await ask(
      path,
      ["-f", rules, ...given, "--", shell, "-c", scriptOf(trial, at ?? String)],
      { timeoutMs: TRIAL_MS },
    );
    const tookMs = performance.now() - began;
    const control = await ask(shell, ["-c", scriptOf(trial, beside ?? String)], { timeoutMs: TRIAL_MS });
    const [seen, without] = [linesOf(stdout), linesOf(control.stdout)];
    const answers = Object.keys(trial.acts).map((name, number) => {
      const can = trial.isInsideOnly === true || without?.[number] === true;
      return [name, answerOf(seen?.[number] ?? null, seen !== null, status !== null && can)] as const;
    });
    return { probe, answers, tookMs };
  } finally {
    for (const server of servers) server.close();
  }
}

/** The first line reports that the shell has started; without it the rules were not accepted. */
function scriptOf({ acts }: Trial, at: At): string {
  const lines = trialScript(Object.values(acts).map((act) => lineOf(act(at))));
  return ["PATH=/usr/bin:/bin:/usr/sbin:/sbin", "export PATH", "echo s", lines].join("\n");
}

/** True for each allowed act; null if nothing has started. */
function linesOf(stdout: string): readonly boolean[] | null {
  const [first, ...others] = stdout.split("\n");
  return first === "s" ? trialAnswers(others.join("\n")) : null;
}

function answerOf(isDone: boolean | null, hasStarted: boolean, isTold: boolean): ProbeAnswer {
  if (!isTold) return "not-tried";
  if (!hasStarted) return "rejected";
  return isDone === null ? "not-tried" : isDone ? "done" : "refused";
}

/** Makes the initial contents of a trial; the caller must close the listening servers. */
async function prepare({ given = [] }: Trial, folder: string): Promise<readonly Server[]> {
  mkdirSync(folder, { recursive: true });
  const servers: Server[] = [];
  for (const name of given) {
    const path = join(folder, name.replace(/[/=]$/, ""));
    if (name.endsWith("/")) mkdirSync(path, { recursive: true });
    else if (!name.endsWith("=")) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "x\n");
    } else {
      const server = createServer((socket) => socket.on("error", () => undefined).end()).listen(path);
      await once(server, "listening");
      servers.push(server);
    }
  }
  return servers;
}

/** Short, and of letters that need no escaping in texts and lines. */
function makePlace(): string {
  const place = shortPlace(MAX_BEHIND);
  if (place !== null && /^[\w/.+-]+$/.test(place)) return makeTemporary(place, PREFIX);
  throw new CofferdamError(
    "SANDBOX_UNAVAILABLE",
    `no probe can run: ${visible(tmpdir())} is not usable for sockets and files with plain names`,
    { hint: "set TMPDIR to a writable folder with a short name" },
  );
}

function ownAddress(): string | null {
  const [first] = Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).filter(({ family, internal }) => family === "IPv4" && !internal),
  );
  return first?.address ?? null;
}
