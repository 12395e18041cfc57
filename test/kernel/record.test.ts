import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { createSupervisor, defineTool, type SessionOptions } from "../../src/index.ts";
import { journalFolder, MemoryJournal } from "../../src/journal/journal.ts";
import { readRun, recordedRuns } from "../../src/journal/record.ts";
import { verifyRun } from "../../src/journal/verify.ts";
import { knownPath } from "../../src/profile/path.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("the record of calls");

const RULES = {
  rules: [
    { pattern: "rm", allowed: false },
    { pattern: "true", approval: false },
  ],
};
const yes: SessionOptions["handler"] = async () => ({ approved: true, by: "a test" });

const supervisorIn = (place: Place, journal: MemoryJournal) =>
  createSupervisor({
    config: place.config({ shell: RULES }),
    cwd: knownPath(place.ws),
    host: place.host(),
    journal,
  });

describe.skipIf(unusable !== null)("a call that was received", () => {
  it.each<[string, readonly string[], string, SessionOptions["handler"], outcome: string]>([
    ["runs", ["true"], ".", yes, "done"],
    ["fails by itself", ["false"], ".", yes, "failed"],
    ["is denied by a rule", ["rm", "x"], ".", yes, "denied"],
    ["is denied for lack of a person", ["false"], ".", undefined, "denied"],
    ["names a program that is not there", ["no-such-program"], ".", yes, "failed"],
    ["starts in a folder that is not there", ["true"], "no/such/folder", yes, "failed"],
    [
      "is put to somebody who breaks down",
      ["false"],
      ".",
      () => Promise.reject(new Error("the line is dead")),
      "denied",
    ],
  ])("and %s ends once in the record, as what it came to", async (_, argv, cwd, approve, outcome) => {
    using place = new Place(CALLER);
    const journal = new MemoryJournal();
    await using supervisor = await supervisorIn(place, journal);
    const session = supervisor.session(approve === undefined ? {} : { handler: approve });
    await session.call("shell", { argv: [...argv], cwd }).catch(() => undefined);
    const ends = journal.events.filter((event) => event.type === "call.ended");
    expect(ends.map((event) => event.outcome)).toEqual([outcome]);
    expect(journal.events.at(-1)).toBe(ends[0]);
  });
});

it.skipIf(unusable !== null)("a secret among the words of a call is not in its record", async () => {
  using place = new Place(CALLER);
  const journal = new MemoryJournal();
  await using supervisor = await supervisorIn(place, journal);
  const argv = ["true", "--password", "hunter2hunter2", "TOKEN=abcdef", "plain"];
  expect(await supervisor.session().call("shell", { argv })).toMatchObject({ kind: "done" });
  expect(journal.events.find(({ type }) => type === "call.received")).toMatchObject({
    words: ["true", "--password", "[hidden]", "TOKEN=[hidden]", "plain"],
  });
  expect(JSON.stringify(journal.events)).not.toMatch(/hunter2|abcdef/);
});

it.skipIf(unusable !== null)(
  "no secret of a whole session is in its record: not of words, variables, input, output, files or errors",
  async () => {
    using place = new Place(CALLER);
    const secrets = [
      "argv",
      "option",
      "variable",
      "set",
      "typed",
      "printed",
      "failed",
      "content",
      "given",
      "thrown",
    ].map((what) => `s3cret-of-${what}-0123456789`);
    const [argv, option, variable, set, typed, said, failed, content, given, thrown] = secrets;
    const env = { pass: ["MY_TOKEN"], set: { OTHER_TOKEN: set } };
    const rules = [{ pattern: "*", approval: false }];
    const host = place.host({ env: { ...process.env, XDG_STATE_HOME: place.state, MY_TOKEN: variable } });
    const config = place.config({ sandbox: { env }, shell: { rules } });
    {
      await using supervisor = await createSupervisor({ config, cwd: knownPath(place.ws), host });
      const tool = defineTool({
        name: "login",
        run: () => {
          throw new Error(`password=${thrown}`);
        },
      });
      const session = supervisor.session({ handler: yes, tools: [tool] });
      const line = ["sh", "-c", 'cat; echo "$MY_TOKEN $OTHER_TOKEN"', "--password", option ?? ""];
      const words = ["env", `API_KEY=${argv}`, ...line] as const;
      const ran = await session.call("shell", { argv: [...words] }, { stdin: Readable.from([typed]) });
      const printed = ran.kind === "done" ? Buffer.from(ran.stdout.bytes).toString() : ran.kind;
      expect(printed).toBe(`${typed}${variable} ${set}\n`);
      writeFileSync(`${place.ws}/script`, `echo ${said}; echo ${failed} >&2; exit 3\n`);
      expect(await session.call("shell", { argv: ["sh", "script"] })).toMatchObject({ kind: "failed" });
      await session.call("write_file", { path: "key.txt", content: `password: ${content}\n` });
      await session.call("read_file", { path: "key.txt" });
      await session.call("login", { user: "ann", password: given });
    }
    const folder = journalFolder(host.stateFolder);
    const [run = ""] = recordedRuns(folder);
    const { events, problem } = readRun(folder, run);
    expect(problem).toBeNull();
    expect(events.filter(({ type }) => type === "call.ended")).toHaveLength(5);
    const text = readFileSync(`${folder}/${run}.jsonl`, "utf8");
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    for (const plain of ['"user":"ann"', "API_KEY=[hidden]", "MY_TOKEN"]) expect(text).toContain(plain);
    expect(verifyRun(folder, run)).toMatchObject({ kind: "holds", lines: events.length });
  },
);

describe.skipIf(unusable !== null)("only `true` is a yes", () => {
  /** What a call that must be asked about comes to, and whether it ran, and the record. */
  async function answered(
    answer: unknown,
  ): Promise<readonly [outcome: unknown, ranIt: boolean, events: MemoryJournal["events"]]> {
    using place = new Place(CALLER);
    const journal = new MemoryJournal();
    await using supervisor = await supervisorIn(place, journal);
    const options: SessionOptions = {};
    const session = supervisor.session(Object.assign(options, { handler: () => answer }));
    const outcome = await session.call("shell", { argv: ["touch", "written"] }).then(
      ({ kind }) => kind,
      (error: unknown) => error,
    );
    return [outcome, existsSync(`${place.ws}/written`), [...journal.events]];
  }

  it.each<[string, unknown, message: string]>([
    ["a text", { approved: "no", by: "x" }, "`approved` is missing or not allowed"],
    ["a number", { approved: 1, by: "x" }, "`approved` is missing or not allowed"],
    [
      "a promise inside",
      { approved: Promise.resolve(false), by: "x" },
      "`approved` is missing or not allowed",
    ],
    ["something more", { approved: true, by: "x", untill: "tomorrow" }, "`untill` is missing or not allowed"],
    ["null", null, "not an object"],
    ["nothing", undefined, "not an object"],
    ["just true", Promise.resolve(true), "not an object"],
  ])("an answer with %s is none: nothing runs, and the record says why", async (_, answer, what) => {
    const [outcome, ranIt, events] = await answered(answer);
    const message = `invalid answer: ${what}`;
    expect([outcome, ranIt]).toEqual(["denied", false]);
    const said = events.filter(({ type }) => type.startsWith("approval.")).slice(1);
    expect(said).toMatchObject([
      { type: "approval.failed", reason: message },
      { type: "approval.resolved", approved: false, by: "nobody" },
    ]);
    expect(events.at(-1)).toMatchObject({
      type: "call.ended",
      outcome: "denied",
      reason: `APPROVAL_DENIED: no rule covers this command, but the program's approval handler is broken: ${message}`,
    });
    expect(events.map((event) => event.type)).not.toContain("call.planned");
  });

  it("and false is a no", async () => {
    expect((await answered({ approved: true, by: "x" })).slice(0, 2)).toEqual(["done", true]);
    expect((await answered({ approved: false, by: "x" })).slice(0, 2)).toEqual(["denied", false]);
  });
});

it.skipIf(unusable !== null)(
  "a session or a call with options that there are not is refused before anything is recorded",
  async () => {
    using place = new Place(CALLER);
    const journal = new MemoryJournal();
    await using supervisor = await supervisorIn(place, journal);
    expect(() => supervisor.session(Object.assign({ caller: "agent" as const }, { aprove: yes }))).toThrow(
      /unknown option `aprove` of `session`/,
    );
    const call = supervisor
      .session()
      .call(
        "shell",
        { argv: ["true"] },
        Object.assign({ stdin: Readable.from([]) }, { singal: AbortSignal.abort() }),
      );
    await expect(call).rejects.toMatchObject({ code: "USAGE", hint: "did you mean `signal`?" });
    expect(journal.events).toEqual([]);
  },
);
