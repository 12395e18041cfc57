import { MessageCatalog } from "../host/message-catalog.ts";

/** What the denials look for in what programs say, by the program or library whose message it is. `%s` stands for anything. */
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

/** More of `LANGUAGE` are not looked at. */
const MAX_LANGUAGES = 8;

/**
 * What a program said, with the messages that denials look for in English: they are told in the language that the program's
 * environment asks for, by catalogs of this machine (gettext(3)). The same text where that is English.
 */
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
    // A translation may name its values in another order (`%2$s`): which is which is not known then.
    return foreign === undefined || foreign.length !== english.length ? [] : [{ foreign, english }];
  });
  return text
    .split("\n")
    .map((line) => known.reduce((before, message) => lineInEnglish(before, message), line))
    .join("\n");
}

/** The first place where a line has the parts of a message, one behind the other. */
function lineInEnglish(
  line: string,
  { foreign, english }: { readonly foreign: readonly string[]; readonly english: readonly string[] },
): string {
  let [told, at] = ["", 0];
  for (const [index, part] of foreign.entries()) {
    const found = line.indexOf(part, at);
    if (found === -1) return line;
    told += `${line.slice(at, found)}${english[index] ?? ""}`;
    at = found + part.length;
  }
  return told + line.slice(at);
}

/** By gettext's rules (gettext manual, "Locale Environment Variables"): `LANGUAGE` counts only where there is a locale. */
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
