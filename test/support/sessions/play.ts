import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadConfig } from "../../../src/config/load.ts";
import { thisHost } from "../../../src/host/look/host.ts";
import { type ApprovalRequest, createSupervisor, type Outcome, type Session } from "../../../src/index.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { shellAction } from "../../../src/shell/rule.ts";
import type { AgentSession, AgentStep, DangerousStep } from "./agent-session.ts";

const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

/** A step as it was played: the questions about it, each answered, and what it came to. */
export interface PlayedStep {
  readonly step: AgentStep;
  readonly danger: DangerousStep | null;
  readonly asked: readonly ApprovalRequest[];
  /** Null if it succeeded. */
  readonly failure: string | null;
}

/** A session as it was played under the config that `init` writes for its project. */
export interface PlayedSession {
  readonly steps: readonly PlayedStep[];
  /** Digest of the profile of commands without approval. */
  readonly unasked: string;
  /** Patterns of the config's rules that deny or ask. */
  readonly strictRules: readonly string[];
  /** Programs that this machine does not have, so that scripts stood in for them. */
  readonly standIns: readonly string[];
  /** The status and output of the session's check of what it left; by the host's own programs. */
  readonly left: { readonly status: number | null; readonly output: string };
}

/** Plays a session with the dangerous steps among its own. A person says yes to its own steps, and no to the others. */
export async function playSession(session: AgentSession): Promise<PlayedSession> {
  // Below `/tmp` each sandbox has its own.
  const stage = realpathSync(mkdtempSync(join(homedir(), ".cofferdam-sessions-")));
  const [before, state] = [process.env["PATH"], process.env["XDG_STATE_HOME"]];
  try {
    const project = join(stage, "project");
    const standIns = standInsOf(session, stage);
    process.env["PATH"] = [...(standIns.length > 0 ? [join(stage, "bin")] : []), ...usualPath()].join(
      delimiter,
    );
    process.env["XDG_STATE_HOME"] = join(stage, "state");
    makeProject(session, project);
    makeConfig(project, standIns.length > 0 ? join(stage, "bin") : null);
    const found = await played(session, project);
    const check = spawnSync("bash", ["-c", session.left], { cwd: project, encoding: "utf8" });
    return { ...found, standIns, left: { status: check.status, output: `${check.stdout}${check.stderr}` } };
  } finally {
    process.env["PATH"] = before ?? "";
    if (state === undefined) delete process.env["XDG_STATE_HOME"];
    else process.env["XDG_STATE_HOME"] = state;
    rmSync(stage, { recursive: true, force: true });
  }
}

/** The caller's PATH, without folders of which each sandbox has its own. */
function usualPath(): readonly string[] {
  return (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.startsWith(`${tmpdir()}/`));
}

/** Writes the stand-ins for programs that are missing here. Returns their names. */
function standInsOf({ standIns }: AgentSession, stage: string): readonly string[] {
  const path = usualPath().join(delimiter);
  const missing = Object.entries(standIns).filter(
    ([name]) => spawnSync("sh", ["-c", `command -v ${name}`], { env: { PATH: path } }).status !== 0,
  );
  for (const [name, script] of missing) write(join(stage, "bin", name), script, 0o755);
  return missing.map(([name]) => name);
}

function makeProject({ files }: AgentSession, project: string): void {
  for (const [name, text] of Object.entries(files)) write(join(project, name), text);
  const run = (...args: readonly string[]) => execFileSync("git", args, { cwd: project, stdio: "pipe" });
  run("init", "--quiet", "--initial-branch=main");
  run("config", "user.name", "An Agent");
  run("config", "user.email", "agent@example.org");
  run("add", "--all");
  run("commit", "--quiet", "--message=Begin");
}

/** The config that `init` writes; with a folder of stand-ins, which a real program would not need. */
function makeConfig(project: string, bin: string | null): void {
  execFileSync(process.execPath, [MAIN, "init"], { cwd: project, stdio: "pipe" });
  const config = join(project, "cofferdam.yaml");
  const text = readFileSync(config, "utf8");
  if (bin !== null)
    writeFileSync(
      config,
      text.replace("runtimes: [system", `runtimes: [system, { name: stand-ins, read: [${bin}] }`),
    );
  execFileSync("git", ["add", "--all"], { cwd: project });
  execFileSync("git", ["commit", "--quiet", "--message=Add a config"], { cwd: project });
}

async function played(
  { steps, dangerous }: AgentSession,
  project: string,
): Promise<Omit<PlayedSession, "standIns" | "left">> {
  const config = join(project, "cofferdam.yaml");
  const cwd = knownPath(project);
  const asked: ApprovalRequest[] = [];
  let isYes = true;
  const supervisor = await createSupervisor({ config, cwd });
  try {
    const session = supervisor.session({
      agent: "coder",
      handler: (request) => {
        asked.push(request);
        return { approved: isYes, by: "ann" };
      },
    });
    const { withoutApproval } = await session.prepare({ script: "true" });
    const all: PlayedStep[] = [];
    const play = async (step: AgentStep, danger: DangerousStep | null): Promise<void> => {
      const from = asked.length;
      isYes = danger === null;
      const failure = failureOf(await callOf(session, step, project));
      all.push({ step, danger, asked: asked.slice(from), failure });
    };
    for (const [at, step] of steps.entries()) {
      for (const danger of dangerous)
        if (danger.after === at) await play({ tool: "shell", input: { script: danger.script } }, danger);
      await play(step, null);
    }
    return { steps: all, unasked: withoutApproval.digest, strictRules: strictRulesOf(project) };
  } finally {
    await supervisor.close();
  }
}

function callOf(session: Session, { tool, input }: AgentStep, project: string): Promise<Outcome> {
  const { script } = input;
  if (typeof script !== "string") return session.call(tool, input);
  return session.call(tool, { script: script.replaceAll("{P}", project) }, { timeoutMs: 120_000 });
}

/** The reason why a step did not succeed; null if it did. */
function failureOf(outcome: Outcome): string | null {
  if (outcome.kind === "done") return null;
  if (outcome.kind === "failed" && "code" in outcome) {
    const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString().trim().slice(-300);
    return `exit ${outcome.code}: ${text(outcome.stdout.bytes)} ${text(outcome.stderr.bytes)}`;
  }
  return "reason" in outcome ? `${outcome.kind}: ${outcome.reason}` : outcome.kind;
}

function strictRulesOf(project: string): readonly string[] {
  const { config } = loadConfig(thisHost({ cwd: knownPath(project) }), {
    config: join(project, "cofferdam.yaml"),
  });
  return config.shell.rules.filter((rule) => shellAction(rule) !== "allow").map(({ pattern }) => pattern);
}

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
}
