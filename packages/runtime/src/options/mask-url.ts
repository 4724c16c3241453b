/** A URL that may be printed. Providers put keys in user, path and query, so nothing but scheme, host and port is shown. */

const MASK = '***'

/** Text that is no URL comes back as it is. */
export function maskUrl(text: string): string {
  if (!URL.canParse(text)) return text
  const { protocol, host, pathname, username, password, search, hash } = new URL(text)
  if ([username, password, search, hash].every((part) => part === '') && pathname === '/') return text
  const user = username === '' && password === '' ? '' : `${MASK}@`
  const rest = pathname === '/' && search === '' && hash === '' ? '' : `/${MASK}`
  return `${protocol}//${user}${host}${rest}`
}
