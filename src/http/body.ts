import type { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";
import { asJson, JSON_BOUNDS } from "../policy/canonical-json.ts";
import { readJsonText } from "../policy/json-text.ts";
import { allSteps } from "../policy/steps.ts";
import { type HttpRefusal, refusal } from "./refusal.ts";

const MAX_BYTES = 64 * 1024;

/** The data of a request, or the refusal. */
export type Read<Data> =
  | { readonly kind: "read"; readonly data: Data }
  | { readonly kind: "refused"; readonly refusal: HttpRefusal };

/** The body of a request by its schema. Reading stops at the maximum size. */
export async function readBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<Read<z.output<Schema>>> {
  const read = await readBytes(request);
  return read.kind === "refused" ? read : readJson(read.data, schema);
}

/** The body of a request declared as JSON, exactly as it was signed. Reading stops at the maximum size. */
export async function readText(request: Request): Promise<Read<string>> {
  const read = await readBytes(request);
  if (read.kind === "refused") return read;
  try {
    return {
      kind: "read",
      data: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(read.data),
    };
  } catch {
    return malformed("it is not UTF-8");
  }
}

async function readBytes(request: Request): Promise<Read<Uint8Array>> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json *(;|$)/i.test(type) || request.headers.has("content-encoding"))
    return refused(refusal("BODY_NOT_JSON"));
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BYTES) return refused(tooLarge());
  try {
    const bytes = await bytesOf(request);
    return bytes === null ? refused(tooLarge()) : { kind: "read", data: bytes };
  } catch {
    // The client has left in the middle of it.
    return malformed("it is incomplete");
  }
}

/** The query by its schema. A repeated key is refused. */
export function readQuery<Schema extends z.ZodType>(url: string, schema: Schema): Read<z.output<Schema>> {
  const pairs = [...new URL(url).searchParams];
  if (new Set(pairs.map(([key]) => key)).size < pairs.length) return malformed("a parameter is repeated");
  return bySchema(Object.fromEntries(pairs), schema);
}

function readJson<Schema extends z.ZodType>(bytes: Uint8Array, schema: Schema): Read<z.output<Schema>> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const read = allSteps(readJsonText(text, JSON_BOUNDS));
    // The bounds are checked first: schemas recurse into the data.
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
  const what = (issue?.message ?? "it is invalid").replace(/\n/g, " ");
  return malformed(place === "" ? what : `${visible(place)}: ${what}`);
}

function malformed(what: string): Read<never> {
  return refused(
    refusal("REQUEST_MALFORMED", { message: `the request is malformed: ${what.slice(0, 500)}` }),
  );
}

/** Does not wait for the rest of the body. */
function tooLarge(): HttpRefusal {
  return refusal("BODY_TOO_LARGE", { headers: { connection: "close" } });
}

function refused(why: HttpRefusal): Read<never> {
  return { kind: "refused", refusal: why };
}

/** Null if there are too many. */
async function bytesOf({ body }: Request): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > MAX_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
