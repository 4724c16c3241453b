const MAX_LENGTH = 2_048
const VALID = /^[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*$/
/** Encoded dots, slashes and backslashes could mean another path to the service. */
const HIDDEN = /%(2e|2f|5c|00)/i

/** Returns the path on the service, with its query, or null if it is not safe to pass on. `/health` is outside the service's base. */
export function servicePath(url: string, prefix: string, base: string): string | null {
  if (url.length > MAX_LENGTH || !url.startsWith(`${prefix}/`) || !VALID.test(url)) return null
  const rest = url.slice(prefix.length)
  const path = rest.split('?')[0] as string
  if (HIDDEN.test(path) || path.includes('//') || path.split('/').includes('..') || path.split('/').includes('.')) return null
  return path === '/health' ? rest : base + rest
}
