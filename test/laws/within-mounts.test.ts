import fc from "fast-check";
import { expect } from "vitest";
import { transitions } from "../../src/backend/bubblewrap/transitions.ts";
import { withinMounts } from "../../src/backend/bubblewrap/within-mounts.ts";
import { isAtMost } from "../../src/profile/access.ts";
import { accessTo } from "../../src/profile/access-to.ts";
import { type AbsolutePath, absolutePath, isInside, upwards } from "../../src/profile/path.ts";
import { literalPattern, parsePatterns } from "../../src/profile/pattern.ts";
import { normalProfile, type Profile } from "../../src/profile/profile.ts";
import { fakedFacts } from "../support/faked-facts.ts";
import { law } from "./law.ts";

const [ROOT, GRANT] = [absolutePath("/w"), absolutePath("/w/a/grant")];

/** Folders of a root, each with how many files a mask covers, read-only or hidden; perhaps a folder that is granted for itself. */
const crowd = fc
  .record({
    counts: fc.array(fc.tuple(fc.constantFrom("a", "a/b", "a/b/c", "d", "d/e", "."), fc.nat(6)), {
      maxLength: 6,
    }),
    atMost: fc.constantFrom("read", "none"),
    hasGrant: fc.boolean(),
    max: fc.integer({ min: 4, max: 12 }),
  })
  .map(({ counts, atMost, hasGrant, max }) => {
    const hits = counts.flatMap(([folder, count], which) =>
      Array.from({ length: count }, (_, at) => absolutePath(`/w/${folder}/${which}.${at}.key`)),
    );
    const profile = normalProfile({
      sockets: [],
      files: [
        { path: absolutePath("/usr"), access: "read", suffixes: "any" },
        { path: ROOT, access: "write", suffixes: "any" },
        ...(hasGrant ? ([{ path: GRANT, access: "read", suffixes: "any" }] as const) : []),
      ],
      masks: parsePatterns("**/*.key").map((pattern) => ({ pattern, atMost, ignoreCase: false })),
    });
    const folders = new Set([...hits, GRANT].flatMap((path) => [...upwards(path)].slice(1)));
    const tree = [
      ...[...folders].filter((path) => isInside(path, ROOT)).map((path) => `${path}/`),
      `${GRANT}/`,
    ];
    return { profile, facts: fakedFacts([...tree, ...hits], { hits }), hits, max, hasGrant };
  });

function probesFor(hits: readonly AbsolutePath[]): readonly AbsolutePath[] {
  return [...hits, ...["a/x", "a/b/x", "d/x", "x", "a/grant/x"].map((name) => absolutePath(`/w/${name}`))];
}

law(
  "folders are closed until the mounts are few enough: nothing is more than the profile gives, and no granted folder is closed",
  (within: typeof withinMounts) =>
    fc.property(crowd, ({ profile, facts, hits, max, hasGrant }) => {
      const left = within(profile, facts, max);
      if ("reason" in left) throw new Error(left.reason);
      const before = transitions(profile, facts);
      if ("reason" in before) throw new Error(before.reason);
      const closed = left.limits.map(({ path }) => path);
      if (before.changes.length <= max) expect(closed).toEqual([]);
      if (left.found.changes.length > max)
        for (const folder of ["a/b", "a/b/c", "d", "d/e"].map((name) => absolutePath(`/w/${name}`)))
          expect(
            left.found.changes.filter(({ path }) => path !== folder && isInside(path, folder)).length,
          ).toBeLessThan(2);
      for (const path of probesFor(hits)) {
        const asked = { kind: "file", bornInside: false } as const;
        const [now, was] = [accessTo(left.profile, path, asked), accessTo(profile, path, asked)];
        expect(isAtMost(now, was)).toBe(true);
        if (!closed.some((folder) => isInside(path, folder))) expect(now).toBe(was);
      }
      for (const folder of hasGrant ? [ROOT, GRANT] : [ROOT])
        expect(closed.some((one) => isInside(folder, one))).toBe(false);
    }),
  withinMounts,
  {
    "closes the root": (profile, facts, max) => {
      const left = withinMounts(profile, facts, max);
      if ("reason" in left || left.limits.length === 0) return left;
      return { ...left, limits: left.limits.map((limit) => ({ ...limit, path: ROOT })) };
    },
    "opens what it closes": (profile, facts, max) => {
      const left = withinMounts(profile, facts, max);
      if ("reason" in left || left.limits.length === 0) return left;
      return { ...left, profile: normalProfile({ ...left.profile, masks: [] }) };
    },
    "closes without a word": (profile: Profile, facts, max) => {
      const left = withinMounts(profile, facts, max);
      const masks = [
        ...profile.masks,
        { pattern: literalPattern(absolutePath("/w/d")), atMost: "read", ignoreCase: false } as const,
      ];
      return "reason" in left ? left : { ...left, profile: normalProfile({ ...profile, masks }) };
    },
  },
);
