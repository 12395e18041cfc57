import type { Host } from "./host.ts";
import { linux } from "./linux.ts";
import { mac } from "./mac/mac.ts";
import type { Platform } from "./platform-parts.ts";

/** The one that this host is of. */
export function platformOf({ platform }: Pick<Host, "platform">): Platform {
  return { linux, darwin: mac }[platform];
}
