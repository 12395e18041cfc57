import { escapeInvisible } from "../../../src/errors.ts";
import { type AbsolutePath, isInside } from "../../../src/profile/path.ts";
import type { Profile } from "../../../src/profile/profile.ts";
import type { Judged, Scene } from "./judge.ts";
import type { Probe } from "./probe.ts";
import type { Tree } from "./tree.ts";

/** Everything that a reader needs to see why an act was judged as it was. */
export function describeScene({ tree, profile, plan }: Scene, judged: readonly Judged[]): string {
  const short = shortener(tree);
  const mounts = plan.clauses
    .filter((clause) => isInside(clause.path, tree.place))
    .map((clause) => clause.args.map(short).join(" "));
  return [
    `in ${tree.place}:`,
    ...judged.map(
      (one) =>
        `  ${one.verdict}: ${describeProbe(one.probe, short)} → ${one.kernel}, ${one.answer.status} ${one.answer.detail}`,
    ),
    ...describeProfile(profile, tree),
    `tree:${tree.things.map((thing) => ` ${short(thing.path)}${thing.kind === "folder" ? "/" : thing.kind === "link" ? `→${short(thing.content)}` : ""}${isUsual(thing.mode) ? "" : `(${thing.mode.toString(8)})`}`).join("")}`,
    ...(tree.bound === null ? [] : [`bound: ${short(tree.bound.source)} at ${short(tree.bound.point)}`]),
    ...mounts.map((mount) => `mount: ${mount}`),
    ...plan.approximations.map((one) => `approximation: ${one.name} at ${short(one.path)}`),
  ].join("\n");
}

/** What the profile says about the tree, one line each. */
export function describeProfile(profile: Profile, tree: Tree): readonly string[] {
  const short = shortener(tree);
  return [
    ...profile.files
      .filter((entry) => isInside(entry.path, tree.place))
      .map(
        (entry) =>
          `entry: ${short(entry.path)} ${entry.access}${entry.suffixes === "any" ? "" : ` ${entry.suffixes.join(",")}`}`,
      ),
    ...profile.masks.map(
      (mask) =>
        `mask: ${short(mask.pattern.text)} at most ${mask.atMost}${mask.ignoreCase ? ", in any case" : ""}`,
    ),
  ];
}

function describeProbe(probe: Probe, short: (path: string) => string): string {
  const more = "to" in probe ? ` to ${short(probe.to)}` : probe.op === "create" ? ` a ${probe.what}` : "";
  return `${probe.op} ${short(probe.path)}${more}${probe.via === null ? "" : ` via ${short(probe.via)}`}`;
}

function isUsual(mode: number): boolean {
  return mode === 0o644 || mode === 0o755 || mode === 0o777;
}

function shortener({ place }: { readonly place: AbsolutePath }): (path: string) => string {
  return (path) => escapeInvisible(path.replaceAll(`${place}/`, "")).replaceAll(" ", "\\u{20}");
}
