import { rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { Writable } from "node:stream";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { journal } from "../../../src/cli/commands/journal.ts";
import { reportFailure } from "../../../src/cli/failure.ts";
import { Print } from "../../../src/cli/print.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { RecordFolder, wholeLines } from "../../support/journal/records.ts";

const TEXTS = ["none", "one", "two"];

/** What a command prints, and its exit status. */
interface Said {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

/** A state folder with records in it, and the command beside it; gone after the test. */
function desk() {
  const top = new RecordFolder();
  onTestFinished(() => top[Symbol.dispose]());
  vi.stubEnv("XDG_STATE_HOME", top.path);
  onTestFinished(() => void vi.unstubAllEnvs());
  const at = (name: string) => knownPath(`${top.path}/${name}`);
  const folder = new RecordFolder(at("cofferdam/journal"));
  const run = async (...words: readonly string[]): Promise<Said> => {
    const texts = { out: "", err: "" };
    const into = (to: keyof typeof texts): Writable =>
      new Writable({
        write: (chunk: Buffer, _, done) => {
          texts[to] += chunk.toString().replaceAll(top.path, "~");
          done();
        },
      });
    const print = new Print(into("out"), into("err"), { NO_COLOR: "1" });
    const exit = await journal(words, print).catch((error: unknown) => reportFailure(print, error));
    return { exit, ...texts };
  };
  return { folder, run, at };
}

describe("journal verify", () => {
  test("says of a record that holds how far it goes, and ends with 0", async () => {
    const { folder, run } = desk();
    folder.record("r1", TEXTS, { segmentBytes: 1 });
    expect(await run("verify")).toEqual({
      exit: 0,
      out: "the record of run `r1` is consistent: 5 lines, the last at 2030-01-02 03:04:05 (UTC)\n  in 3 files\n",
      err: "",
    });
    rmSync(folder.at("r1.jsonl"));
    writeFileSync(folder.at("r1.jsonl.000003"), "{", { flag: "a" });
    expect((await run("verify", "r1")).out).toBe(
      "the record of run `r1` is consistent: 5 lines, the last at 2030-01-02 03:04:05 (UTC)\n  in 2 files\n" +
        "  removed: file 1, with 1 line\n" +
        "  truncated: the last line is incomplete, as after a crash or while it is written\n",
    );
    expect(JSON.parse((await run("verify", "--json")).out)).toMatchObject({
      holds: true,
      runs: [{ run: "r1", kind: "holds", lines: 5, first: 2, gone: 1, files: 2, isCut: true, heads: [] }],
    });
  });

  test("says of one that does not hold where it breaks and why, and ends with 65", async () => {
    const { folder, run } = desk();
    folder.record("r1", TEXTS);
    const [first = "", ...rest] = wholeLines(folder.files("r1"));
    folder.replace("r1", [["r1.jsonl", Buffer.from(`${[first, ...rest.slice(1)].join("\n")}\n`)]]);
    expect(await run("verify")).toEqual({
      exit: 65,
      out: "",
      err:
        "cofferdam: the record of run `r1` is broken: this line does not follow the line before it: lines were removed, moved, copied or added\n" +
        "  at: ~/cofferdam/journal/r1.jsonl:2\n" +
        "  do: 1 line before it is intact; compare the rest with a copy\n",
    });
    expect(JSON.parse((await run("verify", "--json")).out)).toMatchObject({
      holds: false,
      runs: [{ kind: "broken", reason: "out of place", line: 2, lines: 1, holds: false }],
    });
    const shown = await run("show");
    expect([shown.exit, shown.err]).toEqual([
      0,
      "cofferdam: the record of run `r1` was changed, or cannot be verified\n  do: run `cofferdam journal verify r1`\n",
    ]);
    expect(await run("head")).toMatchObject({ exit: 65, out: "" });
    folder.replace("r1", [["r1.jsonl", Buffer.from(`${first.replace(/,"hash".*/, "}")}\n`)]]);
    expect(await run("verify")).toMatchObject({
      exit: 65,
      err: expect.stringMatching(
        /^cofferdam: the record of run `r1` has no hashes, so changes cannot be detected/,
      ),
    });
  });

  test("of all counts those that hold, and tells the others", async () => {
    const { folder, run } = desk();
    for (const name of ["r1", "r2", "r3"]) folder.record(name, TEXTS);
    expect(await run("verify", "--all")).toEqual({
      exit: 0,
      out: "3 of 3 records are consistent\n",
      err: "",
    });
    folder.record("r4", TEXTS, { segmentBytes: 1 });
    rmSync(folder.at("r4.jsonl"));
    const out4 = "4 of 4 records are consistent\n  `r4`: removed: file 1, with 1 line\n";
    expect(await run("verify", "--all")).toEqual({ exit: 0, out: out4, err: "" });
    folder.replace("r4", []);
    truncateSync(folder.at("r2.jsonl"), 0);
    writeFileSync(folder.at("r2.jsonl"), "nothing\n");
    const { exit, out, err } = await run("verify", "--all");
    expect([exit, out]).toEqual([65, "2 of 3 records are consistent\n"]);
    expect(err).toMatch(
      /^cofferdam: the record of run `r2` is broken: this line is not an event\n {2}at: .*\n {2}do: 0 lines before/,
    );
  });
});

describe("journal head", () => {
  test("prints lines to keep, which `verify` holds the records against later", async () => {
    const { folder, run, at } = desk();
    for (const name of ["r1", "r2"]) folder.record(name, TEXTS);
    const head = await run("head", "r1");
    expect(head).toMatchObject({ exit: 0, err: "" });
    expect(head.out).toMatch(/^[0-9a-f]{64} 3 2030-01-02T03:04:05\.678Z r1\n$/);
    const [hash = ""] = head.out.split(" ");
    const all = await run("head", "--all");
    expect(all.out.split("\n").toSorted().at(1)).toMatch(/ r[12]$/);
    writeFileSync(at("heads"), `${all.out}${(await run("head", "r2", "--json")).out}`);
    expect(await run("verify", "--heads", at("heads"))).toMatchObject({
      exit: 0,
      out: "2 of 2 records are consistent\n",
    });
    expect((await run("verify", "r1", "--head", hash)).out).toMatch(
      /\n {2}contains the head, and 0 lines after it\n$/,
    );
    const lines = wholeLines(folder.files("r1"));
    truncateSync(folder.at("r1.jsonl"), `${lines.slice(0, 2).join("\n")}\n`.length);
    expect((await run("verify", "r1")).exit).toBe(0);
    const lost =
      `cofferdam: the record of run \`r1\` does not contain the line with the hash ${hash}\n` +
      "  do: it was shortened or rewritten after that head was saved: compare it with a copy\n";
    expect(await run("verify", "r1", "--head", hash)).toEqual({ exit: 65, out: "", err: lost });
    expect(await run("verify", "--heads", at("heads"))).toEqual({
      exit: 65,
      out: "1 of 2 records are consistent\n",
      err: lost,
    });
    rmSync(folder.at("r2.jsonl"));
    expect((await run("verify", "r2", "--heads", at("heads"))).err).toMatch(
      /^cofferdam: the record of run `r2` is gone\n {2}do: look for it in a copy of the folder\n/,
    );
    expect((await run("verify", "--all", "--heads", at("heads"))).out).toBe(
      "0 of 2 records are consistent\n",
    );
  });

  test("of what the config does not keep so long is no break when it is gone", async () => {
    const { run, at } = desk();
    const folder = new RecordFolder(at("records"));
    folder.record("r1", TEXTS, { segmentBytes: 1 });
    const config = `version: 1\njournal: { folder: ./records, keep: 1h }\n`;
    writeFileSync(at("cofferdam.yaml"), config, { mode: 0o600 });
    const heads = (await run("head", "--config", at("cofferdam.yaml"))).out;
    const old = heads.replace("2030-01-02", "2020-01-02");
    writeFileSync(at("young"), heads.replaceAll("r1", "r2"));
    writeFileSync(at("old"), old.replaceAll("r1", "r2"));
    const verify = (file: string) => run("verify", "--config", at("cofferdam.yaml"), "--heads", at(file));
    expect(await verify("young")).toMatchObject({ exit: 65 });
    expect(await verify("old")).toEqual({
      exit: 0,
      out: "the record of run `r2` was removed because of its age, as `journal.keep` says\n",
      err: "",
    });
    expect(await run("verify", "--heads", at("old"))).toMatchObject({ exit: 65 });
  });
});

test("a use of it that there is not is refused", async () => {
  const { folder, run, at } = desk();
  expect(await run("verify")).toMatchObject({
    exit: 64,
    err: expect.stringMatching(/no runs are recorded yet/),
  });
  folder.record("r1", TEXTS);
  writeFileSync(at("heads"), "nothing\n");
  writeFileSync(at("empty"), "\n");
  writeFileSync(at("others"), `${"0".repeat(64)} 1 - r2\n`);
  for (const [words, told] of [
    [["vreify"], /do: did you mean `verify`\?/],
    [["verify", "x"], /unknown run `x`/],
    [["verify", "r1", "--all"], /RUN and `--all` cannot be combined/],
    [["verify", "--all", "--head", "0".repeat(64)], /`--head` checks one run only/],
    [["verify", "--head", "abc"], /invalid hash `abc`/],
    [["verify", "--heads", at("nowhere")], /nowhere` does not exist/],
    [["verify", "--heads", at("heads")], /line 1 is not a head: `nothing`/],
    [["verify", "--heads", folder.path], /is not a regular file/],
    [["verify", "--heads", at("empty")], /empty` contains no head of any run/],
    [["verify", "--all", "--heads", at("empty")], /empty` contains no head of any run/],
    [["verify", "r1", "--heads", at("others")], /others` contains no head of run `r1`/],
    [["show", "--head", "0".repeat(64)], /`journal show` takes no `--head`/],
    [["head", "--heads", at("heads")], /`journal head` takes no `--heads`/],
    [["verify", "--list"], /`journal verify` takes no `--list`/],
  ] as const)
    expect([words, await run(...words)]).toEqual([
      words,
      { exit: 64, out: "", err: expect.stringMatching(told) },
    ]);
});

test("a run whose whole name is the beginning of another's is meant by it", async () => {
  const { folder, run } = desk();
  for (const name of ["r1", "r12"]) folder.record(name, TEXTS);
  utimesSync(folder.at("r12.jsonl"), 1, 1);
  expect((await run("verify", "r1")).out).toMatch(/run `r1` is consistent/);
  expect((await run("verify", "r12")).out).toMatch(/run `r12` is consistent/);
  expect((await run("verify", "r")).err).toMatch(/2 runs begin with `r`/);
});
