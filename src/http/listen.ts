import ipaddr from "ipaddr.js";
import { CofferdamError, visible } from "../errors.ts";
import { type AbsolutePath, absolutePath } from "../profile/path.ts";

/** The address of a server. */
export type ListenAddress =
  | {
      readonly kind: "address";
      readonly address: string;
      readonly port: number;
      readonly isLoopback: boolean;
    }
  | { readonly kind: "socket"; readonly path: AbsolutePath };

/** A loopback address; port 0 means any free port. */
export const USUAL_LISTEN = "127.0.0.1:0";

/**
 * The address in a text: `127.0.0.1:0`, `[::1]:8080`, `localhost:8080`, or the absolute path of a unix socket. Throws
 * `USAGE` for anything else: other names would need a lookup, and might lead anywhere.
 */
export function readListen(text: string): ListenAddress {
  if (text.startsWith("/")) return { kind: "socket", path: absolutePath(text) };
  const [, name = "", digits = ""] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  const address = name === "localhost" ? "127.0.0.1" : name.replace(/^\[(.*)\]$/, "$1");
  const port = Number(digits);
  if (
    digits === "" ||
    port > 65_535 ||
    !ipaddr.isValid(address) ||
    address.includes(":") !== name.startsWith("[")
  )
    throw new CofferdamError("USAGE", `${visible(text)} is not an address to listen on`, {
      hint: "write `127.0.0.1:0`, `[::1]:8080`, or the absolute path of a unix socket",
    });
  return { kind: "address", address, port, isLoopback: ipaddr.parse(address).range() === "loopback" };
}

/** The names of a listening server, as a `Host` header spells them. It is reachable from here by the first one. */
export function ownHosts({
  address,
  port,
}: {
  readonly address: string;
  readonly port: number;
}): readonly string[] {
  // A browser omits the default port.
  return namesOf(address).flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
}

function namesOf(address: string): readonly string[] {
  const name = address.includes(":") ? `[${address}]` : address;
  const range = ipaddr.parse(address).range();
  if (range === "loopback") return [name, "localhost"];
  // It means every address of the machine.
  if (range === "unspecified")
    return address === "0.0.0.0" ? ["127.0.0.1", "localhost"] : ["[::1]", "127.0.0.1", "localhost"];
  return [name];
}
