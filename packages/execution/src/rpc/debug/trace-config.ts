import type { TracerConfig } from '@keelson/evm'
import { isGiven, parseJsonObject, parseOptional } from '@keelson/primitives'
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
  const o = parseOptional(value, 'trace options', parseJsonObject) ?? {}
  const { tracer, tracerConfig, timeout } = o
  if (isGiven(tracer) && (typeof tracer !== 'string' || tracer === '')) throw invalidParams('tracer: expected the name of a tracer')
  const name = typeof tracer === 'string' ? tracer : null
  const config = parseOptional(tracerConfig, 'tracerConfig', parseJsonObject) ?? {}
  checkConfig(name === null ? o : {}, name)
  checkConfig(config, name)
  return { tracer: name, config: name === null ? { ...o, ...config } : config, timeoutMs: parseTimeout(timeout, limits) }
}

/** Options of all tracers that are true or false. Unknown options are ignored, as by geth. */
const FLAGS = new Set([
  ...['onlyTopCall', 'withLog', 'includePrecompiles', 'convertParityErrors', 'diffMode', 'disableCode', 'includeEmpty'],
  ...['enableMemory', 'disableStack', 'disableStorage', 'enableReturnData', 'debug'],
])

function checkConfig(config: Readonly<Record<string, unknown>>, tracer: string | null): void {
  for (const [name, value] of Object.entries(config)) {
    if (tracer === 'muxTracer') checkConfig(parseOptional(value, name, parseJsonObject) ?? {}, name)
    else if (!isGiven(value)) continue
    else if (FLAGS.has(name) && typeof value !== 'boolean')
      throw invalidParams(`${name}: expected true or false, got ${String(JSON.stringify(value)).slice(0, 80)}`)
    else if (name === 'limit' && !Number.isSafeInteger(value))
      throw invalidParams(`limit: expected a whole number, got ${String(JSON.stringify(value)).slice(0, 80)}`)
  }
}

const UNIT_MS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Go durations: "5s", "1m30s", "500ms". */
function parseTimeout(value: unknown, { traceTimeoutMs, maxTraceTimeoutMs }: TraceLimits): number {
  if (!isGiven(value)) return traceTimeoutMs
  const bad = () => invalidParams(`invalid argument 1: timeout: expected a duration like "10s", got ${JSON.stringify(value)}`)
  if (typeof value !== 'string' || !/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(value)) throw bad()
  let ms = 0
  for (const [, amount, , unit] of value.matchAll(/(\d+(\.\d+)?)(ns|us|µs|ms|s|m|h)/g))
    ms += Number(amount) * (UNIT_MS[unit as string] as number)
  return Math.min(Math.max(1, ms), maxTraceTimeoutMs)
}
