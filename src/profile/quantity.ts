import { z } from "zod";

const MILLISECONDS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
const BYTES = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 } as const;

/** 24 days: a timer of Node ends immediately when it is set to 2^31 ms or more. */
const MAX_MILLISECONDS = 24 * 24 * 3_600_000;

/** A time in a person's spelling: `500ms`, `60s`, `2m`, `1h`; above zero, at most 24 days. Parsed to milliseconds. */
export const Duration = quantity(
  MILLISECONDS,
  "a time is a number and a unit: `500ms`, `60s`, `2m`, `1h`",
).refine((time) => time >= 1 && time <= MAX_MILLISECONDS, "a time is at least `1ms` and at most `576h`");

const AGES = { h: 3_600_000, d: 24 * 3_600_000 } as const;
/** A hundred years. */
const MAX_AGE = 36_500 * AGES.d;

/** A maximum age in a person's spelling: `12h`, `90d`; at least an hour. Parsed to milliseconds. */
export const Age = quantity(AGES, "an age is a number and a unit: `12h`, `90d`").refine(
  (age) => age >= AGES.h && age <= MAX_AGE,
  "an age is at least `1h` and at most `36500d`",
);

/** A size in a person's spelling: `512KiB`, `2GiB`. Parsed to bytes. */
export const Size = quantity(BYTES, "a size is a number and a unit: `64KiB`, `256MiB`, `2GiB`");

/** A time in the largest unit that is exact. */
export function printDuration(milliseconds: number): string {
  return print(milliseconds, MILLISECONDS);
}

/** An age in the largest unit that is exact. */
export function printAge(milliseconds: number): string {
  return print(milliseconds, AGES);
}

/** A size in the largest unit that is exact. */
export function printSize(bytes: number): string {
  return print(bytes, BYTES);
}

function quantity(units: Readonly<Record<string, number>>, message: string) {
  return z.string().transform((text, context): number => {
    const [, count, unit = ""] = /^(\d{1,15})\s?([A-Za-z]+)$/.exec(text) ?? [];
    const factor = Object.hasOwn(units, unit) ? units[unit] : undefined;
    const value = Number(count) * (factor ?? Number.NaN);
    if (Number.isSafeInteger(value)) return value;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });
}

function print(value: number, units: Readonly<Record<string, number>>): string {
  const [unit, factor] = Object.entries(units).findLast(([, one]) => value >= one && value % one === 0) ?? [
    "",
    1,
  ];
  return unit === "" ? `0${Object.keys(units)[0] ?? ""}` : `${value / factor}${unit}`;
}
