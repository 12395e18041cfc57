import { firstLink, MAX_LINKS } from "../../backend/bubblewrap/caps.ts";
import type { Facts, LinkWay } from "../../backend/facts.ts";
import { aliasesOf } from "../../backend/host-mounts.ts";
import { type AbsolutePath, isInside, ROOT } from "../../profile/path.ts";
import { type Lstat, wayOf } from "./leads.ts";
import type { NodeLooker } from "./node-looker.ts";

/** Looks at paths with all that decides about them: other names, and the targets and ways of links on them. */
export class Surveyor {
  readonly ways = new Map<AbsolutePath, LinkWay>();
  readonly #looker: NodeLooker;
  readonly #mounts: Facts["mounts"];
  readonly #see: Lstat;

  constructor(looker: NodeLooker, mounts: Facts["mounts"], see: Lstat) {
    this.#looker = looker;
    this.#mounts = mounts;
    this.#see = see;
  }

  look(path: AbsolutePath): void {
    for (const name of this.#named(path)) {
      let found = firstLink(this.#looker.found, name);
      for (let followed = 0; found !== null && followed < MAX_LINKS; followed += 1) {
        this.#follow(found.link);
        if (found.behind === null) break;
        this.#named(found.behind);
        found = firstLink(this.#looker.found, found.behind);
      }
    }
  }

  #named(path: AbsolutePath): readonly AbsolutePath[] {
    const names = [path, ...aliasesOf(this.#mounts, path)];
    for (const name of names) this.#looker.look(name);
    return names;
  }

  #follow(link: AbsolutePath): void {
    if (this.ways.has(link)) return;
    const node = this.#looker.found.get(link);
    const way = linkWay(link, node?.kind === "link" ? node.target : null, this.#see);
    this.ways.set(link, way);
    for (const path of [...way.links, ...way.detours]) this.#named(path);
  }
}

/** The way from a link, itself by its canonical folder, to its target, which may be missing. */
function linkWay(link: AbsolutePath, target: AbsolutePath | null, see: Lstat): LinkWay {
  const { links, places } = wayOf(link, ROOT, see);
  const ends = target === null ? links : [...links, target];
  const isOnTheWay = (place: AbsolutePath): boolean => ends.some((one) => isInside(one, place));
  return {
    links: links.filter((one) => one !== link),
    detours: places.filter((place) => !isOnTheWay(place) && see(place)?.isDirectory() === true),
  };
}
