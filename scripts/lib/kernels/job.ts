/** The user of a job. */
export type User = "root" | "person";

/** One job in an emulated machine. */
export interface Job {
  /** A name for files, unique among the jobs of a machine. */
  readonly name: string;
  readonly kind: "doctor" | "selftest" | "agreement" | "limits";
  readonly user: User;
  /** Alone in a cgroup and in a project, like a user's start; or beside other processes, in the checkout, like tests. */
  readonly place: "project" | "checkout";
  /** Its time limit. */
  readonly seconds: number;
  readonly argv: readonly string[];
}

const COFFERDAM = ["node", "/srv/checkout/dist/cli/main.js"];
const VITEST = [
  "node",
  "node_modules/vitest/vitest.mjs",
  "run",
  "--config",
  "scripts/lib/kernels/vitest.config.ts",
];

/** Emulation takes ten to fifteen times as long as the processor itself, and the host may be busy. */
const PATIENCE = "30";

/** Random cases in all, where a check of this machine itself has 450; there are more until each approximation was needed. */
const AGREEMENT_CASES = process.env["COFFERDAM_TEST_CASES"] ?? "150";

const NOT_ORDINARY = ["--testNamePattern=^(?!as an ordinary user)"];

/** The jobs of each user. */
export const JOBS: readonly Job[] = (["root", "person"] as const).flatMap((user): readonly Job[] => [
  job(user, "doctor", "project", [...COFFERDAM, "doctor", "--json"]),
  job(user, "selftest", "project", [...COFFERDAM, "selftest", "--json"]),
  job(user, "agreement", "checkout", tests("test/kernel/agreement.test.ts")),
  // Root's tests have an ordinary user as well, who is here by itself.
  job(user, "limits", "checkout", tests("test/kernel/tree-limits", ...(user === "root" ? NOT_ORDINARY : []))),
]);

function job(user: User, kind: Job["kind"], place: Job["place"], argv: readonly string[]): Job {
  return { name: `${user}-${kind}`, kind, user, place, seconds: 3_600, argv };
}

/** Vitest, for these files. Its report is in `/tmp/report` afterwards. */
function tests(...words: readonly string[]): readonly string[] {
  const variables = {
    COFFERDAM_SANDBOX_MUST_WORK: "1",
    COFFERDAM_CGROUPS_MUST_WORK: "1",
    COFFERDAM_TEST_PATIENCE: PATIENCE,
    COFFERDAM_TEST_CASES: AGREEMENT_CASES,
  };
  const settings = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return [
    "env",
    ...settings,
    ...VITEST,
    "--reporter=verbose",
    "--reporter=json",
    "--outputFile.json=/tmp/report",
    ...words,
  ];
}
