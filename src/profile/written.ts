import { z } from "zod";
import { CofferdamError } from "../errors.ts";
import { pathToBytes } from "./path.ts";
import { parseProxy } from "./upstream.ts";

/** The maximum of bytes of a path: the kernel's PATH_MAX counts the NUL after it (limits.h(0p)). */
export const MAX_PATH_BYTES = 4095;
/** A name of 253 bytes (RFC 1035, without the final dot), `*.`, a port, and ` at ` with an IPv6 address. */
const MAX_HOST_BYTES = 304;

/** A path in a person's spelling. A longer one can name nothing, and would only take time. */
export const WrittenPath = atMostBytes(MAX_PATH_BYTES, "a path");
/** A pattern in a person's spelling. */
export const WrittenPattern = atMostBytes(MAX_PATH_BYTES, "a pattern");
/** A host or host rule in a person's spelling. */
export const WrittenHost = atMostBytes(
  MAX_HOST_BYTES,
  "a host rule",
  // A quoted number would be refused as well: it is no host.
  "write a host, such as `example.org:443`",
);

/** The URL of a proxy in a person's spelling; the error for an invalid one never contains its password. */
export const WrittenProxy = z
  .string()
  .min(1)
  .meta({ maxLength: 1024 })
  .transform((text, context) => {
    try {
      return parseProxy(text);
    } catch (error) {
      if (!(error instanceof CofferdamError)) throw error;
      context.addIssue({ code: "custom", message: error.hint ?? error.message });
      return z.NEVER;
    }
  });

/** True for a text longer than the maximum of a path. */
export function isTooLong(text: string): boolean {
  return text.length > MAX_PATH_BYTES || pathToBytes(text).length > MAX_PATH_BYTES;
}

function atMostBytes(max: number, what: string, ofAnotherType?: string) {
  return z
    .string(ofAnotherType)
    .min(1)
    .refine(
      (text) => text.length <= max && pathToBytes(text).length <= max,
      `write ${what} of at most ${max} bytes`,
    )
    .meta({ maxLength: max });
}
