import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSupervisor, type Outcome, type ShellInput } from "../../src/index.ts";
import { knownPath } from "../../src/profile/path.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("paths as people type them");

/** Where links are those of the host alone, and where each call has a folder of its own, in which it may change them. */
const PLACES = [
  {
    where: "in a folder of the machine",
    parent: process.getuid?.() === 0 ? "/opt" : homedir(),
    isOwn: false,
  },
  { where: "in /tmp", parent: "/tmp", isOwn: true },
];

describe.skipIf(unusable !== null).each(PLACES)("a root behind a link, $where", ({ parent, isOwn }) => {
  let place: Place;
  let top: string;
  beforeEach(() => {
    place = new Place(CALLER);
    top = realpathSync(mkdtempSync(join(parent, "cofferdam-typed-")));
    mkdirSync(join(top, "real/proj/sub"), { recursive: true });
    mkdirSync(join(top, "real/secret"));
    writeFileSync(join(top, "real/proj/a"), "a\n");
    writeFileSync(join(top, "real/secret/key"), "key\n");
    writeFileSync(join(top, "real/proj/run"), `#!${top}/link/proj/sh\necho ran\n`);
    chmodSync(join(top, "real/proj/run"), 0o755);
    symlinkSync("/bin/sh", join(top, "real/proj/sh"));
    symlinkSync("far", join(top, "link"));
    symlinkSync(join(top, "real"), join(top, "far"));
  });
  afterEach(() => {
    rmSync(top, { recursive: true });
    place[Symbol.dispose]();
  });

  /** What a call says, the place of the test left out. The caller is in the root; `pwd` is how its shell spells that. */
  async function said(
    root: string,
    input: ShellInput,
    pwd = join(top, "real/proj"),
  ): Promise<{ readonly code: unknown; readonly text: string }> {
    const cwd = knownPath(join(top, "real/proj"));
    const env = { ...process.env, XDG_STATE_HOME: place.state, PWD: pwd };
    const paths = { ws: { root: join(top, root), mode: "rw", write_approval: false } };
    const config = place.config({ sandbox: { paths }, shell: { default: { approval: false } } });
    await using supervisor = await createSupervisor({ config, cwd, host: place.host({ env, cwd }) });
    const outcome: Outcome = await supervisor.session().call("shell", input);
    if (!("stdout" in outcome)) return { code: outcome.kind, text: JSON.stringify(outcome) };
    const told = (outcome.denials ?? []).map(({ operation, target }) => `${operation} ${target}`).join();
    return {
      code: outcome.code,
      text: `${outcome.stdout.bytes.toString()}${told}`.trim().replaceAll(top, ""),
    };
  }

  it("is reached inside by the path that the config writes, and by the real one", async () => {
    const line = `cat ${top}/link/proj/a ${top}/real/proj/a ${top}/far/proj/a; ./run; pwd`;
    expect(await said("link/proj", { script: line })).toEqual({
      code: 0,
      text: "a\na\na\nran\n/real/proj",
    });
    const plain = await said("real/proj", { argv: ["cat", `${top}/link/proj/a`] });
    expect(plain).toEqual({ code: 1, text: isOwn ? "" : "read /link/proj/a" });
  });

  it("is where the call starts by the path that its caller types: PWD, or `cwd`", async () => {
    const argv: ShellInput = { argv: ["sh", "-c", "echo $PWD; pwd; cat a"] };
    const typed = join(top, "link/proj");
    expect(await said("real/proj", argv, typed)).toEqual({ code: 0, text: "/link/proj\n/link/proj\na" });
    const below = { argv: ["sh", "-c", "echo $PWD"], cwd: `${top}/link/proj/sub` } as const;
    expect(await said("link/proj", below)).toEqual({ code: 0, text: "/link/proj/sub" });
    expect(await said("real/proj", { ...below, cwd: "sub" }, typed)).toEqual({
      code: 0,
      text: "/link/proj/sub",
    });
    // Another folder by that name, or none: the real path is what counts.
    expect(await said("real/proj", argv, join(top, "real/secret"))).toEqual({
      code: 0,
      text: "/real/proj\n/real/proj\na",
    });
  });

  it("gives access to nothing beside the root, and its link is what it was in the next call", async () => {
    const run = (line: string): ReturnType<typeof said> => said("link/proj", { argv: ["sh", "-c", line] });
    expect(await run(`cat ${top}/link/secret/key`)).toMatchObject({
      code: 1,
      text: isOwn ? "" : "read /link/secret/key",
    });
    for (const line of [
      `rm ${top}/link`,
      `mv ${top}/far ${top}/near`,
      `ln -sfn /etc ${top}/link`,
      `touch ${top}/new`,
    ])
      expect([line, (await run(`${line} 2>&1`)).code]).toEqual([line, isOwn ? 0 : 1]);
    expect(readdirSync(top).sort()).toEqual(["far", "link", "real"]);
    expect(readlinkSync(join(top, "link"))).toBe("far");
    expect(await run(`echo b > ${top}/link/proj/b && cat ${top}/real/proj/b`)).toEqual({
      code: 0,
      text: "b",
    });
  });
});
