import { expect, test } from "vitest";
import type { Network } from "../../../../src/profile/network.ts";
import { type AddedHost, addDomainTool } from "../../../../src/tool/fetch/add-domain.ts";
import { webFetchTool } from "../../../../src/tool/fetch/web-fetch.ts";

const around = { signal: null, metadata: {} } as const;

/** The tools under a ceiling, with all that they would have done. */
function tools(network: Network) {
  const added: AddedHost[] = [];
  const fetched: string[] = [];
  const layers = [{ name: "a", profile: { network } }];
  const policy = { approval: "unlisted", domains: [], layers, granted: async () => [] } as const;
  return {
    added,
    fetched,
    add: addDomainTool({ ...policy, sessionGrants: true, add: async (one) => void added.push(one) }),
    fetch: webFetchTool(policy, async ({ address }) => {
      fetched.push(address.host);
      return {
        kind: "page",
        url: address.href,
        status: 200,
        contentType: null,
        text: "",
        bytes: 0,
        isCut: false,
        redirects: [],
      };
    }),
  };
}

test("what is never done is not done by whoever runs a tool past its gate either (S2-19, S2-20)", async () => {
  const { add, fetch, added, fetched } = tools("open");
  for (const domain of ["localhost", "127.1", "printer.local"])
    await expect(add.use({ domain }, around).run?.()).rejects.toMatchObject({ code: "APPROVAL_BLOCKED" });
  for (const url of ["http://localhost/", "http://127.1/", "http://printer.local/"])
    await expect(fetch.use({ url }, around).run?.()).rejects.toMatchObject({ code: "APPROVAL_BLOCKED" });
  const above = tools("none");
  await expect(above.add.use({ domain: "a.test" }, around).run?.()).rejects.toThrow(
    "the profile `a` allows no network",
  );
  await expect(above.fetch.use({ url: "http://a.test/" }, around).run?.()).rejects.toThrow(
    "allows no network",
  );
  expect([added, fetched, above.added, above.fetched]).toEqual([[], [], [], []]);
  await add.use({ domain: "A.test." }, around).run?.({ by: "ann" });
  await fetch.use({ url: "http://A.test./" }, around).run?.();
  expect([added.map(({ host, by }) => [host, by]), fetched]).toEqual([[["a.test", "ann"]], ["a.test"]]);
});
