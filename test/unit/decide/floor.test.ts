import { expect, test } from "vitest";
import { ACCEPTS, SOCKETS_IN_ROOTS, TRACED } from "../../../src/backend/bubblewrap/enforcement.ts";
import {
  type Enforcement,
  type EnforcementReport,
  PROTECTIONS,
  type Protection,
} from "../../../src/backend/plan.ts";
import {
  ACCEPTS as BEHIND_RULES,
  MAY_BE_LEFT,
  NOT_BY_NUMBER,
} from "../../../src/backend/seatbelt/start-program.ts";
import { belowFloor } from "../../../src/decide/floor.ts";
import { CLOSED, OPEN, type Profile } from "../../../src/profile/profile.ts";

const ENFORCED: Enforcement = { kind: "enforced" };
const WHOLE: EnforcementReport = {
  files: ENFORCED,
  network: ENFORCED,
  sockets: { kind: "partial", reason: SOCKETS_IN_ROOTS },
  processes: ENFORCED,
  capabilities: ENFORCED,
  syscalls: ENFORCED,
  terminal: ENFORCED,
  environment: ENFORCED,
  descriptors: ENFORCED,
  limits: ENFORCED,
};

function below(changed: Partial<EnforcementReport>, profile: Profile): readonly Protection[] {
  return belowFloor({ ...WHOLE, ...changed }, profile, { accepts: ACCEPTS }).map(
    ({ protection }) => protection,
  );
}

test("what is absent stands below the floor, but for the terminal and for limits that are not strict", () => {
  const absent: Enforcement = { kind: "absent", reason: "r" };
  const missed = PROTECTIONS.filter((one) => below({ [one]: absent }, { ...CLOSED, limits: {} }).length > 0);
  expect(missed).toEqual(PROTECTIONS.filter((one) => one !== "terminal" && one !== "limits"));
  expect(below({ limits: absent }, { ...CLOSED, limits: { strict: true } })).toEqual(["limits"]);
});

test("system calls are enforced, or stand at partial for the tracing that the profile asks for", () => {
  const traced: Enforcement = { kind: "partial", reason: `${TRACED}: and so on` };
  const asking: Profile = { ...CLOSED, syscalls: ["debug"] };
  expect(below({ syscalls: traced }, asking)).toEqual([]);
  expect(below({ syscalls: traced }, CLOSED)).toEqual(["syscalls"]);
  expect(below({ syscalls: traced }, { ...CLOSED, syscalls: ["abi32"] })).toEqual(["syscalls"]);
  expect(below({ syscalls: { kind: "partial", reason: "no filter" } }, asking)).toEqual(["syscalls"]);
  expect(below({ syscalls: { kind: "absent", reason: TRACED } }, OPEN)).toEqual(["syscalls"]);
});

test("each backend says for itself what may stand at partial", () => {
  const standings: EnforcementReport = {
    ...WHOLE,
    sockets: ENFORCED,
    processes: { kind: "partial", reason: `${MAY_BE_LEFT}; and so on` },
    syscalls: { kind: "partial", reason: NOT_BY_NUMBER },
  };
  const names = (accepts: typeof ACCEPTS): readonly Protection[] =>
    belowFloor(standings, CLOSED, { accepts }).map(({ protection }) => protection);
  expect(names(BEHIND_RULES)).toEqual([]);
  expect(names(ACCEPTS)).toEqual(["processes", "syscalls"]);
});
