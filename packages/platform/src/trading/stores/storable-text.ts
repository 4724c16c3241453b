/** What Postgres takes as text: it has no character zero, and no row is under a name with one. */
export function isStorable(text: string): boolean {
  return !text.includes('\0')
}
