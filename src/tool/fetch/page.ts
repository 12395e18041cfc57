/** One redirect that was followed, or was to be. */
export interface Redirect {
  readonly status: number;
  /** Where it led. */
  readonly url: string;
}

/**
 * Why there is no page: a host that is not listed, or listed as never reached, or without any address; an address that is
 * private or special; nobody there, or a certificate that is not the host's; an answer that is none; a redirect that is
 * not followed, or too many; too long headers; a coding that is none; a type that is no text; the time.
 */
export type StoppedBecause =
  | "unlisted"
  | "never"
  | "no-address"
  | "private"
  | "special"
  | "connection"
  | "certificate"
  | "answer"
  | "redirect"
  | "redirects"
  | "headers"
  | "encoding"
  | "type"
  | "time";

/** What a fetch came to. */
export type Fetched =
  | {
      readonly kind: "page";
      /** Where the page was in the end. */
      readonly url: string;
      readonly status: number;
      readonly contentType: string | null;
      readonly text: string;
      /** Of the body, unpacked, as far as it was taken. */
      readonly bytes: number;
      readonly isCut: boolean;
      readonly redirects: readonly Redirect[];
    }
  | {
      readonly kind: "stopped";
      /** Which hop it is about. */
      readonly url: string;
      readonly host: string;
      readonly because: StoppedBecause;
      readonly reason: string;
      /** Of a page that is no text: its type, and its size where it tells it. */
      readonly contentType: string | null;
      readonly size: number | null;
      readonly redirects: readonly Redirect[];
    };
