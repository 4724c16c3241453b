import type { Clock, Random } from '@keelson/primitives'
import { ClientError, isTemporary } from '../client-error.ts'

export interface RetryPolicy {
  /** Number of attempts, including the first. */
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

function isTooLarge(error: unknown): boolean {
  return error instanceof ClientError && error.code === 'client/too-large'
}

export function aborted(cause: unknown): ClientError {
  return new ClientError('client/aborted', 'temporary', 'the request was cancelled before it was answered', {}, { cause })
}

/** Returns 50 to 100% of the base delay, doubled for each retry, or Retry-After. */
function delayMs(tried: number, error: unknown, policy: RetryPolicy, random: Random): number {
  const grown = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (tried - 1))
  const asked = error instanceof ClientError ? Number(error.details.retryAfterSec ?? 0) * 1000 : 0
  return Math.max(Math.min(asked, policy.maxDelayMs), grown * (0.5 + random.next() / 2))
}
