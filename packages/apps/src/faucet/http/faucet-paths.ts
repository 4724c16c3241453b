/** The method of each path; OPTIONS is served on all. */
const METHODS: ReadonlyMap<string, 'GET' | 'POST'> = new Map([
  ['/api/claim', 'POST'],
  ['/api/challenge', 'POST'],
  ['/api/verify', 'POST'],
  ['/api/apply', 'POST'],
  ['/api/status', 'GET'],
  ['/api/tiers', 'GET'],
  ['/api/verify/callback', 'GET'],
  ['/health', 'GET'],
])

export function methodOf(target: string): 'GET' | 'POST' | null {
  return METHODS.get((target.split('?')[0] as string).replace(/\/$/, '')) ?? null
}

/** The value of `Allow`; null for a path that does not exist. */
export function allowedAt(target: string): string | null {
  if (target === '*') return 'GET, HEAD, POST, OPTIONS'
  const method = methodOf(target)
  return method === null ? null : method === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS'
}
