/** RFC 9110, section 15.5.6. */

export interface MethodAndPath {
  readonly method: string
  readonly path: string
}

export function createAllowedMethods(routes: readonly MethodAndPath[]): (target: string) => readonly string[] | null {
  const known = routes.map(({ method, path }) => ({
    methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`),
  }))
  return (target) => {
    const asked = (target.split('?')[0] ?? '').replace(/(?<=.)\/$/, '')
    const exact = known.filter(({ path }) => path === asked)
    const found = exact.length > 0 ? exact : known.filter(({ pattern }) => pattern.test(asked))
    return found.length === 0 ? null : found.flatMap(({ methods }) => methods)
  }
}
