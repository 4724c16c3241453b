/** Passwords of key files as bytes. EIP-2335, "Password requirements" */

/** C0 and C1 controls and Delete, which terminals and files add without anyone noticing. */
function isControl(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f)
}

/** NFKD, without control characters, in UTF-8. */
export function normalisePassword(password: string): Uint8Array {
  const kept = [...password.normalize('NFKD')].filter((character) => !isControl(character.codePointAt(0) as number))
  return new TextEncoder().encode(kept.join(''))
}
