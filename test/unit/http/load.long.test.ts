import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { load } from "../../support/http/figures.ts";
import { put, testApp } from "../../support/http/test-app.ts";
import { send } from "../../support/http/wire.ts";

const SECONDS = 20;

describe.concurrent("a server under load", () => {
  test.each([
    [1_000, 10],
    [50, 100],
  ])("%i who follow get each of %i events a second once and in order (S4-17)", async (subscribers, rate) => {
    const figures = await load(subscribers, rate, SECONDS);
    console.info(
      `${subscribers} who follow, ${rate} events a second, ${SECONDS} s: ${JSON.stringify(figures)}`,
    );
    expect(figures).toMatchObject({
      events: rate * SECONDS,
      fewest: rate * SECONDS,
      max: rate * SECONDS,
      gaps: 0,
      doubled: 0,
      ended: 0,
    });
  });

  test("cuts off a connection that is not read from, and the others notice nothing", async () => {
    await using at = await testApp({ unsentBytes: 512 * 1024, stalledMs: 2_000 });
    const { hostname, port, host } = new URL(at.server.url);
    const slow = connect({ host: hostname, port: Number(port) });
    const token = at.server.approvers[0]?.token;
    slow.write(`GET /events HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n\r\n`);
    slow.pause();
    const closed = new Promise<void>((resolve) => slow.once("close", () => resolve()));
    slow.on("error", () => undefined);
    const quick = await at.ask("/events");
    let seen = 0;
    const reading = (async () => {
      const decoder = new TextDecoder();
      for await (const piece of quick.body ?? []) {
        seen += decoder.decode(piece).split("data: ").length - 1;
        if (seen === 4_000) return;
      }
    })();
    // More than the kernel holds of it for somebody who does not read.
    const note = "x".repeat(16_000);
    for (let index = 0; index < 2_000; index += 1) {
      await put(at.desk.broker, { approvalId: `${index}` }, { isBlocking: false });
      await at.desk.broker.respond(`${index}`, { approved: false, note }, "ann");
      if (index % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await reading;
    expect(seen).toBe(4_000);
    slow.resume();
    await closed;
    expect((await send(at.server.url, { path: "/health" })).status).toBe(200);
  });
});
