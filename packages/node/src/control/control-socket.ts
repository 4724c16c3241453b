/** JSON lines: {task, params}, answered by {progress}..., then {result} or {error}. */
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { StringDecoder } from 'node:string_decoder'

/** Slightly below the system's limit on socket paths. */
const MAX_PATH_BYTES = 100
export const MAX_LINE_BYTES = 16 * 2 ** 20

export interface ControlRequest {
  readonly task: string
  readonly params: Readonly<Record<string, unknown>>
}

export type ControlAnswer =
  | { readonly progress: unknown }
  | { readonly result: unknown }
  | { readonly error: { readonly code: string; readonly message: string } }

/** If the path is too long, the socket is in this user's folder in the temporary directory. */
export function controlSocketPath(dataDir: string): string {
  const inside = join(resolve(dataDir), 'control.sock')
  if (Buffer.byteLength(inside) <= MAX_PATH_BYTES) return inside
  const name = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 24)
  return join(tmpdir(), `keelson-${process.getuid?.() ?? 0}`, `${name}.sock`)
}

export function readLines(onLine: (line: string) => void, onTooLong: () => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  return (chunk) => {
    const lines = (rest + decoder.write(chunk)).split('\n')
    rest = lines.pop() as string
    for (const line of lines) if (line.trim() !== '') onLine(line)
    if (rest.length > MAX_LINE_BYTES) {
      rest = ''
      onTooLong()
    }
  }
}
