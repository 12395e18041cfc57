import { readFileSync } from "node:fs";
import { HEADERS } from "./headers.ts";

const FILES: Readonly<Record<string, { readonly name: string; readonly type: string }>> = {
  "/": { name: "index.html", type: "text/html; charset=utf-8" },
  "/inbox.css": { name: "inbox.css", type: "text/css; charset=utf-8" },
  "/inbox.js": { name: "inbox.js", type: "text/javascript; charset=utf-8" },
  "/icon.svg": { name: "icon.svg", type: "image/svg+xml" },
  "/icon-192.png": { name: "icon-192.png", type: "image/png" },
  "/icon-512.png": { name: "icon-512.png", type: "image/png" },
  "/icon-mask.png": { name: "icon-mask.png", type: "image/png" },
  "/manifest.webmanifest": { name: "manifest.webmanifest", type: "application/manifest+json" },
  "/notification-worker.js": { name: "notification-worker.js", type: "text/javascript; charset=utf-8" },
};

/** True for files without a token: they hold nothing of the requests. */
export function isPageFile(path: string): boolean {
  return Object.hasOwn(FILES, path);
}

const read = new Map<string, Uint8Array>();

/** A file of the inbox. All answers share its bytes. Throws the system's error if the package was not built. */
export function pageFile(path: string): Response | null {
  const file = FILES[path];
  if (file === undefined || !isPageFile(path)) return null;
  const bytes = bytesOf(file.name);
  // Bytes as a body are copied; those of a stream are passed on.
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  return new Response(body, {
    headers: { ...HEADERS, "content-type": file.type, "content-length": String(bytes.byteLength) },
  });
}

function bytesOf(name: string): Uint8Array {
  const known = read.get(name);
  if (known !== undefined) return known;
  const bytes = readFileSync(`${folder()}/${name}`);
  read.set(name, bytes);
  return bytes;
}

/** Next to the compiled library, or in `dist` when the sources are run directly. */
function folder(): string {
  const isSource = import.meta.filename.endsWith(".ts");
  return `${import.meta.dirname}/${isSource ? "../../dist" : ".."}/inbox`;
}
