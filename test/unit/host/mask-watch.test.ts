import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HostMount } from "../../../src/backend/facts.ts";
import type { ExpectedMount } from "../../../src/backend/plan.ts";
import { uncoveredPoints } from "../../../src/host/launch/mask-watch.ts";
import { absolutePath } from "../../../src/profile/path.ts";

/** A mount that hides, as planned and as the kernel lists it: files by one file for all, folders by a device of their own. */
const mount = (point: string, device: string, root: string): HostMount => ({
  point: absolutePath(point),
  device,
  root,
  type: device === "8:1" ? "ext4" : "tmpfs",
  readOnly: true,
});
const file = (point: string): HostMount => mount(point, "8:1", "/state/empty");
const folder = (point: string, device: string): HostMount => mount(point, device, "/");
const planned = (point: string, hides = true): ExpectedMount => ({
  point: absolutePath(point),
  readOnly: true,
  type: null,
  source: null,
  optional: false,
  hides,
});

const PROVEN = [file("/w/a/.env"), file("/w/b/.env"), folder("/w/secrets", "0:31"), file("/w/fixed")];
const EXPECTED = ["/w/a/.env", "/w/b/.env", "/w/secrets"].map((point) => planned(point));
const without = (...points: readonly string[]) => PROVEN.filter(({ point }) => !points.includes(point));

describe("what hid something", () => {
  test.each<[what: string, now: readonly HostMount[], uncovered: readonly string[]]>([
    ["and is as it was hides", PROVEN, []],
    ["and is gone does not", without("/w/a/.env"), ["/w/a/.env"]],
    ["of a folder and is gone does not", without("/w/secrets"), ["/w/secrets"]],
    ["and moved with its folder still does", [...without("/w/a/.env"), file("/w/c/.env")], []],
    [
      "and moved, while another is gone",
      [...without("/w/a/.env", "/w/b/.env"), file("/w/c/.env")],
      ["/w/a/.env", "/w/b/.env"],
    ],
    ["is not told of a mount that only keeps from writing", without("/w/fixed"), []],
    [
      "under a mount that came upon the same point is told",
      [...without("/w/secrets"), folder("/w/secrets", "0:99")],
      ["/w/secrets"],
    ],
  ])("%s", (_what, now, uncovered) => {
    const expected = [...EXPECTED, planned("/w/fixed", false)];
    expect(uncoveredPoints(expected, PROVEN, now)).toEqual(uncovered);
  });

  test("is told exactly when it is gone, whatever is gone", () => {
    fc.assert(
      fc.property(fc.subarray(PROVEN), (now) => {
        const gone = EXPECTED.filter(({ point }) => !now.some((one) => one.point === point));
        const isFewer = (device: string): boolean => {
          const count = (all: readonly HostMount[]): number =>
            all.filter((one) => one.device === device).length;
          return count(now) < count(PROVEN);
        };
        const told = uncoveredPoints(EXPECTED, PROVEN, now);
        expect(told.every((point) => gone.some((one) => one.point === point))).toBe(true);
        if (isFewer("0:31")) expect(told).toContain("/w/secrets");
      }),
    );
  });
});
