import type { LiveProject } from "./project.ts";
import { configWith } from "./project.ts";

/** The roots that a config may let commands write, besides the one that they start in. */
export const ROOTS = ["a", "b", "c"] as const;
export type RootName = (typeof ROOTS)[number];

/** The content of a config: the roots that commands may write, and whether they may run at all. */
interface Said {
  readonly roots: readonly RootName[];
  readonly runs: boolean;
}

/**
 * The state of everything that decides, as sets: an oracle that knows nothing of profiles. `may` are the roots that a
 * call may write, or null if it may not run.
 */
export interface Deciding {
  /** The config of the file now; null if it can't be read. */
  readonly file: Said | null;
  /** The config that was trusted last. */
  readonly trusted: Said;
  /** `file` is what the trust record holds; or there is no record. */
  readonly trust: "of the file" | "of another" | "none";
  /** The roots that the operator profile leaves, and the commands that it lets run. */
  readonly operator: Said;
}

const ALL: Said = { roots: ROOTS, runs: true };

export const AT_START: Deciding = { file: ALL, trusted: ALL, trust: "of the file", operator: ALL };

/** The roots that a call may write; null if it may not run. */
export function may({ file, trusted, trust, operator }: Deciding): readonly RootName[] | null {
  if (file === null || trust === "none") return null;
  const applied = trust === "of the file" ? [file, operator] : [file, trusted, operator];
  if (!applied.every(({ runs }) => runs)) return null;
  return ROOTS.filter((root) => applied.every(({ roots }) => roots.includes(root)));
}

/** One change: what it does to the files, and the state after it. */
export interface Change {
  readonly name: string;
  readonly after: Deciding;
  readonly make: (project: LiveProject) => void;
}

/** A change from a state, by chance. */
export function changeFrom(state: Deciding, random: () => number): Change {
  const pick = <Value>(from: readonly Value[]): Value => {
    const value = from[Math.floor(random() * from.length)];
    if (value === undefined) throw new Error("nothing to pick from");
    return value;
  };
  const said: Said = { roots: ROOTS.filter(() => random() < 0.6), runs: random() < 0.85 };
  if (state.file === null || state.trust === "none") return restored(state);
  switch (
    pick(["write", "write", "trust", "trust", "apply", "apply", "operate", "operate", "break", "revoke"])
  ) {
    case "write":
      return {
        name: `write ${print(said)}`,
        after: { ...state, file: said, trusted: trustedNow(state), trust: "of another" },
        make: (project) => project.write(configOf(said)),
      };
    case "apply":
      return {
        name: `write and trust ${print(said)}`,
        // Between the two it is met with the one before, which the checker allows for by both states.
        after: { ...state, file: said, trusted: said, trust: "of the file" },
        make: (project) => project.apply(configOf(said)),
      };
    case "operate":
      return {
        name: `operator ${print(said)}`,
        after: { ...state, operator: said },
        make: (project) => project.operate("live.yaml", operatorOf(said)),
      };
    case "break":
      return {
        name: "break",
        after: { ...state, file: null, trusted: trustedNow(state), trust: "of another" },
        make: (project) => project.write("version: ["),
      };
    case "revoke":
      return { name: "revoke", after: { ...state, trust: "none" }, make: (project) => project.revoke() };
    default:
      return restored(state);
  }
}

function trustedNow({ file, trusted, trust }: Deciding): Said {
  return trust === "of the file" && file !== null ? file : trusted;
}

/** Trusts the file as it is, written anew if it can't be read. */
function restored(state: Deciding): Change {
  const file = state.file ?? ALL;
  return {
    name: "trust",
    after: { ...state, file, trusted: file, trust: "of the file" },
    make: (project) => (state.file === null ? project.apply(configOf(file)) : project.trust()),
  };
}

/** Two configs that say the same are the same bytes: then a trust record of one holds for the other. */
function print({ roots, runs }: Said): string {
  return `${roots.join("") || "none"}${runs ? "" : ", deny"}`;
}

/** The config that says this. Commands start in `base`, which is never written. */
export function configOf({ roots, runs }: Said) {
  const granted = Object.fromEntries(roots.map((name) => [name, {}]));
  const shell = {
    default: { allowed: true, approval: false },
    rules: runs ? [] : [{ pattern: "sh", allowed: false }],
  };
  return configWith({ base: { mode: "ro" }, ...granted }, { shell });
}

function operatorOf({ roots, runs }: Said) {
  return {
    profile: "live",
    files: [
      { path: "${runtime}", access: "read" },
      { path: "${workspace}/base", access: "read" },
      ...roots.map((root) => ({ path: `\${workspace}/${root}`, access: "write" })),
    ],
    ...(runs ? {} : { approval: { rules: [{ shell: "sh", action: "deny" }] } }),
  };
}
