/** E-mail addresses as they are compared: people write their own in more than one way, and mean the same mailbox. */

/** Trimmed, composed, in lower case. No provider in use tells addresses apart by case. */
export function normalizeEmail(text: string): string {
  return text.trim().normalize('NFC').toLowerCase()
}
