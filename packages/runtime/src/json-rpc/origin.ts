/** Which web pages and which host names a server answers to. */
import { isIP } from 'node:net'

export function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  return allowed.includes('*') || allowed.some((entry) => entry.toLowerCase() === origin.toLowerCase())
}

/** A page can point its own name at 127.0.0.1, so names must be known; addresses cannot be rebound. */
export function isAllowedHost(header: string | undefined, allowed: readonly string[]): boolean {
  if (allowed.includes('*') || header === undefined) return true
  const host = (header.startsWith('[') ? header.slice(1, header.indexOf(']')) : header.replace(/:\d*$/, '')).toLowerCase()
  return isIP(host) !== 0 || allowed.some((entry) => entry.toLowerCase() === host)
}
