import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { CofferdamError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { findHelper } from "../host/launcher.ts";
import { ask } from "../host/spawn.ts";
import { MemoryJournal } from "../journal/journal.ts";
import { type AbsolutePath, joinPath, parentOf } from "../profile/path.ts";
import type { Session } from "../supervisor/session.ts";
import { createSupervisor, type Supervisor } from "../supervisor/supervisor.ts";
import type { Target } from "./case.ts";
import type { ClaimId } from "./claims.ts";
import type { Ground } from "./ground.ts";

/** What a drill is done with. */
export interface Site {
  readonly session: Session;
  readonly ground: Ground;
  readonly host: Host;
  readonly target: Target;
  /** Aborted when the battery is to end. */
  readonly signal: AbortSignal;
}

/** Something that no line of shell can try by itself, with its twin: what is seen from outside, before and after calls. */
export interface Drill {
  readonly claim: ClaimId;
  readonly title: string;
  readonly holds: (site: Site) => Promise<boolean>;
  readonly twin: (site: Site) => Promise<boolean>;
}

/** Every drill, in the order in which they are done. */
export const DRILLS: readonly Drill[] = [
  {
    claim: "fs.write",
    title: "after all of this the file outside is as it was",
    holds: async ({ ground }) => readFileSync(joinPath(ground.outside, "canary"), "utf8") === "secret\n",
    twin: async ({ ground }) => readFileSync(joinPath(ground.ws, "inner/canary"), "utf8") !== "secret\n",
  },
  {
    claim: "fs.read",
    title: "a program that is named like an option of the launcher is a program",
    holds: async ({ session, ground }) => {
      const shown = joinPath(ground.ws, "shown");
      const words = ["--ro-bind", ground.outside, shown, "cat", `${shown}/canary`] as const;
      return (await session.call("shell", { argv: words })).kind === "not-found" && !existsSync(shown);
    },
    twin: async ({ session, ground }) => {
      const program = joinPath(ground.ws, "--ro-bind");
      writeFileSync(program, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
      return (await session.call("shell", { argv: ["./--ro-bind", ground.outside] })).kind === "done";
    },
  },
  {
    claim: "fs.residue",
    title: "no placeholder is left where something missing was held while a call ran",
    holds: async ({ ground }) => HELD.every((name) => !existsSync(joinPath(ground.ws, name))),
    twin: async ({ session, ground }) => {
      const test = HELD.map((name) => `[ -e ${joinPath(ground.ws, name)} ]`).join(" && ");
      return isDone(session, test);
    },
  },
  {
    claim: "proc",
    title: "a daemon that a call leaves behind is gone when the call has ended",
    holds: async ({ session, target }) => {
      const mark = `left-${target.word}`;
      const daemon = `setsid sh -c 'trap "" HUP INT TERM; while :; do sleep 1; done' daemon ${mark} >/dev/null 2>&1 </dev/null &`;
      return (await isDone(session, `${daemon} sleep 0.1`)) && !isRunningWith(mark);
    },
    twin: async ({ target }) => isRunningWith(target.word),
  },
  {
    claim: "limit",
    title: "a program that does not end is ended at its time, whatever it does about it",
    holds: async ({ session }) => {
      const argv = ["sh", "-c", 'trap "" TERM INT HUP; while :; do sleep 1; done'] as const;
      return (await session.call("shell", { argv }, { timeoutMs: 300 })).kind === "timed-out";
    },
    twin: async ({ session }) => isDone(session, "sleep 0.1"),
  },
  {
    claim: "fs.missing",
    title: "a repository that a call makes is told",
    holds: async ({ session, ground }) => {
      const at = joinPath(ground.ws, "born/.git");
      const made = await appearedIn(session, `mkdir -p ${at}/objects ${at}/refs && echo ref: x > ${at}/HEAD`);
      return made.includes(at);
    },
    twin: async ({ session, ground }) =>
      (await appearedIn(session, `mkdir -p ${joinPath(ground.ws, "plain/git")}`)).length === 0,
  },
  {
    claim: "never-weaker",
    title: "an operator profile that grants everything gives nothing more",
    holds: async (site) => {
      const profile = joinPath(parentOf(site.ground.ws), "generous.yaml");
      const all = {
        profile: "generous",
        files: [{ path: "/", access: "write" }],
        network: "host",
        env: ["*"],
      };
      writeFileSync(profile, JSON.stringify(all), { mode: 0o600 });
      return withSupervisor(
        site,
        { profiles: [profile] },
        async (session) => !(await isDone(session, canary(site))),
      );
    },
    twin: async (site) => {
      const { ground } = site;
      const config = joinPath(parentOf(ground.ws), "wider.yaml");
      const paths = {
        ws: { root: ground.ws, mode: "rw", write_approval: false },
        outside: { root: ground.outside, mode: "ro" },
      };
      writeFileSync(config, JSON.stringify({ version: 1, sandbox: { paths, runtimes: ["system"] } }), {
        mode: 0o600,
      });
      return withSupervisor(site, { config }, (session) => isDone(session, canary(site)));
    },
  },
  {
    claim: "config.strict",
    title: "a config with a misspelt key starts nothing",
    holds: async (site) => {
      const config = joinPath(parentOf(site.ground.ws), "misspelt.yaml");
      writeFileSync(config, JSON.stringify({ version: 1, sandbox: { limit: { wall: "1s" } } }), {
        mode: 0o600,
      });
      return withSupervisor(site, { config }, async () => false).catch(
        (error: unknown) => error instanceof CofferdamError && error.code === "CONFIG_INVALID",
      );
    },
    twin: async (site) => withSupervisor(site, {}, async () => true),
  },
  {
    claim: "helper",
    title: "a launcher that lies first in PATH is not the one that is started",
    holds: async (site) => {
      const { bin, mark } = plantLauncher(site.ground);
      const host = { ...site.host, env: { ...site.host.env, PATH: `${bin}:${site.host.env["PATH"] ?? ""}` } };
      const isRun = await withSupervisor({ ...site, host }, {}, (session) => isDone(session, ":"));
      return isRun && !existsSync(mark);
    },
    twin: async ({ ground, host, signal }) => {
      const { bin, mark } = plantLauncher(ground);
      await ask(findHelper(host, "sh"), ["-c", `PATH=${bin}:/usr/bin:/bin; bwrap --version`], { signal });
      return existsSync(mark);
    },
  },
];

/** Missing names that the battery's profile protects, and what git would obey in its repositories. */
const HELD = ["missing", "no", "missing.json", "repository/.git/commondir", "bare/commondir"] as const;

async function isDone(session: Session, line: string): Promise<boolean> {
  return (await session.call("shell", { argv: ["sh", "-c", line] })).kind === "done";
}

async function appearedIn(session: Session, line: string): Promise<readonly AbsolutePath[]> {
  const outcome = await session.call("shell", { argv: ["sh", "-c", line] });
  if (!("receipt" in outcome) || outcome.receipt === null) return [];
  return outcome.receipt.appeared.found.map(({ path }) => path);
}

async function withSupervisor<Value>(
  { ground, host, signal }: Site,
  choice: { readonly config?: AbsolutePath; readonly profiles?: readonly AbsolutePath[] },
  work: (session: Session) => Promise<Value>,
): Promise<Value> {
  await using supervisor = await createSupervisor({
    config: ground.config,
    cwd: ground.ws,
    host,
    journal: new MemoryJournal(),
    ...choice,
  });
  return await work(sessionUntil(signal, supervisor));
}

/** A session that ends when the signal is aborted, and with it what it still does. */
export function sessionUntil(signal: AbortSignal, supervisor: Supervisor): Session {
  signal.throwIfAborted();
  const session = supervisor.session({ caller: "person" });
  signal.addEventListener("abort", () => void session[Symbol.asyncDispose](), { once: true });
  return session;
}

function canary({ ground }: Pick<Site, "ground">): string {
  return `grep -q secret ${joinPath(ground.outside, "canary")}`;
}

/** True while a process of this machine has the word in its command line. */
function isRunningWith(word: string): boolean {
  return readdirSync("/proc").some((name) => /^\d+$/.test(name) && wordsOf(name).includes(word));
}

function wordsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}

function plantLauncher(ground: Ground) {
  const [bin, mark] = [joinPath(ground.ws, "node_modules/.bin"), joinPath(ground.ws, "planted-was-run")];
  mkdirSync(bin, { recursive: true });
  rmSync(mark, { force: true });
  for (const name of ["bwrap", "sh"])
    writeFileSync(joinPath(bin, name), `#!/bin/sh\necho x > ${mark}\nexit 1\n`, { mode: 0o755 });
  return { bin, mark };
}
