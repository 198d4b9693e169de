type Pattern = { methods: Set<string>; path: RegExp };

/** Routes that were registered, asked by path. */
export type AllowedMethods = {
  /** Registers a route as Fastify spells it: `:name`, `:name(expression)` and `*` stand for anything. */
  add: (route: { method: string | string[]; url: string }) => void;
  /** Methods that some route takes at the request target `url`, sorted; OPTIONS is left out. */
  at: (url: string) => string[];
};

/** Remembers every route, and says which methods a path would take, for 404 and 405 to differ (RFC 9110 15.5.6). */
export function allowedMethods(): AllowedMethods {
  const patterns = new Map<string, Pattern>();
  return {
    add: ({ method, url }) => {
      const pattern = patterns.get(url) ?? { methods: new Set(), path: pathOf(url) };
      for (const one of [method].flat()) pattern.methods.add(one);
      patterns.set(url, pattern);
    },
    at: (url) => {
      const path = url.split('?', 1)[0] ?? '';
      const found = [...patterns.values()].filter((pattern) => pattern.path.test(path));
      const methods = new Set(found.flatMap((pattern) => [...pattern.methods]));
      methods.delete('OPTIONS');
      return [...methods].sort();
    },
  };
}

function pathOf(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part.startsWith(':')) return '[^/]+';
    if (part === '*') return '.*';
    return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('/')}$`);
}
