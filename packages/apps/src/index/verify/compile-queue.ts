import type { Clock } from '@keelson/primitives'
import { DeadlineError, withDeadline } from '@keelson/runtime'
import { type CompiledContract, type CompileOutcome, compileInThread } from './compile-thread.ts'
import type { StandardInput } from './standard-input.ts'
import { VerifyRefusal } from './verify-refusal.ts'

export interface CompileQueue {
  /** Throws VerifyRefusal `busy`. */
  refuseWhenFull(): void
  /** Throws VerifyRefusal `busy`, `compile-failed` or `compile-limit`, or the signal's reason. */
  compile(input: StandardInput, file: string, name: string, signal: AbortSignal): Promise<CompiledContract>
}

const MAX_WAITING = 4
/** Includes the start of the compiler, which takes seconds on a busy machine. */
export const COMPILE_LIMIT_MS = 40_000
export const LONGEST_WAIT_MS = (MAX_WAITING + 1) * COMPILE_LIMIT_MS
const RETRY_AFTER_SEC = 30

/** Compiles one input at a time. */
export function createCompileQueue(clock: Pick<Clock, 'sleep'>): CompileQueue {
  let last: Promise<unknown> = Promise.resolve()
  let inside = 0
  const refuseWhenFull = () => {
    if (inside > MAX_WAITING)
      throw new VerifyRefusal('busy', 'other contracts are being compiled', 'the same request later', RETRY_AFTER_SEC)
  }
  return {
    refuseWhenFull,
    async compile(input, file, name, signal) {
      refuseWhenFull()
      inside++
      const turn = last.then(() => compileWithin(clock, input, file, name, signal))
      last = turn.then(
        () => inside--,
        () => inside--,
      )
      return turn
    },
  }
}

async function compileWithin(clock: Pick<Clock, 'sleep'>, input: StandardInput, file: string, name: string, signal: AbortSignal) {
  let work: Promise<CompileOutcome> | undefined
  const start = (limited: AbortSignal) => {
    work = compileInThread(input, file, name, limited)
    return work
  }
  try {
    const outcome = await withDeadline(start, { clock, ms: COMPILE_LIMIT_MS, signal })
    if ('contract' in outcome) return outcome.contract
    if ('limit' in outcome) throw overLimit(outcome.limit)
    throw new VerifyRefusal('compile-failed', outcome.errors.join('\n'), 'sources that compile')
  } catch (error) {
    if (error instanceof DeadlineError) throw overLimit('time')
    throw error
  } finally {
    // At the deadline the thread is still ending.
    await work?.catch(() => undefined)
  }
}

function overLimit(limit: string): VerifyRefusal {
  return new VerifyRefusal('compile-limit', `the compiler needs more ${limit} than it may use here`, 'a smaller or simpler contract')
}
