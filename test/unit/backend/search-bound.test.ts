import { describe, expect, it, test } from "vitest";
import { renderBubblewrap } from "../../../src/backend/bubblewrap/render.ts";
import type { Facts, Unsearched } from "../../../src/backend/facts.ts";
import type { Rendering } from "../../../src/backend/plan.ts";
import { renderSeatbelt } from "../../../src/backend/seatbelt/render.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { parsePatterns } from "../../../src/profile/pattern.ts";
import { type FileEntry, type Mask, normalProfile, type Profile } from "../../../src/profile/profile.ts";
import type { ProgramStart } from "../../../src/tool/launch.ts";
import { fakedFacts } from "../../support/faked-facts.ts";
import { macFacts } from "../../support/mac/mac-case.ts";

const grant = (path: string, access: FileEntry["access"] = "write"): FileEntry => ({
  path: absolutePath(path),
  access,
  suffixes: "any",
});
const mask = (text: string, atMost: Mask["atMost"]): readonly Mask[] =>
  parsePatterns(text).map((pattern) => ({ pattern, atMost, ignoreCase: false }));
const passed = (
  path: string,
  over: Unsearched["over"],
  bound: Unsearched["bound"] = { kind: "entries", max: 200_000 },
): Unsearched => ({ path: absolutePath(path), bound, over });

const LAUNCH: ProgramStart = { argv: [absolutePath("/usr/bin/true")], cwd: absolutePath("/w"), env: {} };
const TREE = ["/w/", "/w/sub/", "/other/"];

const { mac } = macFacts();

describe.each<[string, typeof renderBubblewrap, Pick<Facts, "mac">]>([
  ["bubblewrap", renderBubblewrap, { mac: null }],
  ["seatbelt", renderSeatbelt, { mac }],
])("%s", (_, render, platform) => {
  const profile = (masks: readonly Mask[]): Profile =>
    normalProfile({ files: [grant("/usr", "read"), grant("/w"), grant("/other")], masks });
  const rendered = (masks: readonly Mask[], ...unsearched: readonly Unsearched[]): Rendering =>
    render(profile(masks), LAUNCH, fakedFacts(TREE, { unsearched, ...platform }));

  it("refuses what could not be searched, names it, the bound and what to do", () => {
    expect(rendered(mask("**/.envrc", "read"), passed("/w", "refuse"))).toEqual({
      kind: "refusal",
      refusal: {
        field: "masks",
        reason: "/w contains more than 200000 entries, too many to search for protected files",
        remedy: "narrow the root, raise `sandbox.search.entries`, or write `over: read-only` there",
      },
    });
    expect(rendered([], passed("/w", "refuse", { kind: "time", maxMs: 2_000 }))).toEqual({
      kind: "refusal",
      refusal: {
        field: "files",
        reason: "/w could not be searched for protected files within 2s of processor time",
        remedy: "narrow the root, raise `sandbox.search.time`, or write `over: read-only` there",
      },
    });
    const bound = { kind: "silence", maxMs: 30_000, folder: absolutePath("/w/far") } as const;
    expect(rendered([], passed("/w", "refuse", bound))).toEqual({
      kind: "refusal",
      refusal: {
        field: "files",
        reason: "/w could not be searched for protected files: the folder `/w/far` did not answer for 30s",
        remedy: "narrow the root, check why `/w/far` does not answer, or write `over: read-only` there",
      },
    });
  });

  it("makes it read-only where the config says so, and tells", () => {
    const rendering = rendered(mask("**/.envrc", "read"), passed("/w", "read-only"));
    if (rendering.kind === "refusal") throw new Error(rendering.refusal.reason);
    expect(rendering.plan.approximations).toContainEqual({
      name: "search-bound",
      path: "/w",
      reason:
        "/w contains more than 200000 entries, too many to search for protected files, so it is read-only",
    });
  });

  it("refuses what a glob hides there, whatever the config says: it could be read", () => {
    expect(rendered(mask("**/.env", "none"), passed("/w", "read-only"))).toEqual({
      kind: "refusal",
      refusal: {
        field: "masks",
        reason:
          "/w contains more than 200000 entries, too many to search for protected files, and /**/.env must hide all matching files",
        remedy: "begin the pattern with its folder, narrow the root, or raise `sandbox.search.entries`",
      },
    });
  });

  it("takes no notice of what the profile needs no search for", () => {
    const whole = rendered(mask("/other/**/.env", "none"));
    expect(rendered(mask("/other/**/.env", "none"), passed("/usr", "refuse"))).toEqual(whole);
  });
});

test("bubblewrap mounts it read-only, and what lies in it; others stay as they are", () => {
  const files = [grant("/usr", "read"), grant("/w"), grant("/other"), grant("/w/sub/deep")];
  const profile = normalProfile({
    files: [...files, grant("/w/sub", "read")],
    masks: mask("**/.envrc", "read"),
  });
  const facts = fakedFacts([...TREE, "/w/sub/deep/"], { unsearched: [passed("/w", "read-only")] });
  const rendering = renderBubblewrap(profile, LAUNCH, facts);
  if (rendering.kind === "refusal") throw new Error(rendering.refusal.reason);
  const { clauses, enforcement } = rendering.plan;
  expect(clauses.filter(({ path }) => path !== "/usr")).toEqual([
    { path: "/other", args: ["--bind", "/other", "/other"] },
    { path: "/w", args: ["--ro-bind", "/w", "/w"] },
  ]);
  expect(enforcement.files).toEqual({ kind: "tighter", reason: "search-bound" });
});
