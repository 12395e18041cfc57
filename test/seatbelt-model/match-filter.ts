import type { Filter } from "./filters.ts";
import { hasPath } from "./path-sets.ts";
import type { Query, Target } from "./query.ts";
import type { Question } from "./question.ts";
import { holdsForEnd } from "./socket-ends.ts";

/** True when a filter holds for what is asked. On what the query does not say, no filter holds. */
export function holds(filter: Filter, question: Question): boolean {
  const { query } = question;
  switch (filter.kind) {
    case "all":
      return filter.of.every((one) => holds(one, question));
    case "any":
      return filter.of.some((one) => holds(one, question));
    case "not":
      return !holds(filter.of, question);
    case "path":
      if (question.path === undefined) return false;
      return hasPath(filter.paths, question.path, question.foldsPaths, question.subpathHasItself);
    case "path-regex":
      if (question.path === undefined) return false;
      return filter.regexes.some((one) =>
        one.isIn(question.pathUnits(), question.unit, question.foldsRegexes),
      );
    case "vnode-type":
      return query.vnode === filter.is;
    case "target":
      return query.target !== undefined && isTarget(query.target, filter.is);
    case "name":
      return query.name !== undefined && isName(filter, query.name, question);
    case "socket":
      return query.socket?.[filter.field] === filter.is;
    case "socket-protocol":
      return query.socket?.protocol === filter.is;
    case "command":
      return query.command === filter.is;
    case "socket-end":
      return holdsForEnd(filter, query);
    case "unix-socket":
      if (query.path === undefined || isConnecting(query) !== (filter.end === "remote")) return false;
      return filter.of.length === 0 || filter.of.some((one) => holds(one, question));
  }
}

/** The path of a socket that connects is its remote end; one that is bound or listens has a local end alone. */
function isConnecting({ operation }: Query): boolean {
  return operation === "network-outbound";
}

/** A process is of its own sandbox, too. */
function isTarget(asked: Target, is: Target): boolean {
  return asked === is || (asked === "self" && is === "same-sandbox");
}

function isName(filter: Extract<Filter, { kind: "name" }>, name: string, question: Question): boolean {
  switch (filter.how) {
    case "exact":
      return filter.names.includes(name);
    case "prefix":
      return filter.names.some((one) => name.startsWith(one));
    case "regex":
      return filter.regexes.some((one) => one.isIn(question.nameUnits(), question.unit, false));
  }
}
