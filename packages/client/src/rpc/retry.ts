/** Again, after growing pauses with jitter, while the trouble is temporary. */
import type { Clock, Random } from '@keelson/primitives'
import { ClientError, isTemporary } from '../client-error.ts'

export interface RetryPolicy {
  /** In all, the first one included. */
  readonly attempts: number
  readonly baseDelayMs: number
  readonly maxDelayMs: number
}

export async function retrying<T>(
  attempt: () => Promise<T>,
  policy: RetryPolicy,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  signal?: AbortSignal,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt()
    } catch (error) {
      if (tried >= policy.attempts || !isTemporary(error) || isTooLarge(error) || signal?.aborted) throw error
      await clock.sleep(delayMs(tried, error, policy, random), signal).catch(() => {
        throw aborted(error)
      })
    }
  }
}

/** An oversized answer is not retried at once: the node would return the same. Another node, or a later request, may succeed. */
function isTooLarge(error: unknown): boolean {
  return error instanceof ClientError && error.code === 'client/too-large'
}

/** What a caller gets who gave up while the next attempt was awaited. */
export function aborted(cause: unknown): ClientError {
  return new ClientError('client/aborted', 'temporary', 'the request was given up before it was answered', {}, { cause })
}

/** Between half of the doubled base and all of it; a server that says when to come back is believed, within the maximum. */
function delayMs(tried: number, error: unknown, policy: RetryPolicy, random: Random): number {
  const grown = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (tried - 1))
  const asked = error instanceof ClientError ? Number(error.details.retryAfterSec ?? 0) * 1000 : 0
  return Math.max(Math.min(asked, policy.maxDelayMs), grown * (0.5 + random.next() / 2))
}
