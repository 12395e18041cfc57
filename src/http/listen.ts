import ipaddr from "ipaddr.js";
import { CofferdamError, visible } from "../errors.ts";
import { type AbsolutePath, absolutePath } from "../profile/path.ts";

/** Where a server listens. */
export type ListenAt =
  | {
      readonly kind: "address";
      readonly address: string;
      readonly port: number;
      readonly isLoopback: boolean;
    }
  | { readonly kind: "socket"; readonly path: AbsolutePath };

/** An address of this machine that nothing outside reaches; port 0 is one that is free. */
export const USUAL_LISTEN = "127.0.0.1:0";

/**
 * Where a text says to listen: `127.0.0.1:0`, `[::1]:8080`, `localhost:8080`, or the absolute path of a unix socket. Throws
 * `USAGE` for anything else: a name would have to be looked up, and might lead anywhere.
 */
export function readListen(text: string): ListenAt {
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
    throw new CofferdamError("USAGE", `${visible(text)} is no address to listen on`, {
      hint: "write `127.0.0.1:0`, `[::1]:8080`, or the absolute path of a unix socket",
    });
  return { kind: "address", address, port, isLoopback: ipaddr.parse(address).range() === "loopback" };
}

/** The names by which a listening server is known, as a `Host` header spells them; by the first it can be reached here. */
export function ownHosts({
  address,
  port,
}: {
  readonly address: string;
  readonly port: number;
}): readonly string[] {
  // A browser leaves the usual port out.
  return namesOf(address).flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
}

function namesOf(address: string): readonly string[] {
  const name = address.includes(":") ? `[${address}]` : address;
  const range = ipaddr.parse(address).range();
  if (range === "loopback") return [name, "localhost"];
  // It stands for every address of the machine.
  if (range === "unspecified")
    return address === "0.0.0.0" ? ["127.0.0.1", "localhost"] : ["[::1]", "127.0.0.1", "localhost"];
  return [name];
}
