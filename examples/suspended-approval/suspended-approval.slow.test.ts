import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDesk } from "cofferdam";
import { execa } from "execa";
import { afterAll, expect, test } from "vitest";

const here = import.meta.dirname;
const state = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-example-")));
process.env["XDG_STATE_HOME"] = state;
const made = `${here}/site/index.html`;
afterAll(() => {
  rmSync(state, { recursive: true, force: true });
  rmSync(made, { force: true });
});

/** One of the programs, as a process of its own. */
async function program(name: string, ...words: readonly string[]): Promise<string> {
  const sources = ["--import", "tsx"];
  const { stdout } = await execa(process.execPath, [...sources, `${here}/${name}.ts`, ...words]);
  return stdout;
}

test("a call is asked about in one process, answered in another, and run in a third, once (S2-10, S4-19)", async () => {
  const id = await program("ask");
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(existsSync(made)).toBe(false);
  expect(JSON.parse(await program("resume", id))).toMatchObject({ type: "pending", approvalId: id });
  await using desk = await createDesk({ config: `${here}/cofferdam.yaml` });
  const [request] = await desk.broker.pending();
  expect(request).toMatchObject({ approvalId: id, agent: "publisher", tool: "write_file" });
  expect(await desk.broker.present(id)).toMatchObject({ content: expect.stringContaining("<h1>Hello</h1>") });
  expect(await desk.broker.respond(id, { approved: true }, "ann")).toBe("accepted");
  expect(existsSync(made)).toBe(false);
  expect(JSON.parse(await program("resume", id))).toMatchObject({ type: "success" });
  expect(readFileSync(made, "utf8")).toBe("<h1>Hello</h1>\n");
  expect(JSON.parse(await program("resume", id))).toMatchObject({
    type: "denied",
    output: expect.stringMatching(/^Denied: this approval was used already\nWhat would help: /),
  });
});
