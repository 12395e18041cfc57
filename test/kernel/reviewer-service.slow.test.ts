import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSupervisor, defineTool } from "../../src/index.ts";
import { knownPath } from "../../src/profile/path.ts";
import { Asked, Written } from "../support/approval/asked.ts";
import { testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("reviewers that are services or functions");

const note = defineTool({ name: "note", run: () => "ran" });
const no = () => new Asked(() => ({ approved: false, by: "ann" }));

/** A service that answers each document with what `answer` makes of its digest. */
async function service(answer: (digest: string) => string): Promise<string> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { digest }: { readonly digest: string } = JSON.parse(body);
      response.end(answer(digest));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address() as AddressInfo;
  return `http://127.0.0.1:${address.port}/`;
}

describe.skipIf(unusable !== null)("a reviewer", () => {
  it.each([
    [
      "allows a call by a proper answer",
      (digest: string) => `{"digest":"${digest}","verdict":"allow_once"}`,
      "done",
    ],
    ["leaves it to a person by any other", () => "APPROVED", "denied"],
  ])("that is a service %s", async (_, answer, kind) => {
    const url = await service(answer);
    await using at = await testSession(() => undefined, {
      settings: { approval: { reviewer: { url, only: { tools: ["note"] }, budget: { timeout: "10m" } } } },
      handler: no(),
      session: { tools: [note] },
    });
    expect(await at.session.call("note", {})).toMatchObject({ kind });
    expect(at.journal.of("approval.reviewed")).toMatchObject([{ review: { name: url } }]);
  });

  it.each([
    ["replaces that of the config", {}, "done"],
    ["is forbidden by an operator", { approval: { reviewer: false } }, "denied"],
  ])("that is a function of the host %s", async (_, profile, kind) => {
    using place = new Place(CALLER);
    const journal = new Written();
    const operator = place.file("operator.yaml", JSON.stringify({ profile: "operator", ...profile }), 0o600);
    const url = await service(() => "never asked");
    await using supervisor = await createSupervisor({
      config: place.config({ approval: { reviewer: { url, only: { tools: ["note"] } } } }),
      cwd: knownPath(place.ws),
      host: place.host(),
      profiles: [operator],
      journal,
      reviewer: {
        name: "own",
        only: { tools: ["note"] },
        review: ({ digest }) => ({ digest, verdict: "allow_once" }),
      },
    });
    const session = supervisor.session({ handler: no(), tools: [note] });
    expect(await session.call("note", {})).toMatchObject({ kind });
    expect(journal.of("approval.reviewed").map(({ review }) => review.name)).toEqual(
      kind === "done" ? ["own"] : [],
    );
  });

  it("that is a misspelt function is refused", async () => {
    const given = { name: "own", only: { tools: ["note"] }, reviews: () => null };
    const made: Promise<unknown> = Reflect.apply(createSupervisor, undefined, [{ reviewer: given }]);
    await expect(made).rejects.toMatchObject({ code: "USAGE" });
  });
});
