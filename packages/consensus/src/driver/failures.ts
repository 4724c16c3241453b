import type { Clock } from '@keelson/primitives'
import { type BackOff, createBackOff } from '../back-off.ts'
import type { DegradedStates } from '../degraded-states.ts'
import { ConsensusError, messageOf, severityOf } from '../errors.ts'
import type { ConsensusMetrics } from '../metrics.ts'
import { resetReasonOf } from './reset/reset-reason.ts'
import type { ResetSchedule } from './reset/reset-schedule.ts'

export interface Failures {
  readonly engineRetry: BackOff
  readonly derivationRetry: BackOff
  /** Rethrows critical errors. */
  stepFailed(error: unknown, started: boolean): void
  stepSucceeded(): void
  /** Rethrows errors that concern more than derivation. */
  derivationFailed(error: unknown): void
  derivationMoved(): void
}

export interface FailuresDependencies {
  readonly clock: Clock
  readonly degraded: DegradedStates
  readonly metrics: Pick<ConsensusMetrics, 'derivationError'>
  readonly resets: Pick<ResetSchedule, 'ask'>
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
          'execution client request failed',
          messageOf(error),
          'check that the execution client runs, its engine URL and the JWT secret; the request is retried',
        )
        return
      }
      degraded.enter(
        'sync-start',
        'the start of derivation was not found',
        messageOf(error),
        'the search is retried; check L1 and the execution client',
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
      degraded.enter('derivation', 'derivation is stalled', messageOf(error), 'the step is retried; check L1 and the beacon API')
    },
    derivationMoved() {
      derivationRetry.succeeded()
      degraded.leave('derivation')
    },
  }
}
