import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { npmScript } from '@keelson/runtime'
import { DevnetError } from '../devnet-error.ts'

const MAX_TAIL_BYTES = 4 * 1024 * 1024
const CHUNK_BYTES = 1024 * 1024
const SUFFIX = '.log'

export interface LoggedLine {
  readonly role: string
  readonly line: string
}

export function loggedRoles(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(SUFFIX))
      .map((name) => name.slice(0, -SUFFIX.length))
      .sort()
  } catch {
    return []
  }
}

/** Throws DevnetError `node/usage` if the role has no log. */
export function chooseRoles(folder: string, role: string | null): readonly string[] {
  const roles = loggedRoles(folder)
  if (roles.length === 0)
    throw new DevnetError('node/usage', `there are no logs in ${folder}: start a network with ${npmScript('start', dirname(folder))}`)
  if (role === null) return roles
  if (roles.includes(role)) return [role]
  throw new DevnetError('node/usage', `no role "${role}" has a log in ${folder}; there are ${roles.join(', ')}`)
}

export interface LogTail {
  /** The newest lines of all roles, in the order of their times. */
  newest(lines: number): readonly LoggedLine[]
  /** What was written since the last call. */
  more(): readonly LoggedLine[]
}

interface Position {
  inode: number
  offset: number
  partial: string
}

export function openLogTail(folder: string, roles: readonly string[]): LogTail {
  const positions = new Map<string, Position>()
  const fileOf = (role: string) => join(folder, `${role}${SUFFIX}`)

  return {
    newest(lines) {
      const found = roles.flatMap((role) => {
        const { ino, size } = statSync(fileOf(role))
        const start = Math.max(0, size - MAX_TAIL_BYTES)
        const parts = readFrom(fileOf(role), start, size).split('\n')
        positions.set(role, { inode: ino, offset: size, partial: parts.pop() ?? '' })
        if (start > 0) parts.shift()
        return withTimes(role, parts.slice(-lines))
      })
      found.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
      return found.slice(-lines).map(({ role, line }) => ({ role, line }))
    },
    more() {
      return roles.flatMap((role) => {
        const at = positions.get(role)
        return at === undefined ? [] : readOn(fileOf(role), at).map((line) => ({ role, line }))
      })
    },
  }
}

/** A rotated file is read to its end under its new name. */
function readOn(file: string, at: Position): readonly string[] {
  const { ino, size } = statSync(file)
  let text = at.partial
  if (ino !== at.inode) {
    text += readFrom(`${file}.1`, at.offset, statSync(`${file}.1`).size)
    at.inode = ino
    at.offset = 0
  }
  text += readFrom(file, at.offset, size)
  at.offset = size
  const lines = text.split('\n')
  at.partial = lines.pop() ?? ''
  return lines
}

function readFrom(file: string, start: number, end: number): string {
  const descriptor = openSync(file, 'r')
  try {
    const chunks: Buffer[] = []
    for (let offset = start; offset < end; ) {
      const buffer = Buffer.alloc(Math.min(CHUNK_BYTES, end - offset))
      const read = readSync(descriptor, buffer, 0, buffer.length, offset)
      if (read === 0) break
      chunks.push(buffer.subarray(0, read))
      offset += read
    }
    return Buffer.concat(chunks).toString()
  } finally {
    closeSync(descriptor)
  }
}

/** Lines without a time, such as a stack, keep that of the line before. */
function withTimes(role: string, lines: readonly string[]): readonly (LoggedLine & { readonly time: string })[] {
  let time = ''
  return lines.map((line) => {
    time = /"time":"([^"]+)"/.exec(line)?.[1] ?? time
    return { role, line, time }
  })
}
