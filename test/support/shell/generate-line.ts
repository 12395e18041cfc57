import type { LineParts } from "./line-parts.ts";
import * as parts from "./line-parts.ts";

/** Of so many parts of an everyday line, one is odd; of a wild one every second. */
const SELDOM = 60;
const OFTEN = 2;

/**
 * Lines of bash, drawn from a seed: lists of commands, loops and conditions. Most are everyday lines in which something
 * odd is rare; the others have much of it, and something strange may be anywhere.
 */
export function* linesFrom(seed: number): Generator<string> {
  const random = numbersFrom(seed);
  const below = (end: number): number => Math.floor(random() * end);
  const one = (list: readonly string[]): string => list[below(list.length)] ?? "";
  let oneOdd = SELDOM;
  const part = ({ plain, odd }: LineParts): string => one(below(oneOdd) === 0 ? odd : plain);
  const words = (): string => Array.from({ length: below(4) }, () => ` ${part(parts.WORDS)}`).join("");
  const simple = (): string =>
    `${part(parts.PREFIXES)}${part(parts.PROGRAMS)}${words()}${part(parts.REDIRECTS)}`;
  const list = (depth: number): string => {
    const commands = Array.from({ length: 1 + below(3) }, () => {
      const kind = depth > 2 ? 0 : below(10);
      if (kind === 1) return `( ${list(depth + 1)} )`;
      if (kind === 4) return `(${list(depth + 1)}${one(["", " ", "\n"])})`;
      if (kind === 2) return `{ ${list(depth + 1)}; }`;
      if (kind === 3) return `${simple()} ${part(parts.DOCUMENTS)}`;
      if (kind === 5) return compound(depth + 1);
      if (kind === 6 || kind === 7) return `${part(parts.OWN)}${part(parts.REDIRECTS)}`;
      return simple();
    });
    return commands.reduce((line, command) => `${line}${part(parts.JOINTS)}${command}`);
  };
  const compound = (depth: number): string => {
    const name = part(parts.NAMES);
    switch (below(7)) {
      case 0:
        return `for ${name} in${words()}; do ${list(depth)}; done${part(parts.REDIRECTS)}`;
      case 1:
        return `if ${list(depth)}; then ${list(depth)}; ${one(["", `else ${simple()}; `, `elif ${simple()}; then ${simple()}; `])}fi`;
      case 2:
        return `${one(["while", "until"])} ${simple()}; do ${list(depth)}; done`;
      case 3:
        return `while ${one(["", "IFS= "])}read ${one(["-r ", ""])}${name}; do ${list(depth)}; done ${one(["<x", "< <(aa)", "<<< x", "<ok"])}`;
      case 4:
        return `case ${one(["x", "$x", '"$x"', "$(aa)", "a*"])} in ${one(["x", "*", "y|x", "(x|'a b'", "$x", '"$x"*'])}) ${list(depth)};; ${one(["", `*) ${simple()} ;; `, `x) ${simple()} ;;& `])}esac`;
      case 5:
        return `[[ ${part(parts.TESTS)} ]]`;
      default:
        return `${name}=${part(parts.VALUES)}`;
    }
  };
  for (;;) {
    const isWild = below(4) === 0;
    oneOdd = isWild ? OFTEN : SELDOM;
    let line = list(0);
    for (let strange = isWild ? below(3) : below(12) === 0 ? 1 : 0; strange > 0; strange -= 1) {
      const at = below(line.length + 1);
      const cut = below(4) === 0 ? below(3) : 0;
      line = `${line.slice(0, at)}${one(parts.STRANGE)}${line.slice(at + cut)}`;
    }
    yield below(40) === 0 ? `${line}\\` : line;
  }
}

/** Mulberry32: numbers from 0 to 1 that a seed decides. */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
