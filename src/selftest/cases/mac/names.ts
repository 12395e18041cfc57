import { basename, dirname, join } from "node:path";
import { type Case, granted, on, outside, type Target } from "../../case.ts";
import { renamed } from "../changes.ts";
import { type Spellings, spelled } from "../spellings.ts";
import { kernelCall } from "./kernel-call.ts";

/** Why twins of other spellings may fail. */
const BY_CASE = "this disk tells names that differ in case apart";
const BY_ACCENT = "this disk tells the two spellings of an accented letter apart";
const BY_VOLUME = "the kernel asks about this spelling as it is, and rules give nothing by it";

/** Names that the battery's profile masks on macOS, each spelled in one character, and the same otherwise. */
export const ACCENTED = { hidden: "caf\u00e9", missing: "n\u00e9w" } as const;
const DECOMPOSED = { hidden: "cafe\u0301", missing: "ne\u0301w" } as const;

/** Other names of the same files: links at the top, the data volume, doubled slashes, case, accents. */
export function ofNames(target: Target): readonly Case[] {
  const plain: Spellings = {
    "by /tmp and /var, without /private": (folder) => folder.replace(/^\/private(?=\/(?:tmp|var)\/)/, ""),
    "by doubled slashes": (folder) => folder.replaceAll("/", "//"),
    "by a detour through a link at the top": (folder) => `/tmp/..${folder.replace(/^\/private/, "")}`,
  };
  const byVolume: Spellings = {
    "by the data volume": (folder) => `/System/Volumes/Data${folder}`,
  };
  const byCase: Spellings = {
    "by another case of its folder's name": (folder) => join(dirname(folder), basename(folder).toUpperCase()),
  };
  const may = (twinMayFail: string, cases: readonly Omit<Case, "on">[]): readonly Omit<Case, "on">[] =>
    cases.map((one) => ({ ...one, twinMayFail }));
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

function ofCase({ ws }: Target): readonly Omit<Case, "on">[] {
  // Where it does not find the folder, the other spelling is another name, and nobody's.
  const folds = `[ -e ${ws}/INNER ]`;
  const reads: Readonly<Record<string, (folder: string) => string>> = {
    "a hidden file cannot be read by another case": (at) => `grep -q secret ${at}/HIDDEN`,
    "nor one that a wildcard hides": (at) => `grep -q secret ${at}/Hidden-By-Glob.KEY`,
    "nor once it was moved by another case": (at) =>
      `${renamed(`${at}/HIDDEN`, `${at}/seen`)} && grep -q secret ${at}/seen`,
    "nor what lies in a hidden folder": (at) => `grep -q secret ${at}/CLOSED/KEY`,
  };
  const changes: Readonly<Record<string, (folder: string) => string>> = {
    "a read-only file cannot be written by another case": (at) => `${folds} && echo x >> ${at}/LOCKED`,
    "nor one that a wildcard protects": (at) => `${folds} && echo x >> ${at}/By-Glob.LOCKED`,
    "nor one that lies deep, by its folder's": (at) => `${folds} && echo x >> ${at}/DEEP/A/locked`,
  };
  return [
    ...Object.entries(reads).map(([title, line], at) => ({
      claim: "fs.read" as const,
      title,
      attack: line(ws),
      twin: granted(line(`${ws}/free/${at}`)),
    })),
    ...Object.entries(changes).map(([title, line], at) => ({
      claim: "fs.write" as const,
      title,
      attack: line(ws),
      twin: granted(line(`${ws}/free/${at + 4}`)),
    })),
    {
      claim: "fs.missing",
      title: "a missing name cannot be made by another case",
      attack: `${folds} && echo x > ${ws}/MISSING`,
      twin: granted(`${folds} && echo x > ${ws}/free/7/MISSING`),
    },
    {
      claim: "fs.rename",
      title: "the folder that holds a protected file cannot be moved away by another case",
      attack: `${folds} && ${renamed(`${ws}/DEEP`, `${ws}/shallow`)}`,
      twin: granted(`${folds} && ${renamed(`${ws}/free/8/DEEP`, `${ws}/free/8/shallow`)}`),
    },
    {
      claim: "git.exec",
      title: "the configuration of a repository cannot be written by another case",
      attack: `${folds} && echo x >> ${ws}/repository/.GIT/CONFIG`,
      twin: granted(
        `${folds} && mkdir -p ${ws}/free/9/git && : > ${ws}/free/9/git/config && echo x >> ${ws}/free/9/GIT/CONFIG`,
      ),
    },
  ];
}

function ofAccents({ ws }: Target): readonly Omit<Case, "on">[] {
  const read = (folder: string): string => `grep -q secret ${folder}/${DECOMPOSED.hidden}`;
  const make = (folder: string): string =>
    `echo x > ${folder}/${DECOMPOSED.missing} && [ -e ${folder}/${ACCENTED.missing} ]`;
  return [
    {
      claim: "fs.read",
      title: "a hidden file cannot be read by the other spelling of an accent",
      attack: read(ws),
      twin: granted(read(`${ws}/free/10`)),
    },
    {
      claim: "fs.missing",
      title: "a missing name cannot be made by the other spelling of an accent",
      attack: make(ws),
      twin: granted(make(`${ws}/free/10`)),
    },
  ];
}

/** What gives a file another name, or its bytes: twins are outside, because no file has a second name inside. */
function ofLinks({ ws, outside: elsewhere }: Target): readonly Omit<Case, "on">[] {
  const linked = (from: string, name: string): string =>
    `ln ${from} ${ws}/${name} && grep -q secret ${ws}/${name}`;
  const cloned = (from: string, to: string): string =>
    `${kernelCall("clonefileat", from, to)} && grep -q secret ${to}`;
  const swapped = (one: string, other: string): string =>
    `echo x > ${other}; ${kernelCall("renameatx_np", one, other)}`;
  return [
    {
      claim: "fs.read",
      title: "a file outside cannot be given a name inside",
      attack: linked(`${elsewhere}/canary`, "canary-hard"),
      twin: outside(linked(`${ws}/inner/canary`, "inner-hard")),
    },
    {
      claim: "fs.read",
      title: "a file outside cannot be cloned into a root",
      attack: cloned(`${elsewhere}/canary`, `${ws}/canary-clone`),
      twin: outside(cloned(`${ws}/inner/canary`, `${ws}/inner-clone`)),
      twinMayFail: "this disk does not clone files",
    },
    {
      claim: "fs.read",
      title: "a hidden file cannot be cloned",
      attack: cloned(`${ws}/hidden`, `${ws}/hidden-clone`),
      twin: outside(cloned(`${ws}/free/11/hidden`, `${ws}/free/11/hidden-clone`)),
      twinMayFail: "this disk does not clone files",
    },
    {
      claim: "fs.read",
      title: "nor the folder that one lies in",
      attack: `${kernelCall("clonefileat", ws, `${ws}-clone`)} || { ${kernelCall("clonefileat", `${ws}/closed`, `${ws}/closed-clone`)} && grep -q secret ${ws}/closed-clone/key; }`,
      twin: outside(
        `${kernelCall("clonefileat", `${ws}/free/11/closed`, `${ws}/free/11/closed-clone`)} && grep -q secret ${ws}/free/11/closed-clone/key`,
      ),
      twinMayFail: "this disk does not clone folders",
    },
    {
      claim: "fs.rename",
      title: "a read-only file cannot be exchanged for another",
      attack: swapped(`${ws}/locked`, `${ws}/other-locked`),
      twin: outside(swapped(`${ws}/free/12/locked`, `${ws}/free/12/other-locked`)),
      twinMayFail: "this disk does not exchange files",
    },
    {
      claim: "fs.rename",
      title: "nor the folder that holds one",
      attack: `mkdir -p ${ws}/decoy; ${kernelCall("renameatx_np", `${ws}/decoy`, `${ws}/deep`)}`,
      twin: outside(
        `mkdir -p ${ws}/free/12/decoy; ${kernelCall("renameatx_np", `${ws}/free/12/decoy`, `${ws}/free/12/deep`)}`,
      ),
      twinMayFail: "this disk does not exchange files",
    },
  ];
}

function ofAttributes({ ws }: Target): readonly Omit<Case, "on">[] {
  const flagged = (file: string): string => `chflags hidden ${file} && chflags nohidden ${file}`;
  const marked = (file: string): string => `xattr -w org.example.selftest x ${file}`;
  return [
    {
      claim: "fs.write",
      title: "a read-only file cannot be given flags",
      attack: flagged(`${ws}/locked`),
      twin: granted(flagged(`${ws}/free/13/locked`)),
    },
    {
      claim: "fs.write",
      title: "a read-only file cannot be given an extended attribute",
      attack: marked(`${ws}/locked`),
      twin: granted(marked(`${ws}/free/13/locked`)),
      twinMayFail: "what sets one is written in a language that is not shown inside",
    },
  ];
}
