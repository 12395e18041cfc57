/** Prints which packages are loaded by what it is told to import, a line each: `node loaded.ts FILE NAME…`. */
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

const packages = new Set<string>();
registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context);
    const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(found.url) ?? [];
    if (name !== undefined) packages.add(name);
    return found;
  },
});

const [file = ""] = process.argv.slice(2);
await import(pathToFileURL(file).href);
for (const name of [...packages].sort()) console.log(name);
