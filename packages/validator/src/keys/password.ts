function isControl(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f)
}

/** Returns NFKD without control characters. EIP-2335, "Password requirements" */
export function normalisePassword(password: string): Uint8Array {
  const kept = [...password.normalize('NFKD')].filter((character) => !isControl(character.codePointAt(0) as number))
  return new TextEncoder().encode(kept.join(''))
}
