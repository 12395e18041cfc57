import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { ResidentProgram } from "../../src/call/resident.ts";
import type { ResidentProgramSpec } from "../../src/decide/resident-program.ts";
import type { Outcome } from "../../src/index.ts";
import { Asked } from "../support/approval/asked.ts";
import { type Given, type TestSession, testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import type { Place } from "../support/battery/place.ts";
import { rootsIn } from "../support/files/notes.ts";
import { processesWith, soon, uniqueWord } from "../unit/cli/command-line.ts";

sandboxMustWork("programs that are held");

/** Answers each line with it, until it reads no more. */
const ECHO =
  'while read line; do case "$line" in run*) eval "${line#run }";; *) echo "got $line";; esac; done';

function program(more: Partial<ResidentProgramSpec> = {}): ResidentProgramSpec {
  return {
    name: "echo",
    command: ["sh", "-c", ECHO],
    needs: {},
    asksToStart: false,
    description: "start echo",
    ...more,
  };
}

function standing(given: Given & { readonly roots?: (place: Place) => unknown } = {}): Promise<TestSession> {
  return testSession((place) => rootsIn(place), {
    settings: (place) => ({ sandbox: { paths: rootsIn(place) } }),
    ...given,
  });
}

/** What a held program says, line by line. */
class Said {
  text = "";
  readonly to = {
    sinks: {
      stdout: (chunk: Buffer) => this.#hear(chunk),
      stderr: (chunk: Buffer) => this.#hear(chunk),
    },
  };

  async line(held: ResidentProgram, line: string): Promise<string> {
    const before = this.text.length;
    held.input.write(`${line}\n`);
    await vi.waitUntil(() => this.text.slice(before).endsWith("\n"), { timeout: 60_000 });
    return this.text.slice(before).trim();
  }

  #hear(chunk: Buffer): void {
    this.text += chunk.toString();
  }
}

function isHeld(given: ResidentProgram | Outcome): ResidentProgram {
  if (given.kind === "resident") return given;
  throw new Error(`it was not held: ${JSON.stringify(given)}`);
}

describe.skipIf(unusable !== null)("a program that is held", () => {
  it("answers for as long as it is held, longer than the wall time of a call and with more than its output", async () => {
    await using at = await standing({
      settings: (place) => ({
        sandbox: { paths: rootsIn(place), limits: { wall: "300ms", output: "1KiB" } },
      }),
    });
    const said = new Said();
    await using held = isHeld(await at.session.startProgram(program(), said.to));
    expect(await said.line(held, "a")).toBe("got a");
    await new Promise((resolve) => setTimeout(resolve, 600));
    const long = "b".repeat(4096);
    expect(await said.line(held, long)).toBe(`got ${long}`);
    expect(held.changes()).toEqual([]);
    await held[Symbol.asyncDispose]();
    expect(held.changes()).toEqual(["its process has ended"]);
    expect(await held.ended).toMatchObject({
      kind: "failed",
      receipt: {
        enforcement: {
          files: { kind: "tighter" },
          limits: {
            kind: "partial",
            reason: expect.stringContaining("a resident program has no wall time"),
          },
        },
      },
    });
    // The same as a call is ended by its wall time.
    expect((await at.session.call("shell", { argv: ["sleep", "5"] })).kind).toBe("timed-out");
  });

  it("gets what calls get unasked, also where a rule has its start asked about and somebody says yes", async () => {
    const write =
      "run for root in ws notes cache; do touch ../$root/made.md 2>/dev/null && printf 'write ' || printf -- '- '; done; echo";
    await using at = await standing();
    const said = new Said();
    await using held = isHeld(await at.session.startProgram(program(), said.to));
    expect([await said.line(held, write), at.asked.tools]).toEqual(["write - write", []]);

    await using asking = await standing({
      handler: new Asked(() => ({ approved: true, by: "ann" })),
      settings: (place) => ({
        sandbox: { paths: rootsIn(place) },
        approval: { rules: [{ pattern: "*", action: "ask" }] },
      }),
    });
    const again = new Said();
    await using other = isHeld(await asking.session.startProgram(program(), again.to));
    expect([await again.line(other, write), asking.asked.tools]).toEqual(["write - write", ["echo"]]);
    expect(asking.asked.requests[0]?.granted).toEqual(other.granted);
    expect(other.granted.write).not.toContain(`${asking.place.top}/notes`);
  });

  it("is asked about before it may write what calls are asked about, by the words that run, and a yes gives it that", async () => {
    const write = "run touch ../cache/made 2>/dev/null && echo written || echo refused";
    const roots = (place: Place) => ({
      ...rootsIn(place),
      cache: { root: place.folder("cache"), mode: "rw", write_approval: true },
    });
    const settings = (place: Place) => ({
      sandbox: { paths: roots(place) },
      // A rule that lets it start says nothing of what it may write.
      approval: { rules: [{ pattern: "echo", action: "allow" }] },
    });
    await using at = await standing({ settings, handler: new Asked(() => ({ approved: true, by: "ann" })) });
    const said = new Said();
    await using held = isHeld(await at.session.startProgram(program({ asksToStart: true }), said.to));
    expect(await said.line(held, write)).toBe("written");
    expect(at.asked.requests).toMatchObject([
      { tool: "echo", description: "start echo", covers: null, granted: { write: expect.anything() } },
    ]);
    expect(at.asked.requests[0]?.granted?.write).toContain(`${at.place.top}/cache`);

    await using no = await standing({ settings, handler: new Asked(() => ({ approved: false, by: "ann" })) });
    expect(await no.session.startProgram(program({ asksToStart: true }), new Said().to)).toMatchObject({
      kind: "denied",
      code: "APPROVAL_DENIED",
    });
    expect(no.journal.types).not.toContain("walls.proven");

    await using unasked = await standing({ settings });
    const plain = new Said();
    await using other = isHeld(await unasked.session.startProgram(program(), plain.to));
    expect([await plain.line(other, write), unasked.asked.tools]).toEqual(["refused", []]);
  });

  it("is denied by a rule of an operator on its words or its name, as any call, and by none on another", async () => {
    const denying = (rule: object) => ({ profile: { approval: { rules: [{ ...rule, action: "deny" }] } } });
    for (const rule of [{ shell: "sh" }, { pattern: "echo" }]) {
      await using at = await standing(denying(rule));
      expect(await at.session.startProgram(program(), new Said().to)).toMatchObject({
        kind: "denied",
        code: "APPROVAL_BLOCKED",
      });
    }
    await using other = await standing(denying({ pattern: "other" }));
    const said = new Said();
    await using held = isHeld(await other.session.startProgram(program(), said.to));
    expect(await said.line(held, "run echo here")).toBe("here");
  });

  it("is refused with options that there are not", async () => {
    await using at = await standing();
    const misspelt = Object.assign({ singal: null }, new Said().to);
    await expect(at.session.startProgram(program(), misspelt)).rejects.toMatchObject({ code: "USAGE" });
  });

  it("is refused where every limit must hold: its wall time is none", async () => {
    await using at = await standing({
      settings: (place) => ({ sandbox: { paths: rootsIn(place), limits: { wall: "1m", strict: true } } }),
    });
    expect(await at.session.startProgram(program(), new Said().to)).toMatchObject({
      kind: "denied",
      code: "SANDBOX_UNAVAILABLE",
      reason: expect.stringContaining("a resident program has no wall time"),
    });
  });

  it("has what it needs and nothing else, and its words are no template", async () => {
    await using at = await standing();
    const said = new Said();
    const command = ["sh", "-c", `echo "{none}"; ${ECHO}`];
    await using held = isHeld(
      await at.session.startProgram(program({ command, needs: { roots: { ws: "read" } } }), said.to),
    );
    await vi.waitUntil(() => said.text !== "", 20_000);
    expect(said.text).toBe("{none}\n");
    const tries = "run touch made 2>/dev/null && echo written || echo refused";
    expect(await said.line(held, tries)).toBe("refused");
    expect(await said.line(held, "run ls ../cache 2>/dev/null || echo hidden")).toBe("hidden");
  });

  it("proc: ends with its session, with its signal and when it is let go, and leaves no process and no placeholder", async () => {
    await using at = await standing({
      profile: { masks: [{ pattern: "${workspace}/ws/.held", at_most: "none" }] },
    });
    const ends = [
      async (_: ResidentProgram, session: AsyncDisposable) => session[Symbol.asyncDispose](),
      async (_: ResidentProgram, __: AsyncDisposable, stop: AbortController) => stop.abort(),
      async (held: ResidentProgram) => held[Symbol.asyncDispose](),
    ];
    for (const end of ends) {
      const word = uniqueWord();
      const session = at.supervisor.session();
      const stop = new AbortController();
      const said = new Said();
      // Neither the end of its input nor being asked ends it, nor its child.
      const command = ["sh", "-c", `trap '' TERM; sleep 600 & ${ECHO}; sleep 600`, word];
      const held = isHeld(
        await session.startProgram(program({ command }), { ...said.to, signal: stop.signal }),
      );
      expect(await said.line(held, "a")).toBe("got a");
      expect(processesWith(word).length).toBeGreaterThan(0);
      expect(readdirSync(join(at.place.state, "cofferdam/ledger")).length).toBe(1);
      await end(held, session, stop);
      await held.ended;
      await soon(() => processesWith(word).length === 0);
      await session[Symbol.asyncDispose]();
    }
    expect(readdirSync(join(at.place.state, "cofferdam/ledger"))).toEqual([]);
    expect(existsSync(join(at.place.ws, ".held"))).toBe(false);
  });

  it("that ends by itself says so by its outcome, and one that can't be started is not held", async () => {
    await using at = await standing();
    const held = isHeld(
      await at.session.startProgram(program({ command: ["sh", "-c", "exit 3"] }), new Said().to),
    );
    expect(await held.ended).toMatchObject({ kind: "failed", code: 3 });
    expect(await at.session.startProgram(program({ command: ["no-such"] }), new Said().to)).toMatchObject({
      kind: "not-found",
    });
    await expect(
      at.session.startProgram(program({ needs: { roots: { nots: "read" } } }), new Said().to),
    ).rejects.toMatchObject({ code: "USAGE" });
  });
});
