import { spawn } from "node:child_process";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

const MODULES = join(import.meta.dirname, "../../../node_modules");

/** Runs a program of a package to its end; what it prints, both streams, and its status. */
export async function runModule(
  words: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<{ readonly status: number | null; readonly out: string }> {
  const [module = "", ...rest] = words;
  const child = spawn(process.execPath, [join(MODULES, module), ...rest], {
    cwd,
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (out += chunk.toString()));
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { status, out };
}

/** A door before a server that hands over a token for those who can't: everything else goes through as it came. */
export async function withToken(token: string) {
  let to = "";
  const door = createServer((incoming, outgoing) => {
    const { method, headers, url = "/" } = incoming;
    const onward = request(
      new URL(url, to),
      { method, headers: { ...headers, authorization: `Bearer ${token}` }, setHost: false },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = door.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    host: `127.0.0.1:${port}`,
    leadsTo: (url: string): void => {
      to = url;
    },
    [Symbol.asyncDispose]: async () => {
      door.closeAllConnections();
      await new Promise((resolve) => door.close(resolve));
    },
  };
}
