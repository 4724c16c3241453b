/** A value that must not be printed: every way of turning it into text gives three stars. */
import { createHash } from 'node:crypto'
import { inspect } from 'node:util'

export class Secret<T = string> {
  readonly #value: T
  constructor(value: T) {
    this.#value = value
  }
  /** The value itself; call it where it is used, never to keep it. */
  reveal(): T {
    return this.#value
  }
  toString(): string {
    return '***'
  }
  toJSON(): string {
    return '***'
  }
  [inspect.custom](): string {
    return '***'
  }
}

/** Eight hex digits that tell two secrets apart and give neither away (first bytes of a tagged SHA-256). */
export function fingerprint(secret: Secret<Uint8Array> | Secret<string>): string {
  const value = secret.reveal()
  return createHash('sha256').update('keelson secret fingerprint\0').update(value).digest('hex').slice(0, 8)
}
