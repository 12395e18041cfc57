import { connect } from "node:net";
import { expect, test } from "vitest";
import { testApp } from "../../support/http/test-app.ts";

test("http.auth: a connection that does not say what it wants is ended", async () => {
  await using at = await testApp();
  const { hostname, port } = new URL(at.server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write("POST /approvals/a HTTP/1.1\r\nhost: 127.0.0.1\r\n");
  const said = await new Promise<string>((resolve) => {
    let all = "";
    socket.on("data", (data) => {
      all += String(data);
    });
    socket.on("close", () => resolve(all));
  });
  expect(said).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  expect(at.refused()).toEqual([expect.stringContaining("408 the request took too long to arrive")]);
});
