import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Outside } from "../../../src/host/look/outside.ts";
import type { Session } from "../../../src/session/session.ts";

/** A server for measuring, as a process of its own; gone after disposal. */
export interface BlobServer extends AsyncDisposable {
  readonly port: number;
}

/** Starts it. */
export async function blobServer(): Promise<BlobServer> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "blob-server.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [line]: Buffer[] = await once(child.stdout, "data");
  return {
    port: Number(String(line)),
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await once(child, "close");
    },
  };
}

/** An internet in which that server stands for every host. */
export function outsideAt({ port }: BlobServer): Outside {
  return {
    isOwn: async () => false,
    resolve: async () => ["93.184.215.14"],
    dial: () => connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true }),
  };
}

/** Figures of the egress proxy beside those of a direct connection: medians. */
export interface EgressFigures {
  /** In MB/s (10^6 bytes). */
  readonly direct: number;
  readonly forwarded: number;
  readonly tunnelled: number;
  /** In milliseconds for one request; `anew` where each connects by itself, `tunnelled` by CONNECT. */
  readonly request: { readonly direct: number; readonly forwarded: number };
  readonly anew: { readonly direct: number; readonly tunnelled: number };
  /** 200 downloads of a megabyte at once, in milliseconds, and how many came whole. */
  readonly crowd: { readonly ms: number; readonly whole: number };
}

const BYTES = 100_000_000;
const CROWD = 200;
const ANEW = ["-H", "Connection: close"] as const;

/** Measures with curl, in turn: outside, and in a sandbox whose network lists `a.test`. */
export async function egressFigures(
  session: Session,
  server: BlobServer,
  rounds: number,
  requests: number,
): Promise<EgressFigures> {
  const direct = async (words: readonly string[]): Promise<string> => {
    const at = words.map((word) => word.replace("http://a.test", `http://127.0.0.1:${server.port}`));
    return (await promisify(execFile)("curl", [...at], { env: {}, maxBuffer: 64 * 1024 ** 2 })).stdout;
  };
  const inside = async (words: readonly string[]): Promise<string> => {
    const outcome = await session.call("shell", { argv: ["curl", ...words] });
    if (outcome.kind !== "done") throw new Error(JSON.stringify(outcome));
    return outcome.stdout.bytes.toString();
  };
  const speed = ["-sS", "-o", "/dev/null", "-w", "%{speed_download}\n", `http://a.test/${BYTES}`];
  const time = [
    ...["-sS", "-w", "%{time_total}\n"],
    ...Array.from({ length: requests }, () => ["-o", "/dev/null", "http://a.test/100"]).flat(),
  ];
  const seen = {
    direct: [] as number[],
    forwarded: [] as number[],
    tunnelled: [] as number[],
    request: [[], []] as readonly [number[], number[]],
    anew: [[], []] as readonly [number[], number[]],
  };
  for (let round = 0; round < rounds; round += 1) {
    seen.direct.push(...numbers(await direct(speed)));
    seen.forwarded.push(...numbers(await inside(speed)));
    seen.tunnelled.push(...numbers(await inside(["-p", ...speed])));
    seen.request[0].push(...numbers(await direct(time)));
    seen.request[1].push(...numbers(await inside(time)));
    seen.anew[0].push(...numbers(await direct([...ANEW, ...time])));
    seen.anew[1].push(...numbers(await inside(["-p", ...ANEW, ...time])));
  }
  const ms = (times: readonly number[]): number => median(times) * 1000;
  const mb = (speeds: readonly number[]): number => median(speeds) / 1e6;
  const began = performance.now();
  const urls = Array.from({ length: CROWD }, () => ["-o", "/dev/null", "http://a.test/1000000"]).flat();
  const words = ["-sS", "--parallel", "--parallel-immediate", "--parallel-max", String(CROWD)];
  const sizes = numbers(await inside([...words, "-w", "%{size_download}\n", ...urls]));
  return {
    direct: mb(seen.direct),
    forwarded: mb(seen.forwarded),
    tunnelled: mb(seen.tunnelled),
    request: { direct: ms(seen.request[0]), forwarded: ms(seen.request[1]) },
    anew: { direct: ms(seen.anew[0]), tunnelled: ms(seen.anew[1]) },
    crowd: { ms: performance.now() - began, whole: sizes.filter((size) => size === 1_000_000).length },
  };
}

function numbers(text: string): readonly number[] {
  return text.trim().split("\n").map(Number);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
