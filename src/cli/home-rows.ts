import type { Host } from "../host/look/host.ts";
import { homesOf, whyHome } from "../host/look/user.ts";

/** The home folder that applies, and the reason. All other homes get the same protection. */
export function homeRows(host: Host): readonly (readonly string[])[] {
  const [home, ...others] = homesOf(host);
  return [
    ["home", `${home}: ${whyHome(host)}`],
    ...others.map((other) => ["", `${other} is also protected`]),
  ];
}
