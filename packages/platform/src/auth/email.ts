/** Returns the form that addresses are compared in: trimmed, composed (NFC), lower case. Mail providers ignore case. */
export function normalizeEmail(text: string): string {
  return text.trim().normalize('NFC').toLowerCase()
}
