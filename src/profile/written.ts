import { z } from "zod";
import { CofferdamError } from "../errors.ts";
import { pathToBytes } from "./path.ts";
import { parseProxy } from "./upstream.ts";

/** The bytes that a path may have: the kernel's PATH_MAX counts the NUL behind it (limits.h(0p)). */
export const MOST_PATH_BYTES = 4095;
/** A name of 253 bytes (RFC 1035, without the final dot), `*.`, a port, and ` at ` with an IPv6 address. */
const MOST_HOST_BYTES = 304;

/** A path as somebody writes it. What is longer can name nothing, and would only take time. */
export const WrittenPath = atMostBytes(MOST_PATH_BYTES, "a path");
/** A pattern as somebody writes it. */
export const WrittenPattern = atMostBytes(MOST_PATH_BYTES, "a pattern");
/** A host or host rule as somebody writes it. */
export const WrittenHost = atMostBytes(MOST_HOST_BYTES, "a host, with all that stands behind it,");

/** The URL of a proxy as somebody writes it; what is told of one that is none never holds its password. */
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

/** True for a text that is longer than a path can be. */
export function isTooLong(text: string): boolean {
  return text.length > MOST_PATH_BYTES || pathToBytes(text).length > MOST_PATH_BYTES;
}

function atMostBytes(most: number, what: string) {
  return z
    .string()
    .min(1)
    .refine(
      (text) => text.length <= most && pathToBytes(text).length <= most,
      `${what} has at most ${most} bytes`,
    )
    .meta({ maxLength: most });
}
