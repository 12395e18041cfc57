import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { TestSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { fatesOf, heldIn, isThere, run, standingWith } from "../support/quarantine/planting.ts";

sandboxMustWork("manifests that stand in for the product");

const MANIFEST = { name: "app", version: "1.0.0", bin: "app.js" };

function standing(appeared: "quarantine" | "report" = "quarantine"): Promise<TestSession> {
  return standingWith(appeared, {}, ({ ws }) => {
    writeFileSync(join(ws, "package.json"), JSON.stringify(MANIFEST));
  });
}

/** A line of shell that writes a manifest. */
function writes(manifest: object, path = "package.json"): string {
  return `mkdir -p "$(dirname ${path})"; echo '${JSON.stringify({ ...MANIFEST, ...manifest })}' > ${path}`;
}

/** The same of any text. */
function writesText(text: string, path: string): string {
  return `printf '%s\\n' '${text}' > ${path}`;
}

describe.skipIf(unusable !== null)("own: a manifest that a call changed", () => {
  it.each([
    ["a command of our name", { bin: { cofferdam: "x.js" } }],
    ["a command of Node's name", { bin: { node: "x.js" } }],
    ["the package's own command", { name: "@you/cofferdam" }],
    ["the name that a program imports", { name: "cofferdam", exports: "./x.js" }],
    ["a command that npm makes one of our name", { bin: { "x/cofferdam": "x.js" } }],
    ["a list of commands", { bin: ["x/cofferdam"] }],
    ["a script", { scripts: { cofferdam: "node x.js" } }],
    ["a script that is run before one of our name", { scripts: { precofferdam: "node x.js" } }],
    ["a folder of commands", { directories: { bin: "bin" } }],
  ])("is taken away where it says that something else is run under our name: %s", async (_, more) => {
    for (const appeared of ["quarantine", "report"] as const) {
      await using at = await standing(appeared);
      expect(fatesOf(await run(at, writes(more)), at)).toEqual({ "package.json": "quarantined" });
      expect([isThere(at.place, "package.json"), heldIn(at.place)]).toEqual([false, ["package.json"]]);
    }
  });

  it("is taken away where a file tool changed it, and where it is new and lies deep", async () => {
    await using at = await standing();
    const content = JSON.stringify({ ...MANIFEST, bin: { cofferdam: "x.js" } });
    const written = await at.session.call("write_file", { path: "ws:package.json", content });
    expect(fatesOf(written, at)).toEqual({ "package.json": "quarantined" });
    expect(fatesOf(await run(at, writes({ bin: { node: "x" } }, "a/b/package.json")), at)).toEqual({
      "a/b/package.json": "quarantined",
    });
  });

  it.each([
    ["package.yaml", "scripts: { cofferdam: x }"],
    ["package.json5", '{ scripts: { cofferdam: "x" } }'],
    ["package.json", '{ "scripts": { "cofferdam": "x" }, }'],
  ])("is taken away where only some package managers read it: %s", async (name, text) => {
    await using at = await standing();
    expect(fatesOf(await run(at, writesText(text, name)), at)).toEqual({ [name]: "quarantined" });
    expect([isThere(at.place, name), heldIn(at.place)]).toEqual([false, [name]]);
    const plain = await run(at, writesText(text.replace("cofferdam", "test"), name));
    expect(fatesOf(plain, at)).toEqual({ [name]: "reported" });
    expect(isThere(at.place, name)).toBe(true);
  });

  it("is taken away where a link that an earlier call made leads to what says so", async () => {
    await using at = await standing();
    const real = (manifest: object): string => writes(manifest, "real");
    const linked = `${real({})}; ln -sf real package.json`;
    expect(fatesOf(await run(at, linked), at)).toEqual({ "package.json": "reported" });
    // Longer than the times of a file system may lag behind the clock.
    await pause(100);
    expect(fatesOf(await run(at, real({ version: "2.0.0" })), at)).toEqual({});
    const ours = real({ bin: { cofferdam: "x.js" } });
    expect(fatesOf(await run(at, ours), at)).toEqual({ "package.json": "quarantined" });
    expect(isThere(at.place, "package.json")).toBe(false);
  });

  it("is taken away each time, and where a folder of packages brings it that is moved", async () => {
    await using at = await standing();
    const ours = { bin: { cofferdam: "x.js" } };
    for (const time of ["one", "another"]) {
      const outcome = await run(at, writes({ ...ours, version: time }, "sub/package.json"));
      expect(fatesOf(outcome, at)).toEqual({ "sub/package.json": "quarantined" });
    }
    const packed = `${writes(ours, "node_modules/evil/package.json")}; ${writes({}, "node_modules/plain/package.json")}`;
    expect(fatesOf(await run(at, packed), at)).toEqual({});
    // Longer than the times of a file system may lag behind the clock.
    await pause(100);
    const moved = await run(at, "rmdir sub; mv node_modules/evil sub; mv node_modules/plain plain");
    expect(fatesOf(moved, at)).toEqual({
      "plain/package.json": "reported",
      "sub/package.json": "quarantined",
    });
    expect([isThere(at.place, "sub/package.json"), isThere(at.place, "plain/package.json")]).toEqual([
      false,
      true,
    ]);
  });

  it("is taken away after the call that made it, where another began and ended meanwhile", async () => {
    await using at = await standing();
    const line = `${writes({ bin: { node: "x" } }, "a/package.json")}; echo > made; until [ -e go ]; do sleep 0.02; done`;
    const making = run(at, line);
    while (!isThere(at.place, "made")) await pause(10);
    await pause(100);
    await run(at, "true");
    writeFileSync(join(at.place.ws, "go"), "");
    expect(fatesOf(await making, at)).toEqual({ "a/package.json": "quarantined" });
  });

  it("stays where it says anything else, or what it said before", async () => {
    await using at = await standing();
    const plain = writes({ scripts: { agent: "cofferdam run -- agent" }, dependencies: { cofferdam: "*" } });
    expect(fatesOf(await run(at, plain), at)).toEqual({});
    writeFileSync(join(at.place.ws, "package.json"), JSON.stringify({ ...MANIFEST, scripts: { node: "x" } }));
    expect(fatesOf(await run(at, writes({ scripts: { node: "x" }, version: "2.0.0" })), at)).toEqual({});
    expect(isThere(at.place, "package.json")).toBe(true);
  });
});

describe.skipIf(unusable !== null)(
  "own: what is looked up before the product when a package manager starts it",
  () => {
    it.each(["node", "sh", "bash", "sed", "dirname", "uname"])(
      "is taken away where a call makes it beside a package's commands: %s",
      async (name) => {
        await using at = await standing("report");
        const bin = "packages/one/node_modules/.bin";
        const outcome = await run(at, `mkdir -p ${bin}; cd ${bin}; echo x > ${name}; echo x > ${name}c`);
        expect(fatesOf(outcome, at)).toMatchObject({ [`${bin}/${name}`]: "quarantined" });
        expect([isThere(at.place, `${bin}/${name}`), isThere(at.place, `${bin}/${name}c`)]).toEqual([
          false,
          true,
        ]);
      },
    );

    it.each(["node", "sh"])(
      "can't be changed where it is installed, nor what it leads to: %s",
      async (name) => {
        const [command, program, other] = [`.bin/${name}`, "one/run", "two/run"];
        await using at = await standingWith("report", {}, ({ ws }) => {
          const folder = join(ws, "packages/one/node_modules");
          for (const one of [".bin", "one", "two"]) mkdirSync(join(folder, one), { recursive: true });
          for (const one of [program, other]) writeFileSync(join(folder, one), "as it was");
          symlinkSync(`../${program}`, join(folder, command));
        });
        const folder = join(at.place.ws, "packages/one/node_modules");
        const line = [program, other].map((file) => `echo x > ${folder}/${file}`).join("; ");
        await run(at, `${line}; ln -sf ../${other} ${folder}/${command}; rm ${folder}/${command}`);
        const texts = [command, program, other].map((file) => readFileSync(join(folder, file), "utf8"));
        expect(texts).toEqual(["as it was", "as it was", "x\n"]);
      },
    );

    it("is taken away where a link stands for the folder of commands", async () => {
      await using at = await standing("report");
      await run(at, "mkdir -p stuff packages/node_modules; echo x > stuff/sh");
      await run(at, "ln -s ../../stuff packages/node_modules/.bin; ln -s ../stuff packages/bin");
      const found = ["packages/node_modules/.bin/sh", "packages/bin/sh"].map((path) =>
        isThere(at.place, path),
      );
      expect(found).toEqual([false, true]);
    });

    it("is taken away where a call makes it in a folder of PATH, and nowhere else", async () => {
      using place = new Place(CALLER);
      const PATH = `${place.ws}/bin:${process.env["PATH"]}`;
      const settings = { sandbox: { appeared: "report" }, shell: { default: { approval: false } } };
      const env = { ...process.env, XDG_STATE_HOME: place.state, PATH };
      await using supervisor = await place.supervisor(settings, { env });
      await using session = supervisor.session();
      const outcome = await run({ session }, "mkdir bin lib; echo x | tee bin/sh lib/sh");
      expect(fatesOf(outcome, { place })).toEqual({ "bin/sh": "quarantined" });
    });
  },
);
