import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { type ListenFunction, listenHere } from "../../../src/network/listen-at.ts";
import { PortListeners } from "../../../src/network/port-listeners.ts";
import { say } from "../../support/battery/port-servers.ts";
import { freePort } from "../../support/web/free-port.ts";
import { portOf } from "../../support/web/port-of.ts";

/** A server that answers as one inside would, and what connects to it. */
async function inside(): Promise<{ readonly server: Server; readonly connectInside: () => Promise<Socket> }> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    let said = "";
    socket.on("data", (part) => (said += String(part)));
    socket.on("end", () => socket.end(`inside ${said}`));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const connectInside = async (): Promise<Socket> => {
    const socket = connect(portOf(server), "127.0.0.1");
    await once(socket, "connect");
    return socket;
  };
  return { server, connectInside };
}

/** Listens at every address but those that are told otherwise. */
const withAnswers =
  (answers: Readonly<Record<string, "taken" | "absent">>): ListenFunction =>
  async (server, host, port) =>
    answers[host] ?? listenHere(server, host, port);

describe("listeners of a call's ports", () => {
  test("let nobody in before they are opened and after their end, and whoever comes meanwhile", async () => {
    const [port, { connectInside }] = [await freePort(), await inside()];
    const listeners = await PortListeners.listen([port]);
    expect(await say(port, "a")).toMatch(/^(ECONNRESET|EPIPE)$/);
    listeners.open(connectInside);
    expect(await say(port, "a")).toBe("inside a");
    expect(await say(port, "b", "::1")).toBe("inside b");
    const kept = connect(port, "127.0.0.1");
    await once(kept, "connect");
    const closed = once(kept, "close");
    kept.on("error", () => undefined);
    listeners[Symbol.dispose]();
    await closed;
    expect(await say(port, "a")).toBe("ECONNREFUSED");
  });

  test("reset what comes where nobody listens inside", async () => {
    const port = await freePort();
    using listeners = await PortListeners.listen([port]);
    listeners.open(async () => null);
    expect(await say(port, "a")).toMatch(/^(ECONNRESET|EPIPE)$/);
  });

  test("are refused where either address is somebody else's, and hold nothing then; one that is not there is none", async () => {
    const port = await freePort();
    for (const host of ["127.0.0.1", "::1"])
      await expect(PortListeners.listen([port], withAnswers({ [host]: "taken" }))).rejects.toMatchObject({
        code: "PORT_IN_USE",
        message: `the port ${port} of this machine's loopback is in use`,
      });
    expect(await say(port, "a")).toBe("ECONNREFUSED");
    using listeners = await PortListeners.listen([port], withAnswers({ "::1": "absent" }));
    expect(listeners).toBeInstanceOf(PortListeners);
  });

  test("hold none of several where one of these is in use", async () => {
    const [first, second] = [await freePort(), await freePort()];
    using _other = await PortListeners.listen([second]);
    await expect(PortListeners.listen([first, second])).rejects.toThrow(String(second));
    expect(await say(first, "a")).toBe("ECONNREFUSED");
  });

  test("let in so many at once and no more, and others once these are gone", async () => {
    const [port, { connectInside }] = [await freePort(), await inside()];
    using listeners = await PortListeners.listen([port]);
    listeners.open(connectInside);
    const many = Array.from({ length: 256 }, () => connect(port, "127.0.0.1"));
    await Promise.all(many.map((socket) => once(socket, "connect")));
    expect(await say(port, "a")).toMatch(/^(ECONNRESET|EPIPE)$/);
    for (const socket of many) socket.destroy();
    await expect.poll(() => say(port, "a")).toBe("inside a");
  });
});
