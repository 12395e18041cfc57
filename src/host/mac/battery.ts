import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import type { Protection, RulePlan } from "../../backend/plan.ts";
import { renderSeatbelt } from "../../backend/seatbelt/render.ts";
import { CofferdamError } from "../../errors.ts";
import { type AbsolutePath, joinPath, ROOT } from "../../profile/path.ts";
import { normalProfile } from "../../profile/profile.ts";
import type { Runtime } from "../../tool/facts.ts";
import type { Found } from "../attestation.ts";
import { FactsMemory, lookUpFacts, type StandingFacts } from "../facts.ts";
import type { Host } from "../host.ts";
import { BEHIND_PREFIX, makeTemporary } from "../own-temporary.ts";
import type { Ended, RunOptions } from "../run-options.ts";
import { ask } from "../spawn.ts";
import type { Surroundings } from "../surroundings.ts";
import { trialAnswers, trialScript } from "../trial-script.ts";
import { runRules } from "./run-rules.ts";
import { SHARED, shortPlace } from "./short-place.ts";
import { ruleSurroundings } from "./surroundings.ts";

/** An act that the walls must refuse. The line of shell succeeds where it is let; outside, on things of its own, it must. */
interface Attack {
  readonly name: string;
  readonly protection: Protection;
  readonly line: (prey: Prey) => string;
}

/** What is attacked. The names of its folder and files are the same everywhere but for the folder. */
interface Prey {
  readonly folder: AbsolutePath;
  readonly port: number;
  readonly outsider: number;
  /** The first process of another sandbox. */
  readonly neighbour: number;
}

const ATTACKS: readonly Attack[] = [
  {
    name: "read a file that is not granted",
    protection: "files",
    line: ({ folder }) => `IFS= read -r x <'${folder}/secret'`,
  },
  {
    name: "write a file that is not granted",
    protection: "files",
    line: ({ folder }) => `echo x >>'${folder}/secret'`,
  },
  {
    name: "make a file in a folder that is not granted",
    protection: "files",
    line: ({ folder }) => `: >'${folder}/made'`,
  },
  {
    name: "list a folder that is not granted",
    protection: "files",
    line: ({ folder }) => `ls '${folder}'`,
  },
  {
    name: "move a file that is not granted",
    protection: "files",
    line: ({ folder }) => `mv '${folder}/moved' '${folder}/elsewhere'`,
  },
  {
    name: "run a program that is not granted",
    protection: "files",
    line: ({ folder }) => `'${folder}/program'`,
  },
  {
    name: "signal a process of the host",
    protection: "processes",
    line: ({ outsider }) => `kill -0 ${outsider}`,
  },
  {
    name: "signal a process in another sandbox",
    protection: "processes",
    line: ({ neighbour }) => `kill -0 ${neighbour}`,
  },
  {
    name: "reach a port of the host",
    protection: "network",
    line: ({ port }) => anyOf(`nc -z -w 2 127.0.0.1 ${port}`, `bash -c ': </dev/tcp/127.0.0.1/${port}'`),
  },
  {
    name: "reach a unix socket of the host",
    protection: "sockets",
    line: ({ folder }) =>
      anyOf(
        `nc -U '${folder}/socket' </dev/null`,
        `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un($ARGV[0])) or exit 1' '${folder}/socket'`,
      ),
  },
];

/** One of the two programs may not be installed. */
function anyOf(a: string, b: string): string {
  return `${a} || ${b}`;
}

/** How long the lines may take, inside and outside, in milliseconds. */
const LINES_MS = 30_000;

/**
 * Tries each attack in a real sandbox, beside another one, and outside as its control, as whom tools run as: what is attacked
 * is that user's, so that nothing but the walls is in the way. Throws `SANDBOX_UNAVAILABLE` when no sandbox can be started
 * at all.
 */
export async function battery(host: Host, standing: StandingFacts, system: Runtime): Promise<Found> {
  const user = standing.user.isCaller ? null : standing.user;
  using folder = preyFolder(user);
  using surroundings = await ruleSurroundings(host, standing);
  await using listener = await Listener.start();
  await using inside = await preyIn(joinPath(folder.path, "inside"), user);
  await using outside = await preyIn(joinPath(folder.path, "outside"), user);
  const plan = await planner(host, standing, system);
  const options = optionsFor(user, surroundings);
  const outsider = surroundings.rules?.outsider.pid() ?? 0;
  const { port } = listener;
  const answers = await besideAnother(plan, options, async (neighbour) => {
    const prey = { folder: inside.folder, port, outsider, neighbour };
    const ended = await runRules(plan(scriptOf(prey)), { ...options, wallMs: LINES_MS });
    return answersOf(ended.stdout.bytes.toString());
  });
  const control = { folder: outside.folder, port, outsider, neighbour: outsider };
  const asked = await ask(standing.launcher.shell, ["-c", `PATH=/usr/bin:/bin; ${scriptOf(control)}`], {
    timeoutMs: LINES_MS,
    runAs: user,
  });
  const controls = answersOf(asked.stdout);
  const isTouched = inside.isTouched();
  const findings = ATTACKS.map(({ name, protection }, at) => ({
    name,
    protection,
    holds: answers[at] === false && !(protection === "files" && isTouched),
    control: controls[at] === true,
  }));
  return { findings, hasShelter: true, coversLinks: false };
}

/** Whom tools run as, where that is another than the supervisor. */
type User = RunOptions["runAs"];

const PREFIX = "cofferdam-a-";

/** Where what is attacked lies: where another user than the supervisor can pass, and sockets fit. */
function preyFolder(user: User) {
  const behind = `/${PREFIX}`.length + BEHIND_PREFIX + "/outside/socket".length;
  const place = shortPlace(behind, ...(user === null ? [] : [SHARED])) ?? tmpdir();
  const path = makeTemporary(place, PREFIX);
  if (user !== null) chownSync(path, user.uid, user.gid);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

function scriptOf(prey: Prey): string {
  return trialScript(ATTACKS.map(({ line }) => line(prey)));
}

/** Throws `SANDBOX_UNAVAILABLE` where some are missing. */
function answersOf(text: string): readonly boolean[] {
  const answers = trialAnswers(text);
  if (answers.length === ATTACKS.length) return answers;
  throw new CofferdamError("SANDBOX_UNAVAILABLE", "the battery did not run to its end", {
    hint: "run `cofferdam doctor`",
  });
}

/** Makes what is attacked; only a listener's end takes its socket away. */
async function preyIn(folder: AbsolutePath, user: User) {
  mkdirSync(folder, { mode: 0o700 });
  const secret = `${randomBytes(16).toString("hex")}\n`;
  const [file, program] = ["secret", "program"].map((name) => joinPath(folder, name));
  writeFileSync(file ?? folder, secret);
  writeFileSync(joinPath(folder, "moved"), secret);
  writeFileSync(program ?? folder, "#!/bin/sh\nexit 0\n");
  chmodSync(program ?? folder, 0o700);
  const names = [...readdirSync(folder), "socket"].sort().join();
  const listener = await Listener.start(joinPath(folder, "socket"));
  if (user !== null)
    for (const path of [folder, ...readdirSync(folder).map((name) => joinPath(folder, name))])
      chownSync(path, user.uid, user.gid);
  return {
    folder,
    isTouched: (): boolean =>
      readdirSync(folder).sort().join() !== names || readFileSync(file ?? folder, "utf8") !== secret,
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  };
}

/** Takes every connection and ends it. */
class Listener implements AsyncDisposable {
  readonly port: number;
  readonly #close: () => void;

  static async start(path?: AbsolutePath): Promise<Listener> {
    const server = createServer((socket) => socket.on("error", () => undefined).end());
    if (path === undefined) server.listen(0, "127.0.0.1");
    else server.listen(path);
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    return new Listener(port, () => server.close());
  }

  private constructor(port: number, close: () => void) {
    this.port = port;
    this.#close = close;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close();
  }
}

/** What nothing but the system's own programs are granted to. */
async function planner(
  host: Host,
  standing: StandingFacts,
  system: Runtime,
): Promise<(script: string) => RulePlan> {
  const profile = normalProfile({
    files: system.read.map((path) => ({ path, access: "read", suffixes: "any" })),
  });
  const facts = await lookUpFacts(host, standing, [profile], new FactsMemory());
  return (script) => {
    const argv = [standing.launcher.shell, "-c", script] as const;
    const launch = { argv, cwd: ROOT, env: { PATH: system.path.join(":") } } as const;
    const rendering = renderSeatbelt(profile, launch, facts);
    if (rendering.kind === "plan" && rendering.plan.kind === "rules") return rendering.plan;
    const { reason, remedy } =
      rendering.kind === "refusal" ? rendering.refusal : { reason: "no rules were made", remedy: "" };
    throw new CofferdamError("SANDBOX_UNAVAILABLE", reason, { hint: remedy });
  };
}

function optionsFor(runAs: User, surroundings: Surroundings): RunOptions {
  return {
    stdin: null,
    wallMs: null,
    outputBytes: 65_536,
    sinks: null,
    signal: null,
    runAs,
    surroundings,
    onProven: null,
  };
}

/** Does something while another sandbox of the same rules stands, by the pid of its gate. */
async function besideAnother<Value>(
  plan: (script: string) => RulePlan,
  options: RunOptions,
  work: (neighbour: number) => Promise<Value>,
): Promise<Value> {
  const proven = Promise.withResolvers<number>();
  const stop = new AbortController();
  const other: Promise<Ended> = runRules(plan("read -r _"), {
    ...options,
    stdin: "held",
    signal: stop.signal,
    onProven: ({ init }) => proven.resolve(init.pid),
  });
  other.catch(proven.reject);
  try {
    return await work(await proven.promise);
  } finally {
    stop.abort();
    await other.catch(() => undefined);
  }
}
