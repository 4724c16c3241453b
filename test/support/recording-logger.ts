import type { LogFields, Logger } from '@keelson/primitives'

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly name: string
  readonly message: string
  readonly fields: LogFields
}

export interface RecordingLogger extends Logger {
  readonly lines: readonly LogLine[]
  matching(text: string): readonly LogLine[]
}

const MAX_LINES = 100_000

export function createRecordingLogger(): RecordingLogger {
  const lines: LogLine[] = []
  const named = (name: string): RecordingLogger => {
    const write =
      (level: LogLine['level']) =>
      (message: string, fields: LogFields = {}) => {
        if (lines.length < MAX_LINES) lines.push({ level, name, message, fields })
      }
    return {
      lines,
      matching: (text) => lines.filter((line) => line.message.includes(text)),
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      child: (child) => named(name === '' ? child : `${name}/${child}`),
    }
  }
  return named('')
}
