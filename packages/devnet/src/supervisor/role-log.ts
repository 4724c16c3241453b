/** What roles say: all of it into a bounded file each, warnings and errors also onto the console. */
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { FORK_ACTIVATES } from '@keelson/chainspec'
import type { BlockFacts } from '../screen/block-line.ts'

export interface RoleLog {
  /** Takes a role's line; returns what the console should show of it, null for nothing. */
  take(role: string, line: string): ConsoleLine | null
}

export type ConsoleLine =
  /** `level` is the role's own word; a line that is no record counts as an error. Lines with one `key` say the same. */
  | { readonly kind: 'text'; readonly level: 'warn' | 'error'; readonly text: string; readonly key: string }
  /** The sequencer's execution client has a new canonical block. */
  | { readonly kind: 'block'; readonly block: BlockFacts }

/** A role's file is moved aside once at this size, so at most twice as much is kept. */
const MAX_FILE_BYTES = 20 * 1024 * 1024
/** The role whose block lines the network shows. */
const BLOCK_ROLE = 'execution'
export const BLOCK_MESSAGE = 'block'
/** What the conductor says when leadership moves; the console shows it, though it is no warning. */
const LEADERSHIP_MESSAGE = 'leadership is granted'

export function createRoleLog(folder: string): RoleLog {
  mkdirSync(folder, { recursive: true })
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
