import type { Broker } from "../approval/broker.ts";

/** The shortest beginning that stands for an id: as many characters as the command line prints. */
const MIN_LENGTH = 8;

/** The id of a request. A beginning stands for it if only one unanswered request begins so. */
export async function wholeRequestId(broker: Broker, given: string): Promise<string> {
  if (given.length < MIN_LENGTH || (await broker.find(given)) !== null) return given;
  const ids = (await broker.pending()).map(({ approvalId }) => approvalId);
  return onlyBegun(ids, given);
}

/** The id of a grant, or of the only one that begins so. */
export async function wholeGrantId(broker: Broker, given: string): Promise<string> {
  const ids = given.length < MIN_LENGTH ? [] : (await broker.grants(null)).map(({ grantId }) => grantId);
  return ids.includes(given) ? given : onlyBegun(ids, given);
}

function onlyBegun(ids: readonly string[], given: string): string {
  const [only, ...others] = ids.filter((id) => id.startsWith(given));
  return only !== undefined && others.length === 0 ? only : given;
}
