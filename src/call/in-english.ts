import { MessageCatalog } from "../host/look/message-catalog.ts";

/** Messages that denials look for, by the program or library that prints them. `%s` stands for any text. */
const MESSAGES: Readonly<Record<string, readonly string[]>> = {
  libc: [
    "Device or resource busy",
    "Read-only file system",
    "Invalid cross-device link",
    "Permission denied",
    "Operation not permitted",
    "No such file or directory",
    "No space left on device",
    "Bus error",
    "File too large",
    "File size limit exceeded",
    "Too many open files in system",
    "Too many open files",
    "Name or service not known",
    "Temporary failure in name resolution",
    "Network is unreachable",
  ],
  git: [
    "unable to unlink old '%s'",
    "unable to unlink: %s",
    "unable to create file %s",
    "unable to create leading directories of %s",
    "unable to write file %s",
    "failed to unlink '%s'",
    "failed to delete '%s'",
    "could not remove '%s'",
    "cannot run %s: ",
    "cannot exec '%s'",
  ],
  bash: ["%s: command not found", "%s: %s: bad interpreter"],
  coreutils: ["cannot remove %s", "cannot move %s to %s"],
};

const MAX_LANGUAGES = 8;

/** Translates a program's output into English by this machine's catalogs (gettext(3)); leaves English unchanged. */
export function inEnglish(said: string, env: Readonly<Record<string, string>>): string {
  const languages = said === "" ? [] : languagesOf(env);
  if (languages.length === 0) return said;
  return Object.entries(MESSAGES).reduce((text, [domain, messages]) => {
    const catalog = MessageCatalog.of(domain, languages);
    return catalog === null ? text : translated(text, messages, catalog);
  }, said);
}

function translated(text: string, messages: readonly string[], catalog: MessageCatalog): string {
  const known = messages.flatMap((message) => {
    const foreign = catalog.translationOf(message)?.split("%s");
    const english = message.split("%s");
    // A translation may reorder its values (`%2$s`): their order is then unknown.
    return foreign === undefined || foreign.length !== english.length ? [] : [{ foreign, english }];
  });
  return text
    .split("\n")
    .map((line) => known.reduce((before, message) => lineInEnglish(before, message), line))
    .join("\n");
}

/** Translates the first place where a line has the parts of a message in order. */
function lineInEnglish(
  line: string,
  { foreign, english }: { readonly foreign: readonly string[]; readonly english: readonly string[] },
): string {
  let [translated, at] = ["", 0];
  for (const [index, part] of foreign.entries()) {
    const found = line.indexOf(part, at);
    if (found === -1) return line;
    translated += `${line.slice(at, found)}${english[index] ?? ""}`;
    at = found + part.length;
  }
  return translated + line.slice(at);
}

/** The languages by gettext's rules (gettext manual, "Locale Environment Variables"): `LANGUAGE` needs a locale. */
function languagesOf({
  LANGUAGE = "",
  LC_ALL,
  LC_MESSAGES,
  LANG,
}: Readonly<Record<string, string>>): readonly string[] {
  const locale = [LC_ALL, LC_MESSAGES, LANG].find((one) => one !== undefined && one !== "") ?? "C";
  if (/^(?:C|POSIX)(?:\.|$)/.test(locale)) return [];
  const names = LANGUAGE === "" ? [locale] : LANGUAGE.split(":").slice(0, MAX_LANGUAGES);
  const languages = names.flatMap((name) => {
    const [whole = ""] = name.split(/[.@]/);
    return [whole, whole.split("_")[0] ?? ""];
  });
  return [...new Set(languages)].filter(
    (one) => /^[a-z]{2,8}(?:_[A-Za-z]+)?$/.test(one) && !/^en(?:_|$)/.test(one),
  );
}
