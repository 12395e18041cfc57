import { type SimulatedProject, simulatedProject } from "./simulated-project.ts";

/** What a config and the files beside it are rendered to, as a golden file of that name keeps it. */
export interface Golden {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly profiles?: readonly string[];
  readonly maxBytes: number;
}

/** A repository as `git init` leaves it. */
const REPOSITORY = {
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
  ".git/hooks/pre-commit.sample": "#!/bin/sh\n",
  ".git/objects/": "",
  ".git/refs/heads/": "",
};

export const GOLDENS: readonly Golden[] = [
  {
    name: "developer",
    files: {
      "cofferdam.yaml": `version: 1
sandbox:
  paths:
    app: { root: ., mode: rw, write_approval: false }
    docs: { root: ./docs, mode: ro }
  runtimes: [system, node, git]
`,
      ...REPOSITORY,
      ".vscode/settings.json": "{}",
      "docs/guide.md": "",
      "package.json": "{}",
      "src/a.ts": "",
    },
    maxBytes: 50 * 1024,
  },
  {
    name: "reader",
    files: {
      "cofferdam.yaml": `version: 1
sandbox:
  paths: { app: { root: ., mode: rw, write_approval: false } }
  os_profile: [read-only]
  runtimes: [system, git]
`,
      ...REPOSITORY,
      "src/a.ts": "",
    },
    maxBytes: 12 * 1024,
  },
  {
    name: "ci",
    files: {
      "cofferdam.yaml": `version: 1
sandbox:
  paths: { app: { root: ., mode: rw, write_approval: false } }
  runtimes: [system, node]
approval: { mode: strict }
`,
      ...REPOSITORY,
      "certs/server.key": "",
      "deploy/.env.production": "",
      "src/a.ts": "",
    },
    profiles: ["ci", "strict"],
    maxBytes: 54 * 1024,
  },
  {
    name: "data",
    files: {
      "cofferdam.yaml": `version: 1
sandbox:
  paths:
    data: { root: ./data, mode: ro }
    output: { root: ./output, mode: rw, write_approval: false }
  runtimes: [system, python]
  macos: [openmp]
`,
      "data/2025.csv": "",
      "output/": "",
      "notes.txt": "",
    },
    maxBytes: 50 * 1024,
  },
  {
    name: "hosts",
    files: {
      "cofferdam.yaml": `version: 1
sandbox:
  paths: { app: { root: ., mode: rw, write_approval: false } }
  runtimes: [system, node]
shell:
  network:
    hosts: [registry.npmjs.org, "*.npmjs.test:443"]
    ask: unlisted
`,
      "package.json": "{}",
    },
    maxBytes: 50 * 1024,
  },
  {
    name: "own-network",
    files: {
      "cofferdam.yaml": `version: 1
sandbox:
  paths: { app: { root: ., mode: rw, write_approval: false } }
  runtimes: [system, go]
  macos: [listen, tls, watch]
shell: { network: host }
`,
      "main.go": "",
    },
    maxBytes: 50 * 1024,
  },
];

/** A project of which an operator's profile hides what a pattern covers. */
export function hidingProject(pattern: string): SimulatedProject {
  const files = {
    "cofferdam.yaml":
      "version: 1\nsandbox: { paths: { app: { root: ., mode: rw, write_approval: false } } }\n",
    "own.yaml": `profile: own\nmasks: [{ pattern: "${pattern}", at_most: none }]\n`,
  };
  return simulatedProject(files, ["own.yaml"]);
}
