import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { deserialize, serialize } from "node:v8";
import { MemorySaver } from "@langchain/langgraph";

/** Keeps what agents were doing in a file, so that another process goes on. */
export class FileSaver extends MemorySaver {
  readonly #file: string;

  constructor(file: string) {
    super();
    this.#file = file;
    if (existsSync(file)) Object.assign(this, deserialize(readFileSync(file)));
  }

  override async put(...given: Parameters<MemorySaver["put"]>) {
    const done = await super.put(...given);
    this.#keep();
    return done;
  }

  override async putWrites(...given: Parameters<MemorySaver["putWrites"]>) {
    await super.putWrites(...given);
    this.#keep();
  }

  #keep(): void {
    writeFileSync(this.#file, serialize({ storage: this.storage, writes: this.writes }));
  }
}
