/**
 * What the driver does about an error: wait and try again, look for the start anew, or stop. The engine failing holds
 * up everything; L1 or blobs that are not to be had hold up derivation alone.
 */
import type { Clock } from '@keelson/primitives'
import type { DegradedStates } from '../degraded-states.ts'
import { ConsensusError, messageOf, severityOf } from '../errors.ts'
import type { ConsensusMetrics } from '../metrics.ts'
import { type BackOff, createBackOff } from './back-off.ts'
import { resetReasonOf } from './reset/reset-reason.ts'
import type { Resets } from './reset/reset-schedule.ts'

export interface Failures {
  readonly engineRetry: BackOff
  readonly derivationRetry: BackOff
  /** Of a step. Throws the error when its severity is 'critical'. */
  stepFailed(error: unknown, started: boolean): void
  stepSucceeded(): void
  /** Of derivation. Throws what holds up more than derivation. */
  derivationFailed(error: unknown): void
  derivationMoved(): void
}

export interface FailuresDependencies {
  readonly clock: Clock
  readonly degraded: DegradedStates
  readonly metrics: Pick<ConsensusMetrics, 'derivationError'>
  readonly resets: Resets
}

function isEngineFailure(error: unknown): boolean {
  return error instanceof ConsensusError && error.code.startsWith('consensus/engine')
}

export function createFailures({ clock, degraded, metrics, resets }: FailuresDependencies): Failures {
  const engineRetry = createBackOff(clock)
  const derivationRetry = createBackOff(clock)
  return {
    engineRetry,
    derivationRetry,
    stepFailed(error, started) {
      const severity = severityOf(error)
      if (severity === 'critical') throw error
      metrics.derivationError(severity)
      if (severity === 'reset') {
        resets.ask(resetReasonOf(error))
        return
      }
      engineRetry.failed()
      if (started || isEngineFailure(error)) {
        degraded.enter(
          'engine',
          'the execution client does not do what it is asked',
          messageOf(error),
          'check that the execution client runs, its engine URL and the JWT secret; it is asked again',
        )
        return
      }
      degraded.enter(
        'sync-start',
        'where derivation begins cannot be found',
        messageOf(error),
        'it is tried again; check L1 and the execution client',
      )
    },
    stepSucceeded() {
      engineRetry.succeeded()
      degraded.leave('engine')
      degraded.leave('sync-start')
    },
    derivationFailed(error) {
      const severity = severityOf(error)
      if (severity === 'critical' || isEngineFailure(error)) throw error
      metrics.derivationError(severity)
      if (severity === 'reset') {
        resets.ask(resetReasonOf(error), 'derivation')
        return
      }
      derivationRetry.failed()
      degraded.enter('derivation', 'derivation cannot go on', messageOf(error), 'it is tried again; check L1 and the beacon API')
    },
    derivationMoved() {
      derivationRetry.succeeded()
      degraded.leave('derivation')
    },
  }
}
