import { spawnSync } from "node:child_process";
import { program32 } from "./elf.ts";
import { CALLER } from "./people.ts";
import { Place } from "./place.ts";

/** Why no program of another ABI can be tried here, or null. */
export const no32Bit = whyNo32Bit();

function whyNo32Bit(): string | null {
  if (process.platform !== "linux" || process.arch !== "x64") return "the only such program here is x86's";
  using place = new Place(CALLER);
  const file = place.file("program32", program32(), 0o755);
  return spawnSync(file).status === 7 ? null : "this kernel runs no 32-bit programs";
}
