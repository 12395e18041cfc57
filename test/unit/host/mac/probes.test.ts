import { expect, test } from "vitest";
import { renderSeatbelt } from "../../../../src/backend/seatbelt/render.ts";
import { probesFor } from "../../../../src/host/launch/mac/probes/all.ts";
import { interpret } from "../../../../src/host/launch/mac/probes/probe.ts";
import { GUARDED, NAMED } from "../../../../src/host/launch/mac/probes/system.ts";
import { MACOS_GROUPS } from "../../../../src/profile/macos.ts";
import { knownPath } from "../../../../src/profile/path.ts";
import { literalPattern } from "../../../../src/profile/pattern.ts";
import { normalProfile } from "../../../../src/profile/profile.ts";
import { macFacts } from "../../../support/mac/mac-case.ts";

const PROBES = probesFor("192.168.1.20");

test("every operation that rules name is among those that are asked about", () => {
  const profile = normalProfile({
    files: [
      { path: knownPath("/Users/me/work"), access: "write", suffixes: "any" },
      { path: knownPath("/Users/me/notes"), access: "write", suffixes: [".md"] },
    ],
    masks: [{ pattern: literalPattern(knownPath("/Users/me/work/.env")), atMost: "none", ignoreCase: true }],
    network: "host",
    sockets: "any",
    syscalls: ["debug"],
    macos: [...MACOS_GROUPS],
  });
  const launch = { argv: [knownPath("/usr/bin/true")], cwd: knownPath("/"), env: {}, given: [] } as const;
  const rendering = renderSeatbelt(profile, launch, macFacts());
  if (rendering.kind !== "plan" || rendering.plan.kind === "mounts")
    throw new Error(JSON.stringify(rendering));
  const { text } = rendering.plan.rules;
  const [guarded, others] = [text.match(/^\(if .*$/gm) ?? [], text.replace(/^\(if .*$/gm, "")];
  const asked = guarded.map((line) => /defined\? '(\S+)\)/.exec(line)?.[1] ?? line);
  const named = [...others.matchAll(/^\((?:allow|deny) ([a-z0-9* -]+)/gm)].flatMap(([, words = ""]) =>
    words.trim().split(" "),
  );
  expect(asked.filter((one) => !GUARDED.some((known) => known === one))).toEqual([]);
  expect(GUARDED.filter((one) => !asked.includes(one))).toEqual([]);
  expect([...new Set(named)].sort()).toEqual(["default", ...NAMED].sort());
});

test("an act that was not tried is told, and its probe has found nothing", () => {
  const probe = PROBES.find(({ id }) => id === "swap");
  expect(
    probe === undefined
      ? null
      : interpret(
          probe,
          new Map([
            ["for it", "not-tried"],
            ["it for another", "refused"],
          ]),
        ),
  ).toMatchObject({ value: "not-tried", standing: "not-tried", says: "not tried here: for it" });
});

test("no two probes have one name, and each says what relies on it", () => {
  const ids = PROBES.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
  expect(PROBES.filter(({ relies, asks }) => relies === "" || asks === "")).toEqual([]);
  for (const { trials } of PROBES) {
    const acts = trials.flatMap((trial) => Object.keys(trial.acts));
    expect(acts).toEqual([...new Set(acts)]);
  }
});
