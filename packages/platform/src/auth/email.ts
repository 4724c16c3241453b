export function normalizeEmail(text: string): string {
  return text.trim().normalize('NFC').toLowerCase()
}
