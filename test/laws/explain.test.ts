import fc from "fast-check";
import { describe, expect } from "vitest";
import type { Position } from "../../src/errors.ts";
import { isAtMost } from "../../src/profile/access.ts";
import { accessTo, type PathFacts, type PathRuling, pathRuler } from "../../src/profile/access-to.ts";
import { DEVICE_GROUPS } from "../../src/profile/devices.ts";
import { coversEnv } from "../../src/profile/env-pattern.ts";
import {
  clauseKey,
  type Explanation,
  entryKey,
  explain,
  type Layer,
  maskKey,
  type ProfileQuestion,
} from "../../src/profile/explain.ts";
import { intersectAll } from "../../src/profile/intersect.ts";
import { MACOS_GROUPS } from "../../src/profile/macos.ts";
import { reaches } from "../../src/profile/network.ts";
import { type AbsolutePath, isInside, parentOf } from "../../src/profile/path.ts";
import { isPortIn } from "../../src/profile/ports.ts";
import { indexEntries, nearestEntry, type Profile } from "../../src/profile/profile.ts";
import { mayConnect, mayConnectAbstract } from "../../src/profile/sockets.ts";
import { SYSCALL_GROUPS } from "../../src/profile/syscalls.ts";
import { PORTS, type Probe, pair, probes, profile } from "../support/generate.ts";
import { law } from "./law.ts";

type Explain = (layers: readonly [Layer, ...Layer[]], question: ProfileQuestion) => Explanation;

describe("explain", () => {
  law(
    "says what the meet of the layers says, and names a layer that says it by itself, with the place of its clause",
    (explaining: Explain) =>
      fc.property(pair, profile, probes, ([a, b], c, asked) => {
        const layers = [layer("need", a), layer("user", b), layer("machine", c)] as const;
        const met = intersectAll([a, b, c]);
        for (const question of asked.flatMap(questions)) {
          const { allowed, decidedBy } = explaining(layers, question);
          const decider = layers.find((one) => one.name === decidedBy.layer);
          expect([question, allowed, decidedBy.allowed]).toEqual([question, allows(met, question), allowed]);
          expect([question, decider !== undefined && allows(decider.profile, question)]).toEqual([
            question,
            allowed,
          ]);
          if (question.ask !== "read" && question.ask !== "write") continue;
          expect(decidedBy.access).toBe(accessTo(met, question.path, question.facts));
          const ruling =
            decider === undefined ? null : pathRuler(decider.profile)(question.path, question.facts);
          expect(decidedBy.at).toEqual(
            ruling === null ? null : (decider?.sources.get(clauseKey(ruling.clause)) ?? null),
          );
        }
      }),
    explain,
    {
      "asks the first layer alone": ([first], question) => explain([first], question),
      "lets the last layer decide": (layers, question) => ({
        ...explain(layers, question),
        decidedBy: explain([layers.at(-1) ?? layers[0]], question).decidedBy,
      }),
      "allows what one layer allows": (layers, question) => {
        const found = explain(layers, question);
        return { ...found, allowed: found.layers.some((one) => one.allowed) };
      },
      "names the first layer": (layers, question) => {
        const found = explain(layers, question);
        return { ...found, decidedBy: { ...found.decidedBy, layer: layers[0].name } };
      },
      "gives the place of the first layer's clause": (layers, question) => {
        const found = explain(layers, question);
        return {
          ...found,
          decidedBy: { ...found.decidedBy, at: explain([layers[0]], question).decidedBy.at },
        };
      },
      "tells write from read nowhere": (layers, question) =>
        explain(layers, question.ask === "write" ? { ...question, ask: "read" } : question),
      "takes a name away without asking its folder": (layers, question) =>
        explain(layers, question.ask === "remove" ? { ...question, ask: "write" } : question),
    },
  );

  law(
    "names the clause that decides: the nearest entry, or masks without which the path has what the entry gives",
    (ruling: Ruling) =>
      fc.property(profile, probes, (a, asked) => {
        for (const { path } of asked) {
          const { access, clause } = ruling(a, path.path, path.facts);
          expect(access).toBe(accessTo(a, path.path, path.facts));
          const nearest = nearestEntry(indexEntries(a.files), path.path);
          const bare = accessTo({ ...a, masks: [] }, path.path, path.facts);
          if (clause.kind === "entry") expect([clause.entry, access]).toEqual([nearest, nearest.access]);
          if (clause.kind === "suffix")
            expect([clause.entry, access, bare]).toEqual([nearest, "none", "none"]);
          if (clause.kind === "unlisted")
            expect([a.files.some((entry) => isInside(path.path, entry.path)), access]).toEqual([
              false,
              "none",
            ]);
          if (clause.kind === "mask") {
            expect([clause.mask.atMost, isAtMost(bare, access)]).toEqual([access, false]);
            expect(withoutNamed(ruling, a, path.path, path.facts)).toBe(bare);
          }
        }
      }),
    (a, path, facts) => pathRuler(a)(path, facts),
    {
      "names the entry when a mask caps it": (a, path, facts) => ({
        access: accessTo(a, path, facts),
        clause: { kind: "entry", entry: nearestEntry(indexEntries(a.files), path) },
      }),
      "names the first mask there is": (a, path, facts) => {
        const [ruled, mask] = [pathRuler(a)(path, facts), a.masks[0]];
        return ruled.clause.kind === "mask" && mask !== undefined
          ? { ...ruled, clause: { kind: "mask", mask } }
          : ruled;
      },
      "names the first entry above": (a, path, facts) => {
        const [ruled, entry] = [pathRuler(a)(path, facts), a.files.find((one) => isInside(path, one.path))];
        return ruled.clause.kind === "entry" && entry !== undefined
          ? { ...ruled, clause: { kind: "entry", entry } }
          : ruled;
      },
      "takes what a suffix list leaves out for unlisted": (a, path, facts) => {
        const ruled = pathRuler(a)(path, facts);
        return ruled.clause.kind === "suffix" ? { ...ruled, clause: { kind: "unlisted" } } : ruled;
      },
    },
  );
});

type Ruling = (profile: Profile, path: AbsolutePath, facts: PathFacts) => PathRuling;

/** The access when every mask that is named is taken away, one after the other. */
function withoutNamed(ruling: Ruling, from: Profile, path: AbsolutePath, facts: PathFacts): unknown {
  const { access, clause } = ruling(from, path, facts);
  if (clause.kind !== "mask") return access;
  const masks = from.masks.filter((mask) => mask !== clause.mask);
  return masks.length === from.masks.length
    ? "names a mask that is not there"
    : withoutNamed(ruling, { ...from, masks }, path, facts);
}

/** A layer in which every clause stands on a line of its own. */
function layer(name: string, from: Profile): Layer {
  const keys = [
    "files",
    "network",
    "sockets",
    "env",
    "syscalls",
    "devices",
    "macos",
    "ports",
    ...from.files.map((entry) => entryKey(entry.path)),
    ...from.masks.map(maskKey),
  ];
  const place = (line: number): Position => ({ file: `${name}.yaml`, line, column: 1 });
  return { name, profile: from, sources: new Map(keys.map((key, at) => [key, place(at + 1)])) };
}

function questions({ path, target, socket, name }: Probe): readonly ProfileQuestion[] {
  return [
    { ask: "read", ...path },
    { ask: "write", ...path },
    { ask: "remove", ...path },
    { ask: "rename", ...path },
    { ask: "connect", target },
    { ask: "socket", path: socket },
    { ask: "abstract", name },
    { ask: "env", name },
    ...SYSCALL_GROUPS.map((group) => ({ ask: "syscalls", group }) as const),
    ...DEVICE_GROUPS.map((group) => ({ ask: "devices", group }) as const),
    ...MACOS_GROUPS.map((group) => ({ ask: "macos", group }) as const),
    ...[...PORTS, 4444].map((port) => ({ ask: "port", port }) as const),
  ];
}

function allows(from: Profile, question: ProfileQuestion): boolean {
  switch (question.ask) {
    case "read":
    case "write":
      return isAtMost(question.ask, accessTo(from, question.path, question.facts));
    case "remove":
    case "rename": {
      const folder = accessTo(from, parentOf(question.path), { kind: "folder", bornInside: false });
      return accessTo(from, question.path, question.facts) === "write" && folder === "write";
    }
    case "connect":
      return reaches(from.network, question.target);
    case "socket":
      return mayConnect(from.sockets, question.path);
    case "abstract":
      return mayConnectAbstract(from.sockets, from.network);
    case "env":
      return coversEnv(from.env, question.name);
    case "syscalls":
      return from.syscalls.includes(question.group);
    case "devices":
      return from.devices.includes(question.group);
    case "macos":
      return from.macos.includes(question.group);
    case "port":
      return isPortIn(from.ports, question.port);
  }
}
