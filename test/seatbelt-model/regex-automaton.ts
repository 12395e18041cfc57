import type { Machine } from "./regex-machine.ts";
import type { UnitSet } from "./regex-syntax.ts";

/** Where a machine may be after what it has read. */
interface State {
  /** The steps that may come next: those over a unit, and those past the end. */
  readonly waiting: readonly number[];
  /** What is known of the text whatever else it has; null when that counts. */
  readonly verdict: boolean | null;
  /** True when the text matches if it ends here. */
  readonly isFoundAtEnd: boolean;
  readonly next: (State | undefined)[];
}

/** When as many states as this are known, they are forgotten: time stays linear, and memory bounded. */
const MAX_STATES = 2_000;

/** A function that says whether a machine finds its regex anywhere in a text of units; it makes states as it needs them. */
export function searcherOf(machine: Machine): (units: readonly number[]) => boolean {
  const { samples, small, classOf } = classesOf(machine);
  const states = new Map<string, State>();
  const first = stateOf([machine.first], true);

  function stateOf(from: readonly number[], isStart: boolean): State {
    const { waiting, isFound } = reached(machine, from, isStart, false);
    const isFoundAtEnd = isFound || reached(machine, from, isStart, true).isFound;
    const key = `${isFound}${isFoundAtEnd}${waiting.join()}`;
    const known = states.get(key);
    if (known !== undefined) return known;
    if (states.size >= MAX_STATES) states.clear();
    const verdict = isFound || (waiting.length === 0 ? false : null);
    const state: State = { waiting, verdict, isFoundAtEnd, next: [] };
    states.set(key, state);
    return state;
  }

  function after(state: State, unitClass: number): State {
    const sample = samples[unitClass] ?? 0;
    const targets = state.waiting.flatMap((number) => {
      const step = machine.steps[number];
      return step?.kind === "over" && has(step.set, sample) ? [step.to] : [];
    });
    return stateOf([...targets, machine.first], false);
  }

  return (units) => {
    let state = first;
    for (const unit of units) {
      if (state.verdict !== null) return state.verdict;
      const unitClass = small[unit] ?? classOf(unit);
      state = state.next[unitClass] ??= after(state, unitClass);
    }
    return state.isFoundAtEnd;
  };
}

/** The steps to which a machine comes without reading: past `^` only at the start, past `$` only at the end. */
function reached(machine: Machine, from: readonly number[], isStart: boolean, isEnd: boolean) {
  const seen = new Set<number>();
  const waiting: number[] = [];
  const left = [...from];
  for (let number = left.pop(); number !== undefined; number = left.pop()) {
    const step = machine.steps[number];
    if (step === undefined || seen.has(number)) continue;
    seen.add(number);
    if (step.kind === "over" || step.kind === "end") waiting.push(number);
    if (step.kind === "fork") left.push(...step.to);
    else if (step.kind === "start" && isStart) left.push(step.to);
    else if (step.kind === "end" && isEnd) left.push(step.to);
  }
  return { waiting: waiting.toSorted((a, b) => a - b), isFound: seen.has(0) };
}

function has({ ranges, isNegated }: UnitSet, unit: number): boolean {
  return ranges.some(([first, last]) => unit >= first && unit <= last) !== isNegated;
}

/** The units fall into classes that no set tells apart: each begins where some range begins or has ended. */
function classesOf(machine: Machine) {
  const borders = new Set([0]);
  for (const step of machine.steps) {
    if (step.kind !== "over") continue;
    for (const [first, last] of step.set.ranges) borders.add(first).add(last + 1);
  }
  const samples = [...borders].toSorted((a, b) => a - b);
  const classOf = (unit: number) => samples.findLastIndex((border) => border <= unit);
  const small = Array.from({ length: 0x100 }, (_, unit) => classOf(unit));
  return { samples, small, classOf };
}
