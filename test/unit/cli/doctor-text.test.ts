import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { type Diagnosis, diagnosisJson, showDiagnosis } from "../../../src/cli/doctor-text.ts";
import { Print } from "../../../src/cli/print.ts";
import { CofferdamError } from "../../../src/errors.ts";
import type { Probed } from "../../../src/host/launch/mac/probes/run.ts";
import { thisHost } from "../../../src/host/look/host.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { macFacts } from "../../support/mac/mac-case.ts";

const finding = (standing: Probed["standing"], more: Partial<Probed> = {}): Probed => ({
  id: standing,
  asks: `whether ${standing}`,
  relies: "masks",
  value: "yes",
  says: "yes",
  standing,
  tookMs: 10,
  ...more,
});

function diagnosis(kernel: readonly Probed[], problem: string | null): Diagnosis {
  const { launcher, devices, tree } = macFacts();
  return {
    host: thisHost({ platform: "darwin" }),
    survey: { kernel: "24.5.0", cgroups: null, inside: [], restrictions: [], leaked: [] },
    config: new CofferdamError("CONFIG_INVALID", "none"),
    runAs: 501,
    devices,
    tree,
    launcher,
    state: null,
    probes: [],
    kernel,
    selfCheck: null,
    problem,
  };
}

function shown(one: Diagnosis): readonly string[] {
  const out = new PassThrough();
  showDiagnosis(one, new Print(out, new PassThrough(), {}));
  return String(out.read()).split("\n");
}

describe("what the kernel of a Mac was found to do", () => {
  test("is told with what relies on it, but where it is as expected; what took long is told", () => {
    const lines = shown(
      diagnosis([finding("expected"), finding("harmless"), finding("weaker", { tookMs: 1_240 })], null),
    );
    const from = lines.indexOf("undocumented behavior of this kernel");
    expect(lines.slice(from + 1, from + 6)).toEqual([
      "  as expected  whether expected: yes",
      "  harmless     whether harmless: yes",
      "               sandbox: masks",
      "  WEAKER       whether weaker: yes (took 1.2 s)",
      "               sandbox: masks",
    ]);
    expect(lines.at(-2)).toBe("the sandbox works on this machine; `--attest` also tries attacks");
  });

  test("is in the JSON as it was found", () => {
    expect(diagnosisJson(diagnosis([finding("problem")], "x"))).toMatchObject({
      problem: "x",
      kernel: [finding("problem")],
    });
  });
});

test("a config that cannot be used has a next step", () => {
  const lines = shown(diagnosis([], null));
  const at = lines.findIndex((line) => /^config +cannot be used: none$/.test(line));
  expect(lines[at + 1]?.trim()).toBe("do: run `cofferdam check`");
});

test("the doctor says which home counts, why, what else is protected, and where trust lies", () => {
  const one = diagnosis([], null);
  const user = { ...one.host.user, home: absolutePath("/srv/ci"), listedHome: absolutePath("/home/ada") };
  const host = {
    ...one.host,
    user,
    env: { HOME: "/nowhere/at/all" },
    stateFolder: absolutePath("/srv/ci/.local/state/cofferdam"),
  };
  const lines = shown({ ...one, host }).map((line) => line.replace(/ +/g, " "));
  expect(lines).toContain(
    "home /srv/ci: from the user database; HOME is /nowhere/at/all, which does not exist",
  );
  expect(lines).toContain(" /home/ada is also protected");
  expect(lines).toContain("trust /srv/ci/.local/state/cofferdam/trust, one file for each trusted config");
  expect(diagnosisJson({ ...one, host })).toMatchObject({
    home: { path: "/srv/ci", others: ["/home/ada", "/nowhere/at/all"] },
    trustFolder: "/srv/ci/.local/state/cofferdam/trust",
  });
});
