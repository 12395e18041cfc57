import type { Group } from "../row.ts";

const C = {
  "main.c": `#include <pthread.h>
#include <stdio.h>
void *hi(void *name) { printf("hello, %s\\n", (char *)name); return 0; }
int main(void) { pthread_t t; return pthread_create(&t, 0, hi, "threads") || pthread_join(t, 0); }
`,
};
const CRATE = {
  "Cargo.toml": '[package]\nname = "project"\nversion = "0.1.0"\nedition = "2021"\n',
  "src/main.rs":
    'fn main() { std::thread::spawn(|| println!("hello")).join().unwrap(); }\n#[test]\nfn adds() { assert_eq!(1 + 1, 2); }\n',
};
const MODULE = {
  "go.mod": "module example.org/project\n\ngo 1.19\n",
  "main.go":
    'package main\n\nimport "fmt"\n\nfunc main() {\n\tc := make(chan string)\n\tgo func() { c <- "hello" }()\n\tfmt.Println(<-c)\n}\n',
  "main_test.go": 'package main\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\n',
};

const WITH_CRATE = {
  "Cargo.toml": `${CRATE["Cargo.toml"]}[dependencies]\ngreet = "1"\n`,
  "src/main.rs": 'fn main() { println!("{}", greet::hi()); }\n',
};

/** Serves a registry with one crate while `cargo` fetches it (The Cargo Book, "Index Format", "Sparse Protocol"). */
const CARGO_REGISTRY = `import hashlib, http.server, io, json, os, pathlib, subprocess, tarfile, threading
packed = io.BytesIO()
with tarfile.open(fileobj=packed, mode="w:gz") as crate:
    for name, text in (("Cargo.toml", '[package]\\nname = "greet"\\nversion = "1.0.0"\\n'),
                       ("src/lib.rs", '''pub fn hi() -> &'static str { "hello" }''')):
        entry = tarfile.TarInfo("greet-1.0.0/" + name); entry.size = len(text)
        crate.addfile(entry, io.BytesIO(text.encode()))
line = {"name": "greet", "vers": "1.0.0", "deps": [], "features": {}, "yanked": False,
        "cksum": hashlib.sha256(packed.getvalue()).hexdigest()}
class Registry(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def do_GET(self):
        body = {"/config.json": json.dumps({"dl": f"http://localhost:{port}/dl"}).encode(),
                "/gr/ee/greet": json.dumps(line).encode()}.get(self.path, packed.getvalue())
        self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers(); self.wfile.write(body)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
port = server.server_address[1]
config = pathlib.Path(".cargo/config.toml")
config.write_text(config.read_text().replace("PORT", str(port)))
threading.Thread(target=server.serve_forever, daemon=True).start()
subprocess.run(["cargo", "fetch", "-q"], check=True)
`;

/** A module as a proxy for modules has it on disk (`go help goproxy`). */
const GO_PROXY = `import json, os, zipfile
at = "proxy/example.org/greet/@v"
os.makedirs(at)
open(at + "/list", "w").write("v1.0.0\\n")
open(at + "/v1.0.0.info", "w").write(json.dumps({"Version": "v1.0.0", "Time": "2020-01-01T00:00:00Z"}))
open(at + "/v1.0.0.mod", "w").write("module example.org/greet\\n")
with zipfile.ZipFile(at + "/v1.0.0.zip", "w") as z:
    z.writestr("example.org/greet@v1.0.0/go.mod", "module example.org/greet\\n")
    z.writestr("example.org/greet@v1.0.0/greet.go", "package greet\\n\\nfunc Hi() string { return \\"hello\\" }\\n")
`;
const WITH_GREET = {
  "go.mod": "module example.org/project\n\ngo 1.19\n",
  "main.go":
    'package main\n\nimport (\n\t"fmt"\n\n\t"example.org/greet"\n)\n\nfunc main() { fmt.Println(greet.Hi()) }\n',
  "proxy.py": GO_PROXY,
};
const GO_OFFLINE = "export GOFLAGS=-mod=mod GONOSUMDB=* GONOSUMCHECK=1 GOTOOLCHAIN=local";

/** Compilers and build tools. */
export const BUILD: Group = {
  title: "Compilers and builds",
  rows: [
    {
      name: "gcc",
      does: "a program with threads, built and run",
      needs: ["gcc"],
      files: C,
      line: ["gcc -O1 -o main main.c -lpthread", "./main"],
      isQuick: true,
    },
    {
      name: "g++",
      does: "a program of C++, as a static library and a shared one",
      needs: ["g++", "ar"],
      files: {
        "a.cc": '#include <string>\nstd::string a() { return "hello"; }\n',
        "main.cc": "#include <iostream>\nstd::string a();\nint main() { std::cout << a() << std::endl; }\n",
      },
      line: [
        "g++ -fPIC -c a.cc",
        "ar rcs liba.a a.o",
        "g++ -o m1 main.cc liba.a",
        "./m1",
        "g++ -shared -o liba.so a.o",
        "g++ -o m2 main.cc -L. -la -Wl,-rpath,.",
        "./m2",
      ],
    },
    {
      name: "gcc -fsanitize=address",
      does: "a program that looks for leaks at its end, which needs tracing",
      needs: ["gcc"],
      files: C,
      line: ["gcc -fsanitize=address -o main main.c -lpthread", "./main"],
      setting: "sandbox: { env: { set: { ASAN_OPTIONS: detect_leaks=0 } } }",
    },
    {
      name: "gcc -fsanitize=thread",
      does: "a program that is watched for races, as by `go test -race`",
      needs: ["gcc"],
      files: C,
      line: ["gcc -fsanitize=thread -o main main.c -lpthread", "./main"],
    },
    {
      name: "make",
      does: "`make -j4`, with a sub-make that shares its job slots",
      needs: ["make", "gcc"],
      files: {
        ...C,
        Makefile: "all: a b c d\n\t+$(MAKE) -C sub\na b c d:\n\tsleep 0.1; touch $@\n",
        "sub/Makefile": "all: main e\nmain: ../main.c\n\tgcc -o main ../main.c -lpthread\ne:\n\ttouch $@\n",
      },
      line: ["make -j4", "sub/main", "make -q a"],
      isQuick: true,
    },
    {
      name: "cmake",
      does: "configure, build, `ctest`",
      needs: ["cmake", "gcc", "make"],
      files: {
        ...C,
        "CMakeLists.txt":
          "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nfind_package(Threads REQUIRED)\nadd_executable(main main.c)\ntarget_link_libraries(main Threads::Threads)\nenable_testing()\nadd_test(NAME runs COMMAND main)\n",
      },
      line: ["cmake -S . -B build", "cmake --build build -j2", "cd build", "ctest --output-on-failure"],
    },
    {
      name: "cargo",
      does: "`build`, `test`, `run` of a crate without dependencies",
      needs: ["cargo", "rustc", "gcc"],
      files: CRATE,
      line: ["cargo build", "cargo test", '[ "$(cargo run -q)" = hello ]'],
    },
    {
      name: "cargo, vendored",
      does: "a crate of `vendor/`, named in `.cargo/config.toml`",
      needs: ["cargo", "rustc", "gcc"],
      files: {
        ...CRATE,
        ...WITH_CRATE,
        ".cargo/config.toml":
          '[source.crates-io]\nreplace-with = "vendored"\n[source.vendored]\ndirectory = "vendor"\n',
        "vendor/greet/Cargo.toml": '[package]\nname = "greet"\nversion = "1.0.0"\n',
        "vendor/greet/src/lib.rs": 'pub fn hi() -> &\'static str { "hello" }\n',
        "vendor/greet/.cargo-checksum.json": '{ "files": {}, "package": null }',
      },
      line: ['[ "$(cargo run -q --offline)" = hello ]'],
    },
    {
      name: "cargo, the person's crates",
      does: "a dependency that lies in the registry of the person, offline",
      needs: ["cargo", "rustc", "gcc", "python3"],
      files: {
        ...CRATE,
        ...WITH_CRATE,
        "registry.py": CARGO_REGISTRY,
        ".cargo/config.toml":
          '[source.crates-io]\nreplace-with = "near"\n[source.near]\nregistry = "sparse+http://localhost:PORT/"\n',
      },
      before: ["python3 registry.py"],
      line: ['[ "$(cargo run -q --offline)" = hello ]'],
      setting:
        "sandbox: { paths: { crates: { root: /home/you/.cargo/registry, mode: ro } }, env: { set: { CARGO_HOME: /home/you/.cargo } } }",
    },
    {
      name: "go",
      does: "`build`, `test`, `vet` of a module without dependencies",
      needs: ["go"],
      files: MODULE,
      line: ["go build -o main .", '[ "$(./main)" = hello ]', "go test ./...", "go vet ./..."],
    },
    {
      name: "go, modules",
      does: "a dependency from a proxy on disk, with `GOFLAGS=-mod=mod`",
      needs: ["go", "python3"],
      files: WITH_GREET,
      line: [
        `${GO_OFFLINE} GOPROXY=file://$PWD/proxy`,
        `python3 proxy.py`,
        `go get example.org/greet@v1.0.0`,
        `[ "$(go run .)" = hello ]`,
      ],
    },
    {
      name: "go, the person's modules",
      does: "a dependency that lies in the module cache of the person",
      needs: ["go", "python3"],
      files: WITH_GREET,
      before: [
        `${GO_OFFLINE} GOPROXY=file://$PWD/proxy`,
        `python3 proxy.py`,
        `go get example.org/greet@v1.0.0`,
        `rm -r proxy`,
      ],
      line: [`${GO_OFFLINE} GOPROXY=off`, `[ "$(go run .)" = hello ]`],
      setting:
        "sandbox: { paths: { modules: { root: /home/you/go/pkg/mod, mode: ro } }, env: { set: { GOMODCACHE: /home/you/go/pkg/mod } } }",
    },
    {
      name: "go, build cache kept",
      does: "what one call compiled is there for the next, in a cache that the person made for it",
      needs: ["go"],
      files: MODULE,
      before: ["GOCACHE=~/.cache/agent/go go build -o main ."],
      line: [
        // Without the sandbox it is not set.
        "export GOCACHE=${GOCACHE-~/.cache/agent/go}",
        "go build -x -o main2 . 2> built",
        '! grep "/compile " built',
      ],
      setting:
        "sandbox: { paths: { cache: { root: /home/you/.cache/agent, mode: rw, write_approval: false } }, env: { set: { GOCACHE: /home/you/.cache/agent/go } } }",
    },
    {
      name: "java",
      does: "`javac`, `jar`, threads, a temporary file, a source run as it is",
      needs: ["java", "javac", "jar"],
      files: {
        "Main.java":
          'import java.nio.file.*;\npublic class Main { public static void main(String[] a) throws Exception { Path p = Files.createTempFile("x", "y"); var t = new Thread(() -> System.out.println("hello")); t.start(); t.join(); Files.delete(p); } }\n',
      },
      line: [
        // It would leave a folder of figures in the `/tmp` of the machine.
        "export JAVA_TOOL_OPTIONS=-XX:-UsePerfData",
        "javac -d out Main.java",
        "jar cfe main.jar Main -C out .",
        "java -jar main.jar",
        "java Main.java",
      ],
    },
  ],
};
