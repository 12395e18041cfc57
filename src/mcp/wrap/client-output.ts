import { type JsonObject, printMessage } from "./json-rpc.ts";

/** The client's end of the connection: prints messages to it in order. */
export class ClientOutput {
  readonly #write: (line: string) => Promise<void>;
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(write: (line: string) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when the client has read every message so far. */
  get drained(): Promise<void> {
    return this.#lastWrite;
  }

  send(message: JsonObject): void {
    this.#lastWrite = this.#write(printMessage(message));
  }
}
