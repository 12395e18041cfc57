import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { CofferdamError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { findHelper } from "../host/launcher.ts";
import { ask } from "../host/spawn.ts";
import { type AbsolutePath, joinPath, parentOf } from "../profile/path.ts";
import type { Session } from "../supervisor/session.ts";
import {
  callLine,
  canary,
  type Drill,
  type Fault,
  isSleeping,
  otherThan,
  type Site,
  undone,
  unless,
  withSupervisor,
} from "./drill.ts";
import { MAC_DRILLS } from "./mac-drills.ts";
import { NETWORK_DRILLS } from "./network-drills.ts";

/** The drills of one platform, in the order in which they are done. */
export function drillsFor(platform: Host["platform"]): readonly Drill[] {
  return [...DRILLS, ...NETWORK_DRILLS, ...MAC_DRILLS].filter(({ on }) => on === "both" || on === platform);
}

const DRILLS: readonly Drill[] = [
  {
    on: "both",
    claim: "fs.write",
    title: "after all of this the file outside is as it was",
    holds: async ({ ground }) =>
      unless({ "it was changed": readFileSync(joinPath(ground.outside, "canary"), "utf8") === SECRET }),
    twin: async ({ ground }) =>
      unless({ "nobody wrote": readFileSync(joinPath(ground.ws, "inner/canary"), "utf8") !== SECRET }),
  },
  {
    on: "both",
    claim: "fs.read",
    title: "a program that is named like an option of the launcher is a program",
    holds: async ({ session, ground, arena }) => {
      const outcome = await session.call("shell", { argv: arena.options(ground) });
      const isShown = existsSync(joinPath(ground.ws, "shown"));
      return otherThan("not-found", outcome) ?? unless({ "it was obeyed": !isShown });
    },
    twin: async ({ session, ground, arena }) => {
      const [name] = arena.options(ground);
      writeFileSync(joinPath(ground.ws, name), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
      return otherThan("done", await session.call("shell", { argv: [`./${name}`, ground.outside] }));
    },
  },
  {
    on: "linux",
    claim: "fs.residue",
    title: "no placeholder is left where something missing was held while a call ran",
    holds: async ({ ground }) => {
      const left = HELD.filter((name) => existsSync(joinPath(ground.ws, name)));
      return left.length === 0 ? null : `left: ${left.join(", ")}`;
    },
    twin: async ({ session, ground }) => {
      const test = HELD.map((name) => `[ -e ${joinPath(ground.ws, name)} ]`).join(" && ");
      return undone(session, test);
    },
  },
  {
    on: "both",
    claim: "proc",
    title: "a daemon that a call leaves behind is gone when the call has ended",
    holds: async ({ session, target, arena, host }) => {
      const mark = `left-${target.word}`;
      const fault = await undone(session, `${arena.daemon(mark)} sleep 0.1`);
      return fault ?? unless({ "it still runs": !(await arena.isRunningWith(host, mark)) });
    },
    twin: isSleeping,
  },
  {
    on: "both",
    claim: "limit",
    title: "a program that does not end is ended at its time, whatever it does about it",
    holds: async ({ session }) => {
      const argv = ["sh", "-c", 'trap "" TERM INT HUP; while :; do sleep 1; done'] as const;
      return otherThan("timed-out", await session.call("shell", { argv }, { timeoutMs: 300 }));
    },
    twin: ({ session }) => undone(session, "sleep 0.1"),
  },
  {
    on: "both",
    claim: "fs.missing",
    title: "a repository that a call makes is told",
    holds: async ({ session, ground }) => {
      const at = joinPath(ground.ws, "born/.git");
      return appearedIn(session, `mkdir -p ${at}/objects ${at}/refs && echo ref: x > ${at}/HEAD`, [at]);
    },
    twin: ({ session, ground }) => appearedIn(session, `mkdir -p ${joinPath(ground.ws, "plain/git")}`, []),
  },
  {
    on: "both",
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
      return withSupervisor(site, { profiles: [profile] }, async (session) =>
        unless({ "the file was read": (await undone(session, canary(site))) !== null }),
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
      return withSupervisor(site, { config }, (session) => undone(session, canary(site)));
    },
  },
  {
    on: "both",
    claim: "config.strict",
    title: "a config with a misspelt key starts nothing",
    holds: async (site) => {
      const config = joinPath(parentOf(site.ground.ws), "misspelt.yaml");
      writeFileSync(config, JSON.stringify({ version: 1, sandbox: { limit: { wall: "1s" } } }), {
        mode: 0o600,
      });
      return withSupervisor(site, { config }, async () => "it started").catch((error: unknown) => {
        if (error instanceof CofferdamError && error.code === "CONFIG_INVALID") return null;
        throw error;
      });
    },
    twin: async (site) => withSupervisor(site, {}, async () => null),
  },
  {
    on: "both",
    claim: "helper",
    title: "a launcher that lies first in PATH is not the one that is started",
    holds: async (site) => {
      const { bin, mark } = plantLauncher(site);
      const host = { ...site.host, env: { ...site.host.env, PATH: `${bin}:${site.host.env["PATH"] ?? ""}` } };
      const fault = await withSupervisor({ ...site, host }, {}, (session) => undone(session, ":"));
      return fault ?? unless({ "it was started": !existsSync(mark) });
    },
    twin: async (site) => {
      const { host, signal, arena } = site;
      const { bin, mark } = plantLauncher(site);
      const line = `PATH=${bin}:/usr/bin:/bin; ${arena.launcher} --version`;
      await ask(findHelper(host, "sh"), ["-c", line], { signal });
      return unless({ "it was not started": existsSync(mark) });
    },
  },
];

const SECRET = "secret\n";

/** Missing names that the battery's profile protects, and what git would obey in its repositories. */
const HELD = ["missing", "no", "missing.json", "repository/.git/commondir", "bare/commondir"] as const;

/** Null where these repositories, and no others, are told to have appeared in a call. */
async function appearedIn(session: Session, line: string, expected: readonly AbsolutePath[]): Promise<Fault> {
  const outcome = await callLine(session, line);
  if (!("receipt" in outcome)) return otherThan("done", outcome);
  const told = outcome.receipt.appeared.found.map(({ path }) => path).join(", ");
  return told === expected.join(", ") ? null : `told: ${told === "" ? "nothing" : told}`;
}

function plantLauncher({ ground, arena }: Site) {
  const [bin, mark] = [joinPath(ground.ws, "node_modules/.bin"), joinPath(ground.ws, "planted-was-run")];
  mkdirSync(bin, { recursive: true });
  rmSync(mark, { force: true });
  for (const name of [arena.launcher, "sh"])
    writeFileSync(joinPath(bin, name), `#!/bin/sh\necho x > ${mark}\nexit 1\n`, { mode: 0o755 });
  return { bin, mark };
}
