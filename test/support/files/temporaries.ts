import { existsSync, readdirSync } from "node:fs";
import { TEMPORARY } from "../../../src/tool/files/protocol.ts";
import type { Place } from "../battery/place.ts";

/** The temporaries of writes that are in a folder. */
export function temporariesIn(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => name.startsWith(TEMPORARY));
}

/** Where sessions wrote down that they make some. */
export function recordsOf({ state }: Place): readonly string[] {
  const folder = `${state}/cofferdam/temporaries`;
  return existsSync(folder) ? readdirSync(folder) : [];
}
