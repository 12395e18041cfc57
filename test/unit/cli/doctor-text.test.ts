import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { type Diagnosis, diagnosisJson, showDiagnosis } from "../../../src/cli/doctor-text.ts";
import { Print } from "../../../src/cli/print.ts";
import { CofferdamError } from "../../../src/errors.ts";
import { thisHost } from "../../../src/host/host.ts";
import type { Probed } from "../../../src/host/mac/probes/run.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { macFacts } from "../../sbpl/support/mac-case.ts";

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
    battery: null,
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
    const from = lines.indexOf("what this kernel does, where that is not written down");
    expect(lines.slice(from + 1, from + 6)).toEqual([
      "  as expected  whether expected: yes",
      "  harmless     whether harmless: yes",
      "               walls: masks",
      "  WEAKER       whether weaker: yes (took 1.2 s)",
      "               walls: masks",
    ]);
    expect(lines.at(-2)).toBe("the walls can be had here; `--attest` tries attacks on them");
  });

  test("is in the JSON as it was found", () => {
    expect(diagnosisJson(diagnosis([finding("problem")], "x"))).toMatchObject({
      problem: "x",
      kernel: [finding("problem")],
    });
  });
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
    "home /srv/ci: the user database says so; HOME is /nowhere/at/all, which is not there",
  );
  expect(lines).toContain(" /home/ada is protected as well");
  expect(lines).toContain("trust /srv/ci/.local/state/cofferdam/trust, one file for each trusted config");
  expect(diagnosisJson({ ...one, host })).toMatchObject({
    home: { path: "/srv/ci", others: ["/home/ada", "/nowhere/at/all"] },
    trustFolder: "/srv/ci/.local/state/cofferdam/trust",
  });
});
