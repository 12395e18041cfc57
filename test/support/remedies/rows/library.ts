import { once } from "node:events";
import { chmodSync, mkdirSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { type ApprovalQuestion, approve } from "../../../../src/adapters/langchain.ts";
import { matching } from "../../../../src/approval/request-filter.ts";
import { createGate } from "../../../../src/call/create-gate.ts";
import { telegramHandler } from "../../../../src/channel/telegram.ts";
import { variable } from "../../../../src/config/variables.ts";
import { sizeLine } from "../../../../src/host/launch/window.ts";
import { readListen } from "../../../../src/http/listen.ts";
import { mounted } from "../../../../src/http/mount.ts";
import { serveApprovals } from "../../../../src/http/serve.ts";
import { defineTool } from "../../../../src/index.ts";
import { readHeads } from "../../../../src/journal/heads.ts";
import { FileJournal } from "../../../../src/journal/journal.ts";
import { withSegments } from "../../../../src/journal/record.ts";
import { asJson, parseJson } from "../../../../src/policy/canonical-json.ts";
import { assertPort } from "../../../../src/profile/host-rule.ts";
import { limitAbove, normalLimits } from "../../../../src/profile/limits.ts";
import { pathsFrom } from "../../../../src/profile/sections.ts";
import { withPeers } from "../../../../src/session/peer.ts";
import { deriveFor } from "../../../../src/testing/derive-for.ts";
import { pageAddress } from "../../../../src/tool/fetch/address.ts";
import { assertSize } from "../../../../src/tool/files/write-file.ts";
import { desk } from "../../approval/desk.ts";
import { ANN, BOB } from "../../http/test-app.ts";
import { CONFIG } from "../config.ts";
import type { Row, Situation } from "../row.ts";

/** A value that is no type's, as JavaScript may hand one over. */
const any = (value: unknown): never => value as never;

const does =
  (act: (at: Parameters<Situation>[0]) => unknown): Situation =>
  async (at) =>
    void (await act(at));
const tool = (given: unknown): Situation =>
  does(() => defineTool(any({ name: "t", run: () => "", ...Object(given) })));
const gated = (names: readonly string[], ...call: readonly unknown[]): Situation =>
  does(async () => {
    using gate = createGate({ approval: { mode: "approve_all" } });
    const tools = gate.guard(names.map((name) => defineTool({ name, run: () => "" })));
    const outcome = await tools.call(...(call as [string, unknown]));
    if (outcome.kind === "failed" && outcome.error instanceof Error) throw outcome.error;
  });
const json = (value: unknown): Situation => does(() => asJson(value));
const serve = (options: unknown): Situation =>
  does(async () => {
    const { broker } = desk();
    await using _broker = broker;
    await (await serveApprovals(broker, any(options))).close();
  });

/** A server at a socket in the machine's folder, which is private. */
const serveAt =
  (path: string) =>
  async (at: Parameters<Situation>[0], told: string): Promise<void> => {
    chmodSync(at.folder, 0o700);
    await serve({ listen: at.at(path) })(at, told);
  };

const TOKEN = "ann-token-ann-token-ann-token-ann";
const mount = (path: string, token: string): Situation =>
  does(() =>
    mounted(
      [{ path, clients: [{ name: "a", token }], fetch: any(null) }],
      [{ name: "ann", token: TOKEN }],
      new Set(),
    ),
  );
const QUESTION: ApprovalQuestion = {
  type: "cofferdam.approval",
  approvalId: "a1",
  toolCallId: "c1",
  tool: "write_file",
  description: "write",
  args: {},
  risk: "write",
  reason: "writing asks",
  reach: null,
  forSession: null,
  expiresAt: null,
  problem: null,
};
const BOT = { token: "1:a", chat: 1, approvers: [1] };
const CLASS = class extends Array<number> {};

/** What a program says to the library. */
export const OF_PROGRAMS: readonly Row[] = [
  // Tools
  ["write at most 128 letters, digits, `_`, `-`, `.` and `/`", tool({ name: "a b" }), tool({ name: "a_b" })],
  [
    "write `run` for a function, or `command` for a program",
    tool({ run: undefined }),
    tool({ run: undefined, command: ["true"] }),
  ],
  [
    "write the program as the first word; to run any command, use `shell`",
    tool({ run: undefined, command: ["{{p}}"] }),
    tool({ run: undefined, command: ["true", "{{p}}"] }),
  ],
  [
    'only for a program, write `{ roots?: { NAME: "read" | "write" }, network?, ports?, cwd? }`',
    tool({ run: undefined, command: ["true"], needs: { roots: { ws: "all" } } }),
    tool({ run: undefined, command: ["true"], needs: { roots: { ws: "write" } } }),
  ],
  ["the keys are {}", tool({ risc: "write" }), tool({ risk: "write" })],
  ["write one of {} as its `risk`", tool({ risk: "read" }), tool({ risk: "read_only" })],
  // Gates
  [
    "`createGate` takes `{ {}? }`, with `approval` as in a config",
    does(() => createGate(any({ aproval: {} }))),
    does(() => createGate({ approval: {} })),
  ],
  ["rename one of them", gated(["a", "a"], "a", {}), gated(["a", "b"], "a", {})],
  [
    "pass `approvalId` beside the arguments",
    gated(["a"], "a", { _approval_token: "x" }),
    gated(["a"], "a", {}),
  ],
  [
    "it has {}, each a text or left out",
    does(() => matching(any({ tool: "x" }))),
    does(() => matching({ runId: "x" })),
  ],
  // Arguments
  ["send it as a string", json({ a: 1n }), json({ a: "1" })],
  ["send well-formed text", json("\ud800"), json("a")],
  ["leave it out, or send null", json({ a: undefined }), json({ a: null })],
  ["send data", json(() => ""), json("")],
  ["send a plain array", json(CLASS.from([1])), json([1])],
  ["send a plain object", json(new Map()), json({})],
  // Servers and channels
  [
    "write `127.0.0.1:0`, `[::1]:8080`, or the absolute path of a unix socket",
    does(() => readListen("a.test:80")),
    does(() => readListen("127.0.0.1:0")),
  ],
  [
    "listen on `127.0.0.1:0`, or allow it with `allowRemote`",
    serve({ listen: "0.0.0.0:0" }),
    serve({ listen: "127.0.0.1:0" }),
  ],
  ["did you mean `{}`?", serve({ lissen: "127.0.0.1:0" }), serve({ listen: "127.0.0.1:0" })],
  [
    "use another address, or port 0 for any free port",
    does(async (at) => {
      await using taken = createServer().listen(0, "127.0.0.1");
      await once(taken, "listening");
      const { port } = taken.address() as AddressInfo;
      await serve({ listen: `127.0.0.1:${port}` })(at, "");
    }),
    serve({ listen: "127.0.0.1:0" }),
  ],
  ["use another path, for example `/mcp`", mount("/a/b", "x"), mount("/mcp", "x")],
  [
    "give agents other tokens: they must not answer their own requests",
    mount("/mcp", TOKEN),
    mount("/mcp", "x"),
  ],
  [
    "`{ token, chat, approvers: [number, …], apiRoot?, onTrouble? }`, with Telegram's numbers of the chat and the people",
    does(() => telegramHandler(any({ ...BOT, chat: "me" }))[Symbol.dispose]()),
    does(() => telegramHandler(BOT)[Symbol.dispose]()),
  ],
  [
    "pass one of `questionsOf(result)`, or the `value` of an interrupt of cofferdam",
    does(() => approve({ approvalId: "a1" })),
    does(() => approve(QUESTION)),
  ],
  [
    'answer with `scope: "once"`',
    does(() => approve(QUESTION, { scope: "session" })),
    does(() => approve(QUESTION, { scope: "once" })),
  ],
  [
    "an approval has `scope`, `by`, `note` and `editedInput`; a rejection has `by` and `note`",
    does(() => approve(QUESTION, any({ scope: "once", always: true }))),
    does(() => approve(QUESTION, { scope: "once" })),
  ],
  // Parts
  [
    "do not change the lines of `cofferdam journal head`",
    does(() => readHeads("nothing")),
    does(() => readHeads(`${"0".repeat(64)} 1 - run`)),
  ],
  [
    "write a whole number above 0, or remove it",
    does((at) => new FileJournal(at.at("j"), "run", { segmentBytes: 0 })),
    does((at) => new FileJournal(at.at("j"), "run")),
  ],
  [
    "create another supervisor",
    does((at) => {
      const one = new FileJournal(at.at("j"), "run");
      one[Symbol.dispose]();
      one.write(any({ type: "x" }));
    }),
    does((at) => new FileJournal(at.at("k"), "run")),
  ],
  [
    "free space on that disk, and check that this user can write there",
    does((at) => {
      at.write({ "j/run.jsonl/a": "" });
      new FileJournal(at.at("j"), "run").write(any({ type: "x" }));
    }),
    does((at) => new FileJournal(at.at("k"), "run").write(any({ type: "x" }))),
  ],
  [
    "write whole numbers from 1 to 65535",
    does(() => sizeLine({ columns: 0, rows: 1 })),
    does(() => sizeLine({ columns: 80, rows: 24 })),
  ],
  [
    'write `deriveFor("cofferdam.yaml", "shell")`',
    does((at) => deriveFor(any(1), "shell", { host: at.host })),
    does((at) => {
      at.write({ [CONFIG]: "version: 1\nsandbox: { runtimes: [] }\n" });
      deriveFor("cofferdam.yaml", "shell", { host: at.host });
    }),
  ],
  [
    "the limits are {} and strict",
    does(() => normalLimits(any({ wal: 1 }))),
    does(() => normalLimits({ wallMs: 1 })),
  ],
  [
    "write a finite number of 0 or more, or leave it out for no limit",
    does(() => limitAbove({ wallMs: -1 }, {})),
    does(() => limitAbove({ wallMs: 1 }, {})),
  ],
  [
    "use `null` for every port",
    does(() => assertPort({ name: "a.test", port: 0, private: false })),
    does(() => assertPort({ name: "a.test", port: null, private: false })),
  ],
  [
    "write `https://` and the host's name, as in `https://docs.example.org/page`",
    does(() => pageAddress("ftp://a.test")),
    does(() => pageAddress("https://a.test/")),
  ],
  ["write it in parts, or with a command", does(() => assertSize(1e9)), does(() => assertSize(1))],
  ["use a shorter path", serveAt("x".repeat(200)), serveAt("s")],
  [
    "remove it, or use another path",
    does(async (at) => {
      at.write({ "own/s": "" });
      await serveAt("own/s")(at, "");
    }),
    serveAt("s"),
  ],
  ["create the folder first", serveAt("nowhere/s"), serveAt("s")],
  [
    "use your own folder, with the mode 0700",
    does(async (at) => {
      mkdirSync(at.at("open"));
      chmodSync(at.at("open"), 0o777);
      await serveAt("open/s")(at, "");
    }),
    serveAt("s"),
  ],
  ["give each a different one", serve({ approvers: [ANN, ANN] }), serve({ approvers: [ANN, BOB] })],
  ["list at least one", serve({ approvers: [] }), serve({ approvers: [BOB] })],
  ["use another name", json(JSON.parse('{"__proto__": 1}')), json({ a: 1 })],
  [
    "send less, or the path of a file",
    does(() => parseJson(" ".repeat(40 * 1024 ** 2))),
    does(() => parseJson("{}")),
  ],
  [
    "install it next to cofferdam: `npm install {}`",
    does(() => withPeers(() => import(`no-such-${"package"}`), "no-such")),
    does(() => withPeers(() => import("zod"), "zod")),
  ],
  [
    "it has {}, each a text or left out",
    does(() => matching(any({ runId: 1 }))),
    does(() => matching({ runId: "x" })),
  ],
  [
    "set it in the environment: it is a secret, so a config does not contain it",
    does(() => variable("OWN_TOKEN", {})),
    does(() => variable("OWN_TOKEN", { OWN_TOKEN: "x" })),
  ],
  ["no variable is allowed here", does(() => pathsFrom("${home}/a", {})), does(() => pathsFrom("/a", {}))],
  [
    "end that process, or use another path",
    does(async (at) => {
      chmodSync(at.folder, 0o700);
      const { broker } = desk();
      await using _broker = broker;
      const one = await serveApprovals(broker, { listen: at.at("s") });
      try {
        await serveAt("s")(at, "");
      } finally {
        await one.close();
      }
    }),
    serveAt("t"),
  ],
  [
    "use another folder",
    does(async (at) => {
      at.write({ own: "" });
      await serveAt("own/s")(at, "");
    }),
    serveAt("s"),
  ],
  [
    "run `cofferdam journal show` for the latest run",
    does((at) => withSegments(at.at("j"), "nowhere", () => "")),
    does((at) => {
      new FileJournal(at.at("j"), "run").write(any({ type: "x" }));
      withSegments(at.at("j"), "run", () => "");
    }),
  ],
];
