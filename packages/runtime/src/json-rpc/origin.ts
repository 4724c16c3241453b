import { isIP } from 'node:net'
import { hostname } from 'node:os'

export function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  return allowed.includes('*') || allowed.some((entry) => entry.toLowerCase() === origin.toLowerCase())
}

/** Stops DNS rebinding: host names must be listed, IP addresses need not. */
export function isAllowedHost(header: string | undefined, allowed: readonly string[]): boolean {
  if (allowed.includes('*') || header === undefined) return true
  const host = nameOf(header)
  return isIP(host) !== 0 || allowed.some((entry) => entry.toLowerCase() === host)
}

/** RFC 6761, RFC 6762 and RFC 8375, and ICANN's resolution 2024.07.29.06. */
const LOCAL_SUFFIX = /\.(localhost|local|internal|home\.arpa)$/

/**
 * Allows names besides those of `isAllowedHost` that nobody can have in the public DNS, or only this machine: those without a dot, such
 * as of containers, those of local domains, and the machine's own. Monitoring and containers need no option then.
 */
export function isLocalHost(header: string | undefined, allowed: readonly string[]): boolean {
  if (isAllowedHost(header, allowed)) return true
  const host = nameOf(header ?? '').replace(/\.$/, '')
  return !host.includes('.') || LOCAL_SUFFIX.test(host) || host === hostname().toLowerCase()
}

function nameOf(header: string): string {
  return (header.startsWith('[') ? header.slice(1, header.indexOf(']')) : header.replace(/:\d*$/, '')).toLowerCase()
}
