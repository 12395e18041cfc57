import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ShellInput } from "../../src/tool/call.ts";
import { Asked } from "../support/approval/asked.ts";
import { printed, testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("lines of the shell tool");

/** What calls do under rules, where what no rule covers is asked about and nobody answers. */
async function outcomes(
  place: Place,
  settings: { readonly rules?: readonly unknown[]; readonly env?: object },
  callerEnv: Readonly<Record<string, string>>,
  ...inputs: readonly ShellInput[]
): Promise<readonly string[]> {
  const given = { shell: { rules: settings.rules ?? [] }, sandbox: { env: settings.env ?? {} } };
  await using supervisor = await place.supervisor(given, { env: { ...process.env, ...callerEnv } });
  const session = supervisor.session();
  const found: string[] = [];
  for (const input of inputs) {
    const outcome = await session.call("shell", input);
    found.push("stdout" in outcome ? outcome.stdout.bytes.toString().trimEnd() : outcome.kind);
  }
  return found;
}

const lets = (...patterns: readonly string[]): readonly unknown[] =>
  patterns.map((pattern) => ({ pattern, approval: false }));
const scripts = (...lines: readonly string[]): readonly ShellInput[] => lines.map((script) => ({ script }));

describe.skipIf(unusable !== null)("a script", () => {
  it("that is one program is started with its words, without a shell", async () => {
    using place = new Place(CALLER);
    const found = await outcomes(
      place,
      { rules: lets("cat", "true") },
      {},
      ...scripts("cat /proc/self/cmdline 'a b' \"it's\" 2", "cat /proc/self/cmdline; true", "eval cat a"),
    );
    expect(found.map((one) => one.split("\0"))).toEqual([
      ["/usr/bin/cat", "/proc/self/cmdline", "a b", "it's", "2", ""],
      // Bash gives a program the name that it was called by.
      ["cat", "/proc/self/cmdline", ""],
      ["denied"],
    ]);
  });

  it("of several commands is run by bash, with nothing that was not judged", async () => {
    using place = new Place(CALLER);
    place.file("ws/a", "x\ny\n");
    const rules = lets("cat", "wc", "true", "echo");
    const found = await outcomes(
      place,
      { rules },
      {},
      ...scripts(
        "cat a | wc -l",
        "true && cat a",
        "cat <<< 'a; b'",
        "cat a; touch made",
        "cat a >made",
        "cat $(echo a)",
        "cat $(touch made; echo a)",
        "eval 'cat a'",
      ),
    );
    expect(found).toEqual(["2", "x\ny", "a; b", "denied", "", "x\ny", "denied", "denied"]);
  });

  it("of one of bash's own commands is run by bash, and by nothing of the same name", async () => {
    using place = new Place(CALLER);
    place.folder("ws/sub");
    await using at = await testSession((made) => made.folder("ws/sub"), {
      handler: new Asked(() => ({ approved: true, by: "ann" })),
    });
    expect(printed(await at.session.call("shell", { script: "type -t cd" }))).toBe("builtin");
    expect(printed(await at.session.call("shell", { script: "cd sub && pwd" }))).toBe(
      join(at.place.ws, "sub"),
    );
    expect((await at.session.call("shell", { argv: ["cd", "sub"] })).kind).toBe("not-found");
  });

  it("is shown and bound as it is run", async () => {
    await using at = await testSession(() => undefined, {
      handler: new Asked(() => ({ approved: true, by: "ann" })),
    });
    const plain = await at.session.call("shell", { script: "printf-x '%s' \"a b\"" });
    expect(plain.kind).toBe("not-found");
    const one = await at.session.prepare({ script: "cat 'a b' c\\;d" });
    const same = await at.session.prepare({ argv: ["cat", "a b", "c;d"] });
    const other = await at.session.prepare({ script: "cat 'a b' c\\;d | cat" });
    expect(one.argsHash).toBe(same.argsHash);
    expect(one.withApproval.launch?.argv).toEqual(["/usr/bin/cat", "a b", "c;d"]);
    expect(other.argsHash).not.toBe(same.argsHash);
    expect(other.withApproval.launch?.argv.slice(1)).toEqual([
      "--noprofile",
      "--norc",
      "-c",
      "--",
      "cat 'a b' c\\;d | cat",
    ]);
  });

  it("with a program that tools could have written is asked about, and bound to what that is", async () => {
    using place = new Place(CALLER);
    place.file("ws/tool", "#!/bin/sh\necho own\n", 0o755);
    symlinkSync("/usr/bin/touch", join(place.ws, "link"));
    await using supervisor = await place.supervisor({
      shell: { rules: [...lets("./tool", "cat", "./link"), { pattern: "touch", allowed: false }] },
    });
    const session = supervisor.session();
    const line = { script: "./tool | cat" };
    const before = await session.prepare(line);
    expect(before.verdict.action).toBe("ask");
    expect((await session.prepare({ script: "./link x | cat" })).verdict.action).toBe("deny");
    expect((await session.prepare({ script: "cat x | cat" })).verdict.action).toBe("allow");
    writeFileSync(join(place.ws, "tool"), "#!/bin/sh\necho other\n");
    chmodSync(join(place.ws, "tool"), 0o755);
    expect((await session.prepare(line)).argsHash).not.toBe(before.argsHash);
  });

  it("has its paths held against the roots of a rule, command by command (S1-20)", async () => {
    using place = new Place(CALLER);
    place.file("ws/a", "inside\n");
    const rules = [{ pattern: "cat", approval: false, sandbox_paths: ["ws"] }, ...lets("wc")];
    const found = await outcomes(
      place,
      { rules },
      {},
      ...scripts(
        "cat a | wc -l",
        "cat a; cat /etc/hostname",
        "cat a | wc -c /dev/null",
        "cat *",
        "cd / && cat a",
      ),
    );
    expect(found).toEqual(["1", "denied", "0 /dev/null", "denied", "denied"]);
  });

  it("is asked about with the rule's description and the command (S1-21)", async () => {
    const asked = new Asked(() => ({ approved: false, by: "ann" }));
    await using at = await testSession(() => undefined, { handler: asked });
    await at.session.call("shell", { script: "true 'a b' | cat" });
    expect(asked.requests[0]?.description).toBe("run the script true 'a b' | cat");
    await at.session.call("shell", { script: "cat 'a b'" });
    expect(asked.requests[1]?.description).toBe("run cat 'a b'");
    expect(asked.requests[1]?.safeArgs).toEqual({ argv: ["cat", "a b"] });
  });
});

describe.skipIf(unusable !== null)("the environment of a line", () => {
  it("holds nothing by which bash makes other commands of it", async () => {
    using place = new Place(CALLER);
    const caller = {
      BASH_ENV: "/proc/self/nothing",
      "BASH_FUNC_cat%%": "() { echo replaced; }",
      SHELLOPTS: "xtrace",
      PS4: "+ ",
      CDPATH: "/",
      GIT_DIR: "/x",
      LD_PRELOAD: "/nowhere.so",
      PAGER: "id",
      FREE: "yes",
    };
    const rules = lets("env", "cat", "true");
    const [env = "", line] = await outcomes(
      place,
      { rules, env: { pass: ["*"] } },
      caller,
      { argv: ["env"] },
      { script: "true && cat <<< own" },
    );
    const names = env.split("\n").map((one) => one.replace(/=.*/, ""));
    for (const name of Object.keys(caller)) expect(names.includes(name)).toBe(name === "FREE");
    expect(line).toBe("own");
  });
});
