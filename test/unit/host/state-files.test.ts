import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { explainFull, inFolder, remember, writeWhole } from "../../../src/host/launch/state-files.ts";
import { absolutePath, joinPath } from "../../../src/profile/path.ts";

function folderOfItsOwn() {
  const folder = mkdtempSync(join(tmpdir(), "cofferdam-state-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return absolutePath(folder);
}

test.each([
  ["what is written whole", writeWhole, "EISDIR"],
  ["what is only remembered", remember, null],
] as const)("%s and can't get its name leaves nothing beside it", (_, write, code) => {
  const folder = folderOfItsOwn();
  const [free, taken] = [joinPath(folder, "free"), joinPath(folder, "taken")];
  mkdirSync(taken);
  write(free, "text");
  expect(readFileSync(free, "utf8")).toBe("text");
  const act = (): void => write(taken, "text");
  if (code === null) expect(act).not.toThrow();
  else expect(act).toThrow(expect.objectContaining({ code }));
  expect(readdirSync(folder).toSorted()).toEqual(["free", "taken"]);
});

test.each(["ENOSPC", "EDQUOT"])("a full disk is told by what is kept there: %s", (code) => {
  const folder = folderOfItsOwn();
  const throwing = (of: string) => () =>
    inFolder(folder, () => {
      throw Object.assign(new Error(of), { code: of });
    });
  expect(throwing(code)).toThrow(
    expect.objectContaining({
      code: "SANDBOX_UNAVAILABLE",
      message: `no space is left on the disk for \`${folder}\`: ${code}`,
    }),
  );
  expect(throwing("EIO")).toThrow(expect.objectContaining({ code: "EIO" }));
  const other = new Error("no error of the system's");
  expect(explainFull(other, folder)).toBe(other);
});
