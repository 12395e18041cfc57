import { knownPath } from "../../../src/profile/path.ts";
import { normalProfile, type ProfileParts } from "../../../src/profile/profile.ts";
import { CALL, CALL_PARAMETERS, caseOf, type MacCase } from "../../support/mac/mac-case.ts";
import { entry, masks } from "../../support/mac/machine.ts";
import type { Query } from "../query.ts";

/** A case that was once answered wrongly. It is asked before any random one. */
export interface Kept {
  /** What went wrong. */
  readonly says: string;
  readonly given: MacCase;
  readonly query: Query;
  readonly answer: "yes" | "no";
}

const W = "/Users/ada/w";
const file = (operation: string, path: string): Query => ({ operation, path, vnode: "REGULAR-FILE" });
const onMac = (
  parts: ProfileParts,
  {
    foldsCase,
    existing = [],
    hasGiven = false,
  }: { readonly foldsCase: boolean; readonly existing?: readonly string[]; readonly hasGiven?: boolean },
): MacCase =>
  caseOf(normalProfile(parts), [{ point: knownPath("/"), foldsCase }], existing.map(knownPath), hasGiven);

const stateHidden = {
  files: [entry("/Users/ada", "write"), entry("/Users/ada/.local/state/cofferdam", "none")],
};
const stateMasked = { files: [entry(W, "write")], masks: masks("**", "none") };

/** All of them; one stays when the generator of cases changes, for it is the case that is kept, not how it was drawn. */
export const CORPUS: readonly Kept[] = [
  {
    says: "a regex for what lies below a root knew one spelling of the root, and the root's own filter any",
    given: onMac({ files: [entry(W, "write")], masks: masks(`${W}/*.md`, "none") }, { foldsCase: true }),
    query: file("file-read-data", "/Users/ada/W/x.md"),
    answer: "no",
  },
  {
    says: "the content of a folder that is held was given also where its name in another case is hidden",
    given: onMac(
      { files: [entry(W, "write")], masks: [...masks("**/A", "none"), ...masks(`${W}/a/x`, "read")] },
      { foldsCase: false },
    ),
    query: file("file-write-data", `${W}/A`),
    answer: "no",
  },
  {
    says: "the same beside what may only be read",
    given: onMac(
      { files: [entry(W, "write")], masks: [...masks("**/[A]", "read"), ...masks(`${W}/a/x`, "none")] },
      { foldsCase: false },
    ),
    query: file("file-write-mode", `${W}/A`),
    answer: "no",
  },
  {
    says: "the content of a folder that is held was given and denied at once where it is another spelling of an entry",
    given: onMac(
      { files: [entry(W, "write"), entry(`${W}/A`, "read")], masks: masks(`${W}/a/x`, "none") },
      { foldsCase: true },
    ),
    query: file("file-write-data", `${W}/a`),
    answer: "no",
  },
  {
    says: "the same where the volume tells the two spellings apart, and a kernel may not",
    given: onMac(
      {
        files: [entry(W, "write"), entry(`${W}/A`, "write", [])],
        masks: masks("**/x.md", "none", true),
      },
      { foldsCase: false, existing: [`${W}/a/b/x.md`] },
    ),
    query: file("file-write-mode", `${W}/A`),
    answer: "no",
  },
  {
    says: "a folder that is held could be moved, where the first rule counts, by another spelling of the root around it",
    given: onMac(
      {
        files: [entry("/Users/ada", "write", []), entry("/Users/ada/.local", "none"), entry(W, "write")],
        masks: masks("/Users/ada/W/a/a", "read", true),
      },
      { foldsCase: true },
    ),
    query: file("file-write-unlink", "/Users/ada/W/a"),
    answer: "no",
  },
  {
    says: "what is hidden could be read by another spelling of an entry above it that gives no less than what surrounds it",
    given: onMac(
      { files: [entry(W, "read"), entry(`${W}/a`, "write"), entry(`${W}/a/b`, "none")] },
      { foldsCase: true },
    ),
    query: file("file-read-data", `${W}/A/b`),
    answer: "no",
  },
  {
    says: "what must not be one letter was given in its other case, where case does not count",
    given: onMac({ files: [entry(W, "write")], masks: masks(`${W}/[!a]`, "read") }, { foldsCase: true }),
    query: file("file-write-data", `${W}/A`),
    answer: "no",
  },
  {
    says: "the call's place for temporary files was denied by the entry that hides the folder of all calls",
    given: onMac(stateHidden, { foldsCase: true }),
    query: file("file-write-create", `${CALL_PARAMETERS.get("TMP")}/a`),
    answer: "yes",
  },
  {
    says: "the call's HOME was denied by the entry that hides the folder of all calls",
    given: onMac(stateHidden, { foldsCase: true }),
    query: file("file-read-data", `${CALL_PARAMETERS.get("HOME")}/a`),
    answer: "yes",
  },
  {
    says: "beside the call's places the folder of all calls stays hidden",
    given: onMac(stateHidden, { foldsCase: true }),
    query: file("file-read-data", `${CALL}/canary`),
    answer: "no",
  },
  {
    says: "what is handed over by its bytes was denied by a mask that covers the folder of all calls",
    given: onMac(stateMasked, { foldsCase: true, hasGiven: true }),
    query: file("file-read-data", `${CALL}/given/program`),
    answer: "yes",
  },
  {
    says: "a hidden name that no text can spell could be read by another spelling of the root around it",
    given: onMac({ files: [entry(`${W}/A`, "write"), entry(`${W}/A/\u00e9`, "none")] }, { foldsCase: true }),
    query: file("file-read-data", `${W}/a/\u00e9`),
    answer: "no",
  },
  {
    says: "it was denied by an entry that hides the folder of all calls",
    given: onMac(stateHidden, { foldsCase: true, hasGiven: true }),
    query: file("file-read-data", `${CALL}/given/program`),
    answer: "yes",
  },
  {
    says: "a root on the data volume that is joined to nothing was given and denied at once",
    given: onMac({ files: [entry("/System/Volumes/Data/data/app", "write")] }, { foldsCase: true }),
    query: file("file-write-data", "/System/Volumes/Data/data/app/x"),
    answer: "yes",
  },
  {
    says: "a glob folded by the volume that it begins on, and not by the one on which it matches",
    given: caseOf(
      normalProfile({
        files: [entry("/Volumes/D/w", "write")],
        masks: masks("/Volumes/*/w/secret", "none"),
      }),
      [
        { point: knownPath("/"), foldsCase: false },
        { point: knownPath("/Volumes/D"), foldsCase: true },
      ],
      [],
      false,
    ),
    query: file("file-read-data", "/Volumes/D/w/SECRET"),
    answer: "no",
  },
];
