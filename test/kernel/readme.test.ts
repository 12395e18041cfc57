import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/walls.ts";

const checkout = join(import.meta.dirname, "../..");
// Not below `/tmp`, which each sandbox has for itself: the tour is about folders that it has not.
const stage = mkdtempSync(join(homedir(), ".cofferdam-readme-"));
afterAll(() => rmSync(stage, { recursive: true, force: true }));

/** One typed line of the README and what it says comes out. */
interface Shown {
  readonly line: string;
  readonly output: string;
}

const readme = readFileSync(join(checkout, "README.md"), "utf8");
const shown = [...readme.matchAll(/^```console\n(.*?)^```$/gms)].flatMap(([, block = ""]) => linesOf(block));

test("the README shows commands", () => {
  expect(shown.length).toBeGreaterThan(5);
});

test("an example in the README is the file that it names, which the tests run", () => {
  const examples = [...readme.matchAll(/^\[(examples\/\S+)\]\(\1\):\n\n```\w+\n(.*?)^```$/gms)];
  expect(examples.length).toBeGreaterThan(2);
  for (const [, file = "", block] of examples) expect(block).toBe(readFileSync(join(checkout, file), "utf8"));
});

sandboxMustWork("the README");

test.runIf(unusable === null)(
  "every command of the README prints what the README says",
  async () => {
    const folder = makeFolder();
    const session = shown
      .map(({ line }) => line.replace(ID, "$(cofferdam quarantine list | cut -c1-8)"))
      .map((line) => `printf '%s\\n' "@@@"; { ${line}; } 2>&1`)
      .join("\n");
    const cofferdam = `cofferdam() { ${JSON.stringify(process.execPath)} ${JSON.stringify(join(checkout, "dist/cli/main.js"))} "$@"; }`;
    const env = { ...process.env, XDG_STATE_HOME: join(stage, "state"), NO_COLOR: "1" };
    const { stdout } = await promisify(execFile)("sh", ["-c", `${cofferdam}\n${session}\ntrue`], {
      cwd: folder,
      env,
    });
    const printed = stdout.replaceAll(folder, "/home/you/agent").split("@@@\n").slice(1);
    expect(printed.map(unnamed)).toEqual(shown.map(({ output }) => unnamed(output)));
  },
  120_000,
);

/** How the example's id of something in quarantine begins, which is another each time. */
const ID = /\b13d3c190\b/;

/** An output without ids of what is in quarantine, and without the time. */
function unnamed(output: string): string {
  return output
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "ID")
    .replaceAll(/^[0-9a-f]{8}(?= {2})/gm, "ID")
    .replaceAll(/\b\d{4}-\d\d-\d\d \d\d:\d\d\b/g, "TIME");
}

function linesOf(block: string): readonly Shown[] {
  const parts = block.split(/^\$ /m).slice(1);
  return parts.map((part) => {
    const end = part.indexOf("\n");
    return { line: part.slice(0, end), output: part.slice(end + 1) };
  });
}

/** The folder that the tour begins in. */
function makeFolder(): string {
  const folder = join(stage, "agent");
  for (const name of ["notes", "docs"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, ".env"), "TOKEN=abc\n");
  writeFileSync(join(folder, "notes/ideas.md"), "# Ideas\n");
  writeFileSync(join(folder, "docs/guide.md"), "how to\n");
  const config = /^\$ cat cofferdam\.yaml\n(.*?)^```$/ms.exec(readme)?.[1] ?? "";
  writeFileSync(join(folder, "cofferdam.yaml"), config);
  return folder;
}
