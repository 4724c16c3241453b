import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { FORK_ACTIVATES } from '@keelson/chainspec'
import type { BlockFacts } from '../screen/block-line.ts'

export interface RoleLog {
  take(role: string, line: string): ConsoleLine | null
}

export type ConsoleLine =
  /** Lines with the same `key` are repetitions. */
  | { readonly kind: 'text'; readonly level: 'warn' | 'error'; readonly text: string; readonly key: string }
  | { readonly kind: 'block'; readonly block: BlockFacts }

const MAX_FILE_BYTES = 20 * 1024 * 1024
const BLOCK_ROLE = 'execution'
export const BLOCK_MESSAGE = 'block'
const LEADERSHIP_MESSAGE = 'leadership is granted'

/** Each role has a file from the start, also one that never writes a line. */
export function createRoleLog(folder: string, roles: readonly string[] = []): RoleLog {
  mkdirSync(folder, { recursive: true })
  for (const role of roles) appendFileSync(join(folder, `${role}.log`), '')
  const sizes = new Map<string, number>()

  function append(role: string, line: string): void {
    const file = join(folder, `${role}.log`)
    let size = sizes.get(role) ?? sizeOf(file)
    if (size > MAX_FILE_BYTES) {
      renameSync(file, `${file}.1`)
      size = 0
    }
    appendFileSync(file, `${line}\n`)
    sizes.set(role, size + line.length + 1)
  }

  return {
    take(role, line) {
      append(role, line)
      const record = parseRecord(line)
      if (record === null) return role === 'l1' ? null : { kind: 'text', level: 'error', text: `${role}: ${line}`, key: `${role}: ${line}` }
      if (role === BLOCK_ROLE && record.message === BLOCK_MESSAGE) return { kind: 'block', block: record as unknown as BlockFacts }
      if (role === BLOCK_ROLE && record.message === FORK_ACTIVATES) {
        const text = `fork ${String(record.fork)} activates in block ${String(record.block)}, timestamp ${String(record.timestampSec)}`
        return { kind: 'text', level: 'warn', text, key: text }
      }
      if (role === 'conductor' && record.message === LEADERSHIP_MESSAGE) {
        const text = `leadership went to ${String(record.to)}: ${String(record.why)}`
        return { kind: 'text', level: 'warn', text, key: `${text} (term ${String(record.term)})` }
      }
      if (record.level !== 'warn' && record.level !== 'error') return null
      const { level, message, time: _time, name: _name, ...fields } = record
      const details = Object.entries(fields).map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
      return {
        kind: 'text',
        level: record.level,
        text: `${role}: ${String(level)}: ${[String(message), ...details].join(' ')}`,
        key: `${role}: ${String(message)}`,
      }
    },
  }
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch {
    return 0
  }
}

function parseRecord(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return null
  }
}
