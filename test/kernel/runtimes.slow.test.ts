import { afterEach, beforeEach, describe, expect } from "vitest";
import { itNeeds, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("runtimes that a root leads to");

const PYTHON = "/usr/bin/python3";
const PREFIX = ["python3", "-c", "import sys; print(sys.prefix)"];

describe.skipIf(unusable !== null).each(PEOPLE)("grants: an environment in a root, as $name", (person) => {
  let place: Place;
  let secret = "";
  let env: Readonly<Record<string, string>> = {};

  /** A Python of somebody's own in `outside`, a secret beside it, and an environment of the system's Python in the root. */
  beforeEach(() => {
    place = new Place(person);
    for (const folder of ["outside/bin", "outside/lib", "outside/lib/python3.11"]) place.folder(folder);
    secret = place.file("outside/lib/python3.11/secret", "secret");
    place.file("outside/pyvenv.cfg", `home = ${place.outside}/bin\n`);
    const made = place.plainly(
      `cp "$(readlink -f ${PYTHON})" ${place.outside}/bin/python3 && ${PYTHON} -m venv --without-pip .venv`,
    );
    expect(made.stderr).toBe("");
    env = { PATH: `${place.ws}/.venv/bin:/usr/bin:/bin`, VIRTUAL_ENV: `${place.ws}/.venv` };
  });
  afterEach(() => place[Symbol.dispose]());

  const configs = {
    "a config that names python": { settings: { sandbox: { runtimes: ["system", "python"] } }, job: {} },
    "the default config": { settings: {}, job: { config: null } },
  };

  /** What a tool writes to make the next call's Python one of somebody else's. */
  const rewrites = {
    "its python3": (outside: string) => `ln -sfn ${outside}/bin/python3 .venv/bin/python3`,
    "its config": (outside: string) =>
      `cp --remove-destination /bin/true .venv/bin/python3; echo home = ${outside}/bin > .venv/pyvenv.cfg`,
    itself: (outside: string) => `rm -r .venv; ln -s ${outside} .venv`,
  };

  for (const [which, { settings, job }] of Object.entries(configs)) {
    itNeeds([PYTHON], `runs with ${which}, and shows nothing outside`, async () => {
      const calls = [{ argv: PREFIX }, { argv: ["cat", secret] }];
      const [made, ran, read] = await place.runServed({ settings, env, job: { ...job, calls } });
      expect([made, ran]).toMatchObject([
        { kind: "made" },
        { kind: "ran", code: 0, stdout: `${place.ws}/.venv\n` },
      ]);
      expect(read).toMatchObject({ kind: "ran", code: 1, stdout: "" });
    });

    for (const [what, rewrite] of Object.entries(rewrites)) {
      itNeeds(
        [PYTHON],
        `that a tool gave another Python by ${what} shows nothing of that with ${which}`,
        async () => {
          const change = { argv: ["sh", "-c", rewrite(place.outside)] };
          const [made, changed] = await place.runServed({ settings, env, job: { ...job, calls: [change] } });
          expect([made, changed]).toMatchObject([{ kind: "made" }, { kind: "ran", code: 0 }]);
          const calls = [{ argv: ["cat", secret] }, { argv: ["/usr/bin/python3", "-c", "print(1)"] }];
          const [next, read, honest] = await place.runServed({ settings, env, job: { ...job, calls } });
          if (next?.kind === "threw") expect(next.code).toBe("CONFIG_INVALID");
          else {
            expect(read).toMatchObject({ kind: "ran", code: 1, stdout: "" });
            expect(honest).toMatchObject({ kind: "ran", code: 0, stdout: "1\n" });
          }
        },
      );
    }
  }

  itNeeds([PYTHON], "leads to a Python that can be read where a person listed it", async () => {
    place.plainly(`ln -sfn ${place.outside}/bin/python3 .venv/bin/python3`);
    const calls = [{ argv: ["cat", secret] }];
    const named = { sandbox: { runtimes: ["system", "python"] } };
    const [refused] = await place.runServed({ settings: named, env, job: { calls } });
    expect(refused).toMatchObject({ kind: "threw", code: "CONFIG_INVALID" });
    const listed = { sandbox: { runtimes: ["system", { name: "python", read: [place.outside] }] } };
    const [, read] = await place.runServed({ settings: listed, env, job: { calls } });
    expect(read).toMatchObject({ kind: "ran", code: 0, stdout: "secret" });
  });
});
