import type { Client } from "./client.ts";

/** The proxy variables that most clients read for an URL with TLS. */
const HTTPS = ["https_proxy", "HTTPS_PROXY"];

/** Programs that install packages from a registry at a listed host, and programs that know no proxies. */
export const PACKAGE_CLIENTS: readonly Client[] = [
  {
    name: "npm install",
    does: "a package and what it needs",
    needs: ["npm", "node"],
    files: { "package.json": "{}" },
    scheme: "https",
    line: [
      "export npm_config_registry={web}/npm/ npm_config_cafile={ca} npm_config_fetch_retries=0",
      "npm install --no-audit --no-fund --no-update-notifier greet",
      "test \"$(node -p 'require(`greet`)(`world`)')\" = 'HELLO, WORLD'",
    ],
    obeys: HTTPS,
    says: "403 Forbidden",
  },
  {
    name: "pip install",
    does: "a wheel",
    needs: ["python3"],
    has: "python3 -m pip --version",
    isOptional: true,
    scheme: "https",
    line: [
      "export PIP_INDEX_URL={web}/pip/simple/ PIP_CERT={ca} PIP_RETRIES=1 PIP_DISABLE_PIP_VERSION_CHECK=1",
      "python3 -m pip install --no-cache-dir --target here greet",
      "test \"$(PYTHONPATH=here python3 -c 'import greet; print(greet.hello(\"world\"))')\" = 'hello, world'",
    ],
    obeys: [...HTTPS, "all_proxy", "ALL_PROXY"],
    says: "403 Forbidden",
  },
  {
    name: "cargo fetch",
    does: "a crate of a sparse registry",
    needs: ["cargo"],
    isOptional: true,
    files: {
      "Cargo.toml":
        '[package]\nname = "mine"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\ngreet = { version = "1", registry = "local" }\n',
      "src/main.rs": 'fn main() { println!("{}", greet::hello("world")); }\n',
    },
    scheme: "https",
    line: [
      "export CARGO_REGISTRIES_LOCAL_INDEX=sparse+{web}/cargo/ CARGO_HTTP_CAINFO={ca} CARGO_NET_RETRY=0",
      "cargo fetch",
      "cargo metadata --offline --format-version 1 | grep -q greet-1.0.0",
    ],
    obeys: [...HTTPS, "all_proxy", "ALL_PROXY"],
    says: "403",
  },
  {
    name: "go mod download",
    does: "a module of a proxy for modules",
    needs: ["go"],
    isOptional: true,
    files: {
      "go.mod": "module example.test/mine\n\ngo 1.19\n\nrequire example.test/greet v1.0.0\n",
      "main.go":
        'package main\n\nimport "example.test/greet"\n\nfunc main() { println(greet.Hello("world")) }\n',
    },
    scheme: "https",
    line: [
      "export GOPROXY={web}/go GONOSUMDB=* GOFLAGS=-mod=mod GOTOOLCHAIN=local SSL_CERT_FILE={ca}",
      "go mod download example.test/greet",
      "go list -m all | grep -q 'greet v1.0.0'",
    ],
    obeys: HTTPS,
    says: "Forbidden",
  },
  // Its first version with this variable: https://nodejs.org/api/cli.html#node_use_env_proxy1.
  {
    name: "node before 22.21",
    does: "`fetch`; 23 is the same, and from 24.0 to 24.4 `fetch` alone finds the proxy",
    needs: ["node"],
    has: "test -x {oldest}",
    isOptional: true,
    scheme: "https",
    line: ["{oldest} -e 'fetch(`{web}/here`).then((page) => page.text()).then(console.log)'"],
    obeys: [],
    says: "getaddrinfo",
    instead: "a newer Node, or undici's `EnvHttpProxyAgent`",
  },
  {
    name: "java",
    does: "`HttpClient` as it is",
    needs: ["java"],
    has: "java --version",
    isOptional: true,
    files: {
      "A.java": `
import java.net.URI;
import java.net.http.*;

class A {
  public static void main(String[] at) throws Exception {
    var asked = HttpRequest.newBuilder(URI.create(at[0] + "/here")).build();
    System.out.println(HttpClient.newHttpClient().send(asked, HttpResponse.BodyHandlers.ofString()).body());
  }
}
`,
    },
    scheme: "http",
    line: ["java A.java {web}"],
    obeys: [],
    says: "ConnectException",
    instead:
      "host, port, user and password of `https_proxy` in the settings of what is run, such as Maven's `settings.xml`",
  },
  {
    name: "ssh, and git over it",
    does: "`git ls-remote ssh://…`",
    needs: ["git", "ssh"],
    isOptional: true,
    scheme: "https",
    line: ["git ls-remote ssh://git@{host}/git/project.git"],
    obeys: [],
    says: "Could not resolve hostname",
    instead: "the https URL of the repository",
  },
];
