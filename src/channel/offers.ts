import type { Answer } from "./keys.ts";

/** Which answers a question offers as it stands on the screen. */
export interface Offers {
  /** A yes can be given: the question is on the screen, but for what it says to view; or the person has viewed it. */
  readonly offersOnce: boolean;
  /** A yes for the session can be given: what it covers is on the screen, whole. */
  readonly offersSession: boolean;
  /** All that waits can be answered by one yes: all of it is on the screen, whole. */
  readonly offersAll: boolean;
}

/** Nothing but a no. */
export const NO_OFFERS: Offers = { offersOnce: false, offersSession: false, offersAll: false };

/** True when a key's answer counts. */
export function isOffered(answer: Answer, { offersOnce, offersSession }: Offers): boolean {
  switch (answer) {
    case "once":
      return offersOnce;
    case "session":
      return offersSession;
    case "no":
      return true;
  }
}
