import { jsonBytes } from "./json-text.ts";

/** The size of data as JSON, in bytes of UTF-8; for more than `max`, any number above it. */
export function jsonSize(value: unknown, max: number): number {
  if (typeof value === "string") return jsonBytes(value, max);
  if (typeof value !== "object" || value === null) return String(value).length;
  let bytes = 2;
  const list: readonly unknown[] | null = Array.isArray(value) ? value : null;
  if (list !== null)
    for (const item of list) {
      bytes += 1 + jsonSize(item, max);
      if (bytes > max) break;
    }
  else
    for (const key of Object.keys(value)) {
      bytes += 2 + jsonBytes(key, max) + jsonSize(Reflect.get(value, key), max);
      if (bytes > max) break;
    }
  return bytes;
}

/** True if a value holds more than `max` others, at any depth. */
export function holdsMoreThan(max: number, value: unknown): boolean {
  const left: unknown[] = [value];
  let values = 0;
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    if (typeof one !== "object" || one === null) continue;
    const within: readonly unknown[] = Array.isArray(one) ? one : Object.values(one);
    values += within.length;
    if (values > max) return true;
    for (const member of within) if (typeof member === "object" && member !== null) left.push(member);
  }
  return false;
}
