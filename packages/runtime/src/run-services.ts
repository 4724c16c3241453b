import type { Clock, Logger } from '@keelson/primitives'
import { withDeadline } from './async/with-deadline.ts'
import type { Service } from './service.ts'

export interface ServiceGroupOptions {
  readonly log: Logger
  readonly clock: Clock
  readonly stopTimeoutMs?: number
}

export interface RunningServices {
  stop(): Promise<void>
  /** Rejects when a service fails after its start. */
  readonly failure: Promise<never>
}

const DEFAULT_STOP_TIMEOUT_MS = 4500

/** Stops the started services before it rejects. */
export async function startServices(
  services: readonly Service[],
  options: ServiceGroupOptions,
  signal?: AbortSignal,
): Promise<RunningServices> {
  const started: { readonly service: Service; readonly abort: AbortController }[] = []
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= stopInReverse(started, options)
    return stopping
  }
  let fail: (error: unknown) => void = () => undefined
  const failure = new Promise<never>((_, reject) => {
    fail = reject
  })
  failure.catch(() => undefined)
  for (const service of services) {
    const abort = new AbortController()
    const onAbort = () => abort.abort(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      signal?.throwIfAborted()
      await service.start(abort.signal)
    } catch (error) {
      abort.abort(error)
      await stop()
      throw error
    } finally {
      signal?.removeEventListener('abort', onAbort)
    }
    started.push({ service, abort })
    service.failure?.catch((error: unknown) => {
      if (stopping !== undefined) return
      options.log.error('service failed', { service: service.name, error })
      fail(error)
    })
  }
  return { stop, failure }
}

async function stopInReverse(
  started: readonly { readonly service: Service; readonly abort: AbortController }[],
  options: ServiceGroupOptions,
): Promise<void> {
  const { log, clock } = options
  const deadlineMs = clock.nowMs() + (options.stopTimeoutMs ?? DEFAULT_STOP_TIMEOUT_MS)
  for (const { service, abort } of [...started].reverse()) {
    const beganMs = clock.nowMs()
    abort.abort(new DOMException(`${service.name} is stopping`, 'AbortError'))
    const stopped = service.stop().then(
      () => 'stopped',
      (error: unknown) => {
        log.error('service failed while stopping', { service: service.name, error })
        return 'failed'
      },
    )
    const outcome = await withDeadline(stopped, { clock, ms: Math.max(0, deadlineMs - beganMs), onTimeout: () => 'late' })
    const elapsedMs = clock.nowMs() - beganMs
    if (outcome === 'late') log.warn('service did not stop in time', { service: service.name, elapsedMs })
    else log.debug('stopped', { service: service.name, elapsedMs })
  }
}

export interface RunOptions extends ServiceGroupOptions {
  readonly signals?: SignalSource
  readonly onReady?: () => void | Promise<void>
  /** Called at the second signal. Default: exits with code 130. */
  readonly onImpatience?: () => void
  readonly signal?: AbortSignal
}

export interface SignalSource {
  on(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
  off(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
}

/** Runs until SIGINT, SIGTERM or `signal`, or a service fails. */
export async function runServices(services: readonly Service[], options: RunOptions): Promise<void> {
  const signals: SignalSource = options.signals ?? process
  const ending = new AbortController()
  const interrupt = () => {
    if (ending.signal.aborted) return (options.onImpatience ?? leaveNow)()
    options.log.info('stopping; send the signal again to exit at once')
    ending.abort(new DOMException('interrupted', 'AbortError'))
  }
  const outside = () => ending.abort(options.signal?.reason)
  signals.on('SIGINT', interrupt)
  signals.on('SIGTERM', interrupt)
  options.signal?.addEventListener('abort', outside, { once: true })
  if (options.signal?.aborted) outside()
  try {
    const running = await startServices(services, options, ending.signal)
    try {
      await options.onReady?.()
      const interrupted = new Promise<void>((resolve) => {
        if (ending.signal.aborted) resolve()
        ending.signal.addEventListener('abort', () => resolve(), { once: true })
      })
      await Promise.race([interrupted, running.failure])
    } finally {
      await running.stop()
    }
  } catch (error) {
    if (!ending.signal.aborted) throw error
  } finally {
    signals.off('SIGINT', interrupt)
    signals.off('SIGTERM', interrupt)
    options.signal?.removeEventListener('abort', outside)
  }
}

function leaveNow(): void {
  process.exit(130)
}
