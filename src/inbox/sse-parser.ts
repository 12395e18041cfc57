export interface ServerSentEvent {
  readonly name: string;
  readonly data: string;
}

/** Reads server-sent events piece by piece (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export class SseParser {
  /** The id of the last complete event. */
  lastEventId: string;
  #rest = "";

  constructor(lastEventId: string) {
    this.lastEventId = lastEventId;
  }

  /** The events that a piece completes. Every blank line ends an event; a block without data is not an event. */
  parse(piece: string): readonly ServerSentEvent[] {
    const blocks = `${this.#rest}${piece}`.split("\n\n");
    this.#rest = blocks.pop() ?? "";
    return blocks.flatMap((block) => this.#read(block));
  }

  #read(block: string): readonly ServerSentEvent[] {
    let name = "message";
    const data: string[] = [];
    for (const line of block.split("\n")) {
      const [field, value] = fieldOf(line);
      if (field === "id") this.lastEventId = value;
      if (field === "event") name = value;
      if (field === "data") data.push(value);
    }
    return data.length === 0 ? [] : [{ name, data: data.join("\n") }];
  }
}

/** The name of a field and its value. Only one blank after the colon is dropped. */
function fieldOf(line: string): readonly [field: string, value: string] {
  const colon = line.indexOf(":");
  if (colon === -1) return [line, ""];
  return [line.slice(0, colon), line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1)];
}
