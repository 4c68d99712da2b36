/** Further paths of an engine, from its column `ApiRoutes` (v8-surface.md 8.2): `/orders/{Id};/bestellungen/{Id}`. */
export interface ApiRoute {
  /** Segments in lower case; undefined where `names` has what stands there. */
  readonly segments: readonly (string | undefined)[];
  readonly names: readonly string[];
}

/** An engine with its further paths. */
export interface RoutedEngine {
  readonly key: string;
  readonly routes: readonly ApiRoute[];
}

/** What a path leads to. */
export interface RouteMatch {
  readonly key: string;
  /** Parts of the path by the names that the route gives them. */
  readonly params: Readonly<Record<string, string>>;
}

/** Paths that one engine can have beside its address. */
const MOST_ROUTES = 128;

const PLACE = /^\{([A-Za-z_]\w*)\}$/;

/** Reads the column. What is no path, and what is beyond MOST_ROUTES, is left out. */
export function readApiRoutes(text: string): readonly ApiRoute[] {
  const paths = text.split(';').map((path) => path.trim());
  return paths.flatMap((path) => readRoute(path) ?? []).slice(0, MOST_ROUTES);
}

function readRoute(path: string): ApiRoute | undefined {
  if (!path.startsWith('/') || path.length < 2) return undefined;
  const parts = path.replace(/\/+$/, '').slice(1).split('/');
  const places = parts.map((part) => PLACE.exec(part)?.[1]);
  const isMalformed = parts.some((part, i) => part === '' || (places[i] === undefined && /[{}]/.test(part)));
  const names = places.filter((name) => name !== undefined);
  if (isMalformed || new Set(names).size !== names.length) return undefined;
  return { segments: parts.map((part, i) => (places[i] === undefined ? part.toLowerCase() : undefined)), names };
}

/**
 * The engine at a path, in any case. Of several routes the one with the fewest places wins, and of those the first.
 * @param engines in the order in which the first counts. @param path without its query.
 */
export function matchRoute(engines: readonly RoutedEngine[], path: string): RouteMatch | undefined {
  const parts = path.replace(/\/+$/, '').slice(1).split('/');
  let best: { readonly match: RouteMatch; readonly places: number } | undefined;
  for (const { key, routes } of engines) {
    for (const route of routes) {
      const values = valuesOf(route, parts);
      if (values === undefined || (best !== undefined && best.places <= values.length)) continue;
      const params = Object.fromEntries(route.names.map((name, i) => [name, values[i] as string]));
      best = { match: { key, params }, places: values.length };
    }
  }
  return best?.match;
}

/** What stands in the places of the route; undefined when the path is another one. */
function valuesOf({ segments }: ApiRoute, parts: readonly string[]): string[] | undefined {
  if (segments.length !== parts.length) return undefined;
  const values: string[] = [];
  for (const [i, segment] of segments.entries()) {
    const part = parts[i] as string;
    if (segment === undefined && part !== '') values.push(part);
    else if (segment !== part.toLowerCase()) return undefined;
  }
  return values;
}
