/** A program of the host that executes a file by itself, and how to see that it did. */
export interface HostProgram {
  readonly name: string;
  /** The package that brings it, with its version; null for a program of the system, which may be missing. */
  readonly npm: string | null;
  readonly command: string;
  /** Where in `node_modules` the program lies, where it is for one kind of processor; by default in `.bin`. */
  readonly folder?: string;
  /** Files by path, which make `$MARK` when the program obeys them; `MARK` in them is its path. */
  readonly plants: readonly Readonly<Record<string, string>>[];
  /** Lines of shell that whoever plants runs after that, for what is no text. */
  readonly planting?: string;
  /** What lies in the folder besides, which is the person's. */
  readonly own?: Readonly<Record<string, string>>;
  /** What the person set up in the home folder. */
  readonly home?: Readonly<Record<string, string>>;
  /** Lines of shell by which the person set the folder up. */
  readonly setUp?: string;
  /** Lines of shell that start it in the folder. */
  readonly start: string;
  readonly env?: Readonly<Record<string, string>>;
}

const HOOKS = JSON.stringify({
  hooks: { SessionStart: [{ hooks: [{ type: "command", command: "touch MARK" }] }] },
});
const SERVERS = JSON.stringify({ mcpServers: { x: { command: "touch", args: ["MARK"] } } });
/** Where nothing listens: none of these needs a model to obey what it finds. */
const NOWHERE = "http://127.0.0.1:9";
const OPENAI = { OPENAI_API_KEY: "x", OPENAI_BASE_URL: NOWHERE, OPENAI_MODEL: "m" };

/** Coding agents and package managers from npm. Seen to obey these files in these versions. */
const FROM_NPM: readonly HostProgram[] = [
  {
    name: "Claude Code",
    npm: "@anthropic-ai/claude-code",
    command: "claude",
    folder: `@anthropic-ai/claude-code-linux-${process.arch}`,
    plants: [
      { ".claude/settings.json": HOOKS },
      { ".claude/settings.local.json": HOOKS },
      { ".mcp.json": SERVERS },
    ],
    start: "timeout 20 claude -p hi",
    env: { ANTHROPIC_API_KEY: "x", ANTHROPIC_BASE_URL: NOWHERE },
  },
  {
    name: "Qwen Code",
    npm: "@qwen-code/qwen-code",
    command: "qwen",
    plants: [{ ".qwen/settings.json": HOOKS }],
    start: "timeout 30 qwen -p hi",
    env: OPENAI,
  },
  {
    name: "opencode",
    npm: "opencode-ai",
    command: "opencode",
    folder: `opencode-linux-${process.arch}/bin`,
    plants: [
      {
        ".opencode/plugin/x.js": "require('fs').writeFileSync('MARK',''); export const P = async () => ({})",
      },
      {
        "opencode.json": '{"mcp":{"x":{"type":"local","command":["touch","MARK"],"enabled":true}}}',
      },
    ],
    start: "timeout 90 opencode models </dev/null; timeout 30 opencode mcp list </dev/null",
  },
  {
    name: "npm",
    npm: null,
    command: "npm",
    plants: [{ ".npmrc": "script-shell=TOP/x.sh\n", "x.sh": "#!/bin/sh\ntouch MARK\n" }],
    own: { "package.json": '{"name":"a","scripts":{"t":"true"}}' },
    start: "npm run t",
  },
  {
    name: "pnpm",
    npm: "pnpm@10",
    command: "pnpm",
    plants: [{ ".pnpmfile.cjs": "require('fs').writeFileSync('MARK','')" }],
    own: { "package.json": '{"name":"a"}' },
    start: "pnpm install --offline",
  },
  {
    name: "yarn 1",
    npm: "yarn@1",
    command: "yarn",
    plants: [{ ".yarnrc": 'yarn-path "./x.js"\n', "x.js": "require('fs').writeFileSync('MARK','')" }],
    start: "yarn --version",
  },
];

/** Programs of a system; those that are not there are left out by name. */
const FROM_THE_SYSTEM: readonly HostProgram[] = [
  {
    name: "git's hooks",
    npm: null,
    command: "git",
    plants: [{ "new/.git/hooks/post-checkout": "#!/bin/sh\ntouch MARK\n" }],
    own: { README: "a" },
    start:
      "git init -q new; cd new && git -c user.name=n -c user.email=e commit -q --allow-empty -m a; git checkout -q -B b",
  },
  {
    name: "pdb",
    npm: null,
    command: "python3",
    plants: [{ ".pdbrc": "!open('MARK','w')\n" }],
    own: { "a.py": "pass\n" },
    start: "echo q | python3 -m pdb a.py",
  },
  {
    name: "Perl's debugger",
    npm: null,
    command: "perl",
    plants: [{ ".perldb": 'open(F,">MARK");\n' }],
    own: { "a.pl": "1;\n" },
    start: "echo q | script -qec 'perl -d a.pl' /dev/null",
  },
  {
    name: "Vim",
    npm: null,
    command: "vim",
    plants: [{ ".vimrc": 'call writefile([], "MARK")\n' }, { ".exrc": 'call writefile([], "MARK")\n' }],
    home: { ".vimrc": "set exrc\n" },
    start: "script -qec 'vim -c q' /dev/null </dev/null",
  },
  {
    name: "gdb",
    npm: null,
    command: "gdb",
    plants: [{ ".gdbinit": "shell touch MARK\n" }],
    home: { ".gdbinit": "set auto-load safe-path /\n" },
    start: "gdb -q -batch -ex quit",
  },
  {
    name: "direnv",
    npm: null,
    command: "direnv",
    plants: [{ ".envrc": "touch MARK\n" }],
    home: { ".config/direnv/direnv.toml": '[whitelist]\nprefix = ["/"]\n' },
    start: `bash -c 'eval "$(direnv hook bash)"; _direnv_hook'`,
  },
  {
    name: "Mercurial",
    npm: null,
    command: "hg",
    plants: [{ ".hg/hgrc": "[hooks]\npre-status=touch MARK\n", ".hg/requires": "" }],
    start: "hg status",
  },
  {
    name: "Darcs",
    npm: null,
    command: "darcs",
    plants: [{ "_darcs/prefs/defaults": "ALL prehook touch MARK\nALL run-prehook\n" }],
    setUp: "darcs initialize",
    start: "darcs whatsnew",
  },
  {
    name: "Breezy",
    npm: null,
    command: "brz",
    plants: [
      { ".bzr/branch/branch.conf": "post_commit = __import__('os').open('MARK',__import__('os').O_CREAT)\n" },
    ],
    own: { a: "a\n" },
    setUp: "brz init -q && brz add -q a",
    start: "brz commit -q --unchanged -m commit",
    env: { BRZ_EMAIL: "n <e@x>" },
  },
  {
    name: "Maxima",
    npm: null,
    command: "maxima",
    plants: [
      { "maxima-init.mac": 'system("touch MARK")$\n' },
      { "maxima-init.lisp": '(open "MARK" :direction :output :if-does-not-exist :create)\n' },
    ],
    start: "maxima --very-quiet --batch-string='1;'",
  },
  {
    name: "PARI/GP",
    npm: null,
    command: "gp",
    plants: [{ ".gprc": 'read "x.gp"\n', "x.gp": 'system("touch MARK")\n' }],
    start: "gp -q </dev/null",
  },
  {
    name: "Valgrind",
    npm: null,
    command: "valgrind",
    plants: [{ ".valgrindrc": "--log-file=MARK\n" }],
    start: "valgrind true",
  },
  {
    name: "R",
    npm: null,
    command: "Rscript",
    plants: [{ ".Rprofile": "file.create('MARK')\n" }],
    start: "Rscript -e 1",
  },
  {
    name: "irb",
    npm: null,
    command: "irb",
    plants: [{ ".irbrc": "File.write('MARK','')\n" }],
    start: "echo exit | irb",
  },
  {
    name: "Emacs",
    npm: null,
    command: "emacs",
    plants: [{ ".dir-locals.el": '((nil . ((eval . (write-region "" nil "MARK")))))\n' }],
    own: { "a.txt": "a\n" },
    start: "emacs -Q --batch --eval '(setq enable-local-variables :all)' a.txt",
  },
];

export const HOST_PROGRAMS: readonly HostProgram[] = [...FROM_NPM, ...FROM_THE_SYSTEM];
