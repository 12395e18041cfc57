import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type AbsolutePath, joinPath, parentOf } from "../profile/path.ts";
import {
  type Drill,
  type Fault,
  isSleeping,
  otherThan,
  type Site,
  undone,
  unless,
  withSupervisor,
} from "./drill.ts";

/** What only the walls of macOS have to show. */
export const MAC_DRILLS: readonly Drill[] = [
  {
    on: "darwin",
    claim: "fs.residue",
    title: "nothing is left of a call's own folder",
    holds: async ({ host }) => unless({ "a folder is left": callsIn(host).length === 0 }),
    twin: async ({ session, host }) => {
      const call = undone(session, 'echo x > "$TMPDIR/left"; mkdir -p "$HOME/.cache/deep"; sleep 1');
      const until = performance.now() + MOST_MS;
      while (callsIn(host).length === 0 && performance.now() < until) await pause(20);
      const wasThere = callsIn(host).length > 0;
      return (await call) ?? unless({ "no folder was seen": wasThere });
    },
  },
  {
    on: "darwin",
    claim: "limit",
    title: "a program that does not end is ended at its time, with what it has left behind",
    holds: async ({ session, target, arena, host }) => {
      const mark = `late-${target.word}`;
      const argv = ["sh", "-c", `${arena.daemon(mark)} while :; do sleep 1; done`] as const;
      const fault = otherThan("timed-out", await session.call("shell", { argv }, { timeoutMs: 1_000 }));
      return fault ?? unless({ "something still runs": !(await arena.isRunningWith(host, mark)) });
    },
    twin: isSleeping,
  },
  {
    on: "darwin",
    claim: "fs.read",
    title: "a JavaScript program sees the processors, and not the file outside",
    holds: (site) => runsByNode(site, joinPath(site.ground.outside, "canary"), "no"),
    twin: (site) => runsByNode(site, joinPath(site.ground.ws, "inner/canary"), "yes"),
    twinMayFail: "no Node was found in PATH that can be shown inside",
  },
];

/** How long a call may take to be there, in milliseconds. */
const MOST_MS = 5_000;

function callsIn({ stateFolder }: Site["host"]): readonly string[] {
  const calls = joinPath(stateFolder, "calls");
  return existsSync(calls) ? readdirSync(calls) : [];
}

/** Ends with 0 where there are processors, and the file can be read or not, as it was told. */
const PROGRAM = `const [, , file, expected] = process.argv;
let isRead = "yes";
try { require("node:fs").readFileSync(file); } catch { isRead = "no"; }
process.exit(require("node:os").cpus().length > 0 && isRead === expected ? 0 : 1);
`;

/** By the Node that runs this, or another that PATH finds. */
async function runsByNode(site: Site, file: AbsolutePath, expected: "yes" | "no"): Promise<Fault> {
  const { ground, host } = site;
  const [config, program] = [
    joinPath(parentOf(ground.ws), "node.yaml"),
    joinPath(ground.ws, "processors.cjs"),
  ];
  const paths = { ws: { root: ground.ws, mode: "rw", write_approval: false } };
  writeFileSync(program, PROGRAM);
  writeFileSync(config, JSON.stringify({ version: 1, sandbox: { paths, runtimes: ["system", "node"] } }), {
    mode: 0o600,
  });
  const PATH = `${dirname(process.execPath)}:${host.env["PATH"] ?? ""}`;
  const found = { ...site, host: { ...host, env: { ...host.env, PATH } } };
  return withSupervisor(found, { config }, (session) =>
    undone(session, `node ${program} ${file} ${expected}`),
  );
}
