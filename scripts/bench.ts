import { spawn } from "node:child_process";
import { closeSync, fstatSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { arch, cpus, release, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { execa } from "execa";
import { BrokerHandler } from "../src/approval/handlers.ts";
import type { MountPlan } from "../src/backend/plan.ts";
import { prepare } from "../src/decide/prepare.ts";
import { Event } from "../src/event/event.ts";
import type { Ledger } from "../src/host/launch/ledger.ts";
import { openInputs } from "../src/host/launch/open-inputs.ts";
import { type Host, thisHost } from "../src/host/look/host.ts";
import { FileJournal, MemoryJournal } from "../src/journal/journal.ts";
import { digest, printProfile } from "../src/profile/canonical.ts";
import { intersect } from "../src/profile/intersect.ts";
import { absolutePath, joinPath } from "../src/profile/path.ts";
import { type FileEntry, normalProfile, type Profile } from "../src/profile/profile.ts";
import { resolvePolicy } from "../src/session/resolve-setup.ts";
import type { Session } from "../src/session/session.ts";
import { createSupervisor } from "../src/session/supervisor.ts";
import { MemoryStore } from "../src/store/memory.ts";
import type { Store } from "../src/store/store.ts";
import { crowdOfQuestions, verdictTimes } from "../test/support/approval/figures.ts";
import { fileFigures, type Times } from "../test/support/files/figures.ts";
import { integrationFigures } from "../test/support/integrations/figures.ts";
import { BIN, PostgresServer } from "../test/support/postgres/server.ts";
import { plantFiles, searchFigures } from "../test/support/search/figures.ts";
import { answerTimes } from "../test/support/store/answer-to-run.ts";
import { storeFigures, wakeTimes } from "../test/support/store/figures.ts";
import { openStore } from "../test/support/store/open-store.ts";
import { blobServer, egressFigures, outsideAt } from "../test/support/web/figures.ts";
import { FIGURE_NAMES, figuresBeside, timesBeside } from "./lib/beside.ts";
import { hardeningCalls, layFloor, withoutPlaceholders } from "./lib/floor.ts";

/** Every figure is the median of this many runs, after a few that do not count. */
const RUNS = 100;
const WARM_UP = 20;

/** The time until the next call's launcher waits, in milliseconds. */
const PAUSE_MS = 20;

/** The number of files of the tree that checkouts search in turn. */
const FILES_BESIDE = 10_000;
/** The number of rounds of each checkout. */
const ROUNDS_BESIDE = 9;

const root = join(import.meta.dirname, "..");
const stage = mkdtempSync(join(tmpdir(), "cofferdam-bench-"));
const [option, ...others] = process.argv.slice(2);
try {
  if (option === "--beside") await beside(others);
  else await bench();
} finally {
  rmSync(stage, { recursive: true, force: true });
}

/** Times a cold call and its parts, in this and other checkouts in turn: the cost of a change. */
async function beside(checkouts: readonly string[]): Promise<void> {
  const all = [root, ...checkouts.map((checkout) => resolve(checkout))];
  const [ours = [], ...theirs] = await timesBeside(all, stage, { warmUp: WARM_UP, counted: 2 * RUNS });
  for (const [which, what] of [
    [0, "a cold call after a pause, proof included"],
    [1, "a cold call at once after others"],
  ] as const) {
    const mine = ours.map((pair) => pair[which]);
    row(what, median(mine), null);
    for (const [index, pairs] of theirs.entries()) {
      const times = pairs.map((pair) => pair[which]);
      row(`  the same by ${checkouts[index]}`, median(times), null);
      row("    on top of it", median(mine.map((time, run) => time - (times[run] ?? Number.NaN))), null);
    }
  }
  const tree = join(stage, "tree");
  plantFiles(tree, FILES_BESIDE);
  const [figures = [], ...others] = await figuresBeside(all, { stage, tree, rounds: ROUNDS_BESIDE });
  for (const [at, what] of FIGURE_NAMES.entries()) {
    const figureOf = (rounds: readonly (readonly number[])[]): number =>
      median(rounds.map((round) => round[at] ?? Number.NaN));
    row(what, figureOf(figures), null);
    for (const [index, rounds] of others.entries())
      row(`  the same by ${checkouts[index]}`, figureOf(rounds), null);
  }
}

async function bench(): Promise<void> {
  const workspace = join(stage, "workspace");
  mkdirSync(join(workspace, ".git/hooks"), { recursive: true });
  writeFileSync(join(workspace, ".git/config"), "");
  const stateFolder = absolutePath(join(stage, "state/cofferdam"));
  const host = thisHost({ stateFolder });
  await using supervisor = await createSupervisor({
    host,
    cwd: absolutePath(workspace),
    journal: new MemoryJournal(),
  });
  const session = supervisor.session({ caller: "person" });
  const { withApproval } = await session.prepare({ argv: ["true"] });
  if (withApproval.rendering.kind !== "plan") throw new Error("the bench's call has no plan");
  const { plan } = withApproval.rendering;
  if (plan.kind === "rules") throw new Error("the bench measures bubblewrap, on Linux");
  console.log(
    `Linux ${release()} ${arch()}, ${cpus().length} cores, Node ${process.version}, bubblewrap ${plan.version}; medians of ${RUNS} runs\n`,
  );

  const { raw, ours, atOnce } = await launches(plan, session, supervisor.shared.ledger);
  row("raw bwrap, the same plan and start program", raw, null);
  row("our call after a pause, in process, proof included", ours, raw);
  row("our call at once after others", atOnce, raw);
  row("  of it: what comes on top", atOnce - raw, null);
  row("  of it: a cgroup for memory and processes", await cgroupOnTop(workspace), null);
  const { sandbox } = supervisor.shared;
  // The last folder is that of processes.
  const cgroups = sandbox.kind === "available" ? (sandbox.machine.cgroups?.folders.at(-1) ?? null) : null;
  row(
    "the hardening's own system calls, and nothing else",
    callsAlone(plan.tree === null ? null : cgroups),
    null,
  );
  row("what its mounts take of the launcher", await mountsOnTop(plan, supervisor.shared.ledger), null);
  row("cofferdam run -- true", await cli(workspace, stateFolder), raw);
  row("execa in place of child_process, on top of a start", await execaOnTop(), null);
  row("prepare (derive, intersect, judge, render both sides)", await preparation(supervisor, session), null);
  row("derive + intersect + canonical form, 10,000 entries", algebra(), null);
  row("verdict for 1,000 rules, an input of 2 KiB", median(verdictTimes(WARM_UP, RUNS)), null);
  for (const files of [10_000, 100_000]) {
    const folder = absolutePath(join(stage, `tree-${files}`));
    plantFiles(folder, files);
    const { withApproval } = resolvePolicy({ host, cwd: folder }).policy;
    const { first, warm, delayP99 } = await searchFigures(withApproval.profile);
    const what = `search of ${files.toLocaleString("en")} files for what globs protect`;
    console.log(
      `${`${what}, first`.padEnd(56)} ${first.toFixed(2).padStart(8)} ms, loop p99 ${delayP99.toFixed(1)} ms`,
    );
    row(`${what}, again`, warm, null);
  }
  const { read, write } = await fileFigures(session, workspace, 1_000);
  for (const [what, times] of [
    ["read", read],
    ["write", write],
  ] as const) {
    pairRow(`${what} 4 KiB, by fs in this process`, times.plain, times.sandbox.median);
    pairRow(`${what} 4 KiB, by the file tool`, times.tool, times.sandbox.median);
    pairRow(`${what} 4 KiB, by a program in a sandbox of its own`, times.sandbox, times.sandbox.median);
  }
  await egress(workspace);
  const { plain, chained } = journalTimes();
  console.log(`${"an event appended as a line, alone".padEnd(56)} ${plain.toFixed(1).padStart(8)} µs`);
  console.log(
    `${"  with its hash, in the journal, on top".padEnd(56)} ${(chained - plain).toFixed(1).padStart(8)} µs`,
  );
  const { bytesEach, answerMs } = await crowdOfQuestions();
  console.log(`${"10,000 pending requests, heap each".padEnd(56)} ${bytesEach.toFixed(0).padStart(8)} bytes`);
  row("answer to each of 10,000, in all", answerMs, null);
  await stores();
  await integrations(workspace);
}

/** The additional time of each integration, on top of a call of the library. */
async function integrations(workspace: string): Promise<void> {
  writeFileSync(join(workspace, "figures.txt"), "x".repeat(4096));
  await using supervisor = await supervisorIn(workspace, "integrations", {});
  const { library, onTop } = await integrationFigures(
    supervisor,
    "read_file",
    { path: "figures.txt" },
    2 * RUNS,
  );
  row("read_file of 4 KiB, by the library", library, null);
  for (const [integration, ms] of Object.entries(onTop)) row(`  by ${integration}, on top`, ms, null);
}

/** Requests per second of each kind of store, and the time until another process sees an answer. */
async function stores(): Promise<void> {
  const rate = (what: string, perSecond: number): void =>
    console.log(`${what.padEnd(56)} ${perSecond.toFixed(0).padStart(8)} /s`);
  const file = join(stage, "store/approvals.sqlite");
  await using server = BIN === null ? null : await PostgresServer.start({ folder: tmpdir() });
  if (server === null) console.log("no store in Postgres is measured: there is no PostgreSQL here");
  const url = server?.url() ?? null;
  const kinds: readonly (readonly [string, Store, string | null])[] = [
    ["memory", new MemoryStore(), null],
    ["SQLite", openStore(file), file],
    ...(url === null ? [] : [["Postgres", openStore(url), url] as const]),
  ];
  for (const [kind, store, where] of kinds) {
    const { inTurn, atOnce } = await storeFigures(store, 500);
    rate(`append + resolve, ${kind}, one after another`, inTurn);
    rate(`append + resolve, ${kind}, 100 at once`, atOnce);
    if (where !== null) {
      const { median: middle, p99 } = await wakeTimes(store, where, 200);
      const what = `an answer heard of in another process, ${kind}`.padEnd(56);
      console.log(`${what} ${middle.toFixed(2).padStart(8)} ms, p99 ${p99.toFixed(1)} ms`);
    }
    await store[Symbol.asyncDispose]();
  }
  await answers();
}

/** The time from an approval in another process, over the shared file, to the running program. */
async function answers(): Promise<void> {
  const workspace = absolutePath(join(stage, "asking"));
  mkdirSync(workspace);
  const settings = { shell: { default: { allowed: true, approval: true } } };
  await using supervisor = await supervisorIn(workspace, "answers", settings);
  await using session = supervisor.session({ handler: new BrokerHandler() });
  const file = joinPath(supervisor.shared.host.stateFolder, "approvals.sqlite");
  const times = await answerTimes(session, file, WARM_UP + RUNS);
  row("from another process's answer to the running program", median(times.slice(WARM_UP)), null);
}

/** The egress proxy compared with direct connections, and its cost for a call. */
async function egress(workspace: string): Promise<void> {
  await using server = await blobServer();
  const under = (name: string, network: unknown) =>
    supervisorIn(workspace, name, { shell: { network } }, { outside: outsideAt(server) });
  await using off = await under("network-off", false);
  await using hosts = await under("network-hosts", { hosts: ["a.test"] });
  const sessions = [off, hosts].map((one) => one.session({ caller: "person" }));
  const times = sessions.map((): number[] => []);
  for (let run = -WARM_UP; run < RUNS; run += 1)
    for (const [index, session] of sessions.entries()) {
      const time = await timed(async () => void (await session.call("shell", { argv: ["true"] })));
      if (run >= 0) times[index]?.push(time);
    }
  row(
    "a call that may reach hosts, on top of one that may not",
    median(times[1] ?? []) - median(times[0] ?? []),
    null,
  );
  const [, session] = sessions;
  if (session === undefined) return;
  const figures = await egressFigures(session, server, 9, 200);
  const { direct, forwarded, tunnelled, request, anew, crowd } = figures;
  const speed = (what: string, value: number): void =>
    console.log(
      `${what.padEnd(56)} ${value.toFixed(0).padStart(8)} MB/s${value === direct ? "" : `  ${(value / direct).toFixed(2)} of it`}`,
    );
  speed("100 MB by HTTP, direct", direct);
  speed("100 MB by HTTP, through the egress proxy", forwarded);
  speed("100 MB through a tunnel of the egress proxy", tunnelled);
  row("a request by HTTP, direct", request.direct, null);
  row("  through the egress proxy, on top", request.forwarded - request.direct, null);
  row("a request that connects anew, direct", anew.direct, null);
  row("  through a tunnel of the egress proxy, on top", anew.tunnelled - anew.direct, null);
  row(`200 downloads of 1 MB at once (${crowd.whole} came whole)`, crowd.ms, null);
}

/** A raw launch and calls of ours in turn, so that a slower machine affects all: one after a pause, some at once. */
async function launches(
  plan: MountPlan,
  session: Session,
  ledger: Ledger,
): Promise<{ raw: number; ours: number; atOnce: number }> {
  const [raw, ours, atOnce]: [number[], number[], number[]] = [[], [], []];
  const call = async (): Promise<void> => void (await session.call("shell", { argv: ["true"] }));
  for (let run = -WARM_UP; run < RUNS; run += 1) {
    const held = await ledger.hold("bench", plan.placeholders);
    const a = await timed(() => rawLaunch(plan));
    await held[Symbol.asyncDispose]();
    const b = await timed(call);
    for (let more = 0; more < 3; more += 1) await call();
    const c = await timed(call);
    await pause(PAUSE_MS);
    if (run < 0) continue;
    raw.push(a);
    ours.push(b);
    atOnce.push(c);
  }
  return { raw: median(raw), ours: median(ours), atOnce: median(atOnce) };
}

/** The kernel's part alone. */
function callsAlone(cgroups: string | null): number {
  const floor = layFloor(stage, cgroups);
  const times: number[] = [];
  for (let run = -WARM_UP; run < RUNS; run += 1) {
    const began = performance.now();
    hardeningCalls(floor);
    if (run >= 0) times.push(performance.now() - began);
  }
  return median(times);
}

/** Raw launches of a plan with and without the mounts over its placeholders, in turn. */
async function mountsOnTop(plan: MountPlan, ledger: Ledger): Promise<number> {
  const bare = withoutPlaceholders(plan);
  const held = await ledger.hold("bench", plan.placeholders);
  const more: number[] = [];
  for (let run = -WARM_UP; run < 2 * RUNS; run += 1) {
    const [without, within] = [await timed(() => rawLaunch(bare)), await timed(() => rawLaunch(plan))];
    if (run >= 0) more.push(within - without);
  }
  await held[Symbol.asyncDispose]();
  return median(more);
}

/** The same call with limits that need a cgroup and with one that needs none, in turn. */
async function cgroupOnTop(workspace: string): Promise<number> {
  const under = (name: string, limits: unknown) => supervisorIn(workspace, name, { sandbox: { limits } });
  await using without = await under("without", { open_files: 1024 });
  await using within = await under("within", { open_files: 1024, memory: "1GiB", processes: 512 });
  const sessions = [without, within].map((one) => one.session({ caller: "person" }));
  const times = sessions.map((): number[] => []);
  for (let run = -WARM_UP; run < RUNS; run += 1)
    for (const [index, session] of sessions.entries()) {
      const time = await timed(async () => void (await session.call("shell", { argv: ["true"] })));
      if (run >= 0) times[index]?.push(time);
    }
  const [plain = [], bounded = []] = times;
  return median(bounded) - median(plain);
}

/** A supervisor over the workspace with a state folder of its own. */
function supervisorIn(
  workspace: string,
  name: string,
  { sandbox = {}, shell = {} }: { readonly sandbox?: object; readonly shell?: object },
  overrides: Partial<Host> = {},
) {
  const config = join(stage, `${name}.yaml`);
  const paths = { workspace: { root: workspace, mode: "rw", write_approval: false } };
  writeFileSync(config, JSON.stringify({ version: 1, sandbox: { paths, ...sandbox }, shell }), {
    mode: 0o600,
  });
  const stateFolder = absolutePath(join(stage, name));
  const host = thisHost({ stateFolder, operatorFolders: [], ...overrides });
  return createSupervisor({ host, cwd: absolutePath(workspace), config, journal: new MemoryJournal() });
}

/** A launch written by hand: spawn, feed the descriptors, read both outputs, open the gate, wait. */
async function rawLaunch(plan: MountPlan): Promise<void> {
  const last = Math.max(plan.startFd, ...plan.inputs.map((input) => input.fd));
  using opened = openInputs(plan.inputs);
  const stdio = Array.from({ length: last + 1 }, (_, fd): "ignore" | "pipe" | number =>
    fd === 0 ? "ignore" : (opened.fds.get(fd) ?? "pipe"),
  );
  const child = spawn(plan.file, [...plan.argv], { cwd: "/", env: {}, stdio });
  const streams: readonly unknown[] = child.stdio;
  for (const input of plan.inputs)
    if (!opened.fds.has(input.fd)) asWritable(streams[input.fd]).end("bytes" in input ? input.bytes : "");
  for (const fd of [1, 2]) asReadable(streams[fd]).resume();
  const gate = streams[plan.startFd];
  asReadable(gate).once("data", () => asWritable(gate).end("go\n"));
  await new Promise((resolve) => child.once("close", resolve));
}

function asWritable(stream: unknown): Writable {
  return stream as Writable;
}

function asReadable(stream: unknown): Readable {
  return stream as Readable;
}

/** The whole command of an installed package, with its state folder warm. */
async function cli(workspace: string, stateFolder: string): Promise<number> {
  const times: number[] = [];
  const env = { PATH: process.env["PATH"] ?? "", XDG_STATE_HOME: join(stateFolder, "..") };
  const once = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [join(root, "dist/cli/main.js"), "run", "--", "true"], {
        cwd: workspace,
        env,
        stdio: "ignore",
      });
      child.once("close", (code) =>
        code === 0 ? resolve() : reject(new Error(`cofferdam run -- true ended with ${code}`)),
      );
    });
  for (let run = -WARM_UP; run < RUNS / 2; run += 1) {
    const time = await timed(once);
    if (run >= 0) times.push(time);
  }
  return median(times);
}

/** Compares execa with `node:child_process`, which `host/launch/spawn.ts` uses: both start a plain program in turn. */
async function execaOnTop(): Promise<number> {
  const stdio = ["ignore", "pipe", "pipe"] as const;
  const plain: number[] = [];
  const byExeca: number[] = [];
  for (let run = -WARM_UP; run < RUNS; run += 1) {
    const a = await timed(async () => {
      const child = spawn("/bin/true", { stdio: [...stdio] });
      for (const stream of [child.stdout, child.stderr]) stream?.resume();
      await new Promise((resolve) => child.once("close", resolve));
    });
    const b = await timed(async () => void (await execa("/bin/true", { stdio })));
    if (run < 0) continue;
    plain.push(a);
    byExeca.push(b);
  }
  return median(byExeca) - median(plain);
}

/** The decision alone, with new facts each time, as after a change on the machine. */
async function preparation(
  supervisor: Awaited<ReturnType<typeof createSupervisor>>,
  session: Session,
): Promise<number> {
  const call = {
    callId: "c",
    runId: "r",
    sessionId: "s",
    tool: "shell",
    input: { argv: ["true"] },
    use: null,
    caller: "person",
    agent: null,
    stdin: "none",
  } as const;
  const look = await session.look({ argv: ["true"] });
  const times: number[] = [];
  for (let run = -200; run < 1000; run += 1) {
    const changed = { ...look, facts: { ...look.facts } };
    const began = performance.now();
    prepare(call, supervisor.shared.policy, changed);
    if (run >= 0) times.push(performance.now() - began);
  }
  return median(times);
}

/** Microseconds of a line in a file: appended directly, and written by the journal; in turn. */
function journalTimes(): { readonly plain: number; readonly chained: number } {
  const event = Event.parse({
    version: 1,
    seq: 1,
    at: new Date().toISOString(),
    runId: "bench",
    sessionId: "bench",
    callId: "bench",
    type: "call.received",
    tool: "shell",
    words: ["npm", "test", "--", "--reporter", "dot"],
    safeArgs: null,
    cwd: ".",
    caller: "agent",
    agent: null,
  });
  const folder = absolutePath(join(stage, "records"));
  using journal = new FileJournal(folder, "bench");
  const fd = openSync(join(folder, "plain"), "ax", 0o600);
  const times: Record<"plain" | "chained", number[]> = { plain: [], chained: [] };
  for (let run = -1_000; run < 20_000; run += 1) {
    const began = performance.now();
    fstatSync(fd);
    writeFileSync(fd, `${JSON.stringify(event)}\n`);
    const between = performance.now();
    journal.write(event);
    if (run < 0) continue;
    times.plain.push((between - began) * 1_000);
    times.chained.push((performance.now() - between) * 1_000);
  }
  closeSync(fd);
  return { plain: median(times.plain), chained: median(times.chained) };
}

function algebra(): number {
  const [a, b] = [largeProfile(1), largeProfile(2)];
  const times: number[] = [];
  for (let run = -WARM_UP; run < RUNS; run += 1) {
    const began = performance.now();
    const met = intersect(normalProfile(a), b);
    printProfile(met);
    digest(met);
    if (run >= 0) times.push(performance.now() - began);
  }
  return median(times);
}

/** 10,000 entries, half of them also in the other profile. */
function largeProfile(seed: number): Profile {
  const files = Array.from({ length: 10_000 }, (_, index): FileEntry => {
    const shared = index % 2 === 0 ? 0 : seed;
    const path = absolutePath(`/work/${shared}/${index % 100}/${Math.floor(index / 100)}/x`);
    return { path, access: (index + seed) % 3 === 0 ? "write" : "read", suffixes: "any" };
  });
  return normalProfile({ files });
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

function pairRow(name: string, { median: middle, p99 }: Times, against: number): void {
  const ratio = `  1/${(against / middle).toFixed(0)} of it`;
  console.log(
    `${name.padEnd(56)} ${middle.toFixed(3).padStart(8)} ms, p99 ${p99.toFixed(2)} ms${against === middle ? "" : ratio}`,
  );
}

function row(name: string, ms: number, against: number | null): void {
  const ratio = against === null ? "" : `  ${(ms / against).toFixed(2)}×`;
  console.log(`${name.padEnd(56)} ${ms.toFixed(2).padStart(8)} ms${ratio}`);
}
