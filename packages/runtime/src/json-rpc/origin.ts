import { isIP } from 'node:net'

export function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  return allowed.includes('*') || allowed.some((entry) => entry.toLowerCase() === origin.toLowerCase())
}

/** Stops DNS rebinding: host names must be listed, IP addresses need not. */
export function isAllowedHost(header: string | undefined, allowed: readonly string[]): boolean {
  if (allowed.includes('*') || header === undefined) return true
  const host = (header.startsWith('[') ? header.slice(1, header.indexOf(']')) : header.replace(/:\d*$/, '')).toLowerCase()
  return isIP(host) !== 0 || allowed.some((entry) => entry.toLowerCase() === host)
}
