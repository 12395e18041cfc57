import { z } from "zod";
import { visible } from "../../errors.ts";
import { ApprovalBlockedError } from "../../policy/approval-error.ts";
import type { HostRule } from "../../profile/host-rule.ts";
import type { Network } from "../../profile/network.ts";
import { type DefinedTool, defineTool } from "../define-tool.ts";
import type { Requirement } from "../function-tool.ts";
import type { WebFetchSection } from "../settings.ts";
import { MAX_URL_LENGTH, type PageAddress, pageAddress, printHost, readText } from "./address.ts";
import type { Fetched, Redirect, StoppedBecause } from "./page.ts";
import {
  isListed,
  type NetworkLayer,
  pageNetwork,
  rulesForOnce,
  whyAboveCeiling,
  whyNeverUnlisted,
} from "./reach.ts";

/** Maximum size of a page, in bytes. */
export const MAX_PAGE_BYTES = 5 * 1024 * 1024;

/** A URL in the one spelling that is shown, judged and fetched. */
const PageUrl = readText(MAX_URL_LENGTH, (text) => pageAddress(text).href);

/** Input of `web_fetch`. */
export const WebFetchInput = z.strictObject({
  url: PageUrl.describe("the address of the page: `https://…`"),
  max_bytes: z.int().min(1).max(MAX_PAGE_BYTES).default(MAX_PAGE_BYTES).describe("the rest is cut off"),
});
export type WebFetchInput = z.infer<typeof WebFetchInput>;

/** Output of `web_fetch`: the page as text, or why there is none. */
export type WebFetchOutput =
  | {
      readonly kind: "page";
      readonly url: string;
      readonly status: number;
      readonly content_type: string | null;
      readonly text: string;
      readonly bytes: number;
      readonly is_cut: boolean;
      readonly redirects: readonly Redirect[];
    }
  | {
      readonly kind: "stopped";
      readonly url: string;
      readonly host: string;
      readonly because: StoppedBecause;
      readonly reason: string;
      readonly hint: string;
      readonly content_type: string | null;
      readonly size: number | null;
      readonly redirects: readonly Redirect[];
    };

/** The policy for fetching pages. */
export interface FetchPolicy {
  readonly approval: WebFetchSection["approval"];
  /** True if every page needs approval, whatever `approval` says. */
  readonly asksAlways?: boolean;
  readonly domains: readonly HostRule[];
  readonly layers: readonly NetworkLayer[];
  readonly proxies?: readonly string[];
  /** The hosts granted to the session at this moment. */
  readonly granted: () => Promise<readonly HostRule[]>;
}

/** Fetches one page within a network, in the supervisor's process. */
export type FetchPage = (request: {
  readonly address: PageAddress;
  readonly network: Network;
  readonly method: "GET";
  readonly maxBytes: number;
  readonly signal: AbortSignal | null;
}) => Promise<Fetched>;

/** `web_fetch`: a page of a listed host, or of any with an approval. A redirect elsewhere ends it and is named. */
export function webFetchTool(policy: FetchPolicy, fetchPage: FetchPage): DefinedTool {
  return defineTool({
    name: NAME,
    version: "1",
    risk: "read_only",
    description:
      "Fetches one page as text. For an unlisted host, a person is asked, for this page only. A redirect to another host stops the fetch, and the result names that host.",
    input: WebFetchInput,
    requireApproval: async ({ input }): Promise<Requirement> => {
      const address = pageAddress(input.url);
      const isKnown = isListed(await hostsNow(policy, address), address);
      const host = visible(printHost(address));
      if (isKnown && policy.approval !== "always" && policy.asksAlways !== true)
        return { required: false, reason: `${host} is a listed host` };
      return {
        required: true,
        description: `fetch ${address.href}`,
        reason: isKnown
          ? `every page needs approval, also of the listed host ${host}`
          : `${host} is not a listed host; an approval covers only this page`,
        // To approve more than this page, the host is added to the list.
        remember: false,
      };
    },
    run: async ({ input, signal }): Promise<WebFetchOutput> => {
      const address = pageAddress(input.url);
      const hosts = await hostsNow(policy, address);
      const once = isListed(hosts, address) ? [] : rulesForOnce(address);
      const network = pageNetwork([...hosts, ...once], policy.layers, policy.proxies);
      return written(await fetchPage({ address, network, method: "GET", maxBytes: input.max_bytes, signal }));
    },
  });
}

const NAME = "web_fetch";

/** The hosts that are allowed now. Throws `ApprovalBlockedError` if no approval can allow the page. */
async function hostsNow(
  { approval, domains, granted, layers }: FetchPolicy,
  address: PageAddress,
): Promise<readonly HostRule[]> {
  const hosts = [...domains, ...(await granted())];
  const host = visible(printHost(address));
  const blocked = isListed(hosts, address)
    ? null
    : approval === "never"
      ? `${host} is not a listed host`
      : whyNeverUnlisted(address);
  const why = whyAboveCeiling(address, layers) ?? blocked;
  if (why !== null) throw new ApprovalBlockedError(NAME, why);
  return hosts;
}

function written(fetched: Fetched): WebFetchOutput {
  const { url, redirects } = fetched;
  if (fetched.kind === "page") {
    const { status, text, bytes } = fetched;
    const { contentType, isCut } = fetched;
    return { kind: "page", url, status, content_type: contentType, text, bytes, is_cut: isCut, redirects };
  }
  const { host, because, reason, contentType, size } = fetched;
  const hint = HINTS[because];
  return { kind: "stopped", url, host, because, reason, hint, content_type: contentType, size, redirects };
}

const OTHER = "use another page";
const HINTS = {
  unlisted: "call web_fetch with this URL to ask for it, or web_fetch_add_domain for its host",
  never: OTHER,
  "no-address": "check the spelling of the host's name",
  private: OTHER,
  special: OTHER,
  connection: "try again later",
  certificate: OTHER,
  answer: OTHER,
  redirect: OTHER,
  redirects: OTHER,
  headers: OTHER,
  encoding: OTHER,
  type: "only text can be fetched: use another page, or a program that a person approves",
  time: "try again later",
} as const satisfies Record<StoppedBecause, string>;
