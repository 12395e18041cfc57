/** The claims that this project makes about every call, by the id under which tests prove them. */
export const CLAIMS = {
  "fs.read":
    "Nothing outside the granted paths can be read. This holds for every spelling, symlink, hard link made inside, `/proc` alias and descriptor",
  "fs.write":
    "Nothing outside the granted paths can be written. This holds for every spelling, symlink, hard link made inside, `/proc` alias and descriptor",
  "fs.rename":
    "A protected path cannot be renamed out of the way, nor can a folder above it by whose name it is found. The next call finds paths again that a call moved",
  "fs.missing":
    "A missing protected path that is named without a wildcard cannot be created. Files that a call creates under a wildcard are reported",
  own: "No tool can create, change, replace or shadow a file that the supervisor or its helpers load or start, wherever cofferdam is installed. A root in which this cannot be ensured is refused. A root in which the system keeps its files is refused too, unless an operator's file grants exactly that path. A call may create a manifest, or a command in `node_modules/.bin` or PATH, that starts another program under cofferdam's name, for example with `npx`. It is removed when the call ends. Other files that package managers execute are not protected",
  planted:
    "A table lists names of files that host programs execute or load by themselves. Existing ones cannot be changed. A new one is moved to the quarantine after the call, unless a person keeps it or git took it from an earlier commit. If a supervisor was killed, the next one moves it. Files that run when a person starts a tool are reported",
  "fs.views":
    "`/`, `/tmp`, `/run`, `/dev` and HOME are private inside and limited in size. Writing there changes no host path. Only the times of a host device node can change, as any user could do",
  "fs.mounts":
    "A mount that arrives on the host during a call is not silently writable inside. Workers do not get it, and other calls report it. If a mount that hid something is lost, the call is ended and reports it",
  "fs.residue":
    "A call leaves no placeholder and no half-written file. The next supervisor of the same user cleans up after a killed one",
  "fs.dest":
    "A symlink planted in a writable tree, or swapped into it, cannot make the setup touch anything that the call may not write. This holds for every launcher",
  suffix:
    "A root with a suffix list shows and accepts no other file, to tools and processes, wherever a link leads",
  "files.race": "File tools cannot be raced out of their roots by swapped links, folders or names",
  "git.exec":
    "In a repository that exists at the start, no file that the host's git would run or read as settings can be changed or created. New repositories are reported",
  pages:
    "`web_fetch` connects only to addresses that were checked, at every redirect. They are listed or approved, and within every profile. Private, loopback and metadata addresses must be listed as such. A page that broke off or timed out is never reported as complete",
  "net.none": "With the network off, no socket of any family and no resolver reaches anything outside",
  "net.hosts":
    "With listed hosts, only these hosts and ports are reached, through the egress proxy alone. A host is checked by name, looked up once, and checked again by the address that is dialled. Other hosts need an approval, within every profile. A connection with another call's secret, or without one, reaches nothing",
  "net.open":
    "With an open network, only public addresses are reached, through the egress proxy alone. Loopback, link-local, metadata and private addresses are not reached, nor is any host under `never` in a profile",
  "net.loopback": "Programs inside use a loopback of their own while the network is off",
  "net.ports":
    "A server inside is reached only at ports that its call requests and that config and operators list. It is reached from this machine's loopback, while the call runs. Nothing inside reaches this machine through these ports",
  sock: "A host unix socket that exists at the start, abstract or named, cannot be reached unless it is listed, and none with `sockets: none`. The only other socket families are IPv4, IPv6 and netlink routing",
  proc: "Host processes are invisible and cannot be signalled or traced. No process survives the call, or the supervisor's death at any moment",
  priv: "There is no capability, new privilege, user namespace, mount or kernel variable, for root too",
  sys: "A system call that the filter refuses is refused on every ABI of the machine. Calls that are newer than its list fail as unknown",
  services:
    "On macOS, no system service opens, starts, keeps or reports anything for a program inside. Nothing is shared with outside programs through a kernel name. A group of `macos` can grant exceptions",
  tty: "A process cannot push input into the caller's terminal, read input typed at a prompt, or draw over a prompt. On a terminal, control sequences in its output are filtered, unless it has a separate terminal",
  env: "Only the listed variables and those that cofferdam sets are visible, also in `/proc/1/environ`. No value appears in a command line",
  identity:
    "Host name, users, machine id and other users' processes are not visible. The machine's resolver and hosts file are visible only with `network: host`",
  helper: "No program from PATH, a repository or a root is ever started outside the sandbox",
  grants:
    "Nothing in a root, or reached through one, decides which paths outside the roots are granted. This covers links, version files, virtual environments and programs on PATH",
  fd: "No descriptor that the supervisor inherited or opened is visible inside. The program's streams are pipes",
  limit:
    "Memory, processes, file size, open files, scratch space, output, processor time and wall time are limited as configured, or the receipt names the limit that is not",
  proof: "No program runs before its own sandbox was observed to be as planned",
  "never-weaker":
    "Adding an operator profile never allows a call more. This is a law of the algebra and is tested on a real kernel. One exception: a file in an operators' folder can allow a system folder as a root, by granting exactly that path",
  "approve.once":
    "A call is asked about at most once. Its words, folder, environment, program file and profile are the ones shown",
  "approve.forge":
    "Nothing that a tool or a model says can start a row of a question at the terminal, hide in it, reorder it or answer it",
  "approve.race":
    "The first of several answers counts, in any process that shares the store. An answer is used once. A lost process loses no request",
  "approve.deny": "A deny rule, or a tool that blocks, wins over grants, modes and people",
  "approve.bound":
    "Unanswered requests are limited in number and bytes, for each session and for each MCP token, across sessions and restarts. When an MCP client ends a session, its requests end too. Every request expires, unless the config says that it does not",
  "approve.cover":
    "An answer that holds for more than one call covers exactly the calls that were shown with it. It is below every deny, every demand for a person and every profile, and gives no access that was not shown. Once revoked, it answers nothing in any process",
  "approve.review":
    "A reviewer answers only requests that a default asks about, and gives no more access than without approval. Its errors, late and wrong answers leave the request to a person. Every review is recorded before it has an effect",
  "approve.webhook":
    "A message of the webhook answers a request only if it is signed, new, and from a listed approver. A message that did not hold the whole request can only reject it",
  "http.auth":
    "Over HTTP, nobody reads or answers without an approver's token, from another origin or under another name. A refused request changes nothing and is logged. A page of another origin reaches nothing",
  "mcp.gate":
    "Nothing that an MCP server says changes the question about a call or the tool that runs. No spelling of a call bypasses the gate. The server's sandbox is checked before each call. Its requests to the client's model or user pass the gate too",
  "journal.chain":
    "Every line of a record that was edited, dropped, moved, doubled or inserted is found, up to the last line, and so is a missing file in between. A cut tail and a rewritten record are found only with a head that was kept elsewhere",
  "config.strict": 'No malformed or misspelt file can mean "less restricted"',
  "config.trust": "A config that was only found grants nothing. A changed config is no longer trusted",
  "config.live":
    "A change of the config, of an operator profile or of trust reaches running sessions before the next call. A changed config that is not trusted can only restrict. No call runs under more than what was in force at a moment between its request and its start",
} as const;

/** The id of a claim. */
export type ClaimId = keyof typeof CLAIMS;
