/** A value that prints as three stars. */
import { createHash } from 'node:crypto'
import { inspect } from 'node:util'

export class Secret<T = string> {
  readonly #value: T
  constructor(value: T) {
    this.#value = value
  }
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

export function fingerprint(secret: Secret<Uint8Array> | Secret<string>): string {
  const value = secret.reveal()
  return createHash('sha256').update('keelson secret fingerprint\0').update(value).digest('hex').slice(0, 8)
}
