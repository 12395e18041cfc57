import type { Group } from "../row.ts";

/** Acts that must fail by the threat model. */
export const REFUSED: Group = {
  title: "What the sandbox refuses",
  rows: [
    {
      name: "curl, to the host",
      does: "a server on the machine's loopback; outside of the machine it is the same",
      needs: ["curl"],
      line: ["curl -sS http://127.0.0.1:{port}/"],
      setting: "shell: { network: host }",
    },
    {
      name: "docker",
      does: "`docker ps`: the daemon's socket is not there, its owner would be root on the host",
      needs: ["docker"],
      line: ["DOCKER_HOST=unix://{socket} docker ps"],
      fails: {
        says: /[Cc]annot connect to the Docker daemon|no such file/,
        remedy: "run it outside, where you decide",
      },
    },
    {
      name: "strace",
      does: "traces a child",
      needs: ["strace"],
      line: ["strace -f -o out true", "grep -q execve out"],
      setting: "sandbox: { syscalls: [debug] }",
    },
    {
      name: "gdb",
      does: "runs a program to a breakpoint",
      needs: ["gdb", "gcc"],
      files: { "a.c": "int main(void) { return 0; }\n" },
      line: [
        "gcc -g -o a a.c",
        "gdb -q -batch -ex 'break main' -ex run ./a 2>&1 | tee out",
        "grep -q 'Breakpoint 1, main' out",
      ],
      setting: "sandbox: { syscalls: [debug] }",
    },
    {
      name: "perf",
      does: "`perf stat` of a program of its own",
      needs: ["perf"],
      line: ["perf stat -e task-clock true"],
      fails: { says: /No permission[^\n.]*|not permitted|not supported/, remedy: "measure it outside" },
    },
    {
      name: "sudo",
      does: "`sudo -n true`",
      needs: ["sudo"],
      line: ["sudo -n true"],
      fails: {
        says: /no new privileges[^\n]*|effective uid[^\n]*|setresuid[^\n]*/,
        remedy: "nobody becomes root inside: do it outside",
      },
    },
    {
      name: "su",
      does: "`su -c true`",
      needs: ["su"],
      line: ["su -c true"],
      fails: {
        says: /cannot set groups[^\n]*|Authentication failure|must be run from a terminal|Critical error[^\n]*/,
        remedy: "as with `sudo`",
      },
    },
    {
      name: "ping",
      does: "its own loopback",
      needs: ["ping"],
      line: ["ping -c 1 -W 1 127.0.0.1"],
      fails: {
        says: /not permitted|[Pp]ermission denied/,
        remedy: "no raw sockets; `curl` and `nc` tell as much",
      },
    },
    {
      name: "mount, unshare",
      does: "a mount in a namespace of its own",
      needs: ["unshare"],
      line: ["mkdir m", "unshare -Urm mount -t tmpfs none m"],
      fails: { says: /unshare failed[^\n]*/, remedy: "no namespaces in the sandbox" },
    },
    {
      name: "bwrap",
      does: "a sandbox in the sandbox",
      needs: ["bwrap"],
      line: ["bwrap --ro-bind / / --unshare-all true"],
      fails: {
        says: /(No permissions to create|nesting depth|[Cc]reating)[^\n,(]*/,
        remedy: "the call already runs in a sandbox",
      },
    },
    {
      name: "apt, dpkg",
      does: "asks what is installed",
      needs: ["dpkg-query"],
      line: ["dpkg-query -W dpkg"],
      fails: {
        says: /no packages found[^\n]*/,
        remedy: "ask and install outside; what lies in `/usr` is there for the next call",
      },
    },
    {
      name: ".vscode, .envrc, .mcp.json",
      does: "a file that an editor, a shell or an agent obeys is changed",
      needs: ["bash"],
      files: { ".vscode/tasks.json": "{}", ".envrc": "", ".mcp.json": "{}" },
      line: ["echo '{}' > .vscode/tasks.json"],
      fails: { says: /Read-only file system/, remedy: "told" },
      isQuick: true,
    },
    {
      name: "mv, of what holds such a file",
      does: "a folder is renamed in which a `.envrc` lies",
      needs: ["mv"],
      files: { "a/.envrc": "" },
      line: ["mv a b"],
      fails: {
        says: /Device or resource busy/,
        remedy: "move it outside, or make a new folder and move the rest",
      },
    },
    {
      name: "rename(2), into what holds such a file",
      does: "a file is renamed from one folder to another, in which a `.envrc` lies; `mv` copies then, and works",
      needs: ["node"],
      files: { "a/.envrc": "", f: "", g: "" },
      line: ["mv g a/g", 'node -e \'fs.renameSync("f", "a/f")\''],
      fails: { says: /EXDEV[^,\n]*/, remedy: "copy and remove, as `mv` does" },
    },
    {
      name: "chmod u+s",
      does: "a setuid file",
      needs: ["chmod"],
      line: ["touch f", "chmod u+s f"],
      fails: { says: /Operation not permitted/, remedy: "set it outside" },
    },
  ],
};
