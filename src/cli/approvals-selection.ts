import { z } from "zod";
import { visible } from "../errors.ts";
import { Age, Duration } from "../profile/quantity.ts";
import type { Desk } from "../session/desk.ts";
import { requestNamed } from "../session/kept-request.ts";
import type { StoredRequest } from "../store/store.ts";
import { usage } from "./arguments.ts";

/** Options that select requests without naming each. */
export const SELECTION_OPTIONS = {
  all: { type: "boolean" },
  "all-projects": { type: "boolean" },
  group: { type: "string" },
  "older-than": { type: "string" },
  yes: { type: "boolean" },
} as const;

/** The values of these options. */
export interface SelectionValues {
  readonly all?: boolean | undefined;
  readonly "all-projects"?: boolean | undefined;
  readonly group?: string | undefined;
  readonly "older-than"?: string | undefined;
  readonly yes?: boolean | undefined;
}

/** The selected requests. */
export interface SelectedRequests {
  readonly requests: readonly StoredRequest[];
  /** True if each was named by its id: then the person has seen which they are. */
  readonly areNamed: boolean;
  /** Number of requests of other projects that `--all` left out. */
  readonly elsewhere: number;
}

/**
 * The requests that a command is about: those of the ids, or the unanswered ones of the options. Throws `USAGE` for an
 * unknown id, before any is answered, and for words and options that contradict each other.
 */
export async function selectRequests(
  desk: Desk,
  ids: readonly string[],
  values: SelectionValues,
): Promise<SelectedRequests> {
  assertSelection(ids, values);
  const { broker, loaded, host } = desk;
  if (ids.length > 0) {
    const named = new Map<string, StoredRequest>();
    for (const id of ids) {
      const stored = await requestNamed(broker, id, "pending");
      named.set(stored.request.approvalId, stored);
    }
    return { requests: [...named.values()], areNamed: true, elsewhere: 0 };
  }
  const age = ageOf(values["older-than"]);
  const pending = (await broker.pending()).filter(({ createdAt }) => host.now() - createdAt >= age);
  const { group } = values;
  const wanted = group === undefined ? pending : pending.filter(({ groupId }) => groupId === group);
  if (group !== undefined && wanted.length === 0)
    throw usage("approvals", `no unanswered request has the group ${visible(group)}`, LIST);
  const isAnywhere = group !== undefined || values["all-projects"] === true;
  const chosen = wanted.filter(({ project }) => isAnywhere || project === loaded.config.workspace);
  return {
    requests: chosen.map((request) => ({ request, status: "pending", decision: null })),
    areNamed: false,
    elsewhere: wanted.length - chosen.length,
  };
}

const LIST = "list the requests with `cofferdam approvals list`";

/** Throws `USAGE` unless the requests are selected in exactly one way. */
function assertSelection(ids: readonly string[], values: SelectionValues): void {
  const ways = [
    ...(ids.length > 0 ? ["ID"] : []),
    ...(values.all === true ? ["--all"] : []),
    ...(values["all-projects"] === true ? ["--all-projects"] : []),
    ...(values.group === undefined ? [] : ["--group"]),
  ];
  if (ways.length === 0)
    throw usage("approvals", "no request is named", "add one or more IDs, `--group ID` or `--all`");
  if (ways.length > 1)
    throw usage("approvals", `${ways.join(" and ")} exclude each other`, "select the requests in one way");
  if (values["older-than"] !== undefined && ids.length > 0)
    throw usage("approvals", "`--older-than` is not for single requests", "use it with `--all` or `--group`");
}

/** Milliseconds. Throws `USAGE` for a text that is no age. */
function ageOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const age = z.union([Duration, Age]).safeParse(text);
  if (age.success) return age.data;
  throw usage("approvals", `${visible(text)} is not an age`, "write a number and a unit: `30m`, `12h`, `7d`");
}
