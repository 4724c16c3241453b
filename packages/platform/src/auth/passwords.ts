/** A hash takes 19 MiB and a core, so concurrency and queue are bounded. */
import type { Random } from '@keelson/primitives'
import { type Algorithm, hash, verify } from '@node-rs/argon2'
import { ApiError } from '../http/api-error.ts'

export type Passwords = Awaited<ReturnType<typeof createPasswords>>

export interface PasswordOptions {
  readonly concurrency: number
  readonly maxWaiting: number
  /** Defaults: OWASP's minimum for argon2id. */
  readonly memoryKiB?: number
  readonly passes?: number
}

const ARGON2ID = 2 as Algorithm.Argon2id

export async function createPasswords(options: PasswordOptions, random: Random) {
  const parameters = { algorithm: ARGON2ID, memoryCost: options.memoryKiB ?? 19_456, timeCost: options.passes ?? 2, parallelism: 1 }
  const turns = createTurns(options.concurrency, options.maxWaiting)
  const hashOf = (password: string) => hash(password.normalize('NFC'), { ...parameters, salt: random.bytes(16) })
  const nobody = await hash(random.bytes(32), parameters)
  return {
    /** Throws ApiError 503 when the queue is full. */
    hash: (password: string) => turns(() => hashOf(password)),
    /** Takes the same time for a null hash. */
    async verify(password: string, stored: string | null) {
      const fits = await turns(() => verify(stored ?? nobody, password.normalize('NFC')))
      return fits && stored !== null
    },
  }
}

function createTurns(concurrency: number, maxWaiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = concurrency
  const waiting: (() => void)[] = []
  return async (work) => {
    if (free > 0) free--
    else {
      if (waiting.length >= maxWaiting) {
        throw new ApiError(503, 'Too many logins at once: try again in a moment', { headers: { 'retry-after': '2' } })
      }
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }
}
