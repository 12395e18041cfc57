/** Maximum of characters of a quoted text: no real name of a file is longer. */
const MAX_LENGTH = 1024;
/** A larger text was put together from many and needs few others: only its first part is searched for quoted texts. */
const MAX_TEXT = 1024 * 1024;

const IMPORTED = /\b(?:from|import|require|resolve|register)\s*\(?\s*(["'`])([^"'`\n]+)\1/g;

/** The plain imports of a program's text. */
export function importedIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(IMPORTED)].map(([, , specifier = ""]) => specifier));
}

/** A text between two quotes of one kind. The second quote may open the next text as well, so that none is missed. */
const QUOTED = new RegExp(`(["'\`])(?=(?!\\1)(\\S[^\\n]{0,${MAX_LENGTH - 1}}?)\\1)`, "g");

/** A path or a URL of a file, not of folders alone; a name in a manifest; a package, or a file without `./`. */
const NAMES = [
  /^(?:\.{0,2}\/|file:)(?=.*[^./])/i,
  /^#./,
  /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*(?:\/\S*)?(?:[?#]\S*)?$/,
];

/** All quoted texts in a program that could name a file it loads, up to `max`. */
export function namesIn(text: string, max: number): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [, , name = ""] of text.slice(0, MAX_TEXT).matchAll(QUOTED)) {
    if (found.size >= max) break;
    if (NAMES.some((form) => form.test(name))) found.add(name);
  }
  return found;
}
