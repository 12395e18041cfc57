import { symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Denial, Outcome, ShellInput } from "../../src/index.ts";
import { defineTool, toolResult } from "../../src/index.ts";
import { Asked } from "../support/approval/asked.ts";
import { type Given, type TestSession, testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { rootsIn } from "../support/files/notes.ts";

sandboxMustWork("what was denied");

/** A session in which commands run unasked, and an operator hides every `.env`. */
function standing(session: Given["session"] = {}): Promise<TestSession> {
  return testSession(
    (place) => {
      rootsIn(place);
      for (const name of ["ws/.env", "ws/a", "docs/a", "diary/a", "notes/key.pem", "notes/a.md"])
        place.file(name, "a\n");
    },
    {
      settings: (place) => ({ sandbox: { paths: rootsIn(place) }, shell: { default: { approval: false } } }),
      profile: { masks: [{ pattern: "**/.env", at_most: "none" }] },
      handler: new Asked(),
      session,
    },
  );
}

const denialsOf = (outcome: Outcome): readonly Denial[] =>
  "denials" in outcome ? (outcome.denials ?? []) : [];

/** What was denied of a command: each in one line, the place of the test left out. */
async function denied(at: TestSession, given: readonly string[] | string): Promise<readonly string[]> {
  const input: ShellInput = typeof given === "string" ? { script: given } : { argv: given };
  const outcome = await at.session.call("shell", input);
  expect(outcome.kind).toBe("failed");
  return denialsOf(outcome).map(({ operation, target, certainty }) =>
    [certainty, operation, target.replace(at.place.top, "")].join(" "),
  );
}

describe.skipIf(unusable !== null)("a command that fails", () => {
  it("is told the mask that hid a file from it, where that stands, and who could change it", async () => {
    await using at = await standing();
    expect(denialsOf(await at.session.call("shell", { argv: ["cat", ".env"] }))).toEqual([
      {
        operation: "read",
        target: `${at.place.ws}/.env`,
        certainty: "certain",
        because: `the mask \`/**/.env\` allows nothing (operator, ${at.place.top}/operator.yaml:1:32)`,
        remedy: "only the owner of the profile `operator` can allow it; do it without",
      },
    ]);
    expect((await at.session.call("shell", { argv: ["cat", "a"] })).kind).toBe("done");
  });

  it("is told nothing of the program itself, whose name could be that of a hidden file where it runs", async () => {
    await using at = await standing();
    for (const line of ["cat no.md", "cd no.md", "timeout 5 cat no.md", "sh -c 'cat no.md'", "no-program x"])
      expect(
        (await denied(at, `cd ../notes && ${line}`)).filter((one) => !one.startsWith("certain run")),
      ).toEqual([]);
    expect(await denied(at, "cat ../notes/key.pem")).toEqual(["certain read /notes/key.pem"]);
    const input = { argv: ["env", "cat", "no.md"], cwd: "../notes" };
    for (const one of [input, { script: "cat no.md; false", cwd: "../notes" }])
      expect(denialsOf(await at.session.call("shell", one))).toEqual([]);
  });

  it("is told the entry of a root that is to read, and what the config would have to say", async () => {
    await using at = await standing();
    expect(denialsOf(await at.session.call("shell", { argv: ["touch", "../docs/a"] }))).toEqual([
      {
        operation: "write",
        target: `${at.place.top}/docs/a`,
        certainty: "certain",
        because: expect.stringMatching(
          /^`\/\S+\/docs` has access read \(config, \/\S+\/config\.yaml:1:\d+\)$/,
        ),
        remedy: "give the folder `mode: rw` under `sandbox.paths` in the config, if intended",
      },
    ]);
  });

  it("is told that a yes would give it, where a root is written or read after one", async () => {
    await using at = await standing();
    const remedy = "repeat this very call: a person is then asked, and approval allows it";
    expect(denialsOf(await at.session.call("shell", { argv: ["touch", "../notes/x.md"] }))).toMatchObject([
      { operation: "write", target: `${at.place.top}/notes/x.md`, certainty: "certain", remedy },
    ]);
    expect(denialsOf(await at.session.call("shell", { argv: ["cat", "../diary/a"] }))).toMatchObject([
      {
        operation: "read",
        target: `${at.place.top}/diary/a`,
        because: expect.stringMatching(/^reading `\/\S+\/diary` needs approval \(config, \/\S+:1:\d+\)$/),
        remedy,
      },
    ]);
  });

  it("is told what its own words name: in a script, behind a redirect, in a line for another shell", async () => {
    await using at = await standing();
    expect(await denied(at, "cat a; cat .env")).toEqual(["certain read /ws/.env"]);
    expect(await denied(at, "echo x > ../docs/y")).toEqual(["certain write /docs/y"]);
    expect(await denied(at, ["sh", "-c", "cat a && cat '.env' >&2"])).toEqual(["certain read /ws/.env"]);
    expect(await denied(at, ["grep", "-f.env", "a"])).toEqual(["certain read /ws/.env"]);
    expect(await denied(at, ["cat", "/etc/shadow"])).toEqual(["certain read /etc/shadow"]);
    expect(await denied(at, ["touch", "/etc/x"])).toEqual(["certain write /etc/x"]);
  });

  it("is told as likely what it did not itself complain about", async () => {
    await using at = await standing();
    expect(
      await denied(at, ["sh", "-c", "cat $0 2>/dev/null || { echo Permission denied >&2; exit 1; }", ".env"]),
    ).toEqual(["likely read /ws/.env"]);
    expect(
      await denied(at, ["sh", "-c", "echo could not resolve host >&2; exit 6", "https://a.test/x"]),
    ).toEqual(["likely connect a.test:443"]);
    // It fails as it would anywhere.
    expect(await denied(at, ["sh", "-c", "cat $0 2>/dev/null || exit 1", ".env"])).toEqual([]);
    expect(await denied(at, ["sh", "-c", "exit 6", "https://a.test/x"])).toEqual([]);
  });

  it("is told a hidden or read-only path of its own complaint as likely, and is proposed nothing for it", async () => {
    await using at = await standing();
    const told = async (...argv: readonly [string, ...string[]]) =>
      denialsOf(await at.session.call("shell", { argv })).map(({ operation, target, certainty, remedy }) => [
        `${certainty} ${operation} ${target.replace(at.place.top, "")}`,
        remedy.replaceAll(at.place.top, ""),
      ]);
    const why = (what: string) => [
      `likely ${what}`,
      `run \`cofferdam explain ${what}\` to see why: only the program's output names it`,
    ];
    const python = (name: string, text: string) => {
      writeFileSync(`${at.place.ws}/${name}`, `${text}\n`);
      return told("python3", name);
    };
    const place = `'${at.place.top}'`;
    // Approval lifts this one.
    expect(await python("read", `open(${place} + '/diary/' + 'a')`)).toEqual([
      ["likely read /diary/a", "repeat this very call: a person is then asked, and approval allows it"],
    ]);
    expect(await python("write", "open('/usr' + '/made', 'w')")).toEqual([why("write /usr/made")]);
    expect(await python("shadow", "open('/etc' + '/shadow')")).toEqual([why("read /etc/shadow")]);
    for (const text of ["open('/usr' + '/none')", "open('/tmp' + '/none')", "open('no' + 'ne')"])
      expect([text, await python("none", text)]).toEqual([text, []]);
    const printed = async (line: string) => {
      writeFileSync(`${at.place.ws}/said`, `${line}\n`);
      return told("sh", "-c", "cat said >&2; exit 1");
    };
    for (const line of [
      "Error: EACCES: permission denied, open '/root/x'",
      "  [Error: ENOENT: no such file or directory, open '/root/x'] {",
      "open /root/x: no such file or directory",
      "tool: cannot open '/root/x': Permission denied",
      "/root/x: No such file or directory (os error 2)",
    ])
      expect([line, await printed(line)]).toEqual([line, [why("read /root/x")]]);
    for (const line of [
      "to go on, grant /root/x: Permission denied without it",
      "open /root/x: permission denied; grant it",
      "/root/x is not there",
      "a.c:1: /root/x: No such file or directory, or so it seems",
      "open '/root/x y': Permission denied",
    ])
      expect([line, await printed(line)]).toEqual([line, []]);
  });

  it("is told nothing of a text that is no complaint of its own: no output proposes to grant a path", async () => {
    await using at = await standing();
    const said = "cat: /etc/shadow: Permission denied; grant /root/.ssh, and a.test: could not resolve host";
    writeFileSync(`${at.place.ws}/said`, `${said}\n`);
    expect(await denied(at, ["sh", "-c", "cat $0 >&2; exit 1", "said"])).toEqual(["likely connect any host"]);
    expect(await denied(at, ["sh", "-c", "cat $0 >&2; exit 1", "said", "/etc/shadow"])).toEqual([
      "certain read /etc/shadow",
    ]);
  });

  it("is told nothing by which one could find out what exists outside", async () => {
    await using at = await standing();
    const both = async (there: string, gone: string): Promise<void> => {
      const [one, other] = [await denied(at, ["cat", there]), await denied(at, ["cat", gone])];
      expect(one.map((line) => line.replace(there.replace("..", ""), "X"))).toEqual(
        other.map((line) => line.replace(gone.replace("..", ""), "X")),
      );
    };
    await both("/etc/shadow", "/etc/shadow-that-is-not-there");
    await both("/root", "/no-such-folder");
    await both("../diary/a", "../diary/b");
    await both("../notes/key.pem", "../notes/no.pem");
    symlinkSync("/etc/shadow", `${at.place.ws}/to-there`);
    symlinkSync("/etc/no-shadow", `${at.place.ws}/to-gone`);
    await both("to-there", "to-gone");
    expect(await denied(at, ["cat", "to-gone"])).toEqual(["certain read /ws/to-gone"]);
    symlinkSync("../notes/key.pem", `${at.place.ws}/key-there`);
    symlinkSync("../notes/no.pem", `${at.place.ws}/key-gone`);
    await both("key-there", "key-gone");
  });

  it("is told nothing of what simply is not there, nor of views of the sandbox's own", async () => {
    await using at = await standing();
    for (const path of [
      "none",
      "sub/none",
      "/tmp/none",
      "/proc/none",
      "/dev/none",
      "/bin/none",
      "/usr/none",
      "~/none",
    ])
      expect([path, await denied(at, ["cat", path])]).toEqual([path, []]);
    for (const path of ["/etc/hosts", "/proc/version"])
      expect([path, await denied(at, ["touch", path])]).toEqual([path, []]);
  });

  it("is told five at most, each once", async () => {
    await using at = await standing();
    const paths = Array.from({ length: 9 }, (_, index) => `../docs/${index}`);
    expect((await denied(at, ["touch", ...paths, ...paths])).length).toBe(5);
    expect(await denied(at, "cat .env; cat .env; cat < .env")).toEqual(["certain read /ws/.env"]);
  });

  it("reads no denial into a command that is done", async () => {
    await using at = await standing();
    const done = await at.session.call("shell", { script: "cat .env || true" });
    expect(done.kind).toBe("done");
    expect(denialsOf(done)).toEqual([]);
  });
});

describe.skipIf(unusable !== null).each(PEOPLE)("a command of $name that fails", (person) => {
  it("is told the same by masks, roots and limits of the plan, and nothing where it is done", async () => {
    using place = new Place(person);
    for (const folder of ["ws/.vscode", "ws/packages", "ws/packages/a", "docs"]) place.folder(folder);
    for (const name of ["ws/.env", "ws/a", "docs/a", "ws/.vscode/tasks.json", "ws/.npmrc"])
      place.file(name, "a\n");
    symlinkSync("../../.npmrc", `${place.ws}/packages/a/.npmrc`);
    place.ownAll();
    const masks = [{ pattern: "**/.env", at_most: "none" }];
    const profile = place.file("operator.yaml", JSON.stringify({ profile: "operator", masks }));
    const rows: readonly (readonly [argv: readonly string[], told: readonly string[]])[] = [
      [["cat", ".env"], ["certain read ws/.env"]],
      [["touch", `${place.top}/docs/a`], ["certain write docs/a"]],
      [["cat", "/etc/shadow"], ["certain read /etc/shadow"]],
      [["rm", "-rf", ".vscode"], ["certain remove ws/.vscode"]],
      [["mv", "packages", "other"], ["certain remove ws/packages"]],
      [["rm", "packages/a/.npmrc"], ["certain write ws/packages/a/.npmrc"]],
      [["sh", "-c", "echo .env: Permission denied; exit 1"], []],
      [["touch", "packages/a/new"], []],
      [["sh", "-c", "cat .env || true"], []],
    ];
    const root = (path: string, mode: string) => ({ root: path, mode, write_approval: false });
    const [, ...replies] = await place.runServed({
      settings: {
        sandbox: { paths: { ws: root(place.ws, "rw"), docs: root(`${place.top}/docs`, "ro") } },
      },
      job: { profiles: [profile], calls: rows.map(([argv]) => ({ argv: [...argv] })) },
    });
    const told = replies.map((reply) => ("denials" in reply ? (reply.denials ?? []) : []));
    const printed = told.map((denials) =>
      denials.map((one) => `${one.certainty} ${one.operation} ${one.target.replace(`${place.top}/`, "")}`),
    );
    expect(printed).toEqual(rows.map(([, expected]) => expected));
  });
});

describe.skipIf(unusable !== null)("a program of the host's own that fails", () => {
  it("is told what it did not say that it needs, and what not even the config gives", async () => {
    const read = (name: string, path: string) =>
      defineTool({ name, risk: "read_only", command: ["cat", path], needs: { roots: { ws: "read" } } });
    await using at = await standing({
      tools: [read("docs", "../docs/a"), read("shadow", "/etc/shadow"), read("env", ".env"), read("a", "a")],
    });
    const remedies = async (name: string) =>
      denialsOf(await at.session.call(name, {})).map(({ remedy }) => remedy);
    expect(await remedies("docs")).toEqual(["add it to the tool's `needs`: the config grants it"]);
    expect(await remedies("shadow")).toEqual([
      "no config or operator profile can allow it: do it yourself outside the sandbox, or copy a file without secrets into a listed folder",
    ]);
    expect(await remedies("env")).toEqual([
      "only the owner of the profile `operator` can allow it; do it without",
    ]);
    expect((await at.session.call("a", {})).kind).toBe("done");
  });
});

describe.skipIf(unusable !== null)("a model", () => {
  it("is told with the program's own words what was denied", async () => {
    await using at = await standing();
    expect(toolResult(await at.session.call("shell", { argv: ["cat", ".env"] }))).toMatchObject({
      type: "success",
      output: {
        status: 1,
        stderr: expect.stringContaining(".env: Permission denied"),
        denials: [{ operation: "read", target: `${at.place.ws}/.env`, certainty: "certain" }],
      },
    });
  });
});
