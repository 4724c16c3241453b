/** User, path and query may hold keys. */

const MASK = '***'

export function maskUrl(text: string): string {
  if (!URL.canParse(text)) return text
  const { protocol, host, pathname, username, password, search, hash } = new URL(text)
  if ([username, password, search, hash].every((part) => part === '') && pathname === '/') return text
  const user = username === '' && password === '' ? '' : `${MASK}@`
  const rest = pathname === '/' && search === '' && hash === '' ? '' : `/${MASK}`
  return `${protocol}//${user}${host}${rest}`
}
