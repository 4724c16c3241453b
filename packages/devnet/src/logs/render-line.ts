import { formatHuman } from '@keelson/runtime'
import type { LoggedLine } from './log-tail.ts'

const LEVELS: readonly unknown[] = ['debug', 'info', 'warn', 'error']

/** Lines that are no records, such as those of anvil, stay as they are. */
export function renderLine(
  { role, line }: LoggedLine,
  { width, coloured }: { readonly width: number; readonly coloured: boolean },
): string {
  const prefix = width === 0 ? '' : `${role.padEnd(width)}  `
  const record = parseRecord(line)
  if (record === null) return prefix + line
  const { time, level, name: _, message, ...fields } = record
  return prefix + formatHuman({ timeMs: Date.parse(time), level, name: '', message, fields }, coloured)
}

interface JsonRecord {
  readonly time: string
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly [field: string]: unknown
}

function parseRecord(line: string): JsonRecord | null {
  try {
    const { time, level, message, ...fields } = JSON.parse(line) as Record<string, unknown>
    if (typeof time !== 'string' || Number.isNaN(Date.parse(time)) || !LEVELS.includes(level) || typeof message !== 'string') return null
    return { ...fields, time, level: level as JsonRecord['level'], message }
  } catch {
    return null
  }
}
