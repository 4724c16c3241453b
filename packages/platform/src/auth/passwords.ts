/**
 * Passwords as argon2id hashes. Hashing runs on the thread pool; only so many at once, since each takes 19 MiB and a core,
 * and only so many wait: the next is told to come again.
 */
import type { Random } from '@keelson/primitives'
import { type Algorithm, hash, verify } from '@node-rs/argon2'
import { ApiError } from '../http/api-error.ts'

export interface Passwords {
  /** In PHC form. Throws ApiError 503 when too many are waiting. */
  hash(password: string): Promise<string>
  /** Takes the same time when there is no hash, and is false then. Throws ApiError 503 when too many are waiting. */
  verify(password: string, hash: string | null): Promise<boolean>
}

export interface PasswordOptions {
  /** Hashes computed at once. */
  readonly concurrency: number
  /** That may wait beside them. */
  readonly maxWaiting: number
  /** KiB and passes; default those OWASP names for argon2id. Tests take less. */
  readonly memoryKiB?: number
  readonly passes?: number
}

const ARGON2ID = 2 as Algorithm.Argon2id

export async function createPasswords(options: PasswordOptions, random: Random): Promise<Passwords> {
  const parameters = { algorithm: ARGON2ID, memoryCost: options.memoryKiB ?? 19_456, timeCost: options.passes ?? 2, parallelism: 1 }
  const turns = createTurns(options.concurrency, options.maxWaiting)
  const hashOf = (password: string) => hash(password.normalize('NFC'), { ...parameters, salt: random.bytes(16) })
  // of a password nobody knows: who asks for an unknown user waits as long as for a known one
  const nobody = await hash(random.bytes(32), parameters)
  return {
    hash: (password) => turns(() => hashOf(password)),
    async verify(password, stored) {
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
      // whoever is done gives its place on
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
