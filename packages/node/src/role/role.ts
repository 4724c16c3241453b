import { createHttpRpcClient, type HttpRpcClientOptions, type RpcClient } from '@keelson/client'
import { type Clock, type Crypto, createPureCrypto, type Logger, type Random } from '@keelson/primitives'
import {
  createLogger,
  createMetrics,
  createSystemClock,
  createSystemRandom,
  type HealthServerOptions,
  LOG_FORMATS,
  LOG_LEVELS,
  type LogFormat,
  type LogLevel,
  type Metrics,
  type OptionValues,
  option,
  optionParsers as parse,
  runServices,
  type Service,
} from '@keelson/runtime'
import { createNativeCrypto } from '../crypto/native-crypto.ts'
import { registerMachineMetrics } from './machine-metrics.ts'
import { virtualHostsOption } from './virtual-hosts.ts'

export const roleOptions = {
  logLevel: option<LogLevel>({
    key: 'log.level',
    parse: parse.oneOf(...LOG_LEVELS),
    default: 'info',
    description: 'Least severe lines to print.',
  }),
  logFormat: option<LogFormat>({
    key: 'log.format',
    parse: parse.oneOf(...LOG_FORMATS),
    default: 'auto',
    description: 'Form of the log; auto is human on a terminal, JSON lines elsewhere.',
  }),
  clockOffsetMs: option({
    key: 'clock.offsetMs',
    parse: parse.integer(-Number.MAX_SAFE_INTEGER),
    default: 0,
    description: 'Milliseconds added to the machine clock; a paused development network resumes with it.',
  }),
  exitWithParent: option({
    key: 'exitWithParent',
    parse: parse.toggle,
    default: false,
    description: 'Stop when standard input ends, that is when the supervisor has gone.',
  }),
  slowCrypto: option({
    key: 'slowCrypto',
    parse: parse.toggle,
    default: false,
    description: 'Use JavaScript signatures when the native module is missing, about 50 times slower.',
  }),
  metricsHost: option({
    key: 'metrics.host',
    parse: parse.text,
    default: '127.0.0.1',
    description: 'Address the metrics and health port listens on.',
  }),
  metricsVirtualHosts: virtualHostsOption('metrics.vhosts', 'the metrics and health port'),
} as const

/** Where a role serves its metrics and health. */
export function healthAddress({
  metricsHost,
  metricsPort,
  metricsVirtualHosts,
}: Pick<OptionValues<typeof roleOptions>, 'metricsHost' | 'metricsVirtualHosts'> & { readonly metricsPort: number }): HealthServerOptions {
  return { host: metricsHost, port: metricsPort, option: '--metrics.port', virtualHosts: metricsVirtualHosts }
}

export interface Role {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  readonly crypto: Crypto
  /** Returns null on success, or else the valid levels. */
  setLogLevel(level: string): readonly string[] | null
  rpc(url: string, options?: Omit<HttpRpcClientOptions, 'url'>): RpcClient
  run(services: readonly Service[], onReady?: () => void): Promise<number>
}

/** Includes other clients' names for levels. */
const LEVEL_OF_NAME: Readonly<Record<string, LogLevel>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
  crit: 'error',
}

/** Throws AssemblyError `node/native-module`. */
export function openRole(name: string, values: OptionValues<typeof roleOptions>): Role {
  const clock = createSystemClock({ offsetMs: values.clockOffsetMs })
  let level = values.logLevel
  const log = createLogger({ clock, name, level: () => level, format: values.logFormat })
  const crypto = values.slowCrypto ? createPureCrypto() : createNativeCrypto()
  if (values.slowCrypto)
    log.warn('using JavaScript signatures, about 50 times slower than native ones; following a busy chain will not work')
  const metrics = createMetrics(`keelson_${name}`, { processMetrics: true })
  registerMachineMetrics(metrics, clock)
  const random = createSystemRandom()
  return {
    clock,
    random,
    log,
    metrics,
    crypto,
    setLogLevel(name) {
      const found = Object.hasOwn(LEVEL_OF_NAME, name.toLowerCase()) ? LEVEL_OF_NAME[name.toLowerCase()] : undefined
      if (found === undefined) return Object.keys(LEVEL_OF_NAME)
      level = found
      return null
    },
    rpc: (url, options = {}) => createHttpRpcClient({ url, ...options }, { clock, random, log, metrics }),
    async run(services, onReady) {
      const parentGone = new AbortController()
      if (values.exitWithParent) {
        process.stdin
          .on('end', () => parentGone.abort())
          .on('error', () => parentGone.abort())
          .resume()
      }
      await runServices(services, { log, clock, signal: parentGone.signal, ...(onReady === undefined ? {} : { onReady }) })
      return 0
    },
  }
}

/** The service closes a resource after services that started later have stopped. */
export function closing(name: string, close: () => Promise<void>): Service {
  return { name, start: async () => undefined, stop: close }
}
