import { describe, expect, test } from "vitest";
import { type ShelterNeeds, shelter } from "../../../src/backend/bubblewrap/shelter.ts";
import type { MountPlan, Plan } from "../../../src/backend/plan.ts";
import { absolutePath } from "../../../src/profile/path.ts";

const [BWRAP, STATE] = [absolutePath("/usr/bin/bwrap"), absolutePath("/state/devices")];
const PLAN = {
  backend: "bubblewrap",
  file: BWRAP,
  argv: ["--args", "3", "--", "/bin/sh", "-c", ":"],
  inputs: [
    { fd: 3, bytes: new Uint8Array() },
    { fd: 8, device: "/dev/null" },
  ],
  kind: "mounts",
  startFd: 6,
  launchers: 1,
  expects: { mounts: [], namespaces: [], hasSeccomp: true, descriptors: [0, 1, 2, 6], environment: [] },
} satisfies Partial<MountPlan>;
const plan = (): Plan => Object.assign(Object.create(null), PLAN);
const needs = (
  writable: readonly string[],
  options: readonly string[],
  devices: ShelterNeeds["devices"],
): ShelterNeeds => ({
  writable: writable.map((path) => absolutePath(path)),
  launcher: { path: BWRAP, options: new Set(options) },
  devices,
  deviceNodes: [],
});

/** The outer launcher's options, one a line where one begins. */
function optionsOf({ inputs }: Plan): string {
  const input = inputs.find(({ fd }) => fd === 9);
  const text = input !== undefined && "bytes" in input ? Buffer.from(input.bytes).toString() : "";
  return text.replace(/\0(?=--|$)/g, "\n").replaceAll("\0", " ");
}

describe("a shelter", () => {
  test("shows all of the host read-only but the writable folders, by descriptor, and devices that stay devices", () => {
    const made = shelter(plan(), needs(["/w/b", "/w", "/x"], ["bind-fd"], { kind: "host" }));
    expect(optionsOf(made)).toBe(`--unshare-user
--unshare-pid
--as-pid-1
--die-with-parent
--ro-bind / /
--bind /proc /proc
--dev-bind /dev/null /dev/null
--dev-bind /dev/zero /dev/zero
--dev-bind /dev/full /dev/full
--dev-bind /dev/random /dev/random
--dev-bind /dev/urandom /dev/urandom
--dev-bind /dev/tty /dev/tty
--bind-fd 10 /w
--bind-fd 11 /x
`);
    expect(made.inputs.slice(-2)).toEqual([
      { fd: 10, folder: "/w" },
      { fd: 11, folder: "/x" },
    ]);
    expect(made).toMatchObject({
      file: BWRAP,
      argv: ["--args", "9", "--", BWRAP, ...PLAN.argv],
      launchers: 2,
    });
  });

  test("binds them by path where the launcher takes no descriptor, and the nodes that were made for tools too", () => {
    const made = shelter(plan(), needs(["/w"], [], { kind: "made", folder: STATE }));
    expect(optionsOf(made)).toMatch(
      /--dev-bind \/state\/devices\/tty \/state\/devices\/tty\n--bind \/w \/w\n$/,
    );
    expect(made.inputs).toHaveLength(PLAN.inputs.length + 1);
  });

  test("takes no descriptor that the start program or the program has", () => {
    const withSizes = Object.assign(plan(), { expects: { ...PLAN.expects, descriptors: [0, 1, 2, 6, 9] } });
    const made = shelter(withSizes, needs(["/w"], ["bind-fd"], { kind: "host" }));
    expect(made.argv.slice(0, 2)).toEqual(["--args", "10"]);
    expect(made.inputs.map(({ fd }) => fd)).toEqual([3, 8, 10, 11]);
  });

  test("of a plan that is never started is that plan", () => {
    const never: Plan = Object.assign(plan(), { kind: "rules" });
    expect(shelter(never, needs(["/w"], [], { kind: "host" }))).toBe(never);
  });
});
