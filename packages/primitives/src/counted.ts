/** "1 block", "2 blocks", "1 address", "2 addresses". `what` is the singular; its last word gets the plural. */
export function counted(count: number, what: string): string {
  if (count === 1) return `1 ${what}`
  const plural = /(s|x|z|ch|sh)$/.test(what) ? `${what}es` : /[^aeiou]y$/.test(what) ? `${what.slice(0, -1)}ies` : `${what}s`
  return `${count} ${plural}`
}
