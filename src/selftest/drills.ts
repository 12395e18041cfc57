import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { CofferdamError } from "../errors.ts";
import { findHelper } from "../host/launch/launcher.ts";
import { ask } from "../host/launch/spawn.ts";
import type { Host } from "../host/look/host.ts";
import { type AbsolutePath, joinPath } from "../profile/path.ts";
import type { Session } from "../session/session.ts";
import {
  callLine,
  canary,
  type Drill,
  type DrillFault,
  type DrillSite,
  isSleeping,
  otherThan,
  undone,
  unless,
  withSupervisor,
  writeBeside,
} from "./drill.ts";
import { MAC_DRILLS } from "./mac-drills.ts";
import { NETWORK_DRILLS } from "./network-drills.ts";

/** The drills of one platform, in order. */
export function drillsFor(platform: Host["platform"]): readonly Drill[] {
  return [...DRILLS, ...NETWORK_DRILLS, ...MAC_DRILLS].filter(({ on }) => on === "both" || on === platform);
}

const DRILLS: readonly Drill[] = [
  {
    on: "both",
    claim: "fs.write",
    title: "the file outside is unchanged after all attacks",
    holds: async ({ ground }) =>
      unless({ "it was changed": readFileSync(joinPath(ground.outside, "canary"), "utf8") === SECRET }),
    control: async ({ ground }) =>
      unless({ "no attack wrote": readFileSync(joinPath(ground.ws, "inner/canary"), "utf8") !== SECRET }),
  },
  {
    on: "both",
    claim: "fs.read",
    title: "a program that is named like an option of the launcher is a program",
    holds: async ({ session, ground, arena }) => {
      const outcome = await session.call("shell", { argv: arena.options(ground) });
      const isShown = existsSync(joinPath(ground.ws, "shown"));
      return otherThan("not-found", outcome) ?? unless({ "the option had an effect": !isShown });
    },
    control: async ({ session, ground, arena }) => {
      const [name] = arena.options(ground);
      writeFileSync(joinPath(ground.ws, name), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
      return otherThan("done", await session.call("shell", { argv: [`./${name}`, ground.outside] }));
    },
  },
  {
    on: "linux",
    claim: "fs.residue",
    title: "no placeholder stays where a missing file was protected during a call",
    holds: async ({ ground }) => {
      const left = HELD.filter((name) => existsSync(joinPath(ground.ws, name)));
      return left.length === 0 ? null : `left: ${left.join(", ")}`;
    },
    control: async ({ session, ground }) => {
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
    control: isSleeping,
  },
  {
    on: "both",
    claim: "limit",
    title: "a program is ended at its time limit, even if it ignores signals",
    holds: async ({ session }) => {
      const argv = ["sh", "-c", 'trap "" TERM INT HUP; while :; do sleep 1; done'] as const;
      return otherThan("timed-out", await session.call("shell", { argv }, { timeoutMs: 300 }));
    },
    control: ({ session }) => undone(session, "sleep 0.1"),
  },
  {
    on: "both",
    claim: "fs.missing",
    title: "a repository that a call creates is reported",
    holds: async ({ session, ground }) => {
      const at = joinPath(ground.ws, "born/.git");
      return appearedIn(session, `mkdir -p ${at}/objects ${at}/refs && echo ref: x > ${at}/HEAD`, [at]);
    },
    control: ({ session, ground }) => appearedIn(session, `mkdir -p ${joinPath(ground.ws, "plain/git")}`, []),
  },
  {
    on: "both",
    claim: "never-weaker",
    title: "an operator profile that grants everything gives nothing more",
    holds: async (site) => {
      const profile = writeBeside(site, "generous.yaml", {
        profile: "generous",
        files: [{ path: "/", access: "write" }],
        network: "host",
        env: ["*"],
      });
      return withSupervisor(site, { profiles: [profile] }, async (session) =>
        unless({ "the file was read": (await undone(session, canary(site))) !== null }),
      );
    },
    control: async (site) => {
      const { ground } = site;
      const paths = {
        ws: { root: ground.ws, mode: "rw", write_approval: false },
        outside: { root: ground.outside, mode: "ro" },
      };
      const sandbox = { paths, runtimes: ["system"] };
      const config = writeBeside(site, "wider.yaml", { version: 1, sandbox });
      return withSupervisor(site, { config }, (session) => undone(session, canary(site)));
    },
  },
  {
    on: "both",
    claim: "config.strict",
    title: "a config with a misspelt key starts nothing",
    holds: async (site) => {
      const sandbox = { limit: { wall: "1s" } };
      const config = writeBeside(site, "misspelt.yaml", { version: 1, sandbox });
      return withSupervisor(site, { config }, async () => "it started").catch((error: unknown) => {
        if (error instanceof CofferdamError && error.code === "CONFIG_INVALID") return null;
        throw error;
      });
    },
    control: async (site) => withSupervisor(site, {}, async () => null),
  },
  {
    on: "both",
    claim: "helper",
    title: "a planted launcher that comes first in PATH is not started",
    holds: async (site) => {
      const { bin, mark } = plantLauncher(site);
      const host = { ...site.host, env: { ...site.host.env, PATH: `${bin}:${site.host.env["PATH"] ?? ""}` } };
      const fault = await withSupervisor({ ...site, host }, {}, (session) => undone(session, ":"));
      return fault ?? unless({ "it was started": !existsSync(mark) });
    },
    control: async (site) => {
      const { host, signal, arena } = site;
      const { bin, mark } = plantLauncher(site);
      const line = `PATH=${bin}:/usr/bin:/bin; ${arena.launcher} --version`;
      await ask(findHelper(host, "sh"), ["-c", line], { signal });
      return unless({ "it was not started": existsSync(mark) });
    },
  },
];

const SECRET = "secret\n";

/** Missing names that the selftest's profile protects, and parts that git would obey in its repositories. */
const HELD = ["missing", "no", "missing.json", "repository/.git/commondir", "bare/commondir"] as const;

/** Null if exactly these repositories are reported to have appeared in a call. */
async function appearedIn(
  session: Session,
  line: string,
  expected: readonly AbsolutePath[],
): Promise<DrillFault> {
  const outcome = await callLine(session, line);
  if (!("receipt" in outcome)) return otherThan("done", outcome);
  const reported = outcome.receipt.appeared.found.map(({ path }) => path).join(", ");
  return reported === expected.join(", ") ? null : `reported: ${reported === "" ? "nothing" : reported}`;
}

function plantLauncher({ ground, arena }: DrillSite) {
  const [bin, mark] = [joinPath(ground.ws, "node_modules/.bin"), joinPath(ground.ws, "planted-was-run")];
  mkdirSync(bin, { recursive: true });
  rmSync(mark, { force: true });
  for (const name of [arena.launcher, "sh"])
    writeFileSync(joinPath(bin, name), `#!/bin/sh\necho x > ${mark}\nexit 1\n`, { mode: 0o755 });
  return { bin, mark };
}
