import { PassThrough } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CofferdamError } from "../../../src/errors.ts";
import { reportSizes, sizeLine } from "../../../src/host/launch/window.ts";

test("a size is told as rows and columns, and one that no terminal has is refused", () => {
  const count = fc.integer({ min: 1, max: 65_535 });
  fc.assert(
    fc.property(count, count, (columns, rows) => sizeLine({ columns, rows }) === `${rows} ${columns}\n`),
  );
  const bad = fc.oneof(
    fc.double().filter((one) => !Number.isInteger(one) || one < 1 || one > 65_535),
    fc.constantFrom(0, -1, 65_536, Number.NaN, Number.POSITIVE_INFINITY),
  );
  const refusal = { code: "USAGE", hint: "write whole numbers from 1 to 65535" };
  fc.assert(
    fc.property(bad, count, (wrong, right) => {
      for (const size of [
        { columns: wrong, rows: right },
        { columns: right, rows: wrong },
      ])
        expect(() => sizeLine(size)).toThrow(expect.objectContaining(refusal));
    }),
  );
  expect(() => sizeLine({ columns: 0, rows: 3 })).toThrow(CofferdamError);
});

test("sizes are told at the start and at each change, and no longer than that", () => {
  const sizes = new PassThrough();
  let [rows, changed] = [24, (): void => undefined];
  let isHeard = true;
  const told = reportSizes(
    {
      size: () => ({ columns: 80, rows }),
      onResize: (listener) => {
        changed = listener;
        return () => {
          isHeard = false;
        };
      },
    },
    sizes,
    true,
  );
  rows = 30;
  changed();
  told[Symbol.dispose]();
  expect([String(sizes.read()), isHeard]).toEqual(["24 80 typed\n30 80\n", false]);
  reportSizes({ size: () => ({ columns: 80, rows }) }, sizes, false)[Symbol.dispose]();
  expect(String(sizes.read())).toBe("30 80\n");
});
