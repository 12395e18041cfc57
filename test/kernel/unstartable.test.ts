import { chmodSync, existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Outcome, ShellInput } from "../../src/index.ts";
import { type TestSession, testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";

sandboxMustWork("programs that can't be started");
/** A root with scripts, links and a file, and a folder beside it that the sandbox does not show. */
function scene(runtimes: readonly object[] = []): Promise<TestSession> {
  return testSession(
    (place) => {
      place.folder("outside/bin");
      place.file("outside/bin/python3.9", "#!/bin/sh\necho outside\n", 0o755);
      place.file("outside/bin/tool", "#!/bin/sh\necho outside\n", 0o755);
      const inside = (name: string, text: string, mode = 0o755): void => {
        writeFileSync(`${place.ws}/${name}`, text);
        chmodSync(`${place.ws}/${name}`, mode);
      };
      inside("pip", `#!${place.top}/outside/bin/python3.9 -E\n`);
      inside("absent", "#!/no/such/interpreter\n");
      inside("cased", "#!/usr/bin/env -S MODE=1 cargo --quiet\n");
      inside("fine", "#!/usr/bin/env sh\necho fine\n");
      inside("chain", `#!${place.ws}/pip\n`);
      inside("plain", "echo plain\n", 0o644);
      symlinkSync(`${place.top}/outside/bin/tool`, `${place.ws}/tool`);
      symlinkSync(`${place.top}/outside/bin/nothing`, `${place.ws}/nothing`);
    },
    {
      settings: (place) => ({
        sandbox: {
          runtimes: ["system", ...runtimes],
          paths: { ws: { root: place.ws, mode: "rw", write_approval: false } },
        },
        shell: { default: { approval: false } },
      }),
    },
  );
}

/** What is told of a call, the place of the test left out. */
async function told({ session, place }: TestSession, input: ShellInput): Promise<readonly string[]> {
  const outcome = await session.call("shell", input);
  return wordsOf(outcome).map((text) => text.replaceAll(place.top, ""));
}

function wordsOf(outcome: Outcome): readonly string[] {
  if (outcome.kind === "not-found") return [outcome.reason, outcome.hint];
  if (!("stdout" in outcome)) return [outcome.kind];
  const denials = (outcome.denials ?? []).flatMap(({ because, remedy }) => [because, remedy]);
  return [...denials, `${outcome.stdout.bytes.toString()}${outcome.stderr.bytes.toString()}`.trim()].filter(
    (one) => one !== "",
  );
}

const PYTHON =
  "add `python` under `sandbox.runtimes`; if it is not the one on your PATH and you trust it, add its folder: `{ name: python3.9, read: [/its/folder] }`";
const TOOL =
  "if you trust that program, add its folder under `sandbox.runtimes`: `{ name: NAME, read: [/its/folder] }`";

describe.skipIf(unusable !== null)("a program that the sandbox can't start", () => {
  it("is looked at again once something changed on the way to it, and starts when it is as it was", async () => {
    await using at = await scene();
    const fine = `${at.place.ws}/fine`;
    const run = (): Promise<readonly string[]> => told(at, { argv: ["./fine"] });
    const write = (text: string): void => {
      writeFileSync(fine, text);
      chmodSync(fine, 0o755);
    };
    expect([await run(), await run()]).toEqual([["fine"], ["fine"]]);
    chmodSync(fine, 0o644);
    expect((await run())[0]).toContain("is not executable");
    chmodSync(fine, 0o755);
    expect(await run()).toEqual(["fine"]);
    write("#!/no/such/interpreter\n");
    expect((await run())[0]).toContain("is run by `/no/such/interpreter`");
    write("#!/bin/sh\necho fine\n");
    expect([await run(), await run()]).toEqual([["fine"], ["fine"]]);
    rmSync(fine);
    symlinkSync(`${at.place.top}/outside/bin/tool`, fine);
    expect((await run())[0]).toContain("which is not in the sandbox");
    rmSync(fine);
    expect((await run())[0]).toContain("command not found");
  });

  it("is told with the reason before anything starts, and its twin runs", async () => {
    await using at = await scene();
    const run = (...argv: readonly string[]): Promise<readonly string[]> => told(at, { argv: [...argv] });
    expect(await run("./pip")).toEqual([
      "`./pip` is run by `/outside/bin/python3.9`, which is not in the sandbox",
      PYTHON,
    ]);
    expect(await run("./chain")).toEqual([
      "`/ws/pip` is run by `/outside/bin/python3.9`, which is not in the sandbox",
      PYTHON,
    ]);
    expect(await run("./absent")).toEqual([
      "`./absent` is run by `/no/such/interpreter`, which is not in the sandbox",
      TOOL.replace("NAME", "interpreter"),
    ]);
    expect(await run("./cased")).toEqual([
      "`./cased` is run by `cargo`, which is not in the sandbox's PATH",
      "add `rust` under `sandbox.runtimes`",
    ]);
    expect(await run("./plain")).toEqual([
      "`./plain` is not executable",
      "make it executable with `chmod +x ./plain`, or run it with its interpreter, for example `sh ./plain`",
    ]);
    expect(await run("sh", "./plain")).toEqual(["plain"]);
    expect(await run("./fine")).toEqual(["fine"]);
  });

  it("is told alike whether its link leads to something outside or to nothing", async () => {
    await using at = await scene();
    const run = (name: string): Promise<readonly string[]> => told(at, { argv: [`./${name}`] });
    expect(await run("tool")).toEqual([
      "`./tool` leads to `/outside/bin/tool`, which is not in the sandbox",
      TOOL.replace("NAME", "tool"),
    ]);
    expect(await run("nothing")).toEqual([
      "`./nothing` leads to `/outside/bin/nothing`, which is not in the sandbox",
      TOOL.replace("NAME", "nothing"),
    ]);
    for (const name of ["passwd-", "nothing"])
      expect(await told(at, { argv: [`/etc/${name}`] })).toEqual([
        `\`/etc/${name}\` is not in the sandbox`,
        "move it to a separate folder, and add that folder under `sandbox.runtimes`",
      ]);
  });

  it("has no place in what is to be pasted, whatever a script that the call wrote names", async () => {
    await using at = await scene();
    const hintFor = async (interpreter: string): Promise<string | undefined> => {
      const script = `printf '#!%s\\n' '${interpreter}' > s.sh; chmod +x s.sh; ./s.sh`;
      return (await told(at, { script })).find((text) => text.includes("sandbox.runtimes"));
    };
    expect(await hintFor("/home/ann/.ssh/run")).toBe(TOOL.replace("NAME", "run"));
    expect(await hintFor("/opt/a,/etc/ssh,/b/run")).toBe(TOOL.replace("NAME", "run"));
    expect(await hintFor("/opt/x],y:[/home/ann/run")).toBe(TOOL.replace("NAME", "run"));
    expect(await hintFor("/opt/x/$(id>PWNED)")).toBe(
      "if you trust that program, add its folder under `sandbox.runtimes`",
    );
    expect(await hintFor("/home/ann/.ssh/rustc")).toMatch(/^add `rust` under `sandbox.runtimes`; /);
  });

  it("is told of a line for a shell, and of what a program starts, when it fails", async () => {
    await using at = await scene();
    const pip = ["`./pip` is run by `/outside/bin/python3.9`, which is not in the sandbox", PYTHON];
    expect(await told(at, { script: "./fine; ./pip" })).toEqual([...pip, expect.stringMatching(/^fine\n/)]);
    expect(await told(at, { argv: ["sh", "-c", "./pip"] })).toEqual([...pip, expect.any(String)]);
    expect((await told(at, { argv: ["env", "cargo", "build"] })).slice(0, 2)).toEqual([
      "command not found in the sandbox: `cargo`",
      expect.stringMatching(/^add `rust` under `sandbox.runtimes`; searched: \//),
    ]);
    // A name that a program prints is told only where it is one of a runtime.
    expect(await told(at, { argv: ["env", "no-such-program"] })).toEqual([
      expect.stringMatching(/‘no-such-program’: No such file or directory$/),
    ]);
    expect(await told(at, { argv: ["sh", "-c", "echo fine: not found >&2; exit 127"] })).toEqual([
      "fine: not found",
    ]);
  });

  it("is told without a line of the sandbox's own shell, also where only the start shows it", async () => {
    await using at = await scene();
    // It can be run by nobody inside: its interpreter is a file that is not executable.
    writeFileSync(`${at.place.ws}/late`, `#!${at.place.ws}/plain\n`);
    chmodSync(`${at.place.ws}/late`, 0o755);
    expect(await told(at, { argv: ["./late"] })).toEqual([
      "it could not be started: `Permission denied`",
      "check that this user may execute it and the program in its first line, and that their file systems are not mounted with `noexec`",
    ]);
    // As the hint says: the program of the first line may be executed.
    chmodSync(`${at.place.ws}/plain`, 0o755);
    writeFileSync(`${at.place.ws}/plain`, "#!/bin/sh\necho plain\n");
    expect(await told(at, { argv: ["./late"] })).toEqual(["plain"]);
  });

  it("is told which link of the machine's programs leads out, and only of links that no call can make", async () => {
    await using at = await scene();
    const [link, end] = DEAD_LINK;
    if (link === undefined || end === undefined) return;
    const denials = await told(at, { argv: ["cat", link] });
    expect(denials.slice(0, 1)).toEqual([`it leads to \`${end}\`, which is not in the sandbox`]);
    const line =
      /^add `\{ name: (\S+), read: \[(\/\S+)\] \}` under `sandbox.runtimes`, if it contains no secrets$/;
    const [, name = "", folder = ""] = line.exec(denials[1] ?? "") ?? [];
    expect(denials[1]).toMatch(line);
    // As it says.
    await using added = await scene([{ name, read: [folder] }]);
    expect(await added.session.call("shell", { argv: ["cat", link] })).toMatchObject({
      kind: "done",
      code: 0,
    });
    symlinkSync(end, `${at.place.ws}/own`);
    const own = await told(at, { argv: ["sh", "-c", `echo "${at.place.ws}/own: No such file" >&2; exit 1`] });
    expect(own).toEqual([expect.stringContaining("No such file")]);
  });
});

/** A link of Debian's in `/usr` and its end outside; none on a machine without such a package. */
const DEAD_LINK: readonly string[] =
  [
    ["/usr/share/maven/conf/settings.xml", "/etc/maven/settings.xml"],
    ["/usr/share/vim/vimrc", "/etc/vim/vimrc"],
  ].find(([, end = ""]) => existsSync(end)) ?? [];
