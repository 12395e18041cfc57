import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { CofferdamError } from "../errors.ts";
import { Who } from "../policy/decision.ts";

const TOKEN = "32 to 256 letters, digits or `-._~+/=`: `openssl rand -base64 32` makes one";

/** Somebody who may look at everything and answer: the name is who an answer is by. */
export const Approver = z
  .strictObject({
    name: Who,
    /** Kept by its hash alone. */
    token: z.string().regex(/^[A-Za-z0-9._~+/-]{30,254}[A-Za-z0-9._~+/=-]{2}$/, { error: TOKEN }),
  })
  .readonly();
export type Approver = z.infer<typeof Approver>;

/** A token that nobody guesses: 256 random bits. */
export function makeToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Who has which token. */
export class Approvers {
  readonly #known: readonly { readonly name: string; readonly digest: Uint8Array }[];

  /** Throws `USAGE` where there is nobody, or two share a name or a token: then nobody could tell who answered. */
  constructor(approvers: readonly Approver[]) {
    const isTwice = (what: (one: Approver) => string): boolean =>
      new Set(approvers.map(what)).size < approvers.length;
    if (approvers.length === 0) throw refused("there is nobody who could answer", "list somebody");
    if (isTwice(({ name }) => name)) throw refused("two approvers have one name", "give each their own");
    if (isTwice(({ token }) => token)) throw refused("two approvers have one token", "give each their own");
    this.#known = approvers.map(({ name, token }) => ({ name, digest: digestOf(token) }));
  }

  /** Whose token this is, or null. How long that takes says nothing of how much of it is right. */
  nameOf(token: string): string | null {
    const digest = digestOf(token);
    let found: string | null = null;
    for (const one of this.#known) if (timingSafeEqual(one.digest, digest)) found = one.name;
    return found;
  }
}

/** The token of an `Authorization` header (RFC 6750, section 2.1); null where it holds none. */
export function bearerToken(header: string | undefined): string | null {
  return /^Bearer ([A-Za-z0-9._~+/-]{1,256}=*)$/i.exec(header ?? "")?.[1] ?? null;
}

function digestOf(token: string): Uint8Array {
  return createHash("sha256").update(token).digest();
}

function refused(what: string, hint: string): CofferdamError {
  return new CofferdamError("USAGE", what, { hint });
}
