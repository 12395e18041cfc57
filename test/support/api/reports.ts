import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "../../..");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");

const Manifest = z.object({
  exports: z.record(z.string(), z.union([z.string(), z.object({ types: z.string() })])),
});

/** One entry of the package: its name, as a file of reports is called, and its file of declarations below `dist`. */
export interface Entry {
  readonly name: string;
  readonly types: string;
}

/** The `exports` of package.json, without package.json itself. */
export function entries(): readonly Entry[] {
  const manifest = Manifest.parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
  return Object.entries(manifest.exports).flatMap(([path, target]) =>
    typeof target === "string"
      ? []
      : [
          {
            name: path === "." ? "cofferdam" : path.slice("./".length),
            types: target.types.replace(/^\.\/dist\//, ""),
          },
        ],
  );
}

/** The public API of every entry as text: name of the entry → report, made of the declarations that the sources give now. */
export function apiReports(): ReadonlyMap<string, string> {
  return withDeclarations((folder) => {
    const all = entries();
    const configs = all.map((entry) => configOf(folder, entry));
    const [first] = configs;
    if (first === undefined) return new Map();
    const additionalEntryPoints = all.map(({ types }) => join(folder, types));
    const compilerState = CompilerState.create(first, { additionalEntryPoints });
    return new Map(
      configs.map((config, index) => {
        extract(config, compilerState);
        return [all[index]?.name ?? "", readReport(config.reportFilePath)];
      }),
    );
  });
}

/**
 * Errors of the compiler in the declarations of these entries, as a program meets them that checks its libraries too:
 * one may name what was left out of another because it is internal. Empty if there are none.
 */
export function declarationErrors(names: readonly string[]): string {
  return withDeclarations((folder) => {
    const files = entries().filter(({ name }) => names.includes(name));
    const check = [
      "--ignoreConfig",
      "--noEmit",
      "--strict",
      "--target",
      "es2024",
      "--module",
      "nodenext",
      "--types",
      "node",
    ];
    const { stdout } = spawnSync(
      process.execPath,
      [TSC, ...check, ...files.map(({ types }) => join(folder, types))],
      { cwd: ROOT, encoding: "utf8" },
    );
    return stdout;
  });
}

/** Does something with the declarations that the sources give now. */
function withDeclarations<Result>(use: (folder: string) => Result): Result {
  // Packages are looked up from there, and nothing below `node_modules` counts as ours.
  const folder = mkdtempSync(join(ROOT, ".cofferdam-api-"));
  try {
    const emit = ["-p", join(ROOT, "tsconfig.build.json"), "--emitDeclarationOnly", "--outDir", folder];
    execFileSync(process.execPath, [TSC, ...emit], { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The types that an entry's report says are referred to, but not exported by the entry. */
export function forgottenIn(report: string): readonly string[] {
  const names = report.matchAll(/\(ae-forgotten-export\) The symbol "(\w+)"/g);
  return [...new Set([...names].map(([, name = ""]) => name))].toSorted();
}

/** The names that an entry exports, by its report; of a renamed one, the name of its declaration too. */
export function exportedIn(report: string): readonly string[] {
  const declared = report.matchAll(
    /^export (?:declare |abstract )?(?:type|interface|class|function|const|let) (\w+)/gm,
  );
  const renamed = report.matchAll(/^export \{ (?:(\w+) as )?(\w+) \}/gm);
  const names = [...declared, ...renamed].flatMap(([, ...both]) => both.filter((name) => name !== undefined));
  return [...new Set(names)].toSorted();
}

/** The exported types and functions of a report that are, or give, something to be disposed of; with whether it has `close`. */
export function disposablesIn(
  report: string,
): readonly { readonly name: string; readonly hasClose: boolean }[] {
  const declarations = report.split(/^(?=\/\/ @public)/m).slice(1);
  return declarations.flatMap((text) => {
    const name = /^export (?:abstract )?(?:type|interface|class|function|const) (\w+)/m.exec(text)?.[1];
    // `watch` belongs to stores, which programs may write, and is called by the library alone.
    const own = text.replace(/^ +watch\(.*$/m, "");
    if (name === undefined || !/Disposable|\[Symbol\.(?:asyncD|d)ispose\]/.test(own)) return [];
    return [{ name, hasClose: /\bclose\(\): /.test(own) }];
  });
}

function configOf(folder: string, { name, types }: Entry): ExtractorConfig {
  const none = { logLevel: ExtractorLogLevel.None };
  const noted = { logLevel: ExtractorLogLevel.Warning, addToApiReportFile: true };
  return ExtractorConfig.prepare({
    packageJsonFullPath: join(ROOT, "package.json"),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: join(folder, types),
      newlineKind: "lf",
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: "es2024",
            module: "nodenext",
            types: ["node"],
            typeRoots: [join(ROOT, "node_modules/@types")],
            strict: true,
            exactOptionalPropertyTypes: true,
            skipLibCheck: true,
            allowImportingTsExtensions: true,
            noEmit: true,
          },
          files: [types],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
        reportFolder: folder,
        reportTempFolder: folder,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: { default: none, "ae-forgotten-export": noted },
        tsdocMessageReporting: { default: none },
      },
    },
  });
}

/** Throws for declarations that do not compile; all else is said in the report. */
function extract(config: ExtractorConfig, compilerState: CompilerState): void {
  const errors: string[] = [];
  Extractor.invoke(config, {
    compilerState,
    localBuild: true,
    messageCallback: (message) => {
      if (message.logLevel === ExtractorLogLevel.Error) errors.push(message.text);
      message.handled = true;
    },
  });
  if (errors.length > 0) throw new Error(errors.join("\n"));
}

/** The report without what changes by itself: the folder's name, and lines of declarations, which move with every comment. */
function readReport(file: string): string {
  return readFileSync(file, "utf8")
    .replaceAll(/^\/\/ (?:\S*\.cofferdam-api-\w+\/)?(\S+\.d\.ts):\d+:\d+ - /gm, "// $1 - ")
    .replace(/\n\/\/ \(No @packageDocumentation .*\)\n/, "");
}
