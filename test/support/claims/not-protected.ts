/** A gap of the protection, as SECURITY.md tells it. */
export interface Gap {
  readonly risk: string;
  /** The damage that can happen, and how far it reaches. */
  readonly effect: string;
  /** The next thing to do. */
  readonly advice: string;
}

/** The title of a group of gaps, with its rows. Remove a row when you close the gap; add one when you find another. */
export const NOT_PROTECTED: Readonly<Record<string, readonly Gap[]>> = {
  "The workspace": [
    {
      risk: "Files that you run later",
      effect:
        "An agent writes package scripts, Makefiles, virtual environments and programs. They run with your rights as soon as you start them outside. New files that development tools execute are listed in the receipt (`appeared`). Existing ones can be changed.",
      advice: "Read the agent's changes before you run them outside the sandbox.",
    },
    {
      risk: "Files that the host executes while the call runs",
      effect:
        "New files are removed at the end of a call. Until then, an editor, an agent or a shell plugin that watches the folder may execute them. After a supervisor was killed, they stay until the next supervisor of that user starts. A server under `cofferdam mcp --wrap` also acts between calls. Its files stay until the next call of one of its tools ends, or the server ends. The same holds for a file that stands in for cofferdam, such as `node_modules/.bin/cofferdam`. With `sandbox: { appeared: report }`, only such stand-ins are removed and all others are reported.",
      advice:
        "Open no editor and start no other agent in a folder while a call writes there. Rule out `report` with `appeared: ask` in an operator profile.",
    },
    {
      risk: "File names that the table lacks",
      effect:
        "`profiles/protected.executed.json` lists known names, most of them with a source. Programs also find files that another file names, such as a hook in another folder or a task that runs a script. Those are ordinary files. No list can name the modules that a program imports: for example, `python3 -m pdb` imports `cmd.py` from the folder it starts in. `.env` is not in the table, because projects create it; direnv and similar tools read it only where an allowed file says so.",
      advice: "Add the names that your own programs execute to an operator profile (`executed`).",
    },
    {
      risk: "Dependency and build folders",
      effect:
        "In `node_modules`, `site-packages` and `dist-packages`, new files are reported and left. Existing files there can be changed and removed, so that packages can be reinstalled. Folders that tools fill as a whole (`dist`, `target`, `vendor`, `.venv` and others in `src/profile/dependency-trees.ts`) are checked after the call. This includes moved folders and changed links. It does not include one of several links in a row, or a link outside the tree that leads into it. On tmpfs, a write through an older shared mapping does not change a file's times and is missed. Git's own files and the table's names in such folders (`node_modules/.bin/sh`) stay read-only. A link that gives such a file a path outside is removed if the call made it. A root inside such a folder belongs to it, if a root around it is writable.",
      advice:
        "Reinstall dependencies before you use them outside. The names count below a root: a root that is itself called `build` is an ordinary folder.",
    },
    {
      risk: "Files that you create while a call runs",
      effect:
        "cofferdam cannot tell who created a file. A new file in a writable root counts as the call's, also if you or your editor made it. It is asked about or moved to the quarantine, and not lost. After a supervisor was killed, this covers files up to some seconds after its end. A helper notices the end, from the second second of a call on. If the supervisor stood still before it was killed, or the helper was killed too, its last sign of life counts. Files from more than six seconds after that are reported and left.",
      advice: "Get a file back with `cofferdam quarantine restore`.",
    },
    {
      risk: "Git checkouts and links that stay or go",
      effect:
        "Files that git checks out, clones or adds as a worktree stay on two conditions. First, the repository, or the local one it was cloned from, existed before and held exactly these bytes in a branch or tag. Second, no file has another name (a hard link). A clone from the network is asked about. If a link of yours to such a program's folder (`.direnv`) leads to more than 10,000 files, the link itself is removed and its target stays. After a kill, your link among installed packages counts as the call's if a folder above it changed.",
      advice: "Review the quarantine after a call that used git or package managers.",
    },
    {
      risk: "Commits and the index",
      effect:
        "A call may commit a `.envrc`. Then `git checkout`, `git stash` or `git reset --hard` on the host writes it there. In a later call it is reported and left. The index flag `skip-worktree` hides a file from `git status`. `git add -A` inside also adds the empty placeholder of a missing included configuration (`include.path`).",
      advice: "Read commits of an agent before you check them out.",
    },
    {
      risk: "Links in protected folders",
      effect:
        "Except for git's hooks, only the folder is protected. For example, a hook folder of an editor is read-only, but a script elsewhere in the workspace that a link in it names is not.",
      advice: "Keep such scripts outside the roots.",
    },
    {
      risk: "Links that a wildcard hides",
      effect:
        "A `none` mask with a wildcard, such as `**/.env*`, hides a matching link and its target. But a call can rename the link in a writable folder. In the next call no link leads from a hidden name to the target, so it can be read.",
      advice:
        "Hide the target as well, or name the link by a mask without wildcards: then it can't be renamed.",
    },
    {
      risk: "Links in folders that are not granted",
      effect:
        "A mask on a link also protects the link's target. This protection stays if another profile hides the link or its folder. But links are looked for only in folders where the effective profile allows more than the mask. For example, a mask makes a link in `a` read-only, and with it the link's target in `b`. If another profile does not grant `a`, or only for reading, the target keeps its own access. The same holds if an entry under `files` names the link, and another profile hides its folder. It never allows more than each profile allows.",
      advice: "Write a mask for the target too, if it must stay protected.",
    },
    {
      risk: "Folders that are moved or copied on the host during a call",
      effect:
        "A placeholder for a missing protected file moves along and is removed at the end of the call. If the supervisor is killed before, it stays, empty. Copies of the folder contain placeholders, which stay. The receipt reports that mounts changed.",
      advice: "Move and copy folders between calls.",
    },
    {
      risk: "Shared caches",
      effect:
        "If a config grants writing to a cache that host programs use too, such as a package manager's, a program outside may run files that a call put there.",
      advice: "Give tools a cache of their own.",
    },
  ],
  "Repositories and git": [
    {
      risk: "Repositories that a call creates",
      effect:
        "They hold the call's own hooks and configuration. The receipt names each new repository and the programs that git may run in it. It says `anything` if the configuration cannot be read as git reads it (a NUL, more than 1 MiB, not a plain file, a path through `/proc`). It says `core.worktree` if git writes to a foreign folder. A repository in which git may run something does not stay live. With `appeared: report` it stays, and one that cannot be read refuses further calls until it is fixed or removed.",
      advice: "Read the receipt before you use a new repository outside.",
    },
    {
      risk: "Links and operations in a repository's folder",
      effect:
        "Git on the host writes through links such as `COMMIT_EDITMSG` or `logs/HEAD`, possibly to one of your files. New links are reported; existing ones that lead elsewhere now are not. A call whose supervisor was killed has no receipt; the next start reports the removed files. An operation in progress belongs to the call: `git rebase --continue` runs the `exec` lines of its list, and a cherry-pick or revert runs the strategy in its options.",
      advice: "Abort an unfinished operation of a call, or read its list first.",
    },
    {
      risk: "Programs that your git configuration finds in the workspace",
      effect:
        "`core.fsmonitor`, `core.sshCommand`, filters and aliases may name a path in the workspace. These are ordinary files there. A `core.hooksPath` that is the working tree itself is not protected. A repository that lies neither in a writable folder nor above one is not searched for. `remotes` and `branches`, old files that say where a push goes, are reported when they are created, except in a bare repository whose name does not end in `.git`.",
      advice: "Name programs outside the roots in your configuration.",
    },
    {
      risk: "Rare ways of git",
      effect:
        "`GIT_CONFIG_PARAMETERS` and a relative `GIT_CONFIG_GLOBAL` of the caller are not read. A `core.hooksPath` with `%(prefix)` is protected by its literal text. A relative one of the caller is protected where a repository exists already. `git worktree repair` writes a file `.git` where a call's `worktrees/*/gitdir` points.",
      advice: "Avoid these settings on machines that run agents.",
    },
    {
      risk: "Git settings are readable",
      effect:
        "Commands can read the git settings that are handed to them: your name and address, ignore patterns and your public signing key. A table names each key that is carried. Keys that could run or reach something are left out.",
      advice: "Use another identity for agents if this matters.",
    },
  ],
  "Cofferdam's own process": [
    {
      risk: "Modules of your own program",
      effect:
        "The supervisor protects the files that it loads and starts itself. Your program may later load other files from a folder in a writable root, which tools can change. `cofferdam check` names them as far as it can see. A file named by a Node option (`--import ./hook.mjs`, `NODE_OPTIONS`) is read-only. So are the files that it names in quotes as a path, URL or package, and the files that those load. Not seen are computed names (`join(folder, name)` with another folder) and escaped ones (`\"./\\u0068ook.mjs\"`). Also not seen are files after the first 256, text after the first MiB, and names after the first 4096. The same holds for packages that Yarn's Plug'n'Play finds for such an option while cofferdam is installed elsewhere.",
      advice:
        "Keep your agent's code and everything it loads (`node_modules/.cache` of a compiler, modules of options) outside its roots.",
    },
    {
      risk: "Package managers that start cofferdam",
      effect:
        "`pnpm exec`, `yarn` and `npx` obey files of the project first. A manifest or program that would replace cofferdam is removed, such as `node_modules/.bin/sh`. The table covers `.npmrc`, `.yarnrc.yml`, `.pnpmfile.cjs` and `.corepack.env`. Tools can change others: `packageManager` in `package.json`, the `bin:` entries of `yarn.lock`, `.yarn/install-state.gz`, `nodeOptions` in `pnpm-workspace.yaml`, and folders named in `directories.bin`. There may be more. Of these, the receipt reports only a new `package.json` or `pnpm-workspace.yaml`.",
      advice:
        "In a project that tools may write, start `node_modules/.bin/cofferdam` itself, or a global installation.",
    },
    {
      risk: "`npx` without an installation",
      effect:
        "`npx cofferdam` runs any package in `node_modules` whose manifest, or entry in `node_modules/.package-lock.json`, has that name. Otherwise it runs the registry's package of that name.",
      advice: "Install cofferdam, globally or in the project.",
    },
    {
      risk: "Other copies of cofferdam in a root",
      effect:
        "Copies are found before each call by the folder name `node_modules/cofferdam` and protected with the packages that they load. A copy under another name (`npm install other@npm:cofferdam`), or in a Plug'n'Play archive, is not found and can be changed. A copy that arrives during a call is protected from the next call on. The same holds for a copy that the call itself brings; `node_modules` around it is then read-only.",
      advice: "Install under the usual name.",
    },
    {
      risk: "Relative names in variables",
      effect:
        "A relative PATH entry such as `bin` is protected in every folder of a root. If PATH has `.` or an empty entry, a new program with cofferdam's name, or with a name that starts before it, is removed. An existing one can be changed, except in the folder where cofferdam was started. Other relative names (`LD_LIBRARY_PATH=:/opt/lib`, `NODE_OPTIONS=--import ./hook.mjs`) are protected only as seen from that folder. A later start in another folder of a root uses the file there, which tools can create.",
      advice: "Use absolute paths in PATH and other variables.",
    },
    {
      risk: "A HOME that others can write to",
      effect:
        "If the user database does not know the caller, as in some containers, `HOME` counts as soon as the caller may write there. Folders above HOME are not checked. Other users can put git settings, profiles and program versions there. The state folder and trusted configs count only if they belong to the caller alone.",
      advice: "Run `cofferdam doctor`. It says which home counts, and why.",
    },
    {
      risk: "The worker of the file tools",
      effect:
        "The worker process sees the roots, the system's programs and Node, whatever the operator profiles say about the last two. It checks each path against the profile before it answers. No tool bypasses it.",
      advice: "Nothing to do; this matters only if the worker itself has a flaw.",
    },
    {
      risk: "A change at the moment of a rename",
      effect:
        "A write replaces the file whose state was approved. Between the last check and the rename, another program's change within some microseconds is lost. Hard links to the file are cut.",
      advice: "Do not edit a file while an agent writes it.",
    },
    {
      risk: "Functions of your own program",
      effect:
        "Functions passed with `run`, `guard` or `createGate`, and `web_fetch`, run in your process behind the gate, without a sandbox.",
      advice: "Use `command` tools for work that needs a sandbox.",
    },
    {
      risk: "PATH and variables of the caller",
      effect:
        "Runtimes are found by PATH and variables at each start. A different version, or a virtual environment outside the roots with its Python, is granted without a new question. `cofferdam trust` shows the folders at that moment.",
      advice: "List folders that must stay the same as `{ name, read }`. Their targets are remembered.",
    },
  ],
  Approvals: [
    {
      risk: "A person does not see everything",
      effect:
        "Secrets in arguments are hidden by name and by known patterns, at most one word of a text. The rest may show. Long arguments are cut, and the prompt says so. A command is always shown whole, with its secrets. An approval covers all of it. Files and streams that a program reads are not frozen.",
      advice: "Press `v` to see the whole request before you approve it.",
    },
    {
      risk: "Other programs on your terminal",
      effect:
        "Other programs can write over a question, and so can your own program if it passes a tool's output on unfiltered. Output that cofferdam passes on waits for the answer and is filtered.",
      advice: "Use `screen.free()` and `screen.lend()` for your own output.",
    },
    {
      risk: "A terminal of its own",
      effect:
        "A program with its own terminal controls the display: title, the folder for new tabs, the clipboard if your terminal allows that. It can imitate anything while it runs. No question is asked there meanwhile. SIGKILL of `cofferdam` leaves your terminal raw.",
      advice: "Use `--no-terminal` to filter the output, and `reset` after a kill.",
    },
    {
      risk: "Write access to the approval store",
      effect:
        "Anybody who can write the store can approve every waiting request, and read the inputs of unfinished calls and the variables that they get from `env.pass`. Variables that look like secrets by name or value are not stored. The file in the state folder belongs to its user alone. A database is shared by everybody who has its password. Approved calls are checked again, so no stored answer gets past a deny rule, a profile or the sandbox.",
      advice: "Give the database password only to operators.",
    },
    {
      risk: "An approver's token",
      effect:
        "The token is all that the HTTP server asks for. It can leak through a terminal, a history or a process list. It stays in the browser tab where it was opened. Without TLS in front of the server, traffic can be read on the way. By default, nothing leaves the machine. A token per person records who answered, not who they are.",
      advice: "Use a token per start, or a unix socket behind a TLS server.",
    },
    {
      risk: "A person at an MCP client or a framework's app",
      effect:
        "A returned form, an approval in a conversation or a resume counts as that user's answer. Only the client knows whether a person saw it. The host program must protect messages, run states and checkpoints. Anybody who can write them can answer open requests, and let the agent do everything that needs no approval.",
      advice: "Set `approval.channels.elicitation: false` to ask elsewhere.",
    },
    {
      risk: "Misleading tool output",
      effect:
        "The answer of a tool, page, file or wrapped MCP server reaches the model unchanged and may try to mislead it. The model's next calls pass the gate.",
      advice: "Require approvals for calls that matter.",
    },
    {
      risk: "Repeated requests",
      effect:
        "The number of waiting requests is limited. An agent can still ask, give up and ask again. Each request is sent to the approvers, for example as a chat message, and recorded.",
      advice: "Stop the session, or deny the tool by a rule.",
    },
    {
      risk: "Answers that hold for longer",
      effect:
        "An approval of similar calls lets later calls pass that nobody reads, such as another script that `npm test` runs by then. A rule that is kept for the project holds in every later session. It lies in the state folder, where any program of that user outside the sandbox can write it.",
      advice:
        "Read the cover before you give it, list what holds with `cofferdam grants`, or forbid both by `session_grants` and `kept_rules` in an operator profile.",
    },
    {
      risk: "A reviewer that is wrong",
      effect:
        "A program that reviews requests decides by what the agent wrote. An agent can word a call so that it is allowed once. It then runs in the same sandbox, without an approval's access.",
      advice:
        "List only tools in `only.tools` whose mistakes you can undo, and keep `budget.in_a_row` small.",
    },
    {
      risk: "A program between the webhook and a chat",
      effect:
        "This program holds the secret and writes the name of the person who answered. cofferdam checks the signature, but it can't check the name. An attacker who controls the program can answer every request in the name of any listed approver.",
      advice: "Run it where agents can't reach it, with a secret that nothing else has.",
    },
    {
      risk: "Another listener on the inbox's port",
      effect:
        "Open inbox pages keep asking after `cofferdam serve` ends, and send their token to any process that takes the port. With a fixed token (`token_env`) and a fixed port, that process has a valid token once the server is back.",
      advice:
        "Use a token that is made at each start, or a unix socket in a private folder behind a TLS server.",
    },
    {
      risk: "Flooding of the HTTP server",
      effect:
        "A program on this machine can slow the server down or take all its connections. Then nobody is answered over HTTP, and requests wait until they expire. Nothing is approved by that. A connection that reads no answers holds at most four of them, plus some MB in the kernel. Guessing tokens is slowed down; valid tokens are not.",
      advice: "Answer with `cofferdam approvals` in a terminal.",
    },
    {
      risk: "A web page without a length",
      effect:
        "A server may send neither a length nor chunks. Then somebody in between can end the page early without being noticed, also over TLS.",
      advice: "Do not rely on such a page being complete.",
    },
    {
      risk: "Journal files",
      effect:
        "The hashes are not signatures. Any program of that user outside the sandbox can remove records, cut them, rewrite them with matching hashes, or add to them. A head that was kept elsewhere shows all of these except additions, up to that head. The system may lose the last lines in a power failure.",
      advice: "Keep `cofferdam journal head` on another machine.",
    },
    {
      risk: "Shell rules can be bypassed",
      effect:
        "A rule that denies `git push` does not stop a script, a Makefile, `python3 -m` or a copied binary from pushing. A rule finds the commands in a line, not text that the line builds when it runs (`$X`, `base64 -d | sh`). Such a line needs approval if the rule has `doubt: ask`, which is the default for operators, and where other commands need approval. The lists of programs that run others (`bash -c`, `env`, `find -exec`) are not complete. `sandbox_paths` are checked before the line runs; an earlier command in it, or a concurrent call, can replace a path by a link.",
      advice: "Use the sandbox, not rules, to make something impossible.",
    },
  ],
  Network: [
    {
      risk: "Listed hosts receive data",
      effect:
        "A program can send everything it can read to a host that it may reach. Names below a wildcard (`*.example.org`) are looked up as the program invents them. With `network: true`, every requested name is looked up. A lookup may continue after its call. Two lookups without an answer delay those of all calls.",
      advice: "List few hosts, without wildcards.",
    },
    {
      risk: "Many hosts at one address",
      effect:
        "TLS is passed on unread. A program that is connected to one host can ask the same server for another one. `strict_sni` compares the host name in the TLS hello; a name in an encrypted hello (ECH) is not seen. Later traffic, unencrypted traffic and plain HTTP in a tunnel are not checked.",
      advice: "Set `strict_sni: true` where a server is shared.",
    },
    {
      risk: "Private hosts",
      effect:
        "A host listed by a private address, or as `private`, is as close as it is to this machine. If a name and an address are both listed, the name may lead to that address, also on loopback. The name's owner decides that, and the server is asked under that name. Programs could reach it by its address anyway.",
      advice: "Use `name at address`, which lists the name at that address only.",
    },
    {
      risk: "Open ports",
      effect:
        "Every user, every program and every web page in a browser on this machine can send requests to a call's server. Its pages run scripts in your browser, outside the sandbox. They can reach other servers on your machine and in your network. They share cookies with all ports of `localhost`. No limit on connections or transfer applies. On Linux, a helper outside the sandbox (perl, in the sandbox's user and network namespaces only) makes the connections inside. It ends with the call and the supervisor.",
      advice: "Use a separate browser profile, or forbid ports with `ports: []` in an operator profile.",
    },
    {
      risk: "An upstream proxy",
      effect:
        "With `shell.network.proxy`, the proxy looks up listed names; only the name is checked here. The proxy sees all names and unencrypted data. It may lead a name to any address it can reach, such as a cloud's metadata service. Only TLS shows the program that it talks to the right host. Some names are never sent to the proxy: `localhost`, `.internal`, known metadata services, addresses that are not public, and rules with `private` or `at`. If `never` holds an address, no name is reached by a proxy on that address's port. The proxy's password is sent as plain text to an `http` URL. It is not in receipts, events, output or command lines. A proxy answer that repeats it is dropped, but only in the same or the sent spelling.",
      advice:
        "Trust the proxy's operator. A profile with a `network` section allows no proxy unless it names it or says `proxy: any`.",
    },
    {
      risk: "Sockets in granted folders",
      effect:
        "A unix socket of a host program in a granted folder can be connected to. The receipt says `sockets: partial`.",
      advice: "Set `sockets: none` in an operator profile. Then there are no unix sockets at all.",
    },
  ],
  "The machine": [
    {
      risk: "Kernel bugs",
      effect:
        "A sandbox is as strong as its kernel. This includes kernel code behind allowed system calls, and snapshots of special file systems: those of btrfs are refused, those of bcachefs are unknown to the filter.",
      advice: "Update the kernel. For hostile code, use a virtual machine as well.",
    },
    {
      risk: "Concurrent calls on one folder",
      effect:
        "Together, two calls have the rights of both: they can exchange open descriptors, and one can write the program that the other starts. The program file is checked for the last time right before the start. A change at that moment is not seen. A path that one call hides and another puts back is new for both under one supervisor. With two supervisors it can stay, and neither receipt reports it. Calls of other users, with other state folders or in other containers do not know each other.",
      advice: "Set `sandbox.isolate_calls: true` to run such calls one after another.",
    },
    {
      risk: "Device nodes as root",
      effect:
        "Root's tools get device nodes that nobody inside owns. If none can be made (no `CAP_MKNOD`, or a state folder without device support), `/dev/null` and similar nodes are the host's own. A process can change their modes and times. The receipt and `doctor` report `files: partial`.",
      advice: "Run tools as an ordinary user, or give the roots to one.",
    },
    {
      risk: "Setgid and setuid files",
      effect:
        "A tool can create setgid files of its own group in a writable root. It can change an existing setuid file through a memory map, which does not clear the bit as write(2) does.",
      advice: "Keep setuid files out of writable roots.",
    },
    {
      risk: "Files that the host uncovers during a call",
      effect:
        "If the host renames another file over a hidden one, a process inside can read it for up to a quarter of a second. Then the call is ended and reports it. If the host moves the hidden file away and creates it again, the call continues and reports it. The same holds for a read-only file (`git config` on the host, an editor that saves `.envrc` by renaming): from then on, the call can write it. The receipt lists such paths (`unprotected`), with the programs that git may run by it.",
      advice: "Do not edit protected files while a call runs.",
    },
    {
      risk: "File systems without change times",
      effect:
        "Folders are searched again for wildcard matches when their times change. A file system that keeps no change times, or old ones, hides new files. If a call grows a tree beyond the search limit, its new files are reported as unknown.",
      advice: "Put roots on a local file system.",
    },
    {
      risk: "Hard links and symlinks",
      effect:
        "A hard link that existed before shows a file that is masked now. Hard links to cofferdam's own code are found only if they name the manifest of a loaded package, or a file in that manifest; such a root is refused. A link to another file of a package is not found, and a tool can change the file through it. The target of a symlink that a `none` wildcard finds is hidden only while the link exists. A tool that may write in its folder can remove the link.",
      advice: "Do not keep hard links to secrets in a root.",
    },
    {
      risk: "Locks",
      effect:
        "A process can lock (flock, fcntl) a file that it can only read. A host program that wants the lock waits.",
      advice: "End the call.",
    },
    {
      risk: "Side channels",
      effect:
        "inotify reports when shared files are opened. The machine's boot id and load are visible. `/proc/keys` lists the user's keys by kind and description, without their content.",
      advice: "Use a virtual machine if this matters.",
    },
    {
      risk: "Limits without a cgroup",
      effect:
        "Without a cgroup, memory is limited per process and for private data only, not for shared memory (`MAP_SHARED`, System V). For root, the number of processes is not limited. Disk space in a root is limited per file. CPU time is limited per process; one that ignores SIGXCPU gets a second more. The number of files in private folders is not limited, nor is swap under cgroup v2. Before Linux 5.14, all processes of the user count. Without `prlimit` of util-linux, a crash may start the machine's core dump handler. Cgroup v1 does not count memory of TCP connections: a few hold as much again as `memory`. The receipt reports `limits: partial`.",
      advice: "Run `cofferdam doctor`, and set `limits.strict: true` to refuse such calls.",
    },
    {
      risk: "Another writer during set-up",
      effect:
        "A call can put links into a folder while another call's sandbox is built there. The links are refused, and nothing outside that call's writable paths is touched. An empty file or folder may be left in another of its roots.",
      advice: "Set `sandbox.isolate_calls: true`.",
    },
    {
      risk: "A launcher killed while it creates its child",
      effect:
        "Within some microseconds, and if no other sandbox runs, the child waits forever. It holds nothing of the tool.",
      advice: "Start cofferdam again as that user; this ends the child.",
    },
    {
      risk: "Granted extras",
      effect:
        "`syscalls: [debug]`: processes of a call can trace each other, so status and output may come from any of them; the first process cannot be traced. `network: host`: the machine's loopback and abstract sockets are there. Its `/etc/hosts` and `/etc/resolv.conf` are shown, with local names and addresses. `devices`: a call reaches kernel drivers. `gpu` shares memory with screen programs, and drivers do not always clear it. `kvm` runs code in virtual machines. `serial` may change connected hardware for good. `fuse` opens `/dev/fuse` and mounts nothing. `/sys` tells serial numbers. As root without `CAP_MKNOD`, a call can change the mode of the machine's own node. The receipt names each of these.",
      advice: "Leave these lists empty, or forbid them in an operator profile.",
    },
  ],
  macOS: [
    {
      risk: "Unproven rules",
      effect:
        "The manual page marks `sandbox-exec` as deprecated, and its rule language has no documentation. The proofs use our own evaluators and other people's observations, until the selftest has run on that Mac.",
      advice:
        "Run `cofferdam selftest` and `cofferdam doctor --attest`. Both say which acts could not be tried.",
    },
    {
      risk: "Names and links",
      effect:
        "Rules match paths. An older hard link shows a hidden file. A new hard link or clone (`clonefile`) would too, on a kernel that checks neither source nor link, or clones folders without checking their content; `doctor` tries both. A changed link in a granted folder is checked by its new target. If a granted folder is replaced on the host, the rules continue with its path. Folders on the way to a granted one show name, size, times and existence. The names in `/` and of mounted disks are visible. Masks cover names that APFS treats as equal (ſ and s, ﬁ and fi). HFS+, which skips some characters, and disks with other case rules below a granted folder are not covered. A new host file under a wildcard mask is protected by name only; the folder above it can be moved. `DYLD_*` variables reach `sandbox-exec` first, where the system's protection drops them.",
      advice: "Keep secrets outside the parents of roots, and do not replace granted folders during a call.",
    },
    {
      risk: "One machine for all",
      effect:
        "A call has no file view, loopback or process table of its own. With `listen`, or at a requested port, any program of the machine can connect to it. Others in the network can too, if the kernel takes every address for `localhost` (`doctor` says so). `network: host` grants the whole network. The machine's name, model, version and single accounts are visible.",
      advice: "Do not grant `listen` on shared machines.",
    },
    {
      risk: "Processes left after a call",
      effect:
        "A process inside can end the start program and its cleanup by SIGKILL. Processes that it started may then outlive the call, inside its sandbox. The receipt reports `processes: partial` whenever this cannot be ruled out.",
      advice: "Check the receipt, and end such processes yourself.",
    },
    {
      risk: "Missing limits",
      effect:
        "Memory, the number of processes and scratch space are not limited. HOME and TMPDIR are on the disk.",
      advice: "Set `limits.strict: true` to refuse calls that ask for these limits.",
    },
    {
      risk: "System services",
      effect:
        "Programs may use the services of the C library by name: the log, notices, the user database, temporary folders. A service acts outside the sandbox, and a flaw in it is a gap here. Groups of `macos` add more. `tls` lets trustd fetch URLs named in certificates. `prefs` shows preferences, recent documents and servers. `processes` and `watch` show all programs and the files that they change. Only the selftest tries whether launchd's jobs can be listed.",
      advice: "Leave `sandbox.macos` empty.",
    },
  ],
};
