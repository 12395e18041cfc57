import { expect, test } from "vitest";
import type { HostMount } from "../../../src/backend/facts.ts";
import type { ExpectedMount } from "../../../src/backend/plan.ts";
import { mountDiscrepancies, printMissing, unprotectedPoints } from "../../../src/host/launch/proof.ts";
import { absolutePath } from "../../../src/profile/path.ts";

const planned = (point: string, change: Partial<ExpectedMount> = {}): ExpectedMount => ({
  point: absolutePath(point),
  readOnly: true,
  type: null,
  source: null,
  optional: false,
  hides: false,
  ...change,
});

const seen = (point: string, readOnly: boolean): HostMount => ({
  point: absolutePath(point),
  device: "8:1",
  root: point,
  type: "ext4",
  readOnly,
});

const EXPECTED = [
  planned("/"),
  planned("/w", { readOnly: false }),
  planned("/w/.git/config"),
  planned("/w/.env", { hides: true }),
  planned("/w/tmp", { readOnly: false }),
  planned("/w/may", { optional: true }),
  planned("/ro/part"),
];
const SEEN = [seen("/", true), seen("/w", false)];

test("what lost its mount could be written where what lies around it can, and was to be read-only and not hidden", () => {
  expect(unprotectedPoints(EXPECTED, SEEN)).toEqual(["/w/.git/config"]);
  const missing = mountDiscrepancies(EXPECTED, SEEN).map(({ message }) => message);
  expect(missing).toEqual(
    ["/w/.git/config", "/w/.env", "/w/tmp", "/ro/part"].map((at) => printMissing(absolutePath(at))),
  );
});

test("what is mounted as planned lost nothing, and what a later mount covers is as that one is", () => {
  const all = [...SEEN, seen("/w/.git/config", true)];
  expect(unprotectedPoints(EXPECTED, all)).toEqual([]);
  expect(unprotectedPoints(EXPECTED, [...all, seen("/w/.git", false)])).toEqual(["/w/.git/config"]);
  expect(unprotectedPoints(EXPECTED, [...all, seen("/w/.git", true)])).toEqual([]);
});
