import { beforeAll, describe, expect, it } from "vitest";
import { PEOPLE } from "../support/battery/people.ts";
import { probes } from "../support/battery/probes.ts";
import { type Answers, tryAll } from "../support/battery/try-all.ts";
import { noDevices, sandboxMustWork, unusable } from "../support/battery/walls.ts";

sandboxMustWork("the battery");

/** The claims are the same for everybody, wherever the folders are. */
const CLAIMS = probes({ ws: "/top/ws", outside: "/top/outside", pid: 1, word: "" });
const NO_CAPABILITY = "0000000000000000";

describe.skipIf(unusable !== null).each(PEOPLE)("inside, as $name", (person) => {
  let answers: Answers | null = null;
  beforeAll(async () => {
    answers = await tryAll(person);
  }, 120_000);

  it("priv: a process has no capability, can gain none, and is filtered", () => {
    expect(answers?.status).toEqual({
      CapInh: NO_CAPABILITY,
      CapPrm: NO_CAPABILITY,
      CapEff: NO_CAPABILITY,
      CapBnd: NO_CAPABILITY,
      CapAmb: NO_CAPABILITY,
      NoNewPrivs: "1",
      Seccomp: "2",
    });
  });

  for (const [index, { claim, isOpenWithoutDevices }] of CLAIMS.entries()) {
    const isOpen = isOpenWithoutDevices === true && person.uid === 0 && noDevices !== null;
    (isOpen ? it.fails : it)(claim, () => {
      expect(answers?.inside[index]).toBe("n");
      // Where the twin could not be tried, `tryAll` said why.
      expect(answers?.twins[index]).not.toBe("n");
    });
  }

  it("fs.write: after all of this the file outside is as it was", () => {
    expect(answers?.canary).toBe("secret\n");
  });
});
