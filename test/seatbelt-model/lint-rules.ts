import type { Filter } from "./filters.ts";
import type { Found } from "./lint-text.ts";
import { parseRegex, type RegexNode } from "./regex-syntax.ts";
import type { Rule } from "./rule.ts";
import { unitsOf } from "./units.ts";

/** How many strings a rule may have: a budget of our own. */
export const MAX_STRINGS = 256;

/** The lints that look at one rule, each by its name. */
export const RULE_LINTS: Readonly<Record<string, (rule: Rule) => readonly Found[]>> = {
  /** At connect time the local end of a socket that nobody bound is the any-address, which `localhost` matches. */
  "local-on-outbound": ({ operations, filters }) =>
    operations.some((one) => one === "network-outbound" || one === "network*")
      ? leavesOf(filters).flatMap(({ filter }) => found(filter, isLocal(filter) && "local"))
      : [],

  /** Filters in a row are alternatives, where most people mean both. */
  "mixed-filters": ({ filters, line }) => {
    const families = new Set(filters.flatMap(familyOf));
    return families.size > 1 ? [{ line, what: [...families].join(", ") }] : [];
  },

  "unfiltered-allow": (rule) =>
    rule.action === "allow" && !(rule.filters.length > 0 && rule.filters.every(isBounded))
      ? rule.operations
          .filter((one) => rule.filters.length > 0 || !UNFILTERED.has(one))
          .map((what) => ({ line: rule.line, what }))
      : [],

  "never-granted": ({ action, operations, line }) =>
    action === "allow" ? operations.filter((one) => NEVER.has(one)).map((what) => ({ line, what })) : [],

  /** A service that a later release adds would be allowed, too. */
  "wildcard-service": ({ action, filters, operations }) =>
    action === "allow" && operations.some((one) => one.startsWith("mach-"))
      ? leavesOf(filters).flatMap(({ filter }) =>
          filter.kind === "name" && filter.how !== "exact" ? found(filter, filter.name) : [],
        )
      : [],

  /**
   * It is searched for. What takes away may begin at any name, by a slash; what gives does so only of what another filter
   * on paths bounds.
   */
  "loose-regex": ({ action, filters }) => {
    const isBounding = action === "deny" || filters.every(hasPathBeside);
    return leavesOf(filters).flatMap(({ filter, isAsserted }) =>
      regexesOf(filter).flatMap((source) => {
        const isPath = filter.kind === "path-regex";
        const mayFloat = isPath && (isBounding || !isAsserted);
        return found(filter, isTight(source, filter.line, isPath, mayFloat) ? false : source);
      }),
    );
  },

  /** The next name may go on where the prefix ends. */
  "boundless-prefix": ({ action, filters }) =>
    action === "allow"
      ? pathsOf(filters).flatMap(({ filter, path }) =>
          found(filter, filter.paths.relation === "prefix" && !path.endsWith("/") && path),
        )
      : [],

  /** The system compares with paths that have no such spelling, so that the rule is dead. */
  "unclean-path": ({ filters }) =>
    pathsOf(filters).flatMap(({ filter, path }) => {
      const isEnded = path.endsWith("/") && path !== "/" && filter.paths.relation !== "prefix";
      return found(filter, (isEnded || /\/\/|\/\.\.?(\/|$)/.test(path)) && path);
    }),

  /** `/tmp` is a link: the system compares with `/private/tmp`, and asks for the link's metadata only. */
  "alias-path": ({ action, operations, filters }) =>
    action === "allow" && operations.some((one) => one !== "file-read-metadata")
      ? pathsOf(filters).flatMap(({ filter, path, isAsserted }) =>
          found(filter, isAsserted && /^\/(tmp|var|etc)(\/|$)/.test(path) && path),
        )
      : [],

  "many-strings": ({ filters, line }) => {
    const count = leavesOf(filters).reduce((sum, { filter }) => sum + stringsOf(filter), 0);
    return count > MAX_STRINGS ? [{ line, what: `${count} strings` }] : [];
  },
};

/** What may be allowed with no filter: these have none that would say more. */
const UNFILTERED = new Set([
  "process-fork",
  "process-exec",
  "process-exec*",
  "process-exec-interpreter",
  "pseudo-tty",
  "ipc-posix-sem*",
  // All of a user's preferences are one group: which domains a program reads is in no list.
  "user-preference-read",
]);
/** What starts a program outside of the sandbox, or changes what its paths mean. */
const NEVER = new Set(["lsopen", "appleevent-send", "file-mount", "file-chroot"]);

/** A filter that is not made of others, with how it stands in its rule. */
export interface Leaf {
  readonly filter: Filter;
  /** False below an odd number of `require-not`. */
  readonly isAsserted: boolean;
}

/** The filters of a rule that are not made of others. */
export function leavesOf(filters: readonly Filter[], isAsserted = true): readonly Leaf[] {
  return filters.flatMap((filter) => {
    if (filter.kind === "all" || filter.kind === "any") return leavesOf(filter.of, isAsserted);
    if (filter.kind === "not") return leavesOf([filter.of], !isAsserted);
    return filter.kind === "unix-socket"
      ? [{ filter, isAsserted }, ...leavesOf(filter.of, isAsserted)]
      : [{ filter, isAsserted }];
  });
}

function pathsOf(filters: readonly Filter[]) {
  return leavesOf(filters).flatMap(({ filter, isAsserted }) =>
    filter.kind === "path" ? filter.paths.written.map((path) => ({ filter, path, isAsserted })) : [],
  );
}

function regexesOf(filter: Filter): readonly string[] {
  if (filter.kind !== "path-regex" && filter.kind !== "name") return [];
  return filter.regexes.map((one) => one.source);
}

function stringsOf(filter: Filter): number {
  if (filter.kind === "path") return filter.paths.written.length;
  if (filter.kind === "name") return filter.names.length;
  return filter.kind === "path-regex" ? filter.regexes.length : 0;
}

function found({ line }: Filter, what: string | false): readonly Found[] {
  return what === false ? [] : [{ line, what }];
}

function isLocal(filter: Filter): boolean {
  return filter.kind === "socket-end" && filter.end === "local";
}

/** What a filter is about; none for those that say themselves how they combine. */
function familyOf(filter: Filter): readonly string[] {
  switch (filter.kind) {
    case "all":
    case "any":
      return [];
    case "path":
    case "path-regex":
      return ["path"];
    case "name":
      return [filter.name.replace(/-(prefix|regex)$/, "")];
    case "socket":
      return [`socket-${filter.field}`];
    case "socket-end":
      return [`${filter.end} end`];
    case "not":
    case "vnode-type":
    case "target":
    case "socket-protocol":
    case "command":
    case "unix-socket":
      return [filter.kind];
  }
}

/** False for what holds for nearly everything: the contrary of a condition. */
function isBounded(filter: Filter): boolean {
  if (filter.kind === "all") return filter.of.some(isBounded);
  if (filter.kind === "any") return filter.of.every(isBounded);
  return filter.kind !== "not";
}

/** True of conditions that must all hold where one is on paths as they are, no regex. */
function hasPathBeside(filter: Filter): boolean {
  const isOnPaths = (one: Filter): boolean =>
    one.kind === "path" || (one.kind === "any" && one.of.every(isOnPaths));
  return filter.kind === "all" && filter.of.some(isOnPaths);
}

/**
 * True for a regex that begins at the start of the text and, for a path, ends at its end or where a name ends. One that
 * `mayFloat` may begin where a name does.
 */
function isTight(source: string, line: number, isPath: boolean, mayFloat: boolean): boolean {
  const regex = parseRegex(unitsOf(source, "character"), line);
  const begins = isAtEdge(regex, 0, false) || (mayFloat && beginsAtSlash(regex));
  return begins && (!isPath || isAtEdge(regex, -1, true));
}

function beginsAtSlash(node: RegexNode): boolean {
  if (node.kind === "either") return node.of.every(beginsAtSlash);
  const [first] = node.kind === "sequence" ? node.of : [];
  return first === undefined ? isAtEdge(node, 0, true) : beginsAtSlash(first);
}

function isAtEdge(node: RegexNode, edge: 0 | -1, isEnd: boolean): boolean {
  switch (node.kind) {
    case "start":
    case "end":
      return (node.kind === "end") === isEnd;
    case "either":
      return node.of.every((one) => isAtEdge(one, edge, isEnd));
    case "sequence": {
      const outermost = node.of.at(edge);
      // `/[^/]` is any name in a folder, and with it all that lies below.
      const inner =
        isEnd && outermost !== undefined && isSlashSet(outermost, true) ? node.of.at(-2) : outermost;
      return inner !== undefined && isAtEdge(inner, edge, isEnd);
    }
    case "set":
      return isEnd && isSlashSet(node, false);
    case "repeat":
      return false;
  }
}

function isSlashSet(node: RegexNode, isNegated: boolean): boolean {
  if (node.kind !== "set") return false;
  const [range, ...others] = node.set.ranges;
  return range?.[0] === 0x2f && range[1] === 0x2f && others.length === 0 && node.set.isNegated === isNegated;
}
