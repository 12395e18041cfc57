/** The first releases that have all that the product uses, by line; `engines` of `package.json` says the same. */
const FIRST: readonly (readonly [major: number, minor: number])[] = [
  [22, 18],
  [23, 11],
];

/**
 * The reason why this version of Node, such as `20.20.2`, is too old: one sentence; null if it is not. Command and
 * library ask before they load anything else, so this file must be understood by Node 12.
 */
export function tooOld(version: string): string | null {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const first = FIRST.find(([line]) => major <= line);
  if (first === undefined || (major === first[0] && minor >= first[1])) return null;
  const needed = major === 23 ? "Node 23.11, 24 or newer" : "Node 22.18 or newer";
  return `cofferdam needs ${needed}, but this is Node ${version}: install a newer one from https://nodejs.org`;
}
