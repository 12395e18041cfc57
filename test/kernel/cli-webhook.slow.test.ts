import { expect, test } from "vitest";
import { sandboxMustWork } from "../support/battery/needs.ts";
import { receiver, SECRET, signedBy } from "../support/webhook/receiver.ts";
import { exitOf, place } from "../unit/cli/command-line.ts";

sandboxMustWork("the webhook of the command line");

const PATIENT = { timeout: 30_000 } as const;
const configOf = (url: string): string => `version: 1
sandbox:
  runtimes: [system]
  paths: { workspace: { root: ., mode: rw, write_approval: true } }
approval:
  channels:
    webhook: { url: "${url.replace("/hook", `/\${HOOK_PATH}`)}", secret_env: HOOK_SECRET, approvers: [U1] }
`;

test("`serve` sends the requests of all processes to the webhook, and takes its signed answers without a token", async () => {
  const { url, got } = await receiver();
  const at = await place(configOf(url));
  const env = { HOOK_SECRET: SECRET, HOOK_PATH: "hook" };
  const server = at.start(["serve", "--json"], { env });
  let [out, err] = ["", ""];
  server.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  server.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  await expect.poll(() => err, PATIENT).toContain("sends requests to the webhook; its answers go to http://");
  const { url: api }: { readonly url: string } = JSON.parse(out);
  const input = JSON.stringify({ path: "made", content: "x" });
  await at.cofferdam(["call", "--suspend", "write_file", input]);
  await expect.poll(() => got.length, PATIENT).toBe(1);
  const { approvalId = "" } = got[0]?.message.data ?? {};
  const answer = async (by: string): Promise<number> => {
    const body = JSON.stringify({ type: "approval.answer", data: { approvalId, approved: true, by } });
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = {
      "content-type": "application/json",
      ...(await signedBy(SECRET, { id: by, timestamp, body })),
    };
    return (await fetch(`${api}/webhook`, { method: "POST", headers, body })).status;
  };
  expect([await answer("U9"), await answer("U1")]).toEqual([403, 200]);
  await expect.poll(() => got.at(-1)?.message.type, PATIENT).toBe("approval.settled");
  expect((await at.cofferdam(["resume", approvalId.slice(0, 8)])).exit).toBe(0);
  server.kill("SIGTERM");
  await exitOf(server);
  expect(out + err).not.toContain(SECRET);
  const without = await at.cofferdam(["serve"], { env: { HOOK_PATH: "hook" } });
  expect(without.stderr).toContain("the config names the variable `HOOK_SECRET`, which is not set or empty");
});
