import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CofferdamError } from "../errors.ts";
import { type AbsolutePath, joinPath, parentOf } from "../profile/path.ts";
import { type Drill, isDone, type Site, withSupervisor } from "./drill.ts";

/** What only the walls of macOS have to show. */
export const MAC_DRILLS: readonly Drill[] = [
  {
    on: "darwin",
    claim: "fs.residue",
    title: "nothing is left of a call's own folder",
    holds: async ({ host }) => callsIn(host).length === 0,
    twin: async ({ session, host }) => {
      const call = isDone(session, 'echo x > "$TMPDIR/left"; mkdir -p "$HOME/.cache/deep"; sleep 1');
      const until = performance.now() + MOST_MS;
      while (callsIn(host).length === 0 && performance.now() < until) await pause(20);
      const wasThere = callsIn(host).length > 0;
      return (await call) && wasThere;
    },
  },
  {
    on: "darwin",
    claim: "limit",
    title: "a program that does not end is ended at its time, with what it has left behind",
    holds: async ({ session, target, arena, host }) => {
      const mark = `late-${target.word}`;
      const argv = ["sh", "-c", `${arena.daemon(mark)} while :; do sleep 1; done`] as const;
      const { kind } = await session.call("shell", { argv }, { timeoutMs: 1_000 });
      return kind === "timed-out" && !(await arena.isRunningWith(host, mark));
    },
    twin: ({ target, arena, host }) => arena.isRunningWith(host, target.word),
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

/** By the Node that runs this, or another that PATH finds. False where none can be shown inside. */
async function runsByNode(site: Site, file: AbsolutePath, expected: "yes" | "no"): Promise<boolean> {
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
  try {
    return await withSupervisor(found, { config }, (session) =>
      isDone(session, `node ${program} ${file} ${expected}`),
    );
  } catch (error) {
    if (error instanceof CofferdamError) return false;
    throw error;
  }
}
