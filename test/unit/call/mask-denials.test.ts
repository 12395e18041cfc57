import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Evidence, limitHits, maskDenials } from "../../../src/call/denials/masks.ts";
import type { HeldPath, PlanLimit } from "../../../src/call/denials/plan-limits.ts";
import type { Denial } from "../../../src/policy/denial.ts";
import { type AbsolutePath, knownPath } from "../../../src/profile/path.ts";

const WS = knownPath("/ws");

function held(path: string, unreadable = false): HeldPath {
  const denial = {
    target: path,
    certainty: "certain",
    because: `the mask of ${path}`,
    remedy: "outside",
  } as const;
  return {
    kind: "held",
    path: knownPath(path),
    denial: { ...denial, operation: "write" },
    unreadable: unreadable ? { ...denial, operation: "read" } : null,
  };
}

const husky = held("/ws/sub/.husky");
const limits: readonly PlanLimit[] = [
  husky,
  { kind: "pinned", path: knownPath("/ws/sub"), holds: [husky], root: null },
  held("/ws/.vscode/settings.json"),
  held("/ws/.git/commondir"),
  held("/ws/sub/.git/commondir"),
  held("/ws/packages/a"),
  held("/ws/.env", true),
];

/** The evidence of a call whose commands are `words`, divided by `; `. */
function evidenceOf(said: string, more: Partial<Evidence> = {}): Evidence {
  const commands = (more.words ?? "").split("; ").map((line) => line.split(" "));
  return { said, words: "", commands, cwd: WS, bases: [WS], hasFailed: true, ...more };
}

function denied(said: string, more: Partial<Evidence> = {}): readonly string[] {
  const evidence = evidenceOf(said, more);
  return maskDenials(limitHits(evidence, limits), evidence, limits).map(
    ({ operation, target, certainty }) => `${certainty} ${operation} ${target.slice("/ws/".length)}`,
  );
}

describe("a limit of the plan", () => {
  test("is told by what C, Go, Node, Python, Rust and Java say of it", () => {
    const settings = ["certain write .vscode/settings.json"];
    for (const said of [
      "rm: cannot remove '.vscode/settings.json': Device or resource busy",
      "error: unable to unlink old '.vscode/settings.json': Device or resource busy",
      "unlinkat /ws/.vscode/settings.json: device or resource busy",
      "npm error EBUSY: resource busy or locked, unlink '/ws/.vscode/settings.json'",
      "OSError: [Errno 30] Read-only file system: '.vscode/settings.json'",
      "Error: EROFS: read-only file system, open './.vscode/settings.json'",
      "java.nio.file.FileSystemException: /ws/.vscode/settings.json: Device or resource busy",
      "java.io.FileNotFoundException: .vscode/settings.json (Read-only file system)",
      "error: failed to write `/ws/.vscode/settings.json`\n\nCaused by:\n  Read-only file system (os error 30)",
      "\u001b[31mEBUSY\u001b[0m: \u001b[1m.vscode/settings.json\u001b[0m",
    ])
      expect([said, denied(said)]).toEqual([said, settings]);
  });

  test("is not told where the program complains of something else, or of nothing", () => {
    for (const said of [
      "",
      ".vscode/settings.json: a syntax error",
      "x.vscode/settings.json: Read-only file system",
      ".vscode/settings.json5: Read-only file system",
      "/etc/x: Device or resource busier",
      "/root/.ssh/id: Read-only file system",
    ])
      expect([said, denied(said)]).toEqual([said, []]);
  });

  test("that is a folder around what is protected is told by its removal, and by what it holds", () => {
    const told = ["certain remove sub"];
    expect(denied("mv: cannot move 'sub' to 'other': Device or resource busy")).toEqual(told);
    expect(denied("EBUSY: resource busy or locked, rmdir '/ws/sub'")).toEqual(told);
    const inner = "rm: cannot remove 'sub/.husky/pre-commit': Read-only file system";
    expect(denied(inner, { words: "rm -rf sub" })).toEqual(told);
    // What is removed is the protected folder itself.
    expect(denied(inner, { words: "rm -rf sub sub/.husky" })).toEqual(["certain write sub/.husky"]);
    expect(
      denied("cp: cannot create 'sub/.husky/x': Read-only file system", { words: "cp -r a sub" }),
    ).toEqual(["certain write sub/.husky"]);
    // It may be written.
    expect(denied("sub/a: Permission denied")).toEqual([]);
    expect(denied("EXDEV: cross-device link not permitted, rename 'a' -> 'sub/a'")).toEqual([
      "certain rename sub",
    ]);
    const evidence = evidenceOf(inner, { words: "rm -rf sub" });
    const [denial] = maskDenials(limitHits(evidence, limits), evidence, limits);
    expect(denial?.because).toBe("it contains `/ws/sub/.husky`, which must stay: the mask of /ws/sub/.husky");
  });

  const remedies = (said: string, words: string) => {
    const evidence = evidenceOf(said, { words });
    return maskDenials(limitHits(evidence, limits), evidence, limits).map(({ remedy }) => remedy);
  };
  const finish = "finish it outside the sandbox, if intended:";
  const busy = "rm: cannot remove 'sub': Device or resource busy";

  test("that was to be removed is told with the command that finishes it, and with no words of the call", () => {
    for (const words of [
      "rm -rf sub /home/you",
      "/bin/rm --recursive ./sub/",
      "rm other -fr -- /ws/sub",
      "bash -lc sub; rm -R sub",
    ])
      expect([words, remedies(busy, words)]).toEqual([words, [`${finish} \`rm -rf /ws/sub\``]]);
    const failed = "error: failed to delete '/ws/sub': Device or resource busy";
    for (const words of ["git worktree remove sub", "git -C x worktree remove --force /ws/sub"])
      expect([words, remedies(failed, words)]).toEqual([
        words,
        [`${finish} \`git worktree remove --force /ws/sub\``],
      ]);
    expect(remedies("mv: cannot move 'sub' to 'b': Device or resource busy", "mv sub b")).toEqual([
      "move it yourself outside the sandbox, if intended",
    ]);
  });

  test("is told without a command where no command of the call takes away exactly that folder, or it is a root", () => {
    const yourself = "remove or move it yourself outside the sandbox, if intended";
    for (const words of [
      "./build.sh",
      "cd /ws/sub",
      "git -C /ws/sub remote remove origin",
      "git worktree remove other",
      "git -C other worktree remove sub",
      "git clean -fdx",
      "rm -rf sub/dist",
      "rm sub",
      "rm -i sub",
      "rm -r --help sub",
      "rm -r l/../sub",
      "rmdir sub",
      "find sub -name x -delete",
      "find sub -delete",
      "npm rm sub",
      "tar cf x.tar rm -r sub",
      "echo rm -rf sub",
      "env rm -rf sub",
      "rm -rf sub; mv sub b",
      "test -e none; rm -rf sub",
      "cd b; rm -rf sub; ./build.sh",
      "sh -c x; rm -rf sub; ./build.sh",
      "python3 -c shutil.rmtree('sub')",
    ])
      expect([words, remedies(busy, words)]).toEqual([words, [yourself]]);
    const root = { kind: "pinned", path: WS, holds: [husky], root: { path: WS } } as unknown as PlanLimit;
    const evidence = evidenceOf("rm: cannot remove '/ws': Device or resource busy", { words: "rm -rf /ws" });
    expect(maskDenials(limitHits(evidence, [root]), evidence, [root])).toMatchObject([
      { target: "/ws", remedy: yourself },
    ]);
  });

  test("is told by itself where nothing tells that a folder around it was to go", () => {
    const config = "error: could not write config file /ws/sub/.git/commondir: Device or resource busy";
    for (const words of [
      "git -C sub remote remove origin",
      "cd sub; rm -rf dist; git config user.email a@b",
      "rm -rf other; git -C sub config user.name x",
      "cd sub; git branch -m clean-app",
    ])
      expect([words, denied(config, { words })]).toEqual([words, ["certain write sub/.git/commondir"]]);
    const [said, words] = ["/ws/sub/.husky/clean: Read-only file system", "cp a /ws/sub/clean-app"];
    expect(denied(said, { words })).toEqual(["certain write sub/.husky"]);
  });

  test("holds for what lies in it, and is not taken for one whose name ends alike", () => {
    expect(denied("touch: 'packages/a/src/x.ts': Read-only file system")).toEqual([
      "certain write packages/a",
    ]);
    expect(denied("rm: cannot remove 'sub/.git/commondir': Device or resource busy")).toEqual([
      "certain write sub/.git/commondir",
    ]);
  });

  test("is found from the folder that the words go into", () => {
    const bases = [knownPath("/ws/sub"), WS];
    expect(denied(".husky/x: Read-only file system", { bases })).toEqual(["certain write sub/.husky"]);
    expect(denied("a/.vscode/settings.json: EROFS")).toEqual([]);
    expect(denied(".husky/x: Read-only file system")).toEqual(["likely write sub/.husky"]);
  });

  test("is told as likely where the complaint names none, and the words do", () => {
    const said = "OSError: [Errno 30] Read-only file system: 'pre-commit'";
    expect(denied(said, { words: "shutil.rmtree('sub')" })).toEqual(["likely remove sub"]);
    expect(denied(said, { words: "shutil.rmtree('other')" })).toEqual([]);
    expect(denied("Os { code: 16, kind: ResourceBusy }").length).toBe(3);
    expect(denied("Permission denied", { words: "cat .env" })).toEqual([]);
  });

  test("that hides is told by a read, and nothing of it where the program went on", () => {
    expect(denied("grep: .env: Permission denied")).toEqual(["certain read .env"]);
    expect(denied("grep: .env: Permission denied", { hasFailed: false })).toEqual([]);
    expect(denied(".vscode/settings.json: EROFS", { hasFailed: false })).toEqual([
      "certain write .vscode/settings.json",
    ]);
    expect(denied("Device or resource busy", { hasFailed: false, words: "rm -rf sub" })).toEqual([]);
  });

  test("is one of the plan's, whatever a program says", () => {
    const known = new Set<AbsolutePath>(limits.map(({ path }) => path));
    const paths = [
      "/etc/shadow",
      "/ws",
      "/ws/none",
      "sub",
      ".env",
      "../x",
      ".husky/a",
      "/ws/sub/.husky",
      "a b",
    ];
    const hows = ["EBUSY", "EROFS", "Permission denied", "EXDEV", "unable to unlink old", "Caused by:"];
    const text = fc
      .array(fc.tuple(fc.constantFrom(...hows), fc.constantFrom(...paths), fc.string()), { maxLength: 8 })
      .map((lines) => lines.map((line) => line.join(" ")).join("\n"));
    fc.assert(
      fc.property(text, text, fc.boolean(), (said, words, hasFailed) => {
        const evidence = evidenceOf(said, { words, hasFailed });
        const denials: readonly Denial[] = maskDenials(limitHits(evidence, limits), evidence, limits);
        for (const { target } of denials) expect(known.has(knownPath(target))).toBe(true);
        expect(new Set(denials.map((one) => `${one.operation} ${one.target}`)).size).toBe(denials.length);
        if (!/busy|read-only|EBUSY|EROFS|EXDEV|permission denied/i.test(said)) expect(denials).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
