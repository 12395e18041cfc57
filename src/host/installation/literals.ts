/** Longer than the name of any file that somebody writes. */
const MAX_LENGTH = 1024;
/** A larger text was put together from many, and holds what it needs: what stands in quotes is looked for in its first part. */
const MAX_TEXT = 1024 * 1024;

const IMPORTED = /\b(?:from|import|require|resolve|register)\s*\(?\s*(["'`])([^"'`\n]+)\1/g;

/** What a program's text plainly imports. */
export function importedIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(IMPORTED)].map(([, , specifier = ""]) => specifier));
}

/** A text between two quotes of one kind. The second quote may open the next text as well, so that none is missed. */
const QUOTED = new RegExp(`(["'\`])(?=(?!\\1)(\\S[^\\n]{0,${MAX_LENGTH - 1}}?)\\1)`, "g");

/** A path or a URL of a file, but for those of folders alone; a name in a manifest; a package, or a file without `./`. */
const NAMES = [
  /^(?:\.{0,2}\/|file:)(?=.*[^./])/i,
  /^#./,
  /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*(?:\/\S*)?(?:[?#]\S*)?$/,
];

/** Everything that stands in quotes in a program's text and could name a file that it loads: no more than so many. */
export function namesIn(text: string, most: number): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [, , name = ""] of text.slice(0, MAX_TEXT).matchAll(QUOTED)) {
    if (found.size >= most) break;
    if (NAMES.some((form) => form.test(name))) found.add(name);
  }
  return found;
}
