import { createHash } from 'node:crypto'

/** A running hash over all that happened. */
export interface Trace {
  note(atUs: number, owner: string, what: string): void
  content(bytes: Uint8Array | string): void
  /** 64 hexadecimal digits. */
  hash(): string
}

export function createTrace(): Trace {
  const running = createHash('sha256')
  return {
    note: (atUs, owner, what) => void running.update(`${atUs} ${owner} ${what}\n`),
    content: (bytes) => void running.update(bytes),
    hash: () => running.copy().digest('hex'),
  }
}
