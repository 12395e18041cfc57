import type { Host } from "../look/host.ts";
import { linux } from "./linux.ts";
import { mac } from "./mac/mac.ts";
import type { Platform } from "./platform-parts.ts";

/** The platform of this host. */
export function platformOf({ platform }: Pick<Host, "platform">): Platform {
  return { linux, darwin: mac }[platform];
}
