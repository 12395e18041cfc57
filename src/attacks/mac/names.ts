import { type Attack, type AttackTarget, granted, on, outside, type Row, row } from "../attack.ts";
import { renamed } from "../changes.ts";
import { type Spellings, spelled } from "../spellings.ts";
import { kernelCall } from "./kernel-call.ts";

/** The reason why controls of other spellings may fail. */
const BY_CASE = "this disk distinguishes names that differ in case";
const BY_ACCENT = "this disk distinguishes the two spellings of an accented letter";
const BY_VOLUME = "the kernel checks this spelling as it is, and no rule allows it";

/** Names that the selftest's profile masks on macOS, each spelled in one character, and the same otherwise. */
export const ACCENTED = { hidden: "caf\u00e9", missing: "n\u00e9w" } as const;
const DECOMPOSED = { hidden: "cafe\u0301", missing: "ne\u0301w" } as const;

/** Other names of the same files: links at the top, the data volume, doubled slashes, case, accents. */
export function ofNames(target: AttackTarget): readonly Attack[] {
  const plain: Spellings = {
    "by /tmp and /var, without /private": (folder) => folder.replace(/^\/private(?=\/(?:tmp|var)\/)/, ""),
    "by doubled slashes": (folder) => folder.replaceAll("/", "//"),
    "by a detour through a link at the top": (folder) => `/tmp/..${folder.replace(/^\/private/, "")}`,
  };
  const byVolume: Spellings = { "by the data volume": (folder) => `/System/Volumes/Data${folder}` };
  const byCase: Spellings = {
    "by another case of its folder's name": (folder) =>
      folder.replace(/[^/]*$/, (name) => name.toUpperCase()),
  };
  const may = (controlMayFail: string, cases: readonly Row[]): readonly Row[] =>
    cases.map((one) => ({ ...one, controlMayFail }));
  return on("darwin", [
    ...spelled(plain, target),
    ...may(BY_VOLUME, spelled(byVolume, target)),
    ...may(BY_CASE, spelled(byCase, target)),
    ...may(BY_CASE, ofCase(target)),
    ...may(BY_ACCENT, ofAccents(target)),
    ...ofLinks(target),
    ...ofAttributes(target),
  ]);
}

function ofCase({ ws }: AttackTarget): readonly Row[] {
  // If it does not find the folder, the other spelling is another, unused name.
  const folds = `[ -e ${ws}/INNER ]`;
  const reads: Readonly<Record<string, (folder: string) => string>> = {
    "a hidden file cannot be read by its name in another case": (at) => `grep -q secret ${at}/HIDDEN`,
    "a file that a wildcard hides cannot be read by its name in another case": (at) =>
      `grep -q secret ${at}/Hidden-By-Glob.KEY`,
    "a hidden file cannot be read after a move by its name in another case": (at) =>
      `${renamed(`${at}/HIDDEN`, `${at}/seen`)} && grep -q secret ${at}/seen`,
    "a file in a hidden folder cannot be read by its path in another case": (at) =>
      `grep -q secret ${at}/CLOSED/KEY`,
  };
  const changes: Readonly<Record<string, (folder: string) => string>> = {
    "a read-only file cannot be written by its name in another case": (at) =>
      `${folds} && echo x >> ${at}/LOCKED`,
    "a file that a wildcard protects cannot be written by its name in another case": (at) =>
      `${folds} && echo x >> ${at}/By-Glob.LOCKED`,
    "a deep read-only file cannot be written by its folder's name in another case": (at) =>
      `${folds} && echo x >> ${at}/DEEP/A/locked`,
  };
  return [
    ...Object.entries(reads).map(([title, line], at) => ({
      claim: "fs.read" as const,
      title,
      line: line(ws),
      control: granted(line(`${ws}/free/${at}`)),
    })),
    ...Object.entries(changes).map(([title, line], at) => ({
      claim: "fs.write" as const,
      title,
      line: line(ws),
      control: granted(line(`${ws}/free/${at + 4}`)),
    })),
    row(
      "fs.missing",
      "a missing name cannot be created in another case",
      `${folds} && echo x > ${ws}/MISSING`,
      granted(`${folds} && echo x > ${ws}/free/7/MISSING`),
    ),
    row(
      "fs.rename",
      "the folder of a protected file cannot be moved by its name in another case",
      `${folds} && ${renamed(`${ws}/DEEP`, `${ws}/shallow`)}`,
      granted(`${folds} && ${renamed(`${ws}/free/8/DEEP`, `${ws}/free/8/shallow`)}`),
    ),
    row(
      "git.exec",
      "the configuration of a repository cannot be written by its name in another case",
      `${folds} && echo x >> ${ws}/repository/.GIT/CONFIG`,
      granted(
        `${folds} && mkdir -p ${ws}/free/9/git && : > ${ws}/free/9/git/config && echo x >> ${ws}/free/9/GIT/CONFIG`,
      ),
    ),
  ];
}

function ofAccents({ ws }: AttackTarget): readonly Row[] {
  const read = (folder: string): string => `grep -q secret ${folder}/${DECOMPOSED.hidden}`;
  const make = (folder: string): string =>
    `echo x > ${folder}/${DECOMPOSED.missing} && [ -e ${folder}/${ACCENTED.missing} ]`;
  return [
    row(
      "fs.read",
      "a hidden file cannot be read by the other spelling of an accent",
      read(ws),
      granted(read(`${ws}/free/10`)),
    ),
    row(
      "fs.missing",
      "a missing name cannot be created with the other spelling of an accent",
      make(ws),
      granted(make(`${ws}/free/10`)),
    ),
  ];
}

/** Attacks by another name or copy of a file: controls are outside, because no file has a second name inside. */
function ofLinks({ ws, outside: elsewhere }: AttackTarget): readonly Row[] {
  const linked = (from: string, name: string): string =>
    `ln ${from} ${ws}/${name} && grep -q secret ${ws}/${name}`;
  const cloned = (from: string, to: string): string =>
    `${kernelCall("clonefileat", from, to)} && grep -q secret ${to}`;
  const swapped = (one: string, other: string): string =>
    `echo x > ${other}; ${kernelCall("renameatx_np", one, other)}`;
  return [
    row(
      "fs.read",
      "a file outside cannot be linked into a root",
      linked(`${elsewhere}/canary`, "canary-hard"),
      outside(linked(`${ws}/inner/canary`, "inner-hard")),
    ),
    row(
      "fs.read",
      "a file outside cannot be cloned into a root",
      cloned(`${elsewhere}/canary`, `${ws}/canary-clone`),
      outside(cloned(`${ws}/inner/canary`, `${ws}/inner-clone`)),
      { controlMayFail: "this disk does not clone files" },
    ),
    row(
      "fs.read",
      "a hidden file cannot be cloned",
      cloned(`${ws}/hidden`, `${ws}/hidden-clone`),
      outside(cloned(`${ws}/free/11/hidden`, `${ws}/free/11/hidden-clone`)),
      { controlMayFail: "this disk does not clone files" },
    ),
    row(
      "fs.read",
      "the folder of a hidden file cannot be cloned",
      `${kernelCall("clonefileat", ws, `${ws}-clone`)} || { ${kernelCall("clonefileat", `${ws}/closed`, `${ws}/closed-clone`)} && grep -q secret ${ws}/closed-clone/key; }`,
      outside(
        `${kernelCall("clonefileat", `${ws}/free/11/closed`, `${ws}/free/11/closed-clone`)} && grep -q secret ${ws}/free/11/closed-clone/key`,
      ),
      { controlMayFail: "this disk does not clone folders" },
    ),
    row(
      "fs.rename",
      "a read-only file cannot be exchanged for another",
      swapped(`${ws}/locked`, `${ws}/other-locked`),
      outside(swapped(`${ws}/free/12/locked`, `${ws}/free/12/other-locked`)),
      { controlMayFail: "this disk does not exchange files" },
    ),
    row(
      "fs.rename",
      "the folder of a read-only file cannot be exchanged for another",
      `mkdir -p ${ws}/decoy; ${kernelCall("renameatx_np", `${ws}/decoy`, `${ws}/deep`)}`,
      outside(
        `mkdir -p ${ws}/free/12/decoy; ${kernelCall("renameatx_np", `${ws}/free/12/decoy`, `${ws}/free/12/deep`)}`,
      ),
      { controlMayFail: "this disk does not exchange files" },
    ),
  ];
}

function ofAttributes({ ws }: AttackTarget): readonly Row[] {
  const flagged = (file: string): string => `chflags hidden ${file} && chflags nohidden ${file}`;
  const marked = (file: string): string => `xattr -w org.example.selftest x ${file}`;
  return [
    row(
      "fs.write",
      "a read-only file cannot be given flags",
      flagged(`${ws}/locked`),
      granted(flagged(`${ws}/free/13/locked`)),
    ),
    row(
      "fs.write",
      "a read-only file cannot be given an extended attribute",
      marked(`${ws}/locked`),
      granted(marked(`${ws}/free/13/locked`)),
      { controlMayFail: "its interpreter is not in the sandbox" },
    ),
  ];
}
