import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Kernel, LAX, LAX_BUT_LINKS, LIKELY, STRICT } from "./kernel.ts";
import { kernels } from "./kernels.ts";
import { macWith } from "./mac.ts";
import type { Judge } from "./perform.ts";
import { resolve } from "./resolve.ts";
import { runSequence } from "./run-sequence.ts";
import { pathsOn, type Stage, sequences, spelled } from "./sequences.ts";

const WORK = "/Users/me/work";
const mac = macWith([
  { path: `${WORK}/deep/caf\u00e9/secret`, kind: "file", bytes: "SECRET-DEEP" },
  { path: "/private/tmp/box", kind: "folder", owner: 501 },
]);
const SECRETS = [`${WORK}/.env`, `${WORK}/deep/caf\u00e9/secret`, "/Users/me/.ssh/id"];
const PROTECTED = [
  `${WORK}/.git/config`,
  `${WORK}/.git/hooks`,
  `${WORK}/.vscode/tasks.json`,
  "/Users/me/.zshrc",
];
const WRITABLE = [WORK, "/private/tmp/box"];
const stage: Stage = { writable: WRITABLE, targets: [...SECRETS, ...PROTECTED], names: ["a", "src", ".env"] };
const watch = { secrets: ["SECRET-"], protects: PROTECTED };

/** A path as no spelling hides it. */
const folded = (path: string): string =>
  path
    .replace(/^\/System\/Volumes\/Data\//i, "/")
    .normalize("NFD")
    .toLowerCase();

/** Which of a careful judge's rules hold. */
interface Care {
  readonly pins: boolean;
  readonly folds: boolean;
  readonly refusesLinks: boolean;
}
const CAREFUL: Care = { pins: true, folds: true, refusesLinks: true };

/** A judge written by hand: reads all but the secrets, writes in two folders but not what is protected. */
const judging = ({ pins, folds, refusesLinks }: Care): Judge => {
  const plain = folds ? folded : (path: string) => path;
  const isIn = (path: string, folder: string) => `${plain(path)}/`.startsWith(`${plain(folder)}/`);
  const isInAny = (path: string, folders: readonly string[]) => folders.some((folder) => isIn(path, folder));
  return ({ operation, path }) => {
    if (path === undefined) return true;
    if (operation === "file-link" || operation === "network-bind") return !refusesLinks;
    if (!operation.startsWith("file-write"))
      return operation === "file-read-metadata" || !isInAny(path, SECRETS);
    if (!isInAny(path, WRITABLE) || isInAny(path, PROTECTED)) return false;
    const moves = operation === "file-write-unlink" || operation === "file-write-create";
    return !(pins && moves && [...SECRETS, ...PROTECTED].some((kept) => isIn(kept, path)));
  };
};

/** True when random sequences find no way past a judge. */
const holds = (judge: Judge, kernel: fc.Arbitrary<Kernel>, numRuns: number): boolean => {
  const property = fc.property(sequences(stage), kernel, (calls, kernel) => {
    const { audit } = runSequence(mac, calls, judge, { kernel, watch });
    return audit.seen.length + audit.changed.length === 0;
  });
  return !fc.check(property, { numRuns, endOnFailure: true, seed: 7 }).failed;
};

describe("random sequences find no way", () => {
  test.each([
    ["strict", STRICT],
    ["likely", LIKELY],
    ["lax but about links", LAX_BUT_LINKS],
  ])("past a careful judge, under the kernel that is %s", (_which, kernel) => {
    expect(holds(judging(CAREFUL), fc.constant(kernel), 1000)).toBe(true);
  });

  test("past a careful judge, under any kernel that asks about what is linked or cloned", () => {
    const linkChecks = fc.constantFrom("source-only", "source-and-destination");
    const cloneChecks = fc.constantFrom("data", "clone", "clone-and-data");
    const asking = fc.record({ linkChecks, cloneChecks, clonesFolders: fc.constant(false) });
    const some = fc.tuple(kernels, asking).map(([kernel, asked]) => ({ ...kernel, ...asked }));
    expect(holds(judging(CAREFUL), some, 2000)).toBe(true);
  });
});

describe("random sequences find a way", () => {
  test.each([
    ["does not pin the folders above", { ...CAREFUL, pins: false }],
    ["knows one spelling", { ...CAREFUL, folds: false }],
    ["allows links", { ...CAREFUL, refusesLinks: false }],
  ])("past a judge that %s", (_which, care) => {
    expect(holds(judging(care), fc.constant(LIKELY), 5000)).toBe(false);
  });

  test("past every judge, under a kernel that asks nothing about a link's source", () => {
    expect(holds(judging(CAREFUL), fc.constant(LAX), 5000)).toBe(false);
  });
});

test("sequences are no longer than they may be", () => {
  fc.assert(fc.property(sequences(stage, 5), (calls) => calls.length > 0 && calls.length <= 5));
});

test("every way to spell a path leads to what the path leads to, or through a file, which fails", () => {
  const paths = fc.constantFrom(
    ...SECRETS,
    `${WORK}/src/main.c`,
    "/private/etc/hosts",
    "/private/tmp/box",
    "/opt/homebrew",
  );
  const both = paths.chain((path) => fc.tuple(fc.constant(path), spelled(path)));
  fc.assert(
    fc.property(both, ([path, text]) => {
      const [plain, other] = [resolve(mac, path, { asHost: true }), resolve(mac, text, { asHost: true })];
      expect(plain.kind).toBe("found");
      if (other.kind !== "fails")
        expect({ ...other, given: "", hops: [] }).toEqual({ ...plain, given: "", hops: [] });
      else expect(other.errno).toBe("ENOTDIR");
    }),
  );
});

test("what the kernel matches leads to the same place again, without a link on the way", () => {
  fc.assert(
    fc.property(pathsOn(stage), (text) => {
      const place = resolve(mac, text);
      if (place.kind === "fails") return;
      const again = resolve(mac, place.path, { follows: false });
      expect(again).toMatchObject({ kind: place.kind, path: place.path, hops: [] });
    }),
  );
});
