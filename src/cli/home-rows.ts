import type { Host } from "../host/host.ts";
import { homesOf, whyHome } from "../host/user.ts";

/** The home that counts, and the reason. What is protected in it is protected in every other one. */
export function homeRows(host: Host): readonly (readonly string[])[] {
  const [home, ...others] = homesOf(host);
  return [
    ["home", `${home}: ${whyHome(host)}`],
    ...others.map((other) => ["", `${other} is protected as well`]),
  ];
}
