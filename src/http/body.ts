import type { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";
import { asJson, JSON_BOUNDS } from "../policy/canonical-json.ts";
import { readJsonText } from "../policy/json-text.ts";
import { allSteps } from "../policy/steps.ts";
import { type Refusal, refusal } from "./refusal.ts";

const MOST_BYTES = 64 * 1024;

/** What was read of a request, or why it is refused. */
export type Read<Data> =
  | { readonly kind: "read"; readonly data: Data }
  | { readonly kind: "refused"; readonly refusal: Refusal };

/** The body of a request by its schema. No more of it is read than may be. */
export async function readBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<Read<z.output<Schema>>> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json *(;|$)/i.test(type) || request.headers.has("content-encoding"))
    return refused(refusal("BODY_NOT_JSON"));
  if (Number(request.headers.get("content-length") ?? 0) > MOST_BYTES) return refused(tooLarge());
  try {
    const bytes = await bytesOf(request);
    return bytes === null ? refused(tooLarge()) : readJson(bytes, schema);
  } catch {
    // Whoever sent it has gone in the midst of it.
    return malformed("it breaks off");
  }
}

/** Parts of a query by their schema; one that stands there twice is refused. */
export function readQuery<Schema extends z.ZodType>(url: string, schema: Schema): Read<z.output<Schema>> {
  const pairs = [...new URL(url).searchParams];
  if (new Set(pairs.map(([key]) => key)).size < pairs.length) return malformed("has a part twice");
  return bySchema(Object.fromEntries(pairs), schema);
}

function readJson<Schema extends z.ZodType>(bytes: Uint8Array, schema: Schema): Read<z.output<Schema>> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const read = allSteps(readJsonText(text, JSON_BOUNDS));
    // Bounded before it is looked at in any other way: schemas go down into it.
    return read.kind === "value" ? bySchema(asJson(read.value), schema) : malformed(read.what);
  } catch (cause) {
    return malformed(cause instanceof CofferdamError ? cause.message : "it is not UTF-8");
  }
}

function bySchema<Schema extends z.ZodType>(given: unknown, schema: Schema): Read<z.output<Schema>> {
  const read = schema.safeParse(given);
  if (read.success) return { kind: "read", data: read.data };
  const [issue] = read.error.issues;
  const place = issue?.path.map(String).join(".") ?? "";
  const what = (issue?.message ?? "it is not understood").replace(/\n/g, " ");
  return malformed(place === "" ? what : `${visible(place)}: ${what}`);
}

function malformed(what: string): Read<never> {
  return refused(
    refusal("REQUEST_MALFORMED", { message: `the request is malformed: ${what.slice(0, 500)}` }),
  );
}

/** The rest of it is not waited for. */
function tooLarge(): Refusal {
  return refusal("BODY_TOO_LARGE", { headers: { connection: "close" } });
}

function refused(why: Refusal): Read<never> {
  return { kind: "refused", refusal: why };
}

/** Null where there are too many. */
async function bytesOf({ body }: Request): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > MOST_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
