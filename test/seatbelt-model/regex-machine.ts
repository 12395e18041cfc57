import type { RegexNode, UnitSet } from "./regex-syntax.ts";

/** One step of a machine that reads a text: over a unit, past an end of the text, or on to several others at once. */
export type Step =
  | { readonly kind: "over"; readonly set: UnitSet; readonly to: number }
  | { readonly kind: "start" | "end"; readonly to: number }
  | { readonly kind: "fork"; readonly to: readonly number[] }
  | { readonly kind: "found" };

/** A machine: its steps, by their number, and the first. */
export interface Machine {
  readonly steps: readonly Step[];
  readonly first: number;
}

/** The machine of a regex, after Thompson: as many steps as the regex has signs. */
export function machineOf(regex: RegexNode, foldsCase: boolean): Machine {
  const steps: Step[] = [{ kind: "found" }];
  const add = (step: Step) => steps.push(step) - 1;

  function build(node: RegexNode, to: number): number {
    switch (node.kind) {
      case "set":
        return add({ kind: "over", set: foldsCase ? folded(node.set) : node.set, to });
      case "start":
      case "end":
        return add({ kind: node.kind, to });
      case "sequence":
        return node.of.reduceRight((next, one) => build(one, next), to);
      case "either":
        return add({ kind: "fork", to: node.of.map((one) => build(one, to)) });
      case "repeat": {
        if (!node.isMany) return add({ kind: "fork", to: [build(node.of, to), to] });
        const again: number[] = [to];
        const loop = add({ kind: "fork", to: again });
        const body = build(node.of, loop);
        again.push(body);
        return node.least === 1 ? body : loop;
      }
    }
  }

  return { steps, first: build(regex, 0) };
}

const CASE_GAP = 0x20;

/** The set with the ASCII letters of both cases for those of either. */
function folded({ ranges, isNegated }: UnitSet): UnitSet {
  const others = ranges.flatMap(([first, last]) => [
    ...shifted([Math.max(first, 0x41), Math.min(last, 0x5a)], CASE_GAP),
    ...shifted([Math.max(first, 0x61), Math.min(last, 0x7a)], -CASE_GAP),
  ]);
  return { ranges: [...ranges, ...others], isNegated };
}

function shifted([first, last]: readonly [number, number], by: number): (readonly [number, number])[] {
  return first <= last ? [[first + by, last + by]] : [];
}
