import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const FILE = join(import.meta.dirname, "../../../docs/kernels.json");

/** Which runs a record tells of, in the order of the page. */
const Seen = z.strictObject({
  user: z.enum(["root", "person"]),
  kind: z.enum(["doctor", "selftest", "agreement", "limits"]),
  seen: z.string(),
});

/** What was found on one kernel, where all held. */
export const KernelRecord = z.strictObject({
  series: z.string(),
  /** The package and its version. */
  version: z.string(),
  /** What the machine itself said: see the end of `inside.sh`. */
  facts: z.record(z.string(), z.string()),
  seen: z.array(Seen).readonly(),
});
export type KernelRecord = z.infer<typeof KernelRecord>;

/** The kernels that `scripts/kernels` has seen last, each with everything holding. */
export function readRecord(): readonly KernelRecord[] {
  return existsSync(FILE) ? z.array(KernelRecord).parse(JSON.parse(readFileSync(FILE, "utf8"))) : [];
}

/** Puts a kernel in the place of the one of its series. */
export function writeRecord(record: KernelRecord): void {
  const others = readRecord().filter(({ series }) => series !== record.series);
  const all = [...others, record].toSorted((a, b) =>
    a.series.localeCompare(b.series, "en", { numeric: true }),
  );
  writeFileSync(FILE, `${JSON.stringify(all, null, 2)}\n`);
}

/** The lines `name=value` that a machine left. */
export function readFacts(out: string): Readonly<Record<string, string>> {
  const lines = readFileSync(join(out, "facts"), "utf8").trim().split("\n");
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}
