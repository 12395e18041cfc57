import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { HOST_PROGRAMS, type HostProgram } from "../support/hosts/programs.ts";

sandboxMustWork("programs of the host that execute what they find");

/** Nothing of these comes with the system everywhere: what is missing is said by name. */
const isHere = ({ npm, command }: HostProgram): boolean =>
  npm !== null || spawnSync("sh", ["-c", `command -v ${command}`]).status === 0;

const ALWAYS = ["git's hooks", "npm"];

describe.skipIf(unusable !== null)("what a call planted", () => {
  const tools = mkdtempSync(join(tmpdir(), "cofferdam-hosts-"));
  beforeAll(() => {
    chmodSync(tools, 0o755);
    const packages = HOST_PROGRAMS.flatMap(({ npm }) => npm ?? []);
    const { status, stderr } = spawnSync(
      "npm",
      ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...packages],
      {
        cwd: tools,
        encoding: "utf8",
        env: { ...process.env, npm_config_update_notifier: "false" },
      },
    );
    expect([status, stderr.slice(-2_000)]).toEqual([0, expect.any(String)]);
  }, 900_000);
  afterAll(() => rmSync(tools, { recursive: true, force: true }));

  describe.each(PEOPLE)("as $name", (person) => {
    const cases = HOST_PROGRAMS.filter(isHere).flatMap((program) =>
      program.plants.map((plants) => ({
        program,
        plants,
        name: program.name,
        first: Object.keys(plants)[0],
      })),
    );

    it("is tried with what is in every system", () => {
      expect(cases.map(({ name }) => name)).toEqual(expect.arrayContaining(ALWAYS));
    });

    it.each(HOST_PROGRAMS.filter((program) => !isHere(program)))("$name is not here", ({ command }) => {
      expect(spawnSync("sh", ["-c", `command -v ${command}`]).status).not.toBe(0);
    });

    it.each(cases)(
      "planted: $name executes no $first of a call, and one that the person made",
      {
        timeout: 600_000,
      },
      async ({ program, plants }) => {
        using place = new Place(person);
        const mark = join(place.outside, "mark");
        const home = place.folder("home-of-host");
        const written = Object.fromEntries(
          Object.entries(plants).map(([name, text]) => [
            name,
            text.replaceAll("MARK", mark).replaceAll("TOP", place.ws),
          ]),
        );
        for (const [name, text] of Object.entries(program.home ?? {}))
          place.file(`home-of-host/${name}`, text);
        for (const [name, text] of Object.entries(program.own ?? {})) place.file(`ws/${name}`, text);
        place.ownAll();
        const run = (line: string): string => {
          const { stdout, stderr } = spawnSync("sh", ["-c", line], {
            ...person.runAs,
            cwd: place.ws,
            encoding: "utf8",
            timeout: 180_000,
            env: {
              PATH: `${join(tools, "node_modules", program.folder ?? ".bin")}:${dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin`,
              HOME: home,
              TERM: "xterm",
              ...program.env,
            },
          });
          return `${stdout}\n${stderr}`;
        };
        const write = (name: string): string =>
          `mkdir -p "$(dirname '${name}')"; cat > '${name}' <<'~~~'\n${written[name]}\n~~~\nchmod ${name.includes("hooks/") || name.endsWith(".sh") ? 755 : 644} '${name}'`;
        const planting = (program.planting ?? "").replaceAll("TOP", place.ws);
        const line = `${Object.keys(written).map(write).join("\n")}\n${planting}\ntrue`;
        const setUp = run(program.setUp ?? "true");
        const [, made] = await place.run({ job: { calls: [{ argv: ["sh", "-c", line] }] } });
        expect(made).toMatchObject({ kind: "ran", code: 0 });
        const said = `${setUp}\n${run(program.start)}`;
        expect([existsSync(mark), said]).toEqual([false, said]);
        // The twin: the person plants it, and the program obeys.
        for (const [name, text] of Object.entries(written)) {
          mkdirSync(dirname(join(place.ws, name)), { recursive: true });
          place.file(
            `ws/${name}`,
            `${text}\n`,
            name.includes("hooks/") || name.endsWith(".sh") ? 0o755 : 0o644,
          );
        }
        place.ownAll();
        const twin = `${run(planting)}\n${run(program.start)}`;
        expect([existsSync(mark), twin]).toEqual([true, twin]);
      },
    );
  });
});
