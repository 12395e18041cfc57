import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

/**
 * Loaded before a program (`--import`), makes this Node one of `OLD_NODE`, such as `18.20.4`, as far as a program that starts
 * can tell: by its version, and by what the built-in modules export, which are the names of Node 18.20.4.
 */
const version = process.env["OLD_NODE"] ?? "18.20.4";
Object.defineProperty(process, "versions", { value: { ...process.versions, node: version } });

/** The names that a module exports, by the module's. */
const parsed: unknown = JSON.parse(readFileSync(new URL("exports.json", import.meta.url), "utf8"));
const names = new Map<string, unknown>(
  typeof parsed === "object" && parsed !== null ? Object.entries(parsed) : [],
);

registerHooks({
  resolve(specifier, context, next) {
    const name = specifier.replace(/^node:/, "");
    const isAsked = names.has(name) && context.parentURL?.startsWith("old:") !== true;
    return isAsked ? { url: `old:${name}`, shortCircuit: true } : next(specifier, context);
  },
  load(url, context, next) {
    if (!url.startsWith("old:")) return next(url, context);
    const name = url.slice("old:".length);
    const exported = String(names.get(name)).replaceAll(" ", ", ");
    const source = `import real from "node:${name}";\nexport const { ${exported} } = real;\nexport default real;\n`;
    return { format: "module", source, shortCircuit: true };
  },
});
