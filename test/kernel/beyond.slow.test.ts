import { existsSync, mkdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Asked } from "../support/approval/asked.ts";
import { testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import type { Place, Settings } from "../support/battery/place.ts";

sandboxMustWork("questions under `shell.default.approval: beyond`");

const YES = { approved: true, by: "ann" } as const;
const NO = { approved: false, by: "ann" } as const;

const beyond =
  (writeApproval: boolean, rules: readonly unknown[] = []) =>
  ({ ws }: Place): Settings => ({
    sandbox: { paths: { ws: { root: ws, mode: "rw", write_approval: writeApproval } } },
    shell: { default: { approval: "beyond" }, rules },
  });

const prepared = (place: Place): void => {
  mkdirSync(`${place.ws}/src`);
  place.file("ws/src/a", "text\n");
  place.file("ws/build", "#!/bin/sh\ntouch made\n", 0o755);
};

describe.skipIf(unusable !== null)("a command that no rule names, under `beyond`", () => {
  it("is asked about before it starts if a yes lets it write; twin: with equal access nobody is asked", async () => {
    for (const writeApproval of [true, false]) {
      const seen: boolean[] = [];
      await using at = await testSession(prepared, {
        settings: beyond(writeApproval),
        handler: new Asked(() => {
          seen.push(existsSync(`${at.place.ws}/made`));
          return YES;
        }),
      });
      expect(await at.session.call("shell", { argv: ["sh", "build"] })).toMatchObject({
        kind: "done",
        code: 0,
      });
      expect([seen, existsSync(`${at.place.ws}/made`)]).toEqual([writeApproval ? [false] : [], true]);
    }
  });

  it("is not asked about if it only reads; twin: the same with a command that writes", async () => {
    await using at = await testSession(prepared, { settings: beyond(true), handler: new Asked(() => NO) });
    const reading = [
      "grep -r text .",
      "git log",
      "cd src && ls",
      "cat src/a | wc -l",
      "CI=1 head -1 < src/a",
    ];
    for (const script of reading) await at.session.call("shell", { script });
    expect(at.asked.requests).toEqual([]);
    const writing = ["cd src && touch made", "grep -r text . > made", "find . -name a -delete", "ls; make"];
    for (const script of writing)
      expect([script, await at.session.call("shell", { script })]).toMatchObject([
        script,
        { kind: "denied" },
      ]);
    expect(at.asked.requests.length).toBe(writing.length);
    expect([existsSync(`${at.place.ws}/made`), existsSync(`${at.place.ws}/src/a`)]).toEqual([false, true]);
  });

  it("is asked about when it is repeated after a denial that approval lifts; twin: no other call is", async () => {
    await using at = await testSession(
      (place) => {
        prepared(place);
        place.folder("secret");
        const secret = place.file("secret/a", "text\n");
        const sum = "f97f1ad81e0ee1ce5a1c6a6b6de3a8c6";
        place.file("ws/sums", `${sum}  ${secret}\n`);
        place.file("ws/others", `${sum}  ${secret}\n`);
      },
      {
        settings: (place) => ({
          sandbox: {
            paths: {
              ws: { root: place.ws, mode: "rw", write_approval: false },
              secret: { root: place.folder("secret"), mode: "ro", read_approval: true },
            },
          },
          shell: { default: { approval: "beyond" } },
        }),
        handler: new Asked(() => YES),
      },
    );
    const check = (file: string) => at.session.call("shell", { argv: ["md5sum", "-c", file] });
    const denied = await check("sums");
    expect([at.asked.requests.length, "code" in denied && denied.code]).toEqual([0, 1]);
    expect(denied).toMatchObject({ denials: [{ askable: true, remedy: expect.stringContaining("repeat") }] });
    await check("others");
    await at.session.call("shell", { argv: ["md5sum", "sums"] });
    expect(at.asked.requests.length).toBe(0);
    const repeated = await check("sums");
    expect(at.asked.requests.length).toBe(1);
    expect("stdout" in repeated && repeated.stdout.bytes.toString()).toContain("secret/a: FAILED");
    expect(repeated).not.toHaveProperty("denials.0.askable");
  });

  it("and approve_all is asked about where a rule demands a person; twin: by default nobody is, and without anybody it is denied", async () => {
    const rules = [{ shell: "touch", action: "ask" as const }];
    for (const somebody of [true, false]) {
      await using at = await testSession(prepared, {
        settings: beyond(true),
        profile: { approval: { rules } },
        options: { mode: "approve_all" },
        handler: somebody ? new Asked(() => YES) : null,
      });
      expect(await at.session.call("shell", { argv: ["mkdir", "made"] })).toMatchObject({ kind: "done" });
      expect([at.asked.requests.length, existsSync(`${at.place.ws}/made`)]).toEqual([0, true]);
      expect(await at.session.call("shell", { argv: ["touch", "other"] })).toMatchObject({
        kind: somebody ? "done" : "denied",
      });
      expect([at.asked.requests.length, existsSync(`${at.place.ws}/other`)]).toEqual(
        somebody ? [1, true] : [0, false],
      );
    }
  });

  it("is not let pass by a rule if the line may have written its program; twin: a program of the system is", async () => {
    await using at = await testSession(prepared, {
      settings: beyond(true, [
        { pattern: "./run", approval: false },
        { pattern: "git", approval: false },
      ]),
      handler: new Asked(() => NO),
    });
    at.place.file("ws/src/run", "#!/bin/sh\ntouch made\n", 0o755);
    expect(await at.session.call("shell", { script: "cd src && ./run" })).toMatchObject({ kind: "denied" });
    expect([at.asked.requests.length, existsSync(`${at.place.ws}/src/made`)]).toEqual([1, false]);
    await at.session.call("shell", { script: "cd src && git init -q" });
    expect(at.asked.requests.length).toBe(1);
  });
});
