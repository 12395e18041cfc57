import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type AbsolutePath, joinPath } from "../profile/path.ts";
import {
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

/** Drills for the sandbox of macOS only. */
export const MAC_DRILLS: readonly Drill[] = [
  {
    on: "darwin",
    claim: "fs.residue",
    title: "the temporary folder of a call is removed",
    holds: async ({ host }) => unless({ "a folder is left": callsIn(host).length === 0 }),
    control: async ({ session, host }) => {
      const call = undone(session, 'echo x > "$TMPDIR/left"; mkdir -p "$HOME/.cache/deep"; sleep 1');
      const until = performance.now() + MAX_MS;
      while (callsIn(host).length === 0 && performance.now() < until) await pause(20);
      const wasThere = callsIn(host).length > 0;
      return (await call) ?? unless({ "no folder was seen": wasThere });
    },
  },
  {
    on: "darwin",
    claim: "limit",
    title: "a program is ended at its time limit, with the processes it left behind",
    holds: async ({ session, target, arena, host }) => {
      const mark = `late-${target.word}`;
      const argv = ["sh", "-c", `${arena.daemon(mark)} while :; do sleep 1; done`] as const;
      const fault = otherThan("timed-out", await session.call("shell", { argv }, { timeoutMs: 1_000 }));
      return fault ?? unless({ "something still runs": !(await arena.isRunningWith(host, mark)) });
    },
    control: isSleeping,
  },
  {
    on: "darwin",
    claim: "fs.read",
    title: "a JavaScript program sees the processors, but not the file outside",
    holds: (site) => runsByNode(site, joinPath(site.ground.outside, "canary"), "no"),
    control: (site) => runsByNode(site, joinPath(site.ground.ws, "inner/canary"), "yes"),
    controlMayFail: "PATH has no Node that can be used in the sandbox",
  },
];

/** The maximum time until a call is running, in milliseconds. */
const MAX_MS = 5_000;

function callsIn({ stateFolder }: DrillSite["host"]): readonly string[] {
  const calls = joinPath(stateFolder, "calls");
  return existsSync(calls) ? readdirSync(calls) : [];
}

/** Exits with 0 if there are processors and the file is readable or not, as expected. */
const PROGRAM = `const [, , file, expected] = process.argv;
let isRead = "yes";
try { require("node:fs").readFileSync(file); } catch { isRead = "no"; }
process.exit(require("node:os").cpus().length > 0 && isRead === expected ? 0 : 1);
`;

async function runsByNode(site: DrillSite, file: AbsolutePath, expected: "yes" | "no"): Promise<DrillFault> {
  const { ground, host } = site;
  const program = joinPath(ground.ws, "processors.cjs");
  const paths = { ws: { root: ground.ws, mode: "rw", write_approval: false } };
  writeFileSync(program, PROGRAM);
  const sandbox = { paths, runtimes: ["system", "node"] };
  const config = writeBeside(site, "node.yaml", { version: 1, sandbox });
  const PATH = `${dirname(process.execPath)}:${host.env["PATH"] ?? ""}`;
  const found = { ...site, host: { ...host, env: { ...host.env, PATH } } };
  return withSupervisor(found, { config }, (session) =>
    undone(session, `node ${program} ${file} ${expected}`),
  );
}
