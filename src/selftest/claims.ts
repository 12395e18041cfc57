/** What this project claims of every call, by the id under which tests prove it. */
export const CLAIMS = {
  "fs.read":
    "nothing outside the granted paths can be read, through any spelling, symlink, hard link made inside, `/proc` alias or descriptor",
  "fs.write":
    "nothing outside the granted paths can be written, through any spelling, symlink, hard link made inside, `/proc` alias or descriptor",
  "fs.rename":
    "a protected path can't be renamed out of the way, nor a folder above it by whose name it is found; what a call moves, the next one finds again",
  "fs.missing":
    "a protected path that is named without wildcard and does not exist can't be made; what a call makes under a wildcard is told",
  own: "no tool can create, change, replace or shadow a file that the supervisor's process or its helpers load or start, wherever the product is installed. A root in which that can't be had is refused. So is one in which the system keeps its files, unless an operator's file grants exactly that path. A manifest, or a command in `node_modules/.bin` or in PATH, that a call makes so that another program is started under the product's name, as by `npx`, is taken away when the call has ended. What package managers obey besides is not protected",
  planted:
    "what programs of the host execute or obey by themselves (a table of names) can't be changed where it exists, and is not live after a call that made it unless somebody said so, or git took it from a commit that was there before: it lies in quarantine, and after a supervisor was killed the next one puts it there. What runs when a person starts a tool is told",
  "fs.views":
    "`/`, `/tmp`, `/run`, `/dev` and HOME inside are private and sized; writing there changes no host path, and of a host device node nothing can be changed but its times, as by any user",
  "fs.mounts":
    "a mount that arrives on the host during a call is not silently writable inside: workers do not get it, other calls tell it; one that hid something and is lost ends the call, and is told",
  "fs.residue":
    "a call leaves neither a placeholder nor a half-written file behind; what a killed supervisor left is swept by the next one of that user",
  "fs.dest":
    "a symlink that is planted in a writable tree, or swapped into it, can't make the set-up touch anything outside of what the call may write, whatever the launcher",
  suffix:
    "a root with a suffix list shows and takes no other file, to tools and processes, wherever a link leads",
  "files.race": "file tools can't be raced out of their roots: not by swapped links, folders or names",
  "git.exec":
    "nothing that the host's git would run or obey in a repository that exists at the start can be changed, missing or not; new repositories are told",
  pages:
    "`web_fetch` connects only to addresses that were judged, at every hop: listed or said yes to, within every profile, never private, loopback or metadata unless listed as such; a page that broke off or ran out of time is never told as whole",
  "net.none": "with the network off no socket of any family and no resolver reaches anything outside",
  "net.hosts":
    "with listed hosts only these and their ports are reached, by the egress proxy alone: judged by name, looked up once, judged by the address that is dialled; others after a yes, within every profile; who shows another call's secret, or none, reaches nothing",
  "net.open":
    "with an open network only public addresses are reached, by the egress proxy alone: no loopback, link-local, metadata or private one, and nothing that a profile says `never` of",
  "net.loopback": "programs inside talk over a loopback of their own while the network is off",
  "net.ports":
    "a server inside is reached at the ports that its call asks for and that config and operators list, from this machine's loopback alone and while the call runs; nothing inside reaches this machine by them",
  sock: "no host unix socket that exists at the start, abstract or named, can be reached unless listed, and none at all with `sockets: none`; of other families there are none but IPv4, IPv6 and the routing of netlink",
  proc: "host processes are invisible and can be neither signalled nor traced; nothing survives the call, nor the supervisor's death at any instant",
  priv: "no capability, new privilege, user namespace, mount or kernel variable, as root too",
  sys: "what the filter refuses is refused on every ABI of the machine, and calls that are newer than its list do not exist",
  services:
    "on macOS no service of the system opens, starts, keeps or tells anything for a program inside, and nothing is shared with programs outside by a name of the kernel's, unless a group of `macos` gives it",
  tty: "a process can't push input into the caller's terminal, read what is typed into a prompt, or paint over one; control sequences in its output are filtered on a terminal unless it was given a terminal of its own",
  env: "only listed names and those that we set are visible, in `/proc/1/environ` too; no value stands in any command line",
  identity:
    "host name, users, machine id and other people's processes are not visible; the machine's resolver and hosts file are not either, but with `network: host`",
  helper: "no program from a PATH, a repository or a root is ever started outside the walls",
  grants:
    "nothing that lies in a root, or is reached by way of one, chooses what is granted outside of the roots: no link, version file, virtual environment or program on PATH",
  fd: "no descriptor that the supervisor inherited or opened is visible inside; the program's streams are pipes",
  limit:
    "memory, processes, file size, open files, scratch, output, processor and wall time are bounded as configured, or the receipt says which is not",
  proof: "no program runs before its own walls were observed to stand as planned",
  "never-weaker":
    "adding an operator profile never allows a call more (one in an operators' folder can lift the refusal of a folder of the system as a root, if it grants exactly that path): as a law of the algebra and on a real kernel",
  "approve.once":
    "one call is asked about at most once for what it is; words, folder, environment, program file and profile are those shown",
  "approve.forge":
    "nothing that a tool or a model says can begin a row of a question at the terminal, hide in it, reorder it, or answer it",
  "approve.race":
    "of several answers the first counts, in whatever process that shares the store; an answer is used once; a process that is lost loses no request",
  "approve.deny": "a deny, or a tool that blocks, wins over grants, modes and people",
  "approve.bound":
    "what waits for answers is bounded, in number and in bytes, for each session, and for each MCP token over all its sessions and over restarts; questions of an MCP session go with it when its client ends it; a question ends by itself, unless the config says that it has no end",
  "http.auth":
    "over HTTP nobody reads or answers without an approver's token, from another origin or under another name; what is refused changes nothing and leaves a line; a page of another origin reaches nothing",
  "mcp.gate":
    "nothing that an MCP server says changes what is asked about a call or which tool runs, no spelling of a call reaches it past the gate, and its walls are looked at before each; what it wants of the client's model or person passes the gate too",
  "journal.chain":
    "in the record of a run every line that was edited, dropped, moved, doubled or put in is found, and each file that is missing between two, up to the last line it holds; a tail that was cut off, and a record that was written anew, show against a head that was kept elsewhere",
  "config.strict": 'no malformed or misspelt file can mean "less restricted"',
  "config.trust": "a config that was only found grants nothing, and one that changed is not trusted any more",
} as const;

/** The id of a claim. */
export type ClaimId = keyof typeof CLAIMS;
