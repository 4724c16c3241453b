/** Rapidly repeated messages are counted, not written. */
import type { Clock, LogFields, Logger } from '@keelson/primitives'
import { formatHuman, formatJson, type LogRecord } from './log-format.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]
export const LOG_FORMATS = ['auto', 'human', 'json'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

export interface LoggerOptions {
  readonly clock: Clock
  readonly name?: string
  readonly level?: LogLevel | (() => LogLevel)
  /** `auto` selects `human` on a terminal, else `json`. */
  readonly format?: LogFormat
  readonly sink?: LogSink
  readonly burst?: number
  readonly linesPerSec?: number
}

export interface LogSink {
  readonly terminal: boolean
  write(line: string): void
}

const MAX_TRACKED_MESSAGES = 1000
/** While more bytes than this are queued, lines are dropped. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024

export function createStreamSink(stream: NodeJS.WriteStream): LogSink {
  let dropped = 0
  return {
    terminal: stream.isTTY === true,
    write(line) {
      if (stream.writableLength > MAX_BUFFERED_BYTES) {
        dropped++
        return
      }
      if (dropped > 0) {
        stream.write(`(${dropped} log lines dropped: the reader of this log is too slow)\n`)
        dropped = 0
      }
      stream.write(`${line}\n`)
    },
  }
}

export function createLogger(options: LoggerOptions): Logger {
  const sink = options.sink ?? createStreamSink(process.stderr)
  const human = options.format === 'human' || ((options.format ?? 'auto') === 'auto' && sink.terminal)
  const { level: least = 'info' } = options
  const threshold = () => LOG_LEVELS.indexOf(typeof least === 'function' ? least() : least)
  const limiter = createMessageLimiter(options.burst ?? 50, options.linesPerSec ?? 5)
  const write = (level: Exclude<LogLevel, 'silent'>, name: string, message: string, fields: LogFields) => {
    if (LOG_LEVELS.indexOf(level) < threshold()) return
    const timeMs = options.clock.nowMs()
    const suppressed = limiter.take(`${name}\0${message}`, timeMs)
    if (suppressed === null) return
    const record: LogRecord = {
      timeMs,
      level,
      name,
      message,
      fields: suppressed === 0 ? fields : { ...fields, suppressedBefore: suppressed },
    }
    sink.write(human ? formatHuman(record, sink.terminal) : formatJson(record))
  }
  const named = (name: string): Logger => ({
    debug: (message, fields = {}) => write('debug', name, message, fields),
    info: (message, fields = {}) => write('info', name, message, fields),
    warn: (message, fields = {}) => write('warn', name, message, fields),
    error: (message, fields = {}) => write('error', name, message, fields),
    child: (child) => named(name === '' ? child : `${name}/${child}`),
  })
  return named(options.name ?? '')
}

export function createSilentLogger(): Logger {
  const quiet = () => undefined
  const logger: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => logger }
  return logger
}

interface MessageState {
  tokens: number
  sinceMs: number
  suppressed: number
}

function createMessageLimiter(burst: number, perSec: number) {
  const messages = new Map<string, MessageState>()
  return {
    /** Returns the number of lines suppressed since the last one, or null to suppress this line. */
    take(key: string, nowMs: number): number | null {
      const state = messages.get(key) ?? { tokens: burst, sinceMs: nowMs, suppressed: 0 }
      state.tokens = Math.min(burst, state.tokens + (Math.max(0, nowMs - state.sinceMs) / 1000) * perSec)
      state.sinceMs = nowMs
      messages.delete(key)
      messages.set(key, state)
      if (messages.size > MAX_TRACKED_MESSAGES) messages.delete(messages.keys().next().value as string)
      if (state.tokens < 1) {
        state.suppressed++
        return null
      }
      state.tokens--
      const suppressed = state.suppressed
      state.suppressed = 0
      return suppressed
    },
  }
}
