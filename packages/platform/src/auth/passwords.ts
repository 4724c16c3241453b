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

/** A hash takes some 50 ms of a core: seconds of waiting for one caller. */
const MAX_WAITING_OF_CALLER = 64
const ARGON2ID = 2 as Algorithm.Argon2id

export async function createPasswords(options: PasswordOptions, random: Random) {
  const parameters = { algorithm: ARGON2ID, memoryCost: options.memoryKiB ?? 19_456, timeCost: options.passes ?? 2, parallelism: 1 }
  const turns = createTurns(options.concurrency, options.maxWaiting)
  const hashOf = (password: string) => hash(password.normalize('NFC'), { ...parameters, salt: random.bytes(16) })
  const nobody = await hash(random.bytes(32), parameters)
  return {
    /** Throws ApiError 503 when the queue is full. */
    hash: (password: string, caller: string) => turns(caller, () => hashOf(password)),
    /** Takes the same time for a null hash. */
    async verify(password: string, stored: string | null, caller: string) {
      const fits = await turns(caller, () => verify(stored ?? nobody, password.normalize('NFC')))
      return fits && stored !== null
    },
  }
}

/** Callers take turns, so that one address with many requests does not keep others waiting. */
function createTurns(concurrency: number, maxWaiting: number): <T>(caller: string, work: () => Promise<T>) => Promise<T> {
  let free = concurrency
  let waiting = 0
  /** In the order of their turns. */
  const queues = new Map<string, (() => void)[]>()
  const next = (): (() => void) | undefined => {
    const [first] = queues
    if (first === undefined) return undefined
    const [caller, queue] = first
    queues.delete(caller)
    const start = queue.shift()
    if (queue.length > 0) queues.set(caller, queue)
    waiting--
    return start
  }
  return async (caller, work) => {
    if (free > 0) free--
    else {
      const queue = queues.get(caller) ?? []
      if (waiting >= maxWaiting || queue.length >= MAX_WAITING_OF_CALLER) {
        throw new ApiError(503, 'Too many logins at once: try again in a moment', { headers: { 'retry-after': '2' } })
      }
      waiting++
      queues.set(caller, queue)
      await new Promise<void>((resolve) => queue.push(resolve))
    }
    try {
      return await work()
    } finally {
      const start = next()
      if (start === undefined) free++
      else start()
    }
  }
}
