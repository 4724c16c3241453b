/** PostgreSQL text cannot contain NUL characters. */
export function isStorable(text: string): boolean {
  return !text.includes('\0')
}
