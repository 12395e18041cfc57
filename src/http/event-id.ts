/** The id of a server-sent event: which store numbers it, and the number there. */
export function printEventId(storeId: string, seq: number): string {
  return `${storeId}:${seq}`;
}

/** The number that an id holds, where it is one of this store; null for anything else. */
export function seqOf(id: string, storeId: string): number | null {
  const number = id.startsWith(`${storeId}:`) ? id.slice(storeId.length + 1) : "";
  // −1 stands before the first event.
  return /^(?:-1|0|[1-9]\d{0,15})$/.test(number) ? Number(number) : null;
}
