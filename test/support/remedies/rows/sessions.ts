import { once } from "node:events";
import { chmodSync, chownSync, existsSync } from "node:fs";
import { Readable } from "node:stream";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { FrameworkCalls } from "../../../../src/adapters/framework-calls.ts";
import { createGate } from "../../../../src/call/create-gate.ts";
import {
  createSupervisor,
  type DefinedTool,
  defineTool,
  type Outcome,
  type Session,
  type SessionOptions,
} from "../../../../src/index.ts";
import { ApprovalBlockedError } from "../../../../src/policy/approval-error.ts";
import type { Supervisor } from "../../../../src/session/supervisor.ts";
import { Asked } from "../../approval/asked.ts";
import { cli } from "../cli.ts";
import { CONFIG, PROFILE } from "../config.ts";
import type { Row, Situation } from "../row.ts";

const BASE =
  "version: 1\nsandbox: { runtimes: [system], paths: { ws: { root: ., mode: rw, write_approval: false } } }";
const UNASKED = "shell: { default: { approval: false } }";

/** A session of a supervisor, and what is done with it: an outcome, or what is thrown, says what to do. */
const session =
  (
    act: (session: Session, supervisor: Supervisor) => unknown,
    more = UNASKED,
    options: SessionOptions = {},
  ): Situation =>
  async (at) => {
    at.write({ [CONFIG]: `${BASE}\n${more}\n` });
    await using supervisor = await createSupervisor({ host: at.host, config: at.at(CONFIG) });
    await using made = supervisor.session({ handler: new Asked(), ...options });
    return toldBy((await act(made, supervisor)) as Outcome | undefined);
  };

function toldBy(outcome: Outcome | undefined): readonly string[] {
  if (outcome === undefined || typeof outcome !== "object" || !("kind" in outcome)) return [];
  if ("error" in outcome) throw outcome.error;
  if ("hint" in outcome) return [outcome.hint];
  return "denials" in outcome ? (outcome.denials ?? []).map(({ remedy }) => remedy) : [];
}

const any = (value: unknown): never => value as never;
const echo = (more: object = {}): DefinedTool =>
  defineTool({ name: "say", command: ["echo", "{{text}}"], risk: "read_only", ...more });
const WINDOW = { window: { size: () => ({ columns: 80, rows: 24 }) } };
const ALLOW = "approval: { rules: [{ pattern: say, action: allow }] }";
const AGENT = (action: string): string =>
  `approval: { agents: { bot: { rules: [{ pattern: list_dir, action: ${action} }] } } }`;

const LATER = "approval: { wait: suspend, rules: [{ pattern: say, action: ask }] }";

const SOON = "approval: { timeout: 1s, on_timeout: error, rules: [{ pattern: say, action: ask }] }";
const LATER_SHELL = "approval: { wait: suspend }";
const READING = (): { readonly stdin: Readable } => ({ stdin: Readable.from(["a"]) });

/** A command with a terminal, below an operator's profile with this text. */
const windowed =
  (profile: string): Situation =>
  (at, told) => {
    at.write({ [PROFILE]: `profile: own\n${profile}\n` });
    const more = "shell: { default: { approval: false }, terminal: true }";
    return session((one) => one.call("shell", { argv: ["true"] }, any(WINDOW)), more)(at, told);
  };

/** A call that asks for these ports, with this network. */
const opening = (ports: readonly number[], network: string): Situation =>
  session(
    (one) => one.call("shell", { argv: ["true"], ...(ports.length === 0 ? {} : { ports }) }),
    `shell: { default: { approval: false }, ports: [8000, 61080, 61081], network: ${network} }`,
  );

/** A call in a folder that lies beside the config, where an operator demands that tools do not run as root. */
const asRoot: Situation = async (at) => {
  if (!existsSync(at.at("srv/work"))) at.write({ "srv/work/a": "" });
  // The way to it is everybody's.
  chmodSync(at.folder, 0o755);
  at.write({
    [PROFILE]: "profile: own\nrun_as: not-root\n",
    [CONFIG]: BASE.replace("root: .", `root: ${at.at("srv/work")}`).concat(`\n${UNASKED}\n`),
  });
  await using supervisor = await createSupervisor({ host: at.host, config: at.at(CONFIG) });
  await using made = supervisor.session({ handler: new Asked() });
  return toldBy(await made.call("shell", { argv: ["true"], cwd: at.at("srv/work") }));
};

/** A supervisor that is made in a thread of its own. */
const inWorker: Situation = async (at) => {
  at.write({ [CONFIG]: `${BASE}\n` });
  const program = `
    const { parentPort, workerData } = require("node:worker_threads");
    import(workerData.index)
      .then(({ createSupervisor }) => createSupervisor({ config: workerData.config }))
      .then(() => null, ({ hint }) => hint)
      .then((hint) => parentPort.postMessage(hint));`;
  const index = new URL("../../../../dist/index.js", import.meta.url).href;
  const env = { ...process.env, XDG_STATE_HOME: at.at("home/ann/state") };
  const worker = new Worker(program, { eval: true, env, workerData: { index, config: at.at(CONFIG) } });
  const [hint] = await once(worker, "message");
  await worker.terminate();
  return hint === null ? [] : [hint];
};

/** A mode that is chosen where two profiles leave these and another one. */
const moded =
  (modes: string): Situation =>
  async (at) => {
    const two = PROFILE.replace("own.yaml", "two.yaml");
    at.write({
      [PROFILE]: `profile: own\napproval: { modes: ${modes} }\n`,
      [two]: "profile: two\napproval: { modes: [interactive] }\n",
    });
    at.write({ [CONFIG]: `${BASE}\n` });
    await using supervisor = await createSupervisor({
      host: at.host,
      config: at.at(CONFIG),
      mode: "interactive",
    });
    return void supervisor;
  };

/** A tool that never allows one of its uses. */
const NEVER_TO_ALL = defineTool({
  name: "own",
  checkApproval: ({ args }) => {
    if (JSON.stringify(args).includes("all")) throw new ApprovalBlockedError("own", "never to all");
    return null;
  },
  run: () => "",
});
/** A tool without keys. */
const OF_A_TEXT = defineTool({ name: "own", risk: "read_only", input: z.array(z.string()), run: () => "" });

/** What a program does with a session. */
export const OF_SESSIONS: readonly Row[] = [
  [
    "create a new one",
    session(async (one) => {
      await one[Symbol.asyncDispose]();
      return one.call("list_dir", { path: "." });
    }),
    session((one) => one.call("list_dir", { path: "." })),
  ],
  [
    "did you mean `{}`? {}",
    session((one) => one.call("list_dirs", {})),
    session((one) => one.call("list_dir", { path: "." })),
  ],
  [
    "make several calls with fewer values",
    session((one) => one.call("edit_file", { path: "a", edits: Array(10_001).fill("a") })),
    session((one) => one.call("list_dir", { path: "." })),
  ],
  [
    "no approval can allow it; change the arguments",
    session((one) => one.call("own", { to: "all" }), UNASKED, { tools: [NEVER_TO_ALL] }),
    session((one) => one.call("own", { to: "ann" }), UNASKED, { tools: [NEVER_TO_ALL] }),
  ],
  [
    "read the tool's schema",
    session((one) => one.call("own", { to: "all" }), UNASKED, { tools: [OF_A_TEXT] }),
    session((one) => one.call("own", "[]"), UNASKED, { tools: [OF_A_TEXT] }),
  ],
  [
    "use one of: {}",
    session((one) => one.call("nowhere", {})),
    session((one) => one.call("list_dir", { path: "." })),
  ],
  [
    "remove `stdin`, `sinks`, `window` and `timeoutMs`; a `signal` can end any call",
    session((one) => one.call("list_dir", { path: "." }, { timeoutMs: 9_000 })),
    session((one) => one.call("list_dir", { path: "." }, { signal: new AbortController().signal })),
  ],
  [
    "pass it to a session: `supervisor.session({ tools })`",
    () => void createGate().guard([echo()]),
    session((one) => one.call("say", { text: "a" }), ALLOW, { tools: [echo()] }),
  ],
  [
    "pass the argument, or add a default to the tool's schema",
    session((one) => one.call("say", {}), ALLOW, { tools: [echo()] }),
    session((one) => one.call("say", { text: "a" }), ALLOW, { tools: [echo()] }),
  ],
  [
    "leave out `window`, or run it with the shell tool",
    session((one) => one.call("say", { text: "a" }, any(WINDOW)), ALLOW, { tools: [echo()] }),
    session((one) => one.call("say", { text: "a" }), ALLOW, { tools: [echo()] }),
  ],
  [
    "write `shell: { terminal: true }` in the config",
    session((one) => one.call("shell", { argv: ["true"] }, any(WINDOW))),
    session(
      (one) => one.call("shell", { argv: ["true"] }, any(WINDOW)),
      "shell: { default: { approval: false }, terminal: true }",
    ),
  ],
  [
    "list unanswered requests with `cofferdam approvals list`",
    session((one) => one.resume("nowhere")),
    cli(["approvals", "list", "--config", "cofferdam.yaml"]),
  ],
  [
    "pass the name of the person as `by`",
    session((one) => one.respond("nowhere", { status: "rejected", by: "nobody" })),
    session((one) => one.respond("nowhere", { status: "rejected", by: "ann" })),
  ],
  [
    "no approval can allow it; change {}{}",
    session((one) => one.call("list_dir", { path: "." }), AGENT("deny"), { agent: "bot" }),
    session((one) => one.call("list_dir", { path: "." }), AGENT("allow"), { agent: "bot" }),
  ],
  [
    "pass them to `supervisor.session`, or pass the supervisor here",
    session((one) => void new FrameworkCalls(one, "a", { agent: "bot" })),
    session(async (_one, supervisor) => {
      await using calls = new FrameworkCalls(supervisor, "a", { agent: "bot" });
      return void calls;
    }),
  ],
  [
    "rename one of them",
    session(() => undefined, UNASKED, { tools: [echo(), echo()] }),
    session(() => undefined, UNASKED, { tools: [echo(), echo({ name: "tell" })] }),
  ],
  [
    "add a rule to the config that allows it",
    session((one) => one.call("say", { text: "a" }), "approval: { risk_defaults: { write: deny } }", {
      tools: [echo({ risk: "write" })],
    }),
    session(
      (one) => one.call("say", { text: "a" }),
      `${ALLOW.slice(0, -2)}, risk_defaults: { write: deny } }`,
      { tools: [echo({ risk: "write" })] },
    ),
  ],
  [
    "make another call, or repeat this one to ask again",
    session(
      (one) => one.call("write_file", { path: "a", content: "" }, { approvalId: "nowhere" }),
      "approval: { rules: [{ pattern: write_file, action: ask }] }",
    ),
    session(
      (one) => one.call("write_file", { path: "a", content: "" }),
      "approval: { rules: [{ pattern: write_file, action: ask }] }",
    ),
  ],
  [
    "wait for answers, or make a smaller call",
    session(
      async (one) => {
        await one.call("say", { text: "a" });
        return one.call("say", { text: "b" });
      },
      LATER,
      { tools: [echo()], maxPending: 1 },
    ),
    session(
      async (one, { broker }) => {
        const first = await one.call("say", { text: "a" });
        if (first.kind === "pending") await broker.respond(first.approvalId, { approved: true }, "ann");
        await one.call(
          "say",
          { text: "a" },
          first.kind === "pending" ? { approvalId: first.approvalId } : {},
        );
        const second = await one.call("say", { text: "b" });
        return second.kind === "pending" ? undefined : second;
      },
      LATER,
      { tools: [echo()], maxPending: 1 },
    ),
  ],
  [
    "call it again with this `approvalId` once there is an answer",
    session((one) => one.call("say", { text: "a" }), LATER, { tools: [echo()] }),
    session(
      async (one, { broker }) => {
        const first = await one.call("say", { text: "a" });
        if (first.kind !== "pending") return first;
        await broker.respond(first.approvalId, { approved: true }, "ann");
        return one.call("say", { text: "a" }, { approvalId: first.approvalId });
      },
      LATER,
      { tools: [echo()] },
    ),
  ],
  [
    "remove `terminal: false` from the profile, or use `--no-terminal`",
    windowed("terminal: false"),
    windowed("env: [TERM, LANG, 'LC_*', TZ]"),
  ],
  ["no mode is allowed by all of them", moded("[strict]"), moded("[strict, interactive]")],
  [
    "try again when a person can answer",
    session((one) => one.call("say", { text: "a" }), SOON, {
      tools: [echo()],
      handler: { requestApproval: () => new Promise(() => undefined) },
    }),
    session((one) => one.call("say", { text: "a" }), SOON, { tools: [echo()] }),
  ],
  [
    "call it again with this `approvalId`",
    session(async (one, { broker }) => {
      const first = await one.call("shell", { argv: ["cat"] }, READING());
      if (first.kind !== "pending") return first;
      await broker.respond(first.approvalId, { approved: true }, "ann");
      return one.resume(first.approvalId);
    }, LATER_SHELL),
    session(async (one, { broker }) => {
      const first = await one.call("shell", { argv: ["cat"] }, READING());
      if (first.kind !== "pending") return first;
      const { approvalId } = first;
      await broker.respond(approvalId, { approved: true }, "ann");
      return one.call("shell", { argv: ["cat"] }, { ...READING(), approvalId });
    }, LATER_SHELL),
  ],
  [
    "remove the port, because servers are reached without it; or use listed hosts, or `network: false`",
    opening([8_000], "host"),
    opening([], "host"),
  ],
  [
    "use another port for the server",
    opening([61_080], '{ hosts: ["a.test"] }'),
    opening([61_081], '{ hosts: ["a.test"] }'),
  ],
  [
    "start cofferdam as an ordinary user, or change the owner of the writable roots to one",
    asRoot,
    (at, told) => {
      chownSync(at.at("srv/work"), 1_000, 1_000);
      chownSync(at.at("srv/work/a"), 1_000, 1_000);
      return asRoot(at, told);
    },
  ],
  [
    "create the supervisor on the main thread",
    inWorker,
    session((one) => one.call("shell", { argv: ["true"] })),
  ],
];
