import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { type Experimental_SandboxSession, generateText, isStepCount, jsonSchema, tool } from "ai";
import { describe, expect, it } from "vitest";
import { sandboxSession } from "../../src/adapters/ai-sdk.ts";
import type { SessionOptions } from "../../src/index.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place, type Settings } from "../support/battery/place.ts";
import { scriptedModel, toldOf } from "../support/integrations/scripted-model.ts";

sandboxMustWork("the AI SDK's sandbox");

const RUNS: Settings = {
  shell: { default: { allowed: true, approval: false }, rules: [{ pattern: "rm", allowed: false }] },
  approval: { rules: [{ pattern: "delete_file", action: "allow" }] },
};

/** A sandbox session over a place, for as long as the work lasts. */
async function within<Value>(
  work: (sandbox: Experimental_SandboxSession, place: Place) => Promise<Value>,
  settings: Settings = RUNS,
  options: SessionOptions = {},
): Promise<Value> {
  using place = new Place(CALLER);
  await using supervisor = await place.supervisor(settings);
  await using session = supervisor.session(options);
  await using sandbox = sandboxSession(session);
  return await work(sandbox, place);
}

async function read(stream: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks).toString();
    chunks.push(value);
  }
}

describe.skipIf(unusable !== null)("the AI SDK's sandbox, by ours", () => {
  it("writes, reads, lists and deletes files, and says null and false of what is not there", async () => {
    await within(async (sandbox, place) => {
      await sandbox.writeTextFile({ path: "new/folder/a.txt", content: "one\r\ntwo\r\nthree" });
      const path = "new/folder/a.txt";
      expect(readFileSync(`${place.ws}/${path}`, "utf8")).toBe("one\r\ntwo\r\nthree");
      expect(await sandbox.readTextFile({ path })).toBe("one\r\ntwo\r\nthree");
      expect(await sandbox.readTextFile({ path, startLine: 2, endLine: 9 })).toBe("two\r\nthree");
      expect(await sandbox.stat({ path: `${place.ws}/${path}` })).toEqual({ type: "file", size: 15 });
      expect(await sandbox.stat({ path: "new" })).toMatchObject({ type: "directory" });
      const binary = await sandbox.readBinaryFile({ path });
      expect(Buffer.from(binary ?? []).toString()).toBe("one\r\ntwo\r\nthree");
      symlinkSync("folder", `${place.ws}/new/link`);
      expect(await sandbox.listDirectory({ path: "new" })).toEqual([
        { name: "folder", type: "directory" },
        { name: "link", type: "symlink" },
      ]);
      await expect(sandbox.deleteFile({ path: "new/folder" })).rejects.toMatchObject({
        code: "FILE_WRONG_KIND",
        hint: "delete it with a command",
      });
      expect(await sandbox.deleteFile({ path: "new/link" })).toBe(true);
      expect(await sandbox.deleteFile({ path })).toBe(true);
      expect(await sandbox.deleteFile({ path })).toBe(false);
      mkdirSync(`${place.ws}/empty`);
      await expect(sandbox.deleteFile({ path: "empty" })).rejects.toMatchObject({ code: "FILE_WRONG_KIND" });
      // As the hint says.
      expect(await sandbox.run({ command: "rmdir empty" })).toMatchObject({ exitCode: 0 });
      expect(await sandbox.stat({ path: "empty" })).toBeNull();
      const nothing = [
        sandbox.readTextFile,
        sandbox.readBinaryFile,
        sandbox.readFile,
        sandbox.stat,
        sandbox.listDirectory,
      ];
      expect(await Promise.all(nothing.map((look) => look({ path: "none" })))).toEqual(
        nothing.map(() => null),
      );
      await expect(sandbox.listDirectory({ path: "new/folder/../../config" })).resolves.toBeNull();
      await expect(sandbox.writeTextFile({ path: "new", content: "" })).rejects.toMatchObject({
        code: "FILE_WRONG_KIND",
      });
    });
  });

  it("reads what is larger than one call of a file tool tells, as bytes and as a stream", async () => {
    await within(async (sandbox, place) => {
      const bytes = Buffer.alloc(600_000, "0123456789");
      writeFileSync(`${place.ws}/large`, bytes);
      expect(Buffer.from((await sandbox.readBinaryFile({ path: "large" })) ?? []).equals(bytes)).toBe(true);
      const stream = await sandbox.readFile({ path: "large" });
      if (stream === null) throw new Error("there is no stream");
      expect(await read(stream)).toBe(bytes.toString());
      await sandbox.writeFile({ path: "copy", content: new Blob([bytes]).stream() });
      expect(readFileSync(`${place.ws}/copy`).equals(bytes)).toBe(true);
      writeFileSync(`${place.ws}/nothing`, "");
      expect(await sandbox.readTextFile({ path: "nothing" })).toBe("");
    });
  });

  it("takes names as they are, also those that look like a root's or stand in quotes", async () => {
    await within(async (sandbox, place) => {
      for (const name of ["ws:x", '"y"', "a\nb"]) {
        await sandbox.writeTextFile({ path: name, content: name });
        expect(readFileSync(`${place.ws}/${name}`, "utf8")).toBe(name);
        expect(await sandbox.readTextFile({ path: name })).toBe(name);
      }
      const names = (await sandbox.listDirectory({ path: "." }))?.map(({ name }) => name);
      expect(names?.sort()).toEqual(['"y"', "a\nb", "ws:x"]);
    });
  });

  it("runs commands where they belong, and says how they ended", async () => {
    await within(async (sandbox, place) => {
      mkdirSync(`${place.ws}/sub`);
      const where = await sandbox.run({ command: "pwd; echo oh >&2; exit 3", workingDirectory: "sub" });
      expect(where).toEqual({ exitCode: 3, stdout: `${place.ws}/sub\n`, stderr: "oh\n" });
      expect(await sandbox.run({ command: "no-such-program" })).toMatchObject({ exitCode: 127 });
      const kept = await sandbox.run({ command: `ls ${place.outside}` });
      expect(kept.exitCode).not.toBe(0);
    });
  });

  it("has programs that stream, read what is written to them, and are killed", async () => {
    await within(async (sandbox) => {
      const echo = await sandbox.spawn({ command: "cat; echo end >&2", stdin: true });
      const writer = echo.stdin.getWriter();
      const reader = echo.stdout.getReader();
      await writer.write(Buffer.from("first"));
      expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("first");
      await writer.write(Buffer.from("second"));
      expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("second");
      await writer.close();
      expect(await read(echo.stderr)).toBe("end\n");
      expect(await echo.wait()).toEqual({ exitCode: 0 });

      const sleeper = await sandbox.spawn({ command: "echo up; sleep 60" });
      expect("stdin" in sleeper).toBe(false);
      const up = await sleeper.stdout.getReader().read();
      expect(Buffer.from(up.value ?? []).toString()).toBe("up\n");
      await sleeper.kill();
      await sleeper.kill();
      expect((await sleeper.wait()).exitCode).toBeGreaterThan(128);

      const abort = new AbortController();
      const aborted = await sandbox.spawn({ command: "echo up; sleep 60", abortSignal: abort.signal });
      await aborted.stdout.getReader().read();
      abort.abort(new Error("enough"));
      await expect(aborted.wait()).rejects.toThrow("enough");

      const never = await sandbox.spawn({ command: "sleep 60" });
      await never.kill();
      expect(await never.wait()).toEqual({ exitCode: 137 });
      await expect(sandbox.run({ command: "sleep 60", abortSignal: abort.signal })).rejects.toThrow("enough");
      await expect(sandbox.stat({ path: ".", abortSignal: abort.signal })).rejects.toThrow("enough");
    });
  });

  it("does not let a program go on that nobody reads, and ends with one that is not read to its end", async () => {
    await within(async (sandbox) => {
      const loud = await sandbox.spawn({ command: "head -c 1000000 /dev/zero; echo end >&2" });
      const first = await Promise.race([
        read(loud.stderr),
        new Promise((go) => setTimeout(go, 1_000, "slow")),
      ]);
      expect(first).toBe("slow");
      expect((await read(loud.stdout)).length).toBe(1_000_000);
      expect(await loud.wait()).toEqual({ exitCode: 0 });
      const left = await sandbox.spawn({ command: "head -c 1000000 /dev/zero" });
      await left.stdout.cancel();
      expect(await left.wait()).toEqual({ exitCode: 0 });
    });
  });

  it("throws what is denied, left open or not to be had, each with its code", async () => {
    await within(async (sandbox, place) => {
      writeFileSync(`${place.outside}/secret`, "x");
      const secret = `${place.outside}/secret`;
      const denied = { code: "DENIED", message: expect.stringContaining("no tool may") };
      await expect(sandbox.readTextFile({ path: secret })).rejects.toMatchObject(denied);
      await expect(sandbox.stat({ path: secret })).rejects.toMatchObject(denied);
      await expect(sandbox.writeTextFile({ path: secret, content: "" })).rejects.toMatchObject(denied);
      const blocked = { code: "APPROVAL_BLOCKED", message: "blocked by rule `rm` of `shell.rules`" };
      await expect(sandbox.run({ command: "rm x" })).rejects.toMatchObject(blocked);
      const process = await sandbox.spawn({ command: "rm x" });
      await expect(process.wait()).rejects.toMatchObject(blocked);
      await expect(read(process.stdout)).rejects.toMatchObject(blocked);
      await expect(sandbox.run({ command: "env", env: { A: "b" } })).rejects.toMatchObject({
        code: "USAGE",
        message: "a command can't have its own variables, such as `A`",
        hint: "set them in the config with `sandbox.env.set`, or pass them with `sandbox.env.pass`",
      });
      const env = (one: Experimental_SandboxSession) => Promise.resolve(one.run({ command: "printenv A" }));
      const set = { ...RUNS, sandbox: { env: { set: { A: "b" } } } };
      expect(await within(env, set)).toMatchObject({ stdout: "b\n" });
      const bytes = Uint8Array.from([255, 254]);
      await expect(sandbox.writeBinaryFile({ path: "a", content: bytes })).rejects.toMatchObject({
        code: "USAGE",
        message: expect.stringContaining("is not UTF-8 text"),
        hint: 'write it with a command that reads it: `spawn({ command: "tee FILE", stdin: true })`',
      });
      // As its hint says.
      const tee = await sandbox.spawn({ command: "tee a", stdin: true });
      const writer = tee.stdin.getWriter();
      await writer.write(bytes);
      await writer.close();
      expect(await tee.wait()).toEqual({ exitCode: 0 });
      expect(await sandbox.readBinaryFile({ path: "a" })).toEqual(bytes);
      await expect(sandbox.readTextFile({ path: "a", encoding: "none" })).rejects.toMatchObject({
        code: "USAGE",
      });
    });
    const asks: Settings = { shell: { default: { allowed: true, approval: true } } };
    const run = (sandbox: Experimental_SandboxSession) =>
      Promise.resolve(sandbox.run({ command: "echo hi" }));
    await expect(within(run, asks)).rejects.toMatchObject({ code: "APPROVAL_DENIED" });
    const pending = { code: "APPROVAL_PENDING", approvalId: expect.any(String) };
    await expect(within(run, { ...asks, approval: { wait: "suspend" } })).rejects.toMatchObject(pending);
    const handler = async () => ({ approved: true, by: "ann" });
    expect(await within(run, asks, { handler })).toMatchObject({ stdout: "hi\n" });
  });

  it("stops to read a stream that it would write when it is aborted, and writes nothing", async () => {
    await within(async (sandbox, place) => {
      const told: unknown[] = [];
      /** A stream that begins, and has no end. */
      const endless = () =>
        new ReadableStream<Uint8Array>({
          start: (controller) => controller.enqueue(Buffer.from("one")),
          cancel: async (reason: unknown) => {
            told.push(reason);
            await new Promise(() => undefined);
          },
        });
      const stop = new Error("stop it");
      const later = new AbortController();
      const writing = sandbox.writeFile({ path: "a", content: endless(), abortSignal: later.signal });
      setTimeout(() => later.abort(stop), 100);
      await expect(writing).rejects.toBe(stop);
      const before = AbortSignal.abort(stop);
      await expect(sandbox.writeFile({ path: "a", content: endless(), abortSignal: before })).rejects.toBe(
        stop,
      );
      expect(told).toEqual([stop, stop]);
      expect(existsSync(`${place.ws}/a`)).toBe(false);
    });
  });

  it("is what tools of the SDK work in", async () => {
    await within(async (sandbox, place) => {
      const count = tool({
        description: ({ experimental_sandbox }) => `Counts words. ${experimental_sandbox?.description}`,
        inputSchema: jsonSchema<{ path: string }>({
          type: "object",
          properties: { path: { type: "string" } },
        }),
        execute: async ({ path }, { experimental_sandbox: inside }) =>
          (await inside?.run({ command: `wc -w ${path}` }))?.stdout.trim(),
      });
      writeFileSync(`${place.ws}/a.txt`, "one two three\n");
      const model = scriptedModel([{ id: "c1", tool: "count", input: { path: "a.txt" } }], "done");
      await generateText({
        model,
        tools: { count },
        experimental_sandbox: sandbox,
        prompt: "count",
        stopWhen: isStepCount(3),
      });
      expect(toldOf(model)).toEqual({ c1: { type: "text", value: "3 a.txt" } });
      expect(JSON.stringify(model.doGenerateCalls[0]?.tools)).toContain("operating-system sandbox");
    });
  });
});
