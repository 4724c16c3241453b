import type { TracerConfig } from '@keelson/evm'
import { parseJsonObject } from '@keelson/primitives'
import { invalidParams } from '@keelson/runtime'
import type { RpcOptions } from '../../options.ts'

export interface TraceRequest {
  readonly tracer: string | null
  readonly config: TracerConfig
  readonly timeoutMs: number
}

type TraceLimits = Pick<RpcOptions, 'traceTimeoutMs' | 'maxTraceTimeoutMs'>

/** The default tracer also reads options from the object itself. */
export function parseTraceRequest(value: unknown, limits: TraceLimits): TraceRequest {
  const o = value === undefined || value === null ? {} : parseJsonObject(value, 'trace options')
  const { tracer, tracerConfig, timeout } = o
  if (tracer !== undefined && tracer !== null && typeof tracer !== 'string')
    throw invalidParams('invalid argument 1: tracer: expected a name')
  const name = typeof tracer === 'string' && tracer !== '' ? tracer : null
  const config = tracerConfig === undefined || tracerConfig === null ? {} : parseJsonObject(tracerConfig, 'tracerConfig')
  return { tracer: name, config: name === null ? { ...o, ...config } : config, timeoutMs: parseTimeout(timeout, limits) }
}

const UNIT_MS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Go durations: "5s", "1m30s", "500ms". */
function parseTimeout(value: unknown, { traceTimeoutMs, maxTraceTimeoutMs }: TraceLimits): number {
  if (value === undefined || value === null) return traceTimeoutMs
  const bad = () => invalidParams(`invalid argument 1: timeout: expected a duration like "10s", got ${JSON.stringify(value)}`)
  if (typeof value !== 'string' || !/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(value)) throw bad()
  let ms = 0
  for (const [, amount, , unit] of value.matchAll(/(\d+(\.\d+)?)(ns|us|µs|ms|s|m|h)/g))
    ms += Number(amount) * (UNIT_MS[unit as string] as number)
  return Math.min(Math.max(1, ms), maxTraceTimeoutMs)
}
