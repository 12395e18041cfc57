import { expect, test } from "vitest";
import { explainLayers } from "../../../src/decide/explain-layers.ts";
import type { Layer } from "../../../src/profile/explain.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { normalProfile } from "../../../src/profile/profile.ts";

const layer = (name: string, access: "none" | "read" | "write"): Layer => ({
  name,
  profile: normalProfile({
    files: access === "none" ? [] : [{ path: knownPath("/w"), access, suffixes: "any" }],
  }),
  sources: new Map(),
});
const decidedBy = (...layers: readonly [Layer, ...Layer[]]): string =>
  explainLayers(layers, {
    ask: "write",
    path: knownPath("/w/a"),
    facts: { kind: "file", bornInside: false },
  }).decidedBy.layer;

test("where the config denies an act, another profile that denies it too decides: changing the config would not help", () => {
  expect(decidedBy(layer("config", "none"), layer("strict", "read"))).toBe("strict");
  expect(decidedBy(layer("config", "none"), layer("strict", "write"))).toBe("config");
  expect(decidedBy(layer("config", "write"), layer("strict", "read"))).toBe("strict");
  expect(decidedBy(layer("config", "none"), layer("sandbox", "none"))).toBe("config");
});
