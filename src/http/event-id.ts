/** The id of a server-sent event: the id of the store and the event's number there. */
export function printEventId(storeId: string, seq: number): string {
  return `${storeId}:${seq}`;
}

/** The event number in an id of this store; null for any other text. */
export function seqOf(id: string, storeId: string): number | null {
  const number = id.startsWith(`${storeId}:`) ? id.slice(storeId.length + 1) : "";
  // −1 means before the first event.
  return /^(?:-1|0|[1-9]\d{0,15})$/.test(number) ? Number(number) : null;
}
