import { PassThrough } from "node:stream";
import {
  type Transport as CurrentTransport,
  deserializeMessage as readCurrent,
} from "@modelcontextprotocol/client";
import { deserializeMessage as readPrevious } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport as PreviousTransport } from "@modelcontextprotocol/sdk/shared/transport.js";

/** What went over the wire, in either direction. */
export interface OnWire {
  readonly from: "client" | "server";
  readonly line: string;
}

/** A server's two streams, and by which clients of this process use them: a message is a line. */
export class Lines {
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  readonly wire: OnWire[] = [];
  #rest = "";

  current(): CurrentTransport {
    const transport: CurrentTransport = {
      start: async () => this.#read((line) => transport.onmessage?.(readCurrent(line)), transport),
      send: async (message) => this.write(message),
      close: async () => this.#close(transport),
    };
    return transport;
  }

  previous(): PreviousTransport {
    const transport: PreviousTransport = {
      start: async () => this.#read((line) => transport.onmessage?.(readPrevious(line)), transport),
      send: async (message) => this.write(message),
      close: async () => this.#close(transport),
    };
    return transport;
  }

  /** Sends what no client would send. */
  write(message: unknown): void {
    const line = typeof message === "string" ? message : JSON.stringify(message);
    this.wire.push({ from: "client", line });
    this.input.write(`${line}\n`);
  }

  #read(take: (line: string) => void, { onclose }: { onclose?: (() => void) | undefined }): void {
    this.output.on("data", (chunk: Buffer) => {
      const parts = `${this.#rest}${chunk.toString()}`.split("\n");
      this.#rest = parts.pop() ?? "";
      for (const line of parts) {
        this.wire.push({ from: "server", line });
        take(line);
      }
    });
    this.output.on("end", () => onclose?.());
  }

  #close(transport: { onclose?: (() => void) | undefined }): void {
    this.input.end();
    transport.onclose?.();
  }
}
