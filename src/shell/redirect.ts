import type { HereDoc, HereString, Redirect, Redirection, Word } from "unbash";
import { doubtful, NO_EFFECT, type ShellEffect } from "./touch.ts";
import { isExpandable, isOpaque, mayNameDescriptor, textOf } from "./word.ts";

/** Files that hold nothing, or that are open already: the standard streams, `/dev/fd/3`. */
const OPEN_ALREADY = /^\/dev\/(null|std(in|out|err)|fd\/\d+)$/;
/** Names that bash takes for an address instead of a file (bash(1), REDIRECTION). */
const SOCKET = /^\/dev\/(tcp|udp)(\/|$)/;
/** Above any descriptor, and below the numbers that bash takes for a word (`2147483648>x`). */
const LARGEST_DESCRIPTOR = 999_999_999;

/** True for a redirect by which a command may read anything: text, a file, another descriptor. */
export function isFeeding(one: Redirection): boolean {
  if (one.type !== "Redirect") return true;
  if (one.operator === "<&") return one.target?.text !== "-";
  return /^<>?$/.test(one.operator) && one.target?.text !== "/dev/null";
}

/** The effect of a redirect: the file that it opens. */
export function redirectEffect({ operator, descriptor, target }: Redirect): ShellEffect {
  if (target === undefined || !isDescriptor(descriptor))
    return doubtful("it redirects a calculated descriptor");
  if (operator === ">&" || operator === "<&")
    return /^(\d|-|\d-)$/u.test(target.text) ? NO_EFFECT : doubtful("it redirects to a file or a descriptor");
  const mode = operator === "<" ? "read" : "write";
  if (isWholeSubstitution(target)) return NO_EFFECT;
  const { text, isKnown } = textOf(target);
  if (!isKnown || !isPlainTarget(target)) return doubtful("only bash knows the target of a redirect");
  if (isOpaque(text)) return { doubt: null, touches: [{ act: "open", path: null, mode }] };
  if (SOCKET.test(text)) return doubtful("it redirects to or from the network");
  return OPEN_ALREADY.test(text) ? NO_EFFECT : { doubt: null, touches: [{ act: "open", path: text, mode }] };
}

/** The effect of a here-string: none, if its text is read as bash reads it. */
export function hereStringEffect({ target, descriptor }: HereString): ShellEffect {
  const isRead = target !== undefined && textOf(target).isKnown && isPlainTarget(target);
  return isRead && isDescriptor(descriptor)
    ? NO_EFFECT
    : doubtful("only bash knows the value of its here-string");
}

/** The effect of a here-document: none beside that of its parts. A backslash may join its last line with its end. */
export function hereDocEffect({ delimiter, body, closing, descriptor }: HereDoc): ShellEffect {
  const doubt = doubtful("its here-document is not plain text");
  if (delimiter === undefined || closing === undefined || !isDescriptor(descriptor)) return doubt;
  if (!/^\w+$/u.test(delimiter.value) || !/^(\w+|'\w+'|"\w+")$/u.test(delimiter.text)) return doubt;
  if (delimiter.quoted || !/[$`\\]/u.test(body.text)) return NO_EFFECT;
  const isRead = body.parts?.every((part) => part.type !== "Literal" || !isExpandable(part.text)) ?? false;
  return isRead && !/[`\\]/u.test(body.text) ? NO_EFFECT : doubt;
}

/** With braces the target would be several words; the parser loses its way behind `<(x)` in a longer one. */
function isPlainTarget(target: Word): boolean {
  const parts = target.parts ?? [];
  return (
    !mayNameDescriptor(target.text) &&
    parts.every(({ type }) => type !== "ProcessSubstitution" && type !== "BraceExpansion")
  );
}

/** `< <(x)`: a pipe from a program, not a file. */
function isWholeSubstitution({ parts = [] }: Word): boolean {
  return parts.length === 1 && parts[0]?.type === "ProcessSubstitution";
}

function isDescriptor(descriptor: Redirect["descriptor"]): boolean {
  if (descriptor === undefined) return true;
  return descriptor.type !== "FileDescriptorVariable" && descriptor.value <= LARGEST_DESCRIPTOR;
}
