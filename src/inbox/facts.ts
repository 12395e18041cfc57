import type { KEEP_TOOL } from "../policy/keep-tool.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { reviewInWords } from "../policy/review-words.ts";
import { type ElementChild, element, foreign } from "./dom.ts";

/** Keeping files gives no access. */
const KEEPS_FILES: typeof KEEP_TOOL = "keep_files";

/** The reason of the request, and the access that an approval gives. */
export function factsOf({ tool, reason, granted, review, folder }: ApprovalRequest): HTMLElement {
  const because = fact("Because", foreign(reason, "prose"));
  if (tool === KEEPS_FILES) return element("dl", { class: "facts" }, because);
  const reviewed = review === undefined ? null : fact("Review", foreign(reviewInWords(review), "prose"));
  if (granted === null)
    return element("dl", { class: "facts" }, because, reviewed, fact("Reach", "it runs without a sandbox"));
  const { write, read, runtimes, network, limits } = granted;
  const reads = [...read, ...(runtimes.length === 0 ? [] : [`the runtimes ${runtimes.join(", ")}`])];
  return element(
    "dl",
    { class: "facts" },
    because,
    reviewed,
    folder === undefined ? null : fact("Starts in", foreign(folder, "code")),
    fact("Can write", ...listed(write, "nothing")),
    fact("Can read", ...listed(reads, "nothing else")),
    fact("Network", foreign(network, "code")),
    limits.length === 0 ? null : fact("Limits", ...listed(limits, "none")),
  );
}

/** Every rule that applied. */
export function whyOf({ why }: ApprovalRequest): HTMLElement {
  const rules = why.map(({ layer, rule, action, reason }) =>
    element(
      "li",
      {},
      element("span", { class: "rule-action", attributes: { "data-action": action } }, action),
      element(
        "span",
        {},
        `the ${layer} layer: `,
        foreign(rule, "code"),
        ...(reason === null ? [] : [", because ", foreign(reason, "prose")]),
      ),
    ),
  );
  return element(
    "details",
    { class: "folded", attributes: { "data-part": "why" } },
    element("summary", {}, "Matching rules"),
    rules.length === 0 ? element("p", {}, "None.") : element("ul", { class: "rules" }, ...rules),
  );
}

/** The origin of the request, and its ids elsewhere. */
export function whoOf({
  agent,
  client,
  project,
  sessionId,
  runId,
  callId,
  groupId,
  approvalId,
  argsHash,
  granted,
  createdAt,
}: ApprovalRequest): HTMLElement {
  return element(
    "details",
    { class: "folded", attributes: { "data-part": "who" } },
    element("summary", {}, "Who asked"),
    element(
      "dl",
      { class: "facts" },
      agent === null ? null : fact("Agent", foreign(agent, "code")),
      client === undefined ? null : fact("Client", foreign(client, "code")),
      project === undefined ? null : fact("Project", foreign(project, "code")),
      fact("Session", foreign(sessionId, "code")),
      fact("Run", foreign(runId, "code")),
      fact("Call", foreign(callId, "code")),
      groupId === null ? null : fact("Turn", foreign(groupId, "code")),
      fact("Request", foreign(approvalId, "code")),
      fact("Asked", new Date(createdAt).toLocaleString()),
      fact("SHA-256 of the call", foreign(argsHash, "code")),
      granted === null ? null : fact("SHA-256 of its profile", foreign(granted.digest, "code")),
    ),
  );
}

function fact(name: string, ...words: readonly ElementChild[]): HTMLElement {
  return element("div", {}, element("dt", {}, name), element("dd", {}, ...words));
}

/** One per line, so that none can be mistaken for a part of another. */
function listed(texts: readonly string[], none: string): readonly ElementChild[] {
  if (texts.length === 0) return [none];
  return [element("ul", {}, ...texts.map((text) => element("li", {}, foreign(text, "code"))))];
}
