import type { Signing } from "../../../tool/facts.ts";
import { textOf } from "./disk.ts";
import type { GitSetting } from "./git-config.ts";
import { type WrittenSetting, writtenFile } from "./git-files.ts";
import type { RuntimeSite } from "./site.ts";

/** The variable that a sandbox needs to sign in each format: the agent's socket, GnuPG's folder. */
const NEEDS = { ssh: "SSH_AUTH_SOCK", openpgp: "GNUPGHOME", x509: "GNUPGHOME" } as const;

/** How the person's configuration signs git objects; null if it does not. */
export function signingOf(written: readonly WrittenSetting[]): Signing | null {
  const all = settingsOf(written);
  const always = written.filter((one) => !("condition" in one));
  const isOn = (name: string): boolean => {
    const plain = always.findLast((one) => "name" in one && one.name === name);
    return (
      (plain !== undefined && isTrue(plain)) ||
      sometimes(written).some((one) => one.name === name && isTrue(one))
    );
  };
  const signs = (["commit", "tag"] as const).filter((what) => isOn(`${what}.gpgsign`));
  const asked = all.findLast(({ name }) => name === "gpg.format")?.value;
  const format = asked === "ssh" || asked === "x509" ? asked : "openpgp";
  return signs.length === 0 ? null : { signs, format, needs: NEEDS[format] };
}

/** The variable that these settings require: the one of their format. */
export function signingNeeds(written: readonly WrittenSetting[]): string {
  const format = settingsOf(written).findLast(({ name }) => name === "gpg.format")?.value;
  return format === "ssh" ? NEEDS.ssh : NEEDS.openpgp;
}

function sometimes(written: readonly WrittenSetting[]): readonly GitSetting[] {
  return written.flatMap((one) => ("condition" in one ? settingsOf(one.settings) : []));
}

function settingsOf(written: readonly WrittenSetting[]): readonly GitSetting[] {
  return written.flatMap((one) => ("condition" in one ? settingsOf(one.settings) : [one]));
}

function isTrue(setting: WrittenSetting | undefined): boolean {
  if (setting === undefined || "condition" in setting) return false;
  return setting.value === null || /^(true|yes|on|[1-9]\d*)$/i.test(setting.value);
}

/** A public key as ssh-keygen(1) writes it. */
const PUBLIC_KEY =
  /^(?:key::)?((?:ssh|ecdsa|sk-ssh|sk-ecdsa)-[\w@.-]+ [A-Za-z0-9+/]+={0,2})(?: [^\p{Cc}]*)?$/u;

/** A signing setting that is safe to carry: a public key by its content, never a file name. Null for any other. */
export function carriedSigning(site: RuntimeSite, { name, value }: GitSetting): GitSetting | null {
  switch (name) {
    case "commit.gpgsign":
    case "tag.gpgsign":
      return value === null || /^(true|yes|on|1|false|no|off|0|)$/i.test(value) ? { name, value } : null;
    case "gpg.format":
      return value !== null && ["openpgp", "x509", "ssh"].includes(value) ? { name, value } : null;
    case "user.signingkey": {
      const key = signingKey(site, value ?? "");
      return key === null ? null : { name, value: key };
    }
    default:
      return null;
  }
}

function signingKey(site: RuntimeSite, written: string): string | null {
  const literal = PUBLIC_KEY.exec(written)?.[1];
  if (literal !== undefined) return `key::${literal}`;
  const path = /^[~/]/.test(written) ? writtenFile(site, written.replace(/\.pub$/, ""), null) : null;
  const file = path === null ? null : writtenFile(site, `${path}.pub`, null);
  const published = file === null ? undefined : PUBLIC_KEY.exec((textOf(site, file) ?? "").trim())?.[1];
  if (published !== undefined) return `key::${published}`;
  // A key of GnuPG: its id, fingerprint or owner.
  return /^[\w<][\w .@<>+!-]{0,200}$/.test(written) ? written : null;
}
