import type { Socket } from "node:net";

/** Until a stream has more to read, or never will. */
export function more(client: Socket): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      for (const event of EVENTS) client.off(event, go);
      resolve();
    };
    for (const event of EVENTS) client.on(event, go);
  });
}

const EVENTS = ["readable", "end", "close"] as const;
