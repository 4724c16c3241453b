/** Returns the form for comparison: trimmed, NFC, lower case. */
export function normalizeEmail(text: string): string {
  return text.trim().normalize('NFC').toLowerCase()
}
