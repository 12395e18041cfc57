import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A process that never holds still: below the folder it is given, `dir` and `mid/deep` are folders and links to
 * `outside` in turn, `file` is a file and a link to a file there, and `mid` is now and then called otherwise. Says `.`
 * when it has begun, and ends with whoever started it.
 */
const [base = ""] = process.argv.slice(2);
const root = join(base, "root");
const outside = join(base, "outside");

for (const folder of ["dir", "mid/deep"]) {
  mkdirSync(join(root, folder), { recursive: true });
  for (const name of ["secret", "written", "victim"]) writeFileSync(join(root, folder, name), "inside");
  symlinkSync(outside, join(root, `${folder}.link`));
}
writeFileSync(join(root, "file"), "inside");

/** The link takes the folder's name, and then the folder has it back. */
function flip(folder: string): void {
  const path = join(root, folder);
  rename(path, `${path}.real`);
  rename(`${path}.link`, path);
  rename(path, `${path}.link`);
  rename(`${path}.real`, path);
}

/** A folder that somebody made where ours has just been goes, as often as they make it. */
function rename(from: string, to: string): void {
  for (;;) {
    try {
      renameSync(from, to);
      return;
    } catch {
      if (!existsSync(base)) process.exit();
    }
    try {
      rmSync(to, { recursive: true, force: true });
    } catch {
      // They made more in it meanwhile.
    }
  }
}

function put(name: string, make: (path: string) => void): void {
  const fresh = join(root, `${name}.fresh`);
  rmSync(fresh, { force: true });
  try {
    make(fresh);
  } catch {
    process.exit();
  }
  rename(fresh, join(root, name));
}

process.stdout.write(".");
const isOver = { value: false };
process.stdin.on("close", () => {
  isOver.value = true;
});
process.stdin.resume();

function round(): void {
  for (let at = 0; at < 50; at += 1) {
    flip("dir");
    flip("mid/deep");
    put("file", (path) => symlinkSync(join(outside, "secret"), path));
    put("file", (path) => writeFileSync(path, "inside"));
    rename(join(root, "mid"), join(root, "mid.moved"));
    rename(join(root, "mid.moved"), join(root, "mid"));
  }
  if (!isOver.value) setImmediate(round);
}
round();
