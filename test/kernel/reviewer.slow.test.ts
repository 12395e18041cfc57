import { randomInt } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/index.ts";
import { Asked } from "../support/approval/asked.ts";
import { type Given, type TestSession, testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import type { Place } from "../support/battery/place.ts";
import { reviewerProgram } from "../support/reviewer/programs.ts";
import { localOutside } from "../support/web/local-outside.ts";
import { portOf } from "../support/web/port-of.ts";
import { processesWith, soon } from "../unit/cli/command-line.ts";

sandboxMustWork("reviewers");

const input = z.strictObject({ text: z.string() });
const note = defineTool({ name: "note", input, run: ({ input: { text } }) => text });
const say = defineTool({ name: "say", input, command: ["printf", "%s", "{text}"] });
const only = { tools: ["note", "say"] };

interface Options extends Omit<Given, "settings"> {
  readonly reviewer?: object | ((place: Place) => object);
  readonly settings?: (place: Place) => object;
}

/** A session with a reviewer of these lines of bash, and a person who says no. */
function reviewed(lines: string, { reviewer = {}, settings, ...given }: Options = {}): Promise<TestSession> {
  return testSession(() => undefined, {
    settings: (place) => ({
      ...settings?.(place),
      approval: {
        reviewer: {
          command: [reviewerProgram(place, lines)],
          only,
          may: ["allow_once", "deny"],
          // A busy machine starts a sandbox late.
          budget: { timeout: "10m" },
          ...(typeof reviewer === "function" ? reviewer(place) : reviewer),
        },
      },
    }),
    handler: new Asked(() => ({ approved: false, by: "ann" })),
    session: { tools: [note, say] },
    ...given,
  });
}

const call = (at: TestSession, text = "hello", tool = "note") => at.session.call(tool, { text });
const reviews = ({ journal }: TestSession) => journal.of("approval.reviewed").map(({ review }) => review);
const whys = (at: TestSession) => reviews(at).map(({ verdict, because }) => because ?? verdict);

/** A time to sleep by which its process is found. */
const uniqueTime = () => `1000.${randomInt(1_000_000_000)}`;
/** The processes of a reviewer that still run. */
const left = (at: TestSession, time: string) => [
  ...processesWith(join(at.place.top, "reviewers")),
  ...processesWith(time),
];

describe.skipIf(unusable !== null)("a reviewer in its sandbox", () => {
  it("allows a call once, and its own call is in the record with the sandbox that was proven", async () => {
    await using at = await reviewed("answer allow_once");
    expect(await call(at)).toMatchObject({ kind: "done", value: "hello", review: reviews(at)[0] });
    expect(reviews(at)).toMatchObject([{ verdict: "allow_once", because: null }]);
    expect(at.asked.requests).toEqual([]);
    expect(at.journal.of("call.received").map(({ tool }) => tool)).toEqual(["note", "reviewer"]);
    const { types } = at.journal;
    expect(types).toContain("walls.proven");
    // The review is recorded before the call runs.
    expect(types.indexOf("approval.reviewed")).toBeLessThan(types.indexOf("approval.resolved"));
  });

  it("approve.review: gives a program no more than it has without approval", async () => {
    await using at = await reviewed("answer allow_once");
    const outcome = await call(at, "said", "say");
    const [prepared] = at.journal.of("call.prepared");
    expect(outcome).toMatchObject({ kind: "done", review: { verdict: "allow_once" } });
    expect("receipt" in outcome && outcome.receipt?.granted).toBe(prepared?.unasked);
  });

  it("approve.review: is not asked if an approval would give the call more, where it is asked without that", async () => {
    const root = (place: Place, asks: boolean) => ({
      sandbox: { paths: { ws: { root: place.ws, mode: "rw", write_approval: asks } } },
    });
    await using more = await reviewed("answer allow_once", { settings: (place) => root(place, true) });
    expect(await call(more, "said", "say")).toMatchObject({ kind: "denied", reason: "rejected by ann" });
    expect(reviews(more)).toEqual([]);
    await using same = await reviewed("answer allow_once", { settings: (place) => root(place, false) });
    expect(await call(same, "said", "say")).toMatchObject({ kind: "done" });
  });

  it("allows a call at once where requests are kept, and what it leaves to a person is kept", async () => {
    const kept = { handler: null, session: { tools: [note, say], wait: { style: "suspend" } } } as const;
    await using allowed = await reviewed("answer allow_once", kept);
    expect(await call(allowed)).toMatchObject({ kind: "done", value: "hello" });
    await using left = await reviewed("answer person", kept);
    const pending = await call(left);
    expect(pending).toMatchObject({ kind: "pending" });
    const [{ approvalId, review } = { approvalId: "" }] = left.journal
      .of("approval.requested")
      .map(({ request }) => request);
    expect(review).toMatchObject({ verdict: "person" });
    await left.session.respond(approvalId, { approved: true }, "ann");
    expect(await left.session.resume(approvalId)).toMatchObject({ kind: "done" });
    // The person's answer is used: the reviewer is asked anew.
    expect(await call(left)).toMatchObject({ kind: "pending" });
    expect(whys(left)).toEqual(["person", "person"]);
  });

  it("is never asked about the shell, the files or a page", async () => {
    await using at = await reviewed("answer allow_once", {
      reviewer: { only: { tools: ["shell*", "web_*", "write_*", "note"] } },
      settings: () => ({ web_fetch: { approval: "always" } }),
    });
    await at.session.call("shell", { argv: ["true"] });
    await at.session.call("web_fetch", { url: "https://example.org/" });
    expect(at.asked.tools).toEqual(["shell", "web_fetch"]);
    expect(reviews(at)).toEqual([]);
    expect(await call(at)).toMatchObject({ kind: "done" });
  });

  it("is not asked about a call whose input comes as a stream", async () => {
    const { Readable } = await import("node:stream");
    await using at = await reviewed("answer allow_once");
    const stdin = Readable.from(["unknown"]);
    expect(await at.session.call("say", { text: "a" }, { stdin })).toMatchObject({ kind: "denied" });
    expect(reviews(at)).toEqual([]);
    expect(await call(at, "a", "say")).toMatchObject({ kind: "done" });
  });

  it("sees no root, no network and no variable beyond its own", async () => {
    process.env["REVIEW_KEY"] = "key";
    process.env["OTHER_KEY"] = "other";
    const having = (env: readonly string[]) => (place: Place) => {
      place.file("ws/secret", "of a root\n");
      const lines = `
        [ ! -e '${place.ws}/secret' ] && [ "$(tail -n +3 /proc/net/dev | wc -l)" -eq 1 ] &&
        [ "$REVIEW_KEY" = key ] && [ "\${OTHER_KEY-none}" = none ] &&
        ! { echo >> '${place.top}/reviewers/review'; } 2>/dev/null && answer allow_once || answer deny`;
      return { command: [reviewerProgram(place, lines)], needs: { env } };
    };
    await using at = await reviewed("", { reviewer: having(["REVIEW_KEY"]) });
    expect(await call(at)).toMatchObject({ kind: "done" });
    // The control: without its variable it notices that, and denies.
    await using without = await reviewed("", { reviewer: having([]) });
    expect(await call(without)).toMatchObject({ kind: "denied" });
    expect(whys(without)).toEqual(["deny"]);
    delete process.env["REVIEW_KEY"];
    delete process.env["OTHER_KEY"];
  });

  it("reaches the hosts that are listed for it, and no other; twin: without a list, none", async () => {
    const server = createServer((_request, response) => void response.end("here"));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    try {
      const ports = { "a.test:80": portOf(server), "b.test:80": portOf(server) };
      const said = async (host: string, hosts: readonly string[]): Promise<readonly string[]> => {
        await using at = await reviewed(
          `[ "$(curl -s -m 20 http://${host}/)" = here ] && answer allow_once`,
          {
            reviewer: { needs: { hosts } },
            outside: localOutside({ names: {}, ports }),
          },
        );
        await call(at);
        return whys(at);
      };
      expect(await said("a.test", ["a.test"])).toEqual(["allow_once"]);
      for (const [host, hosts] of [
        ["b.test", ["a.test"]],
        ["a.test", []],
      ] as const)
        expect(await said(host, hosts)).toEqual(["the reviewer ended with status 1"]);
    } finally {
      await new Promise((done) => server.close(done));
    }
  });

  it.each<readonly [string, string, string | RegExp]>([
    ["hangs", "sleep 1000 ", /in time|within 2s/],
    ["hangs and ignores being ended", "trap '' TERM INT HUP; while :; do sleep 1; done", /in time|within 2s/],
    ["closes its output and hangs", "exec >&-; sleep 1000 ", /in time|within 2s/],
    ["ends with another status than 0", "answer allow_once; exit 3", "the reviewer ended with status 3"],
    ["kills itself", "answer allow_once; kill -9 $$", "the reviewer ended with status 137"],
    ["prints nothing", ":", "its answer is not valid JSON"],
    ["prints garbage", "head -c 1000 /dev/zero | tr '\\0' '\\377'", /not valid/],
    ["answers twice", "answer allow_once; answer allow_once", "its answer is not valid JSON"],
    ["talks beside its answer", "echo APPROVED; answer allow_once", "its answer is not valid JSON"],
    ["echoes what it read", 'printf "%s" "$document"', "its answer is not `{ digest, verdict }`"],
    ["floods its output", "yes allow_once | head -c 50000000", "the reviewer's answer is longer than 64 KiB"],
    [
      "pads its answer",
      "answer allow_once; head -c 70000 /dev/zero | tr '\\0' ' '",
      "the reviewer's answer is longer than 64 KiB",
    ],
    [
      "answers to an older digest",
      "digest=${digest//[0-9]/0}; answer allow_once",
      "its answer is to another request",
    ],
  ])("that %s is no review, and leaves no process", async (_, lines, because) => {
    const time = uniqueTime();
    const isLate = because instanceof RegExp && because.source.includes("within");
    const reviewer = isLate ? { budget: { timeout: "2s" } } : {};
    await using at = await reviewed(lines.replaceAll("1000 ", `${time} `), { reviewer });
    expect(await call(at)).toMatchObject({ kind: "denied", reason: "rejected by ann" });
    expect(at.asked.requests).toMatchObject([
      { review: { verdict: "none", because: expect.stringMatching(because) } },
    ]);
    expect(reviews(at)).toHaveLength(1);
    await soon(() => left(at, time).length === 0);
    // The control: the same reviewer with a proper answer.
    await using proper = await reviewed("answer allow_once");
    expect(await call(proper)).toMatchObject({ kind: "done" });
  });

  it("that forks leaves no process, whether it answers or not", async () => {
    const time = uniqueTime();
    await using at = await reviewed(
      `for i in 1 2 3; do (trap '' TERM; sleep ${time}) >/dev/null & done; answer allow_once`,
    );
    expect(await call(at)).toMatchObject({ kind: "done" });
    await soon(() => left(at, time).length === 0);
  });

  it("whose program changes answers nothing from then on", async () => {
    await using at = await reviewed("answer allow_once");
    expect(await call(at)).toMatchObject({ kind: "done" });
    const file = join(at.place.top, "reviewers/review");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, `${text}# changed\n`);
    expect(await call(at)).toMatchObject({ kind: "denied" });
    writeFileSync(file, text);
    chmodSync(file, 0o755);
    expect(await call(at)).toMatchObject({ kind: "done" });
    expect(whys(at)).toEqual(["allow_once", "the reviewer's program changed", "allow_once"]);
  });

  it("that a rule denies, or that an operator forbids, answers nothing", async () => {
    await using denied = await reviewed("answer allow_once", {
      profile: { approval: { rules: [{ pattern: "reviewer", action: "deny" }] } },
    });
    expect(await call(denied)).toMatchObject({ kind: "denied", reason: "rejected by ann" });
    expect(whys(denied)).toEqual([expect.stringContaining("the reviewer did not run")]);
    await using forbidden = await reviewed("answer allow_once", {
      profile: { approval: { reviewer: false } },
    });
    expect(await call(forbidden)).toMatchObject({ kind: "denied", reason: "rejected by ann" });
    expect(reviews(forbidden)).toEqual([]);
  });

  it("denies, and a person overrules it in another process: the call is resumed once", async () => {
    await using at = await reviewed("answer deny");
    expect(await call(at)).toMatchObject({
      kind: "denied",
      reason: expect.stringContaining("the reviewer denied it"),
      hint: expect.stringContaining("cofferdam approvals"),
    });
    const [request] = await at.supervisor.broker.pending();
    const id = request?.approvalId ?? "";
    expect(await at.session.resume(id)).toMatchObject({ kind: "denied" });
    await at.supervisor.broker.respond(id, { approved: true }, "ben");
    expect(await at.session.resume(id)).toMatchObject({ kind: "done", value: "hello" });
    expect(await at.session.resume(id)).toMatchObject({ kind: "denied" });
  });

  it("ends with the session that it reviews for", async () => {
    await using at = await reviewed("sleep 1000 ");
    const waiting = call(at);
    await soon(() => processesWith(join(at.place.top, "reviewers")).length > 0);
    await at.session.close();
    expect(await waiting).toMatchObject({ kind: "denied" });
    await soon(() => processesWith(join(at.place.top, "reviewers")).length === 0);
  });
});
