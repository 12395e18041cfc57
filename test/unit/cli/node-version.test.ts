import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it, test } from "vitest";
import { z } from "zod";
import { tooOld } from "../../../src/host/node-version.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const Package = z.object({
  engines: z.object({ node: z.string() }),
  exports: z.record(z.string(), z.union([z.string(), z.object({ default: z.string() })])),
});
const PACKAGE = Package.parse(JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")));
const SENTENCE =
  "cofferdam needs Node 22.18 or newer, but this is Node 18.20.4: install a newer one from https://nodejs.org";

/** The sources of every entry of the package. */
const ENTRIES = Object.values(PACKAGE.exports).flatMap((one) =>
  typeof one === "string" ? [] : [one.default.replace("./dist/", "src/").replace(/\.js$/, ".ts")],
);

/** Runs Node as if it were an old one, see `preload.ts`. */
function onOld(words: readonly string[], version = "18.20.4") {
  const preload = new URL("../../support/old-node/preload.ts", import.meta.url).href;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--import", preload, ...words],
    { encoding: "utf8", cwd: ROOT, env: { PATH: process.env["PATH"], OLD_NODE: version } },
  );
  return { status, stdout, stderr };
}

test("a version is too old before the first release of its line that will do", () => {
  const old = ["12.22.12", "18.20.4", "20.20.2", "21.7.3", "22.0.0", "22.17.1", "23.0.0", "23.10.0"];
  const fine = ["22.18.0", "22.99.1", "23.11.0", "24.0.0", "24.21.0", "26.1.0", "22.18.0-nightly1"];
  expect(old.filter((version) => tooOld(version) === null)).toEqual([]);
  expect(fine.filter((version) => tooOld(version) !== null)).toEqual([]);
  expect(tooOld("23.0.0")).toContain("needs Node 23.11, 24 or newer, but this is Node 23.0.0");
  expect(PACKAGE.engines.node).toBe(">=22.18 <23 || >=23.11");
});

describe("on a Node that is too old", () => {
  it("the command says so in one sentence and ends with 69, whatever it is asked; twin: a new one runs it", () => {
    for (const words of [["run", "--", "true"], ["--version"], ["--help"], []])
      expect(onOld(["dist/cli/main.js", ...words])).toEqual({
        status: 69,
        stdout: "",
        stderr: `${SENTENCE}\n`,
      });
    expect(onOld(["-p", "42"])).toMatchObject({ status: 0, stdout: "42\n" });
  });

  it("the command's first file imports none, and is written in what Node 12 reads", () => {
    const text = readFileSync(`${ROOT}dist/cli/main.js`, "utf8");
    expect(text).not.toMatch(
      /^\s*import\s|^export \{ .* from|^\s*await |\?\?|\?\.|[|&]{2}=|#[a-z]|\bstatic\b/m,
    );
    expect(text).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  it("an import of each entry throws a sentence that can be caught, and does nothing else", () => {
    const script = `for (const entry of ${JSON.stringify(ENTRIES)}) {
      const thrown = await import("${ROOT}" + entry).then(() => "nothing", (error) => error);
      console.log(entry, thrown.code, thrown.message);
    }`;
    expect(ENTRIES.length).toBeGreaterThan(8);
    const told = ENTRIES.map((entry) => `${entry} NODE_TOO_OLD ${SENTENCE}\n`).join("");
    expect(onOld(["--input-type=module", "-e", script])).toEqual({ status: 0, stdout: told, stderr: "" });
  });

  it("an import that nobody catches ends the process as the command ends", () => {
    const ended = { status: 69, stdout: "", stderr: `${SENTENCE}\n` };
    expect(onOld(["--input-type=module", "-e", `import "${ROOT}src/index.ts"`])).toEqual(ended);
    const heard = `process.on("uncaughtException", ({ code }) => console.log(code)); import("${ROOT}src/index.ts")`;
    expect(onOld(["-e", heard])).toEqual({ status: 0, stdout: "NODE_TOO_OLD\n", stderr: "" });
  });
});

test("every file that is an entry asks for the version first", () => {
  const first = ENTRIES.filter((entry) =>
    /^(\/\/ .*\n)*import "[./]+\/host\/require-node\.ts";\n/.test(readFileSync(entry, "utf8")),
  );
  expect(first).toEqual(ENTRIES);
  expect(globSync("src/**/require-node.ts", { cwd: ROOT })).toHaveLength(1);
});
