import type { LogFields, Logger } from '@keelson/primitives'
import type { LogLine } from './protocol.ts'

/** Writes the lines of another thread. */
export function writeLine(log: Logger, { level, path, message, fields }: LogLine): void {
  path.reduce((at, name) => at.child(name), log)[level](message, fields)
}

export function createRelayedLogger(send: (line: LogLine) => void, path: readonly string[] = []): Logger {
  const at =
    (level: LogLine['level']) =>
    (message: string, fields: LogFields = {}) =>
      send({ level, path, message, fields: crossing(fields) })
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (name) => createRelayedLogger(send, [...path, name]),
  }
}

/** A clone of an error loses its class and code. */
function crossing(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? (value.stack ?? value.message) : value]),
  )
}
