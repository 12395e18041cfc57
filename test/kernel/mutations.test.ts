import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "vitest";
import { PROTECTIONS } from "../../src/backend/plan.ts";
import { MutantRow } from "../support/battery/job.ts";
import { mutants } from "../support/battery/mutants.ts";
import { noDevices, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { checkoutFor, compileCacheFor, PEOPLE, type Person, runFile } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { passSmallPids } from "../support/battery/processes.ts";
import { IN_A_TERMINAL } from "../support/battery/terminal.ts";

sandboxMustWork("mutated plans");

/** What the proof cannot see: the launch goes ahead, and only probes tell. */
const UNSEEN = [
  "user namespaces can be made, which no filter refuses either",
  "the filter allows everything",
  "the session is the launcher's",
  "the session is the caller's",
  "the start program sets no limit",
  "scratch space has no size",
];

const ALL = mutants({ ws: "/ws", outside: "/outside" });

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  const all = ALL.filter(
    ({ needsDevices }) => needsDevices !== true || (person.uid === 0 && noDevices === null),
  );
  let rows: readonly MutantRow[] = [];
  beforeAll(async () => {
    rows = await rowsFor(person);
    const lines = rows.map(
      ({ id, change, refused, red }) =>
        `${id.padEnd(13)} ${change.padEnd(42)} ${red.join("; ").padEnd(60)} ${refused ?? "(not seen by the proof)"}`,
    );
    console.info(
      `as ${person.name}: what is changed, which probes get through without the proof, what the proof says\n${lines.join("\n")}`,
    );
  });

  it("proof: the plan as it is stands, and no probe gets through", () => {
    expect(rows[0]).toEqual({ id: "files", change: "nothing", refused: null, red: [] });
  });

  it.each(all.filter(({ change }) => !UNSEEN.includes(change)))(
    "proof: $id: where $change, nothing is let go",
    ({ change }) => {
      expect(rows.find((one) => one.change === change)?.refused).toMatch(
        /the sandbox (differs from the plan|could not be inspected)/,
      );
    },
  );

  it.each(all.filter(({ change }) => UNSEEN.includes(change)))(
    "proof: $id: that $change is not seen, only tried here",
    ({ change }) => {
      expect(rows.find((one) => one.change === change)?.refused).toBeNull();
    },
  );

  it.each(all)(
    "proof: $id: where $change, a probe gets through that is held back otherwise",
    ({ change, probe }) => {
      const red = rows.find((one) => one.change === change)?.red;
      expect(red).not.toEqual([]);
      if (probe !== undefined) expect(red).toContain(probe);
    },
  );
});

it("proof: every protection that a receipt speaks of has a mutant", () => {
  expect([...new Set(ALL.map(({ id }) => id))].toSorted()).toEqual([...PROTECTIONS].toSorted());
});

async function rowsFor(person: Person): Promise<readonly MutantRow[]> {
  using place = new Place(person);
  place.file("outside/canary", "secret\n");
  place.file("ws/secret", "hidden\n");
  place.folder("ws/.git");
  place.file("ws/.git/config", "[core]\n");
  const profile = place.file(
    "profile.yaml",
    JSON.stringify({
      profile: "hides",
      masks: [{ pattern: `${place.ws}/secret`, at_most: "none" }],
      expect: [{ deny: "read", path: `${place.ws}/secret` }],
    }),
  );
  const config = place.config({ sandbox: { limits: { open_files: 64, scratch: "4MiB" } } });
  passSmallPids();
  const sleeper = spawn("/usr/bin/perl", ["-e", "sleep 600"], { ...person.runAs, cwd: "/", stdio: "ignore" });
  const server = createServer((socket) => void socket.on("error", () => undefined).end()).listen(
    0,
    "127.0.0.1",
  );
  const named = createServer((socket) => void socket.on("error", () => undefined).end()).listen({
    path: join(place.outside, "socket"),
    readableAll: true,
    writableAll: true,
  });
  await Promise.all([once(sleeper, "spawn"), once(server, "listening"), once(named, "listening")]);
  const folder = openSync(place.outside, "r");
  try {
    const address = server.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const job = { config, profile, ws: place.ws, outside: place.outside, pid: sleeper.pid ?? 0, port };
    const [program = "", ...words] = [
      ...IN_A_TERMINAL,
      ...runFile(checkoutFor(person), "mutants-driver.ts"),
      place.file("job.json", JSON.stringify(job)),
    ];
    const env = {
      PATH: "/usr/bin:/bin",
      XDG_STATE_HOME: place.state,
      NODE_COMPILE_CACHE: compileCacheFor(person),
      TYPED: place.file("typed", ""),
    };
    const stdio = Array.from({ length: 41 }, (_, fd) =>
      fd === 40 ? folder : fd === 0 || fd > 2 ? ("ignore" as const) : ("pipe" as const),
    );
    const child = spawn(program, words, { ...person.runAs, cwd: place.ws, env, stdio });
    if (child.stdout === null || child.stderr === null) throw new Error("no output");
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    if (err !== "") throw new Error(err);
    return out
      .trim()
      .split("\n")
      .map((line) => MutantRow.parse(JSON.parse(line)));
  } finally {
    closeSync(folder);
    sleeper.kill("SIGKILL");
    server.close();
    named.close();
  }
}
