/** The methods of each API path, for 405 answers with Allow (RFC 9110, section 15.5.6). */

export interface MethodAndPath {
  readonly method: string
  /** Route path; parameters start with a colon. */
  readonly path: string
}

/** Null for a path that no route has. `target` is the request's, with or without a query. */
export function createAllowedMethods(routes: readonly MethodAndPath[]): (target: string) => readonly string[] | null {
  const plain = new Map<string, string[]>()
  const patterns = new Map<string, { readonly steps: readonly string[]; readonly methods: string[] }>()
  for (const { method, path } of routes) {
    const known = path.includes(':')
      ? (patterns.get(path)?.methods ?? patterns.set(path, { steps: path.split('/'), methods: [] }).get(path)?.methods)
      : (plain.get(path) ?? plain.set(path, []).get(path))
    known?.push(...(method === 'GET' ? ['GET', 'HEAD'] : [method]))
  }
  return (target) => {
    const path = target.split('?')[0] ?? ''
    const exact = plain.get(path)
    if (exact !== undefined) return exact
    const steps = path.split('/')
    const fits = (pattern: readonly string[]) =>
      pattern.length === steps.length && pattern.every((step, i) => (step.startsWith(':') ? steps[i] !== '' : step === steps[i]))
    return [...patterns.values()].find((pattern) => fits(pattern.steps))?.methods ?? null
  }
}
