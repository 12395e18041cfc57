/** File names and extensions in lower case, by language. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  c: [".c", ".h"],
  cpp: [".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"],
  csharp: [".cs"],
  css: [".css", ".scss"],
  dockerfile: ["dockerfile", "containerfile", ".dockerfile"],
  go: [".go"],
  graphql: [".graphql", ".gql"],
  hcl: [".hcl", ".tf", ".tfvars"],
  html: [".html", ".htm", ".xml", ".svg"],
  java: [".java"],
  javascript: [".js", ".mjs", ".cjs", ".jsx"],
  json: [".json", ".jsonc", ".jsonl", ".ndjson"],
  kotlin: [".kt", ".kts"],
  lua: [".lua"],
  markdown: [".md", ".mdx", ".markdown"],
  php: [".php"],
  powershell: [".ps1", ".psm1"],
  python: [".py", ".pyi", ".pyw"],
  ruby: [".rb", ".gemspec", "gemfile", "rakefile"],
  rust: [".rs"],
  shell: [
    ".sh",
    ".bash",
    ".zsh",
    ".ksh",
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".envrc",
  ],
  sql: [".sql"],
  swift: [".swift"],
  toml: [".toml", "cargo.lock", "poetry.lock", "uv.lock"],
  typescript: [".ts", ".mts", ".cts", ".tsx"],
  yaml: [".yaml", ".yml"],
  zig: [".zig"],
};

/** The language of a file by its name alone; undefined if unknown. */
export function languageOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const ending = name.slice(Math.max(0, name.lastIndexOf(".")));
  return languageNamed(name) ?? languageNamed(ending);
}

function languageNamed(name: string): string | undefined {
  return Object.entries(NAMES).find(([, names]) => names.includes(name))?.[0];
}
