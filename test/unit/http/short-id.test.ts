import { expect, it } from "vitest";
import { post, put, settled, testApp } from "../../support/http/test-app.ts";

const [ONE, TWO] = ["1a2b3c4d-0000-4000-8000-000000000001", "1a2b3c4d-0000-4000-8000-000000000002"] as const;

it("a request is shown and answered by the beginning of its id, as the command line prints it", async () => {
  await using at = await testApp();
  const answer = put(at.desk.broker, { approvalId: ONE });
  await settled(at.desk, 1);
  const shown = await at.ask("/approvals/1a2b3c4d");
  expect([shown.status, await shown.json()]).toMatchObject([200, { request: { approvalId: ONE } }]);
  expect((await at.ask("/approvals/1a2b3c4d", post({ approved: true }))).status).toBe(200);
  expect(await answer).toMatchObject({ status: "approved", by: "ann" });
  // The first answer counts: the whole id finds what the beginning no longer means.
  expect((await at.ask(`/approvals/${ONE}`, post({ approved: false }))).status).toBe(409);
});

it("a beginning that several requests share, or that is too short, is no id", async () => {
  await using at = await testApp();
  const answers = [ONE, TWO].map((approvalId) => put(at.desk.broker, { approvalId }));
  await settled(at.desk, 2);
  for (const path of ["/approvals/1a2b3c4d", "/approvals/1a2b", "/approvals/00000000"])
    expect([path, (await at.ask(path, post({ approved: true }))).status]).toEqual([path, 404]);
  expect((await at.ask(`/approve/${TWO.slice(0, -1)}`, post({ approved: true }))).status).toBe(404);
  expect((await at.ask(`/approve/${TWO}`, post({ approved: true }))).status).toBe(200);
  expect((await at.ask("/approve/1a2b3c4d", post({ approved: false }))).status).toBe(200);
  expect(await Promise.all(answers)).toMatchObject([{ status: "rejected" }, { status: "approved" }]);
});
