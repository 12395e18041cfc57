import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { CofferdamError } from "../errors.ts";
import { Who } from "../policy/decision.ts";

const TOKEN = "32 to 256 letters, digits or `-._~+/=`: `openssl rand -base64 32` makes one";

/** A person who may read everything and answer. The name is the recorded answerer. */
export const Approver = z
  .strictObject({
    name: Who,
    /** Only its hash is kept. */
    token: z.string().regex(/^[A-Za-z0-9._~+/-]{30,254}[A-Za-z0-9._~+/=-]{2}$/, { error: TOKEN }),
  })
  .readonly();
export type Approver = z.infer<typeof Approver>;

/** A token that cannot be guessed: 256 random bits. */
export function makeToken(): string {
  return randomBytes(32).toString("base64url");
}

/** The approvers and the hashes of their tokens. */
export class Approvers {
  readonly #known: readonly { readonly name: string; readonly digest: Uint8Array }[];

  /** Throws `USAGE` without approvers, or if two share a name or a token: answers would be ambiguous. */
  constructor(approvers: readonly Approver[]) {
    const isTwice = (what: (one: Approver) => string): boolean =>
      new Set(approvers.map(what)).size < approvers.length;
    if (approvers.length === 0) throw refused("there are no approvers", "list at least one");
    if (isTwice(({ name }) => name))
      throw refused("two approvers have the same name", "give each a different one");
    if (isTwice(({ token }) => token))
      throw refused("two approvers have the same token", "give each a different one");
    this.#known = approvers.map(({ name, token }) => ({ name, digest: digestOf(token) }));
  }

  /** The name of a token's owner, or null. The duration reveals nothing about how much of the token is right. */
  nameOf(token: string): string | null {
    const digest = digestOf(token);
    let found: string | null = null;
    for (const one of this.#known) if (timingSafeEqual(one.digest, digest)) found = one.name;
    return found;
  }
}

/** The token of an `Authorization` header (RFC 6750, section 2.1), or null. */
export function bearerToken(header: string | undefined): string | null {
  return /^Bearer ([A-Za-z0-9._~+/-]{1,256}=*)$/i.exec(header ?? "")?.[1] ?? null;
}

function digestOf(token: string): Uint8Array {
  return createHash("sha256").update(token).digest();
}

function refused(what: string, hint: string): CofferdamError {
  return new CofferdamError("USAGE", what, { hint });
}
