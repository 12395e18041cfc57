import { escapeInvisible } from "../errors.ts";
import type { ApprovalRequest } from "../policy/request.ts";

const MAX_NAME = 60;

/** The text of a notification. */
export interface NotificationText {
  readonly title: string;
  readonly body: string;
}

/**
 * The text about a request for a screen that anybody may see: at most the tool's name and the last folder of the
 * project. Arguments, commands, paths and reasons are in the page alone. `others` also wait.
 */
export function notificationText(
  { tool, project }: Pick<ApprovalRequest, "tool" | "project">,
  others: number,
  namesTool: boolean,
): NotificationText {
  const rest = others === 0 ? [] : [`${others} more ${others === 1 ? "request waits" : "requests wait"}`];
  if (!namesTool) return { title: "A call needs your approval", body: rest.join("") };
  const folder = project?.split("/").findLast((part) => part !== "");
  const place = folder === undefined ? [] : [`in ${shown(folder)}`];
  return { title: `${shown(tool)} needs your approval`, body: [...place, ...rest].join(", ") };
}

function shown(name: string): string {
  const text = escapeInvisible(name);
  return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text;
}
