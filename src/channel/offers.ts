import type { KeyAnswer } from "./keys.ts";

/** The answers that a request offers as it is on the screen. */
export interface Offers {
  /** The call can be approved: the request is on the screen, except for content to view, or has been viewed. */
  readonly offersOnce: boolean;
  /** The session can be approved: the whole text of what that covers is on the screen. */
  readonly offersSession: boolean;
  /** All waiting requests can be approved together: all of them are whole on the screen. */
  readonly offersAll: boolean;
}

/** Only a rejection. */
export const NO_OFFERS: Offers = { offersOnce: false, offersSession: false, offersAll: false };

/** True if a key's answer counts. */
export function isOffered(answer: KeyAnswer, { offersOnce, offersSession }: Offers): boolean {
  switch (answer) {
    case "once":
      return offersOnce;
    case "session":
      return offersSession;
    case "no":
      return true;
  }
}
