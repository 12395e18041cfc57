/** One redirect, followed or not. */
export interface Redirect {
  readonly status: number;
  readonly url: string;
}

/** Why there is no page. */
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

/** The result of a fetch. */
export type Fetched =
  | {
      readonly kind: "page";
      /** The final URL of the page. */
      readonly url: string;
      readonly status: number;
      readonly contentType: string | null;
      readonly text: string;
      /** Size of the unpacked body, as far as it was read. */
      readonly bytes: number;
      readonly isCut: boolean;
      readonly redirects: readonly Redirect[];
    }
  | {
      readonly kind: "stopped";
      /** The URL of the hop that failed. */
      readonly url: string;
      readonly host: string;
      readonly because: StoppedBecause;
      readonly reason: string;
      /** Type and, if stated, size of a page that is not text. */
      readonly contentType: string | null;
      readonly size: number | null;
      readonly redirects: readonly Redirect[];
    };
