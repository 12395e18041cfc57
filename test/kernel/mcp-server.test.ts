import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/index.ts";
import { toldDenied, toldNote } from "../support/approval/told.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place, type Settings } from "../support/battery/place.ts";
import { type Filled, type Form, GENERATIONS, type Person } from "../support/mcp/clients.ts";
import { served } from "../support/mcp/served.ts";

sandboxMustWork("the MCP server");

const ASKS: Settings = { shell: { default: { allowed: true, approval: true } } };
const TOUCH = { argv: ["touch", "made"] };
const YES: Filled = { action: "accept", content: { answer: "yes, once" } };

/** A person who answers every form alike, and remembers them. */
function who(filled: Filled) {
  const forms: Form[] = [];
  const person: Person = (form) => {
    forms.push(form);
    return filled;
  };
  return { person, forms };
}

describe.skipIf(unusable !== null)("the MCP server", () => {
  // The third, of the current client by the protocol before it, is tried over HTTP and from the command line.
  describe.each(["current", "previous"] as const)("for a client of the generation %s", (generation) => {
    it("tells its tools, with schemas, hints that are true, and where they work", async () => {
      using place = new Place(CALLER);
      await served({ place, generation }, async ({ client }) => {
        expect(client.protocol).toBe(generation === "current" ? "2026-07-28" : "2025-11-25");
        expect(client.instructions).toContain(place.ws);
        const tools = await client.tools();
        const of = (name: string) => tools.find((tool) => tool.name === name);
        expect(tools.map(({ name }) => name)).toContain("search_files");
        expect(of("shell")?.inputSchema).toMatchObject({
          type: "object",
          properties: { argv: {}, script: {} },
        });
        expect(of("read_file")?.annotations).toEqual({ readOnlyHint: true, openWorldHint: false });
        expect(of("write_file")?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
        for (const { inputSchema, outputSchema } of tools) {
          expect(inputSchema).toMatchObject({ type: "object" });
          expect(outputSchema).toMatchObject({ type: "object" });
        }
      });
    });

    it("runs what rules let pass, and answers with a text, the data, and the receipt", async () => {
      using place = new Place(CALLER);
      const settings: Settings = { shell: { rules: [{ pattern: "echo", approval: false }] } };
      await served({ place, settings, generation }, async ({ client }) => {
        const result = await client.call("shell", { argv: ["echo", "hello"] });
        expect(result.isError).toBeUndefined();
        expect(JSON.parse(result.content[0]?.text ?? "")).toMatchObject({ status: 0, stdout: "hello\n" });
        expect(result.structuredContent).toMatchObject({
          outcome: "done",
          result: { status: 0, stdout: "hello\n" },
          receipt: { backend: "bubblewrap", granted: expect.stringMatching(/^[0-9a-f]{64}$/) },
        });
        expect(result._meta?.["cofferdam/receipt"]).toMatchObject({
          enforcement: { files: { kind: expect.any(String) } },
        });
        expect((await client.call("read_file", { path: "nowhere" })).isError).toBe(true);
      });
    });

    it("asks the client's user by a form, and runs after a yes", async () => {
      using place = new Place(CALLER);
      const { person, forms } = who(YES);
      await served({ place, settings: ASKS, generation, person }, async ({ client, lines }) => {
        const result = await client.call("shell", TOUCH);
        expect(result.structuredContent).toMatchObject({ outcome: "done" });
        expect(existsSync(`${place.ws}/made`)).toBe(true);
        expect(forms).toHaveLength(1);
        expect(forms[0]?.message).toContain("cofferdam asks: this call needs your approval");
        expect(forms[0]?.message).toContain("│ touch made");
        // What goes over the wire is what the protocol knows.
        for (const { line } of lines.wire) expect(line).not.toContain('"offers":{"once":');
      });
    });

    it("runs nothing after a no, and tells the model why", async () => {
      using place = new Place(CALLER);
      const { person } = who({ action: "accept", content: { answer: "no", note: "not on a Friday" } });
      await served({ place, settings: ASKS, generation, person }, async ({ client, supervisor }) => {
        const result = await client.call("shell", TOUCH);
        expect(result).toMatchObject({
          isError: true,
          content: [{ type: "text", text: toldNote("not on a Friday", "the user of test-client") }],
          structuredContent: {
            outcome: "denied",
            reason: "rejected by the user of test-client: not on a Friday",
          },
        });
        expect(existsSync(`${place.ws}/made`)).toBe(false);
        expect(await supervisor.broker.pending()).toEqual([]);
      });
    });

    it.each([
      ["sent back as it came", { action: "accept", content: {} }],
      ["declined", { action: "decline" }],
      ["put away", { action: "cancel" }],
      ["filled in with what it did not offer", { action: "accept", content: { answer: "yes" } }],
    ] satisfies [string, Filled][])("takes no form for a yes that was %s", async (_, filled) => {
      using place = new Place(CALLER);
      const { person } = who(filled);
      await served({ place, settings: ASKS, generation, person }, async ({ client }) => {
        // Some clients refuse by themselves what a form did not offer.
        const result = await client
          .call("shell", TOUCH)
          .catch(() => ({ structuredContent: { outcome: "denied" } }));
        expect(result.structuredContent).toMatchObject({ outcome: "denied" });
        expect(existsSync(`${place.ws}/made`)).toBe(false);
      });
    });

    it("remembers a yes for the session, and asks no more", async () => {
      using place = new Place(CALLER);
      const { person, forms } = who({ action: "accept", content: { answer: "yes, for this session" } });
      await served({ place, settings: ASKS, generation, person }, async ({ client }) => {
        for (let count = 0; count < 2; count += 1)
          expect((await client.call("shell", TOUCH)).structuredContent).toMatchObject({ outcome: "done" });
        expect(forms).toHaveLength(1);
        await client.call("shell", { argv: ["touch", "other"] });
        expect(forms).toHaveLength(2);
      });
    });

    it("denies what a rule forbids, and tells the model which, and asks nobody", async () => {
      using place = new Place(CALLER);
      const { person, forms } = who(YES);
      const settings: Settings = { shell: { rules: [{ pattern: "touch", allowed: false }] } };
      await served({ place, settings, generation, person }, async ({ client }) => {
        const result = await client.call("shell", TOUCH);
        expect(result).toMatchObject({
          isError: true,
          content: [{ text: toldDenied("blocked by rule `touch` of `shell.rules`", "rule") }],
          structuredContent: {
            outcome: "denied",
            hint: expect.stringContaining("ask the user to change this rule of the config"),
          },
        });
        expect(forms).toEqual([]);
        expect(existsSync(`${place.ws}/made`)).toBe(false);
      });
    });

    it("denies when nobody answered in time, and takes no answer after that", async () => {
      using place = new Place(CALLER);
      const late = Promise.withResolvers<Filled>();
      const settings: Settings = { ...ASKS, approval: { timeout: "1s" } };
      await served(
        { place, settings, generation, person: () => late.promise },
        async ({ client, supervisor }) => {
          const call = client.call("shell", TOUCH);
          if (generation === "current") {
            // Its answer comes with the next try, which the client makes when it has one.
            await expect.poll(async () => (await supervisor.broker.pending()).length).toBe(1);
            await expect
              .poll(async () => (await supervisor.broker.pending()).length, { timeout: 5_000 })
              .toBe(0);
            late.resolve(YES);
          }
          expect((await call).structuredContent).toMatchObject({
            outcome: "denied",
            reason: "the request was not answered in time",
          });
          late.resolve(YES);
          expect(existsSync(`${place.ws}/made`)).toBe(false);
        },
      );
    });

    it("refuses with a reason where nobody can be asked", async () => {
      using place = new Place(CALLER);
      await served({ place, settings: ASKS, generation }, async ({ client }) => {
        const result = await client.call("shell", TOUCH);
        expect(result).toMatchObject({ isError: true, structuredContent: { outcome: "denied" } });
        expect(result.content[0]?.text).toMatch(/^Denied: .*can't ask its user/);
        expect(result.content[0]?.text).toContain(
          "use a client with elicitation, or open a channel under `approval.channels`",
        );
        expect(existsSync(`${place.ws}/made`)).toBe(false);
      });
      // As it says.
      const { person } = who(YES);
      await served({ place, settings: ASKS, generation, person }, async ({ client }) => {
        expect((await client.call("shell", TOUCH)).structuredContent).toMatchObject({ outcome: "done" });
      });
    });

    it("waits for the answer of another channel where the client has no forms", async () => {
      using place = new Place(CALLER);
      const options = { handler: () => ({ approved: true, by: "ann" }) };
      await served({ place, settings: ASKS, generation, options }, async ({ client }) => {
        expect((await client.call("shell", TOUCH)).structuredContent).toMatchObject({ outcome: "done" });
      });
    });

    it("ends a program when the client cancels the call", async () => {
      using place = new Place(CALLER);
      const settings: Settings = { shell: { rules: [{ pattern: "sleep", approval: false }] } };
      await served({ place, settings, generation }, async ({ client, supervisor }) => {
        const stop = new AbortController();
        const progress: number[] = [];
        const call = client.call(
          "shell",
          { argv: ["sleep", "60"] },
          { signal: stop.signal, onProgress: (one) => progress.push(one) },
        );
        setTimeout(() => stop.abort(), 300);
        await expect(call).rejects.toThrow(/abort/i);
        expect(progress).toEqual([0]);
        await supervisor[Symbol.asyncDispose]();
      });
    });

    // By the current protocol no call stands still for it.
    if (generation === "current") return;
    it("puts a question away when the client cancels its call", async () => {
      using place = new Place(CALLER);
      const asked = Promise.withResolvers<void>();
      const person: Person = () => {
        asked.resolve();
        return new Promise(() => undefined);
      };
      await served({ place, settings: ASKS, generation, person }, async ({ client }) => {
        const stop = new AbortController();
        const call = client.call("shell", TOUCH, { signal: stop.signal });
        await asked.promise;
        stop.abort();
        await expect(call).rejects.toThrow(/abort/i);
        expect(existsSync(`${place.ws}/made`)).toBe(false);
      });
    });
  });

  it("gives a question an end that the client is to bring the answer to, and a later one where calls are run later", async () => {
    using place = new Place(CALLER);
    const open = async (settings: Settings) => {
      const isOpen = Promise.withResolvers<void>();
      const person: Person = () => {
        isOpen.resolve();
        return new Promise(() => undefined);
      };
      return served({ place, settings, person }, async ({ client, supervisor }) => {
        client.call("shell", TOUCH).catch(() => undefined);
        await isOpen.promise;
        const [request] = await supervisor.broker.pending();
        if (request === undefined) throw new Error("nothing is asked");
        await supervisor.broker.respond(request.approvalId, { approved: false }, "ann");
        return request.expiresAt === null ? null : request.expiresAt - request.createdAt;
      });
    };
    expect(await open(ASKS)).toBe(300_000);
    expect(await open({ ...ASKS, approval: { wait: "suspend" } })).toBe(7 * 24 * 3_600_000);
    expect(await open({ ...ASKS, approval: { wait: "suspend", on_timeout: "wait" } })).toBe(null);
  });

  it("answers a tool that there is not, and arguments that none takes, each in the protocol's own way", async () => {
    using place = new Place(CALLER);
    await served({ place }, async ({ client }) => {
      await expect(client.call("rm_rf", {})).rejects.toMatchObject({ code: -32_602 });
      expect(await client.call("read_file", { file: "x" })).toMatchObject({ isError: true });
      expect(await client.call("shell", { argv: [] })).toMatchObject({ isError: true });
    });
  });

  it("serves the host's own tools beside ours", async () => {
    using place = new Place(CALLER);
    const add = defineTool({
      name: "add",
      risk: "read_only",
      input: z.object({ a: z.number(), b: z.number() }),
      run: ({ input: { a, b } }) => a + b,
    });
    await served({ place, options: { tools: [add] } }, async ({ client }) => {
      expect((await client.call("add", { a: 1, b: 2 })).structuredContent).toMatchObject({
        result: 3,
        receipt: { backend: "none" },
      });
    });
  });

  it("suspends where the config says so: the same call runs when it is made again after a yes", async () => {
    using place = new Place(CALLER);
    const settings: Settings = { ...ASKS, approval: { wait: "suspend", channels: { elicitation: false } } };
    const id = await served({ place, settings }, async ({ client }) => {
      const result = await client.call("shell", TOUCH);
      expect(result).toMatchObject({ isError: true, structuredContent: { outcome: "pending" } });
      expect((await client.call("shell", TOUCH)).structuredContent).toMatchObject({ outcome: "pending" });
      return result.structuredContent?.["approval_id"];
    });
    await served({ place, settings }, async ({ client, supervisor }) => {
      expect(await supervisor.broker.respond(String(id), { approved: true }, "ann")).toBe("accepted");
      expect((await client.call("shell", TOUCH)).structuredContent).toMatchObject({ outcome: "done" });
      expect((await client.call("shell", TOUCH)).structuredContent).toMatchObject({ outcome: "pending" });
    });
    expect(existsSync(`${place.ws}/made`)).toBe(true);
  });

  it("tells a no to a call that was suspended once, and then asks about the same call anew", async () => {
    using place = new Place(CALLER);
    const settings: Settings = { ...ASKS, approval: { wait: "suspend" } };
    await served({ place, settings }, async ({ client, supervisor }) => {
      const outcome = async () => (await client.call("shell", TOUCH)).structuredContent?.["outcome"];
      expect(await outcome()).toBe("pending");
      await supervisor.broker.respondAll({}, { approved: false, reason: "not now" }, "ann");
      const told = await client.call("shell", TOUCH);
      expect(told.content[0]?.text).toBe(toldNote("not now", "ann"));
      expect(await outcome()).toBe("pending");
      await supervisor.broker.respondAll({}, { approved: true }, "ann");
      expect(await outcome()).toBe("done");
    });
  });

  it("asks anew about the same call after a no of its user", async () => {
    using place = new Place(CALLER);
    const answers: Filled[] = [{ action: "decline" }, YES];
    const person: Person = () => answers.shift() ?? { action: "decline" };
    await served({ place, settings: ASKS, person }, async ({ client }) => {
      expect((await client.call("shell", TOUCH)).structuredContent).toMatchObject({ outcome: "denied" });
      expect((await client.call("shell", TOUCH)).structuredContent).toMatchObject({ outcome: "done" });
    });
  });

  it("asks anew where what was shown changed before the answer came", async () => {
    using place = new Place(CALLER);
    const settings: Settings = {
      sandbox: { paths: { ws: { root: place.ws, mode: "rw", write_approval: true } } },
    };
    writeFileSync(`${place.ws}/a.txt`, "one\n");
    const forms: Form[] = [];
    const person: Person = (form) => {
      forms.push(form);
      if (forms.length === 1) writeFileSync(`${place.ws}/a.txt`, "two\n");
      return YES;
    };
    for (const generation of GENERATIONS) {
      forms.length = 0;
      writeFileSync(`${place.ws}/a.txt`, "one\n");
      await served({ place, settings, person, generation }, async ({ client }) => {
        const result = await client.call("write_file", { path: "a.txt", content: "three\n" });
        const isDenied = result.structuredContent?.["outcome"] === "denied";
        // By the current protocol the answer to another question is none: the model is told, and may call again.
        expect(isDenied).toBe(generation === "current");
        expect(readFileSync(`${place.ws}/a.txt`, "utf8")).toBe(isDenied ? "two\n" : "three\n");
        expect(forms).toHaveLength(isDenied ? 1 : 2);
      });
    }
  });

  it("takes no state of a question for its own that it did not make", async () => {
    using place = new Place(CALLER);
    const { person } = who(YES);
    await served({ place, settings: ASKS, person }, async ({ client, lines, supervisor }) => {
      await client.tools();
      const pending = await supervisor.session().ask("shell", TOUCH, { toolCallId: "mcp 0" });
      const approvalId = "approvalId" in pending ? pending.approvalId : "";
      const forged = Buffer.from(
        JSON.stringify({ p: { toolCallId: "mcp 0", approvalId, offers: { once: true, session: true } } }),
      );
      lines.write(
        `{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"shell","arguments":${JSON.stringify(TOUCH)},"requestState":"v1.${forged.toString("base64url")}.AAAA","inputResponses":{"approval":{"action":"accept","content":{"answer":"yes, once"}}},"_meta":${metaOf(lines.wire)}}}`,
      );
      await expect.poll(() => lines.wire.find(({ line }) => line.includes('"id":99'))?.line).toBeDefined();
      await expect
        .poll(() => lines.wire.find(({ from, line }) => from === "server" && line.includes('"id":99'))?.line)
        .toContain("-32602");
      expect(existsSync(`${place.ws}/made`)).toBe(false);
      expect(await supervisor.broker.pending()).toHaveLength(1);
    });
  });
});

/** What a client of the current protocol says of itself with each request. */
function metaOf(wire: readonly { readonly from: string; readonly line: string }[]): string {
  for (const { line } of wire) {
    const { params } = z
      .looseObject({ params: z.looseObject({ _meta: z.unknown() }).optional() })
      .parse(JSON.parse(line));
    if (params?._meta !== undefined) return JSON.stringify(params._meta);
  }
  throw new Error("no request says who it is from");
}
