import { CofferdamError } from "../errors.ts";
import { type AbsolutePath, knownPath } from "../profile/path.ts";
import { exactTest, parsePatterns } from "../profile/pattern.ts";
import { WorkerFault } from "./faults.ts";

/** A test for paths below a folder: `*.ts` matches at any depth, `/*.ts` in it, null all. Throws `BAD_PATTERN`. */
export function globTest(glob: string | null, folder: AbsolutePath): (path: AbsolutePath) => boolean {
  if (glob === null) return () => true;
  const tests = parse(glob, folder).map((pattern) => exactTest(pattern, false));
  const length = folder === "/" ? 0 : folder.length;
  return (path) => {
    const within = knownPath(path.slice(length));
    return tests.some((test) => test(within));
  };
}

function parse(glob: string, folder: AbsolutePath): ReturnType<typeof parsePatterns> {
  try {
    return parsePatterns(glob);
  } catch (error) {
    if (error instanceof CofferdamError) throw new WorkerFault("BAD_PATTERN", folder, error.message);
    throw error;
  }
}
